"""The cost model against figures worked out by hand."""

from __future__ import annotations

from datetime import date

import pytest

from guide.decide.cost import (
    DAYS_PER_MONTH,
    Assumptions,
    assumption_lines,
    break_even,
    cost,
    cost_rows,
    usd_per_job,
    usd_per_million,
)
from guide.model import Price, System

GIVEN = Assumptions(
    hours_per_day=10, years=2, usd_per_kwh=0.2, resale_share=0.25, on_hours_per_day=20, load_share=0.5,
    idle_share=0.1, host_usd=1000, host_extra_card_usd=100, host_power_w=50,
)  # fmt: skip
SYSTEM = System("a", "A", "a", "a", 1, power_w=400.0)


def price(usd: float, route: str = "buy-new", basis: str = "card") -> Price:
    return Price(route, basis, usd, usd, usd, date(2026, 1, 1), 1, True, 1, (), ("a",))


def test_a_month_owned() -> None:
    found = cost(price(2000), 1, 400.0, GIVEN)
    assert found.up_front_usd == 3000
    assert found.capital_usd_per_month == pytest.approx(3000 * 0.75 / 24)
    # 10 h at half of 400 W and the host's 50 W, 10 h at a tenth of 400 W and the host.
    kwh = DAYS_PER_MONTH * (10 * 250 + 10 * 90) / 1000
    assert found.electricity_usd_per_month == pytest.approx(kwh * 0.2)
    assert found.usd_per_month == pytest.approx(3000 * 0.75 / 24 + kwh * 0.2)


def test_a_whole_computer_gets_no_host_on_top() -> None:
    found = cost(price(2000, basis="system"), 1, 400.0, GIVEN)
    assert (found.up_front_usd, found.host_usd) == (2000, 0)
    assert found.electricity_usd_per_month == pytest.approx(
        DAYS_PER_MONTH * (10 * 200 + 10 * 40) / 1000 * 0.2
    )


def test_cards_alone_have_no_host_and_further_cards_need_a_larger_one() -> None:
    assert cost(price(2000), 4, None, GIVEN, whole_machine=False).up_front_usd == 2000
    assert cost(price(8000), 4, None, GIVEN).up_front_usd == 8000 + 1000 + 3 * 100


def test_rent_is_the_hours_of_work_and_nothing_else() -> None:
    found = cost(price(1.5, "rent", "rental"), 1, 400.0, GIVEN)
    assert found.usd_per_month == pytest.approx(1.5 * 10 * DAYS_PER_MONTH)
    assert found.total_usd == pytest.approx(1.5 * 10 * 365 * 2)
    assert found.up_front_usd == found.electricity_usd_per_month == 0


def test_usd_per_million_and_per_job() -> None:
    # 36 USD for 10 hours at 100 tokens/s is 3.6 million tokens.
    assert usd_per_million(36.0, 100.0, 10.0) == pytest.approx(10.0)
    assert usd_per_job(36.0, 1800.0, 10.0) == pytest.approx(1.8)


@pytest.mark.parametrize(("own", "rent"), [(2000, 0.5), (2000, 0.3), (500, 1.0), (4000, 0.36)])
def test_at_the_break_even_both_cost_the_same(own: float, rent: float) -> None:
    owned, rented = price(own), price(rent, "rent", "rental")
    found = break_even(SYSTEM, owned, rented, GIVEN)
    assert found.hours_per_day is not None
    at = GIVEN.using(hours_per_day=found.hours_per_day)
    assert cost(owned, 1, 400.0, at).usd_per_month == pytest.approx(cost(rented, 1, None, at).usd_per_month)


def test_where_owning_never_wins_it_says_so() -> None:
    found = break_even(SYSTEM, price(50_000), price(0.1, "rent", "rental"), GIVEN)
    assert found.hours_per_day is None
    assert "not" in found.sentence


def test_cost_per_speedup_keeps_routes_and_bases_apart(made) -> None:
    soc = made.device("mac", form="soc", memory_unified=True)
    rows = [made.row("slow", 10.0, half=0.01), made.row("fast", 40.0, half=0.01), made.row("mac", 20.0)]
    prices = [
        made.price("fast", 2000.0),
        made.price("fast", 0.4, "rent-on-demand"),
        made.price("mac", 3000.0, "system"),
    ]
    found = made.evidence(rows, prices, devices=[soc])
    table = cost_rows(found.tasks[0], found.prices)
    assert [(r.system.key, r.price.route, r.price.basis) for r in table] == [
        ("fast", "buy-new", "card"),
        ("mac", "buy-new", "system"),
        ("fast", "rent", "rental"),
    ]
    assert table[0].per_speedup_usd == pytest.approx(500.0)
    assert table[1].interval is None  # the mac states no interval
    assert table[2].usd_per_million == pytest.approx(0.4 / (40 * 3600) * 1e6)


def test_assumptions_say_where_they_come_from_until_they_are_changed() -> None:
    lines = dict(
        assumption_lines(GIVEN.using(years=5), {"usd_per_kwh": "a table", "years": "a guess"}, GIVEN)
    )
    assert lines["electricity"] == "0.2 USD/kWh (a table)"
    assert lines["years of use"] == "5 years (set for this reader)"
