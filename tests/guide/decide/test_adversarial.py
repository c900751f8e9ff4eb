"""Evidence that tries to lead the engine astray: rows and prices drawn, absurd, shuffled or contradictory."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from guide.recommend import answer, answers

SOME = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
OLD = date(2024, 1, 1)
OBJECTIVES = ("fastest", "cheapest-work", "least-energy")


@st.composite
def drawn(draw):
    """(rate, half-width or None, USD, watts, fresh) of two to six cards."""
    card = st.tuples(
        st.integers(10, 9000).map(lambda n: n / 10),
        st.none() | st.sampled_from([0.001, 0.02, 0.2]),
        st.integers(200, 20_000).map(float),
        st.integers(10, 700).map(float),
        st.booleans(),
    )
    return draw(st.lists(card, min_size=2, max_size=6))


def evidence_of(made, cards, objective: str, shuffle=None):
    rows, prices, devices = [], [], []
    for number, (rate, half, usd, watts, fresh) in enumerate(cards):
        key = f"card{number}"
        devices.append(made.device(key, tdp_w=watts))
        rows.append(made.row(key, rate, half=half))
        day = {} if fresh else {"observed_on": OLD}
        prices.append(made.price(key, usd, **day))
    if shuffle is not None:
        shuffle(rows)
        shuffle(prices)
        shuffle(devices)
    text = made.scenario_text.replace('"fastest"', f'"{objective}"') + made.question_text
    return made.evidence(rows, prices, devices=devices, text=text)


def ask(evidence):
    return answer(evidence.settings.scenarios[0], evidence)


@SOME
@given(drawn(), st.sampled_from(OBJECTIVES), st.randoms(use_true_random=False))
def test_the_order_of_rows_prices_and_devices_never_matters(made, cards, objective, random) -> None:
    assert answers(evidence_of(made, cards, objective, random.shuffle)) == answers(
        evidence_of(made, cards, objective)
    )


@SOME
@given(drawn(), st.sampled_from(OBJECTIVES))
def test_a_stale_price_never_carries_a_pick(made, cards, objective) -> None:
    found = ask(evidence_of(made, cards, objective))
    fresh = {f"card{n}" for n, card in enumerate(cards) if card[4]}
    assert {c.system.key for c in found.candidates if c.place} == fresh
    assert (found.pick is None) == (not fresh)
    assert all(c.reason_code == "price-stale" for c in found.candidates if c.place is None)
    if found.pick is None:  # and then it is said which price would settle it
        assert found.leader is not None
        assert found.gaps[0].what.startswith(f"A fresh price of {found.leader.system.label}")
        assert found.gaps[0].command.startswith("bench prices add ")


@SOME
@given(drawn(), st.sampled_from(OBJECTIVES), st.integers(1, 99), st.integers(101, 900))
def test_a_slower_and_dearer_card_never_changes_the_pick(made, cards, objective, slower, dearer) -> None:
    before = ask(evidence_of(made, cards, objective))
    assume(before.pick is not None)
    rate, half, usd, watts, _ = cards[int(before.pick.system.key.removeprefix("card"))]
    worse = (max(rate * slower / 100, 0.5), half, usd * dearer / 100, watts, True)
    assume(worse[0] < rate)
    after = ask(evidence_of(made, [*cards, worse], objective))
    assert after.pick.system.key == before.pick.system.key


@SOME
@given(drawn(), st.sampled_from(OBJECTIVES))
def test_every_flip_that_is_told_names_another_winner(made, cards, objective) -> None:
    found = ask(evidence_of(made, cards, objective))
    for flip in found.flips:
        assert found.pick is not None
        assert not flip.winner.startswith(f"{found.pick.system.label},")
        assert flip.sentence.endswith(".")


@pytest.mark.parametrize("times", [11, 1000])
def test_a_rate_that_no_such_device_can_have_is_never_recommended(made, times: int) -> None:
    """8 B weights in Q4_K_M are 4.8 GB a token: 10,000 GB/s allow about 2,000 tokens/s."""
    rows = [made.row("a", 300.0, half=0.01), made.row("b", 200.0, half=0.01)]
    absurd = made.row("absurd", 300.0 * times, half=0.01, params=8_030_261_248)
    prices = [made.price(key, 1000.0) for key in ("a", "b")] + [made.price("absurd", 10.0)]
    found = ask(made.evidence([*rows, absurd], prices))
    assert found.pick.system.key == "a"
    fallen = next(c for c in found.candidates if c.system.key == "absurd")
    assert (fallen.place, fallen.rates, fallen.speed) == (None, (), None)
    assert "impossible" in fallen.reason


def test_many_rows_of_one_run_do_not_outvote(made) -> None:
    """A hundred copies of a lucky repetition on one host are one host."""
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 90.0, half=0.01, host_id="one")]
    rows += [made.row("b", 400.0, half=0.01, host_id="two", run_id=f"lucky{n}") for n in range(100)]
    rows.append(made.row("b", 91.0, half=0.01, host_id="three"))
    found = ask(made.evidence(rows, [made.price("a", 100.0), made.price("b", 100.0)]))
    assert next(c for c in found.candidates if c.system.key == "b").rates[0][1] == pytest.approx(91.0)
    assert found.pick.system.key == "a"


def test_prefill_does_not_help_decode_nor_batches_one_stream_nor_burst_what_is_sustained(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 90.0, half=0.01)]
    rows.append(made.row("b", 9000.0, half=0.01, workload="prefill", input_tokens=1024, output_tokens=None))
    rows.append(made.row("b", 900.0, half=0.01, batch=32))
    rows.append(made.row("b", 900.0, half=0.01, rate_kind="sustained"))
    rows.append(made.row("b", 900.0, half=0.01, execution="compiled"))
    text = made.scenario_text + made.question_text.replace('model = "~8b"', 'model = "~8b", batch = 1')
    found = ask(made.evidence(rows, [made.price("a", 100.0), made.price("b", 100.0)], text=text))
    assert found.pick.system.key == "a"
    assert {c.system.key: c.rates[0][1] for c in found.candidates} == {"a": 100.0, "b": 90.0}


def test_a_card_that_fits_nothing_is_not_saved_by_its_price(made) -> None:
    need = '\nmust_fit = [{ model = "Llama-3-70B", dtype = "fp16", context = 4096 }]'
    rows = [made.row(key, rate, half=0.01) for key, rate in (("a", 10.0), ("b", 9.0), ("tiny", 900.0))]
    devices = [made.device("a", memory_gib=192.0), made.device("b", memory_gib=192.0)]
    prices = [made.price("a", 9000.0), made.price("b", 9000.0), made.price("tiny", 1.0)]
    text = made.scenario_text + made.question_text + need
    found = ask(made.evidence(rows, prices, devices=devices, text=text))
    assert found.pick.system.key == "a"
    fallen = next(c for c in found.candidates if c.system.key == "tiny")
    assert fallen.reason_code == "memory"
    assert "price:tiny:buy-new" not in {flip.input for flip in found.flips}


def test_what_wins_at_any_price_says_so_and_names_no_sum(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 900.0, half=0.01)]
    found = ask(made.evidence(rows, [made.price("a", 100.0)]))
    flip = next(f for f in found.flips if f.input == "price:b:buy-new")
    assert flip.sentence == "At any price (none is known), buying B new wins."
    assert any(gap.worth == "At any price it would be the pick." for gap in found.gaps)


def test_why_a_system_cannot_be_had_is_said_as_it_is(made) -> None:
    rows = [made.row(key, 100.0, half=0.01) for key in ("card", "other", "mac", "cloud")]
    mac = made.device("mac", form="soc", memory_unified=True)
    prices = [made.price("card", 900.0), made.price("other", 900.0), made.price("mac", 900.0, "system"),
              made.price("cloud", 1.0, "rent-on-demand")]  # fmt: skip
    text = (
        made.scenario_text + 'whole_machine = false\nroutes = ["buy-new", "buy-used"]\n' + made.question_text
    )
    found = ask(made.evidence(rows, prices, devices=[mac], text=text))
    reasons = {c.system.key: (c.reason_code, c.reason) for c in found.candidates if c.place is None}
    assert reasons["mac"][0] == "basis"
    assert "whole computer" in reasons["mac"][1]
    assert reasons["cloud"] == (
        "route",
        "It has no price by the ways asked about: bought new or bought used.",
    )


def test_a_budget_that_nothing_meets_is_no_recommendation(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 90.0, half=0.01)]
    evidence = made.evidence(rows, [made.price("a", 500.0), made.price("b", 700.0)])
    scenario = evidence.settings.scenarios[0]
    found = answer(scenario, evidence, scenario.given.using(budget_usd=100.0))
    assert (found.pick, found.call, found.flips, found.grid) == (None, "none", (), None)
    assert {c.reason_code for c in found.candidates} == {"budget"}
    assert all("the budget is $100" in c.reason for c in found.candidates)


def test_without_any_price_the_fastest_that_fit_are_asked_for(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 300.0, half=0.01)]
    found = ask(made.evidence(rows, []))
    assert found.pick is None
    assert [gap.what for gap in found.gaps[:2]] == [
        "A fresh price of B (bought new).",
        "A fresh price of A (bought new).",
    ]


def test_a_comparison_of_what_does_not_fit_does_not_crowd_out_one_of_what_does(made) -> None:
    """Three small cards measured by somebody else say less than two that hold the model."""
    need = '\nmust_fit = [{ model = "Llama-3-70B", dtype = "fp16", context = 4096 }]'
    devices = [made.device(key, memory_gib=192.0) for key in ("a", "b")]
    rows = [made.row(key, rate, half=0.01) for key, rate in (("a", 10.0), ("b", 9.0))]
    theirs = {"protocol": "theirs", "origin": "published", "source_id": "t"}
    rows += [made.row(f"small{n}", 90.0 + n, **theirs) for n in range(3)]
    prices = [made.price(key, 1000.0) for key in ("a", "b", "small0", "small1", "small2")]
    text = made.scenario_text + made.question_text + need
    found = ask(made.evidence(rows, prices, devices=devices, text=text))
    assert found.pick.system.key == "a"
    assert {task.columns["protocol"] for task in found.tasks} == {"hwguide"}
