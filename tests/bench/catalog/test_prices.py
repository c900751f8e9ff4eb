"""Prices: what a device costs as of a day, how sure, how old; and what a wrong line is told."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from bench.catalog import Catalog
from bench.catalog.electricity import find, load_electricity
from bench.catalog.prices import COLUMNS, PriceBook
from bench.errors import BenchError

DATA = Path(__file__).parents[3] / "data"
DAY = date(2026, 9, 1)


def book(tmp_path: Path, *rows: str) -> PriceBook:
    file = tmp_path / "prices.csv"
    file.write_text("\n".join([",".join(COLUMNS), *rows]) + "\n", encoding="utf-8")
    return PriceBook.load(file, known={"a", "b"})


def row(kind="new", usd="100", day="2026-08-01", *, per="unit", n="1", region="US", stat="list", device="a"):
    return f"{device},{kind},{usd},{per},{n},shop,{region},{day},{stat},a source,"


def test_the_projects_prices_load_and_know_their_devices():
    prices = PriceBook.load(DATA / "prices.csv", known=Catalog.load(DATA / "devices.csv").devices)
    lines = (DATA / "prices.csv").read_text("utf-8").splitlines()
    assert len(prices.observations) == len(lines) - 1 > 500
    quote = prices.quote("nvidia-rtx-4090", kinds=("new",), as_of=date(2026, 9, 1))
    assert (quote.low_usd, quote.median_usd, quote.high_usd) == (2200, 2500, 2800)
    assert quote.newest == date(2026, 2, 1)


def test_only_what_was_seen_by_the_day_counts(tmp_path):
    prices = book(tmp_path, row(usd="100", day="2026-06-01"), row(usd="300", day="2026-08-01"))
    assert prices.quote("a", kinds=("new",), as_of=date(2026, 5, 31)) is None
    assert prices.quote("a", kinds=("new",), as_of=date(2026, 7, 1)).high_usd == 100
    quote = prices.quote("a", kinds=("new",), as_of=datetime(2026, 9, 1, 12, tzinfo=UTC))
    assert (quote.low_usd, quote.median_usd, quote.high_usd, quote.n, quote.age_days) == (
        100,
        200,
        300,
        2,
        31,
    )


def test_old_observations_give_way_to_new_ones(tmp_path):
    prices = book(tmp_path, row(usd="900", day="2025-01-01"), row(usd="100", day="2026-08-01"))
    assert prices.quote("a", kinds=("new",), as_of=DAY).high_usd == 100


def test_a_price_goes_stale_at_its_limit_and_an_undated_one_always_is(tmp_path):
    prices = book(tmp_path, row(day="2026-08-01"), row(day="", device="b"))
    assert not prices.quote("a", kinds=("new",), as_of=DAY, limit_days=31).stale
    assert prices.quote("a", kinds=("new",), as_of=DAY, limit_days=30).stale
    undated = prices.quote("b", kinds=("new",), as_of=DAY)
    assert undated.stale and undated.newest is None and undated.age_days is None


def test_undated_prices_answer_only_where_no_dated_one_does(tmp_path):
    prices = book(tmp_path, row(usd="1", day=""), row(usd="100"))
    assert prices.quote("a", kinds=("new",), as_of=DAY).low_usd == 100


def test_routes_never_mix(tmp_path):
    prices = book(
        tmp_path,
        row(usd="100"),
        row("system", "900"),
        row("rent-on-demand", "2", per="hour"),
        row("rent-spot", "1", per="hour"),
    )
    for kind, usd in (("new", 100), ("system", 900), ("rent-on-demand", 2), ("rent-spot", 1)):
        quote = prices.quote("a", kinds=(kind,), as_of=DAY)
        assert (quote.low_usd, quote.high_usd, quote.route) == (usd, usd, "card" if kind == "new" else kind)
    with pytest.raises(ValueError, match="never mix"):
        prices.quote("a", kinds=("new", "system"), as_of=DAY)
    with pytest.raises(ValueError, match="never mix"):
        prices.quote("a", kinds=("rent-spot", "rent-on-demand"), as_of=DAY)
    with pytest.raises(ValueError, match="price kinds"):
        prices.quote("a", kinds=("gift",), as_of=DAY)


def test_an_amount_for_several_devices_is_divided(tmp_path):
    prices = book(tmp_path, row("rent-on-demand", "16", per="hour", n="8"))
    assert prices.quote("a", kinds=("rent-on-demand",), as_of=DAY).median_usd == 2


def test_cheapest_offers_and_range_ends_do_not_set_the_median(tmp_path):
    prices = book(tmp_path, row(usd="10", stat="min"), row(usd="50", stat="median"))
    quote = prices.quote("a", kinds=("new",), as_of=DAY)
    assert (quote.low_usd, quote.median_usd) == (10, 50)
    ends = book(tmp_path, row(usd="20", stat="range-low"), row(usd="40", stat="range-high"))
    assert ends.quote("a", kinds=("new",), as_of=DAY).median_usd == 30
    only = book(tmp_path, row(usd="10", stat="min"), row(usd="14", stat="min"))
    assert only.quote("a", kinds=("new",), as_of=DAY).median_usd == 12


def test_a_region_takes_its_own_and_the_unbound_offers(tmp_path):
    prices = book(
        tmp_path, row(usd="1", region="US"), row(usd="2", region="EU / US"), row(usd="3", region="India"),
        row(usd="4", region="Global (lowest)"), row(usd="5", region=""),
    )  # fmt: skip
    quote = prices.quote("a", kinds=("new",), as_of=DAY, region="us")
    assert sorted(o.amount_usd for o in quote.observations) == [1, 2, 4, 5]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (row(usd="a lot"), "column amount_usd: found 'a lot', expected a number from 0.001 to 1e+07 USD"),
        (row(usd="0"), "column amount_usd: found '0'"),
        (row(usd="-5"), "column amount_usd: found '-5'"),
        (row(kind="gift"), "column kind: found 'gift', expected one of launch, new"),
        (row(per="hour"), "column per: found 'hour', expected one of unit"),
        (row("rent-spot"), "column per: found 'unit', expected one of hour"),
        (row(day="2026-02-30"), "column observed_on: found '2026-02-30', expected a date as YYYY-MM-DD"),
        (row(day="20260801"), "column observed_on"),
        (row(n="0"), "column device_count: found '0', expected a whole number from 1 to"),
        (row(stat="guess"), "column stat"),
        (row(device="c"), "column device_id: found 'c', expected the id of a device"),
        ("a,new,1", "found 3 values, expected 11"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, told):
    with pytest.raises(BenchError) as caught:
        book(tmp_path, row(), line)
    assert f"{tmp_path / 'prices.csv'}, line 3" in caught.value.message
    assert told in caught.value.message


def test_electricity():
    tariffs = load_electricity(DATA / "electricity.csv")
    assert len(tariffs) == 29
    german = find(tariffs, "germany")
    assert (german.usd_per_kwh, german.grid_gco2_per_kwh, german.period) == (0.4487, 380.9, "2025-H1")
    assert find(tariffs, "United States", "commercial").usd_per_kwh == 0.146
    assert find(tariffs, "France") is None  # only its carbon figure is known


def test_a_price_of_electricity_needs_its_period(tmp_path):
    text = (DATA / "electricity.csv").read_text(encoding="utf-8").replace(",2026-04,", ",,", 1)
    file = tmp_path / "electricity.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BenchError, match="line 2, column period: found nothing"):
        load_electricity(file)
