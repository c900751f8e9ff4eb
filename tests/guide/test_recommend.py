"""The engine on invented evidence with known answers."""

from __future__ import annotations

import random
from datetime import date

import pytest

from guide.decide import flips
from guide.decide.field import find_field
from guide.decide.judge import Rule, decide
from guide.decide.screen import screen
from guide.recommend import answer, answers


def ask(evidence, given=None):
    return answer(evidence.settings.scenarios[0], evidence, given)


def decided(evidence):
    """The parts of a decision: contenders, rule, assumptions."""
    scenario = evidence.settings.scenarios[0]
    field = find_field(scenario, scenario.questions[0], evidence)
    screened = screen(scenario, scenario.questions[0], field, evidence)
    rule = Rule(scenario.objective, scenario.whole_machine, field.reference_rate)
    return screened.contenders, rule, scenario.given


@pytest.fixture
def simple(made):
    """Two tied cards at different prices, a slower cheap one and a faster dear one."""
    rows = [
        made.row("dear", 200.0, half=0.01),
        made.row("good", 101.0, half=0.01),
        made.row("twin", 100.0, half=0.01),
        made.row("slow", 50.0, half=0.01),
    ]
    prices = [
        made.price("dear", 9000.0),
        made.price("good", 2500.0),
        made.price("twin", 1500.0),
        made.price("slow", 700.0),
    ]
    text = made.scenario_text + "assumptions = { budget_usd = 5000 }\n" + made.question_text
    return made.evidence(rows, prices, text=text)


def test_of_two_that_tie_the_cheaper_wins(simple) -> None:
    found = ask(simple)
    assert found.pick.system.key == "twin"
    assert [c.system.key for c in found.tied] == ["good"]
    assert found.runner_up.system.key == "good"
    assert {c.system.key: c.reason_code for c in found.candidates} == {
        "twin": "pick",
        "good": "tied",
        "slow": "slower",
        "dear": "budget",
    }


def test_a_larger_budget_buys_the_faster_one(simple) -> None:
    given = simple.settings.scenarios[0].given.using(budget_usd=20_000)
    assert ask(simple, given).pick.system.key == "dear"


def test_every_flip_point_really_flips(simple) -> None:
    contenders, rule, given = decided(simple)
    before = decide(contenders, rule, given).winner
    prices = flips.price_flips(contenders, rule, given)
    assert {f.input for f in prices} >= {"price:twin:buy-new", "price:good:buy-new", "price:dear:buy-new"}
    for flip in prices:
        key = next(c.price_key for c in contenders if c.key == flip.input.removeprefix("price:"))
        step = flip.at * 0.01 if flip.direction == "below" else -flip.at * 0.01
        assert decide(contenders, rule, given, {key: flip.at}).winner != before
        assert decide(contenders, rule, given, {key: flip.at + step}).winner == before
    inputs = flips.input_flips(contenders, rule, given)
    assert {f.input for f in inputs} >= {"budget_usd"}
    for flip in inputs:
        step = flip.at * 0.01 if flip.direction == "below" else -flip.at * 0.01
        assert decide(contenders, rule, given.using(**{flip.input: flip.at})).winner != before
        assert decide(contenders, rule, given.using(**{flip.input: flip.at + step})).winner == before


def test_the_price_at_which_a_tied_one_wins_is_the_pick_s_price(simple) -> None:
    contenders, rule, given = decided(simple)
    at = {f.input: f.at for f in flips.price_flips(contenders, rule, given)}
    # Same power, same tier: whichever card is cheaper wins.
    assert at["price:good:buy-new"] == pytest.approx(1500, rel=0.01)
    assert at["price:twin:buy-new"] == pytest.approx(2500, rel=0.01)
    # The budget leaves 5,000 less 900 for the computer.
    assert at["price:dear:buy-new"] == pytest.approx(4100, rel=0.01)


def test_the_grid_counts_every_combination_once(simple) -> None:
    found = ask(simple).grid
    assert found.cells == 6
    assert sum(share for _, share in found.shares) == pytest.approx(1)
    assert found.pick_share == 1.0  # at 1.25 times its price the twin is still the cheaper one


def test_the_grid_share_is_what_deciding_again_says(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 100.0, half=0.01)]
    found = ask(made.evidence(rows, [made.price("a", 1000.0), made.price("b", 1100.0)]))
    # Only the factor 1.25 of 0.8, 1, 1.25 makes the pick dearer than the other.
    assert found.pick.system.key == "a"
    assert found.grid.pick_share == pytest.approx(2 / 3)


def test_a_stale_price_cannot_carry_a_pick(made) -> None:
    rows = [made.row("new", 100.0, half=0.01), made.row("old", 200.0, half=0.01)]
    prices = [made.price("new", 2000.0), made.price("old", 500.0, observed_on=date(2024, 1, 1))]
    found = ask(made.evidence(rows, prices))
    assert found.pick.system.key == "new"
    old = next(c for c in found.candidates if c.system.key == "old")
    assert (old.place, old.reason_code) == (None, "price-stale")
    flip = next(f for f in found.flips if f.input == "price:old:buy-new")
    assert flip.at == 500.0
    assert "seen afresh" in flip.sentence
    assert any("OLD" in gap.what for gap in found.gaps)


def test_when_every_price_is_stale_there_is_no_pick_but_a_leader(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 200.0, half=0.01)]
    prices = [made.price(k, 500.0, observed_on=date(2024, 1, 1)) for k in ("a", "b")]
    found = ask(made.evidence(rows, prices))
    assert found.pick is None
    assert found.leader.system.key == "b"
    assert found.confidence.level == "low"
    assert found.headline.startswith("Not enough evidence")
    assert (found.grid, found.flips) == (None, ())


def test_a_launch_price_is_never_a_price_of_today(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 200.0, half=0.01)]
    found = ask(made.evidence(rows, [made.price("a", 500.0), made.price("b", 1.0, "launch")]))
    assert found.pick.system.key == "a"
    assert next(c for c in found.candidates if c.system.key == "b").reason_code == "price-missing"


MUST_FIT = """
[[scenario.question]]
text = "What writes fastest?"
must_fit = [{ model = "Llama-3-8B", dtype = "q4_k_m", context = 8192 }]
tasks = [{ workload = "decode", model = "~8b", output_tokens = 1024 }]
floors = [{ workload = "decode", output_tokens = 1024, min_rate = 20, because = "reading speed" }]
min_systems = 2
"""


def test_a_measured_out_of_memory_rules_out_and_too_little_memory_says_the_figures(made) -> None:
    rows = [
        made.row("fails", 300.0, half=0.01),
        made.row("fails", None, output_tokens=8192),
        made.row("tiny", 200.0, half=0.01),
        made.row("crawls", 10.0, half=0.01),
        made.row("ok", 100.0, half=0.01),
    ]
    prices = [made.price(k, 1000.0) for k in ("fails", "tiny", "crawls", "ok")]
    tiny = made.device("tiny", memory_gib=6.0)
    found = ask(made.evidence(rows, prices, devices=[tiny], text=made.scenario_text + MUST_FIT))
    assert found.pick.system.key == "ok"
    reasons = {c.system.key: (c.reason_code, c.reason) for c in found.candidates}
    assert reasons["fails"][0] == "memory"
    assert "measured" in reasons["fails"][1]
    assert "needs 5.57\u00a0GiB, usable" in reasons["tiny"][1]
    assert reasons["crawls"][0] == "slow"
    assert "reading speed" in reasons["crawls"][1]


def test_too_few_systems_is_not_enough_evidence_and_says_what_would_settle_it(made) -> None:
    found = ask(made.evidence([made.row("a", 100.0)], [made.price("a", 100.0)]))
    assert found.pick is None
    assert found.candidates == ()
    assert found.gaps[0].command.startswith("bench collect ")


def test_the_better_question_that_cannot_be_answered_is_named(made) -> None:
    batched = made.question_text.replace('model = "~8b"', 'model = "~8b", batch = { min = 8 }')
    batched = batched.replace("What writes fastest?", "Many at once?")
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 90.0, half=0.01)]
    prices = [made.price("a", 100.0), made.price("b", 100.0)]
    text = made.scenario_text + batched + made.question_text
    found = ask(made.evidence(rows, prices, text=text))
    assert (found.asked, found.answered) == ("Many at once?", "What writes fastest?")
    assert found.pick is not None
    assert "a better question could not be answered" in found.confidence.failed
    assert "Many at once?" in found.gaps[0].worth


def test_systems_that_lack_a_task_are_out_and_it_is_said_which(made) -> None:
    text = made.scenario_text + made.question_text.replace(
        '{ workload = "decode", model = "~8b" }',
        '{ workload = "decode", output_tokens = 512 }, { workload = "decode", output_tokens = 1024 }',
    )
    rows = [
        made.row(name, rate, half=0.01, output_tokens=tokens)
        for name, rate in (("a", 100.0), ("b", 50.0))
        for tokens in (512, 1024)
    ]
    rows.append(made.row("half", 900.0, half=0.01))
    prices = [made.price(k, 100.0) for k in ("a", "b", "half")]
    found = ask(made.evidence(rows, prices, text=text))
    assert found.pick.system.key == "a"
    assert found.pick.speed.value == pytest.approx(2.0)
    half = next(c for c in found.candidates if c.system.key == "half")
    assert half.reason_code == "no-evidence"
    assert "512 tokens" in half.reason


def test_rows_of_two_protocols_are_not_compared(made) -> None:
    rows = [made.row("a", 100.0), made.row("b", 90.0)]
    rows += [made.row("c", 999.0, protocol="theirs", origin="published", source_id="t")]
    found = ask(made.evidence(rows, [made.price(k, 100.0) for k in "abc"]))
    assert found.pick.system.key == "a"
    assert next(c for c in found.candidates if c.system.key == "c").reason_code == "no-evidence"


def test_a_figure_that_contradicts_its_source_carries_nothing(made) -> None:
    rows = [
        made.row("a", 100.0),
        made.row("b", 90.0),
        made.row("odd", 999.0, flags=["source-anomaly"]),
    ]
    found = ask(made.evidence(rows, [made.price(k, 100.0) for k in ("a", "b", "odd")]))
    assert found.pick.system.key == "a"


def test_a_card_gets_a_host_and_a_whole_computer_does_not(made) -> None:
    rows = [made.row("card", 100.0, half=0.01), made.row("mac", 100.0, half=0.01)]
    mac = made.device("mac", form="soc", memory_unified=True, tdp_w=300.0)
    prices = [made.price("card", 1500.0), made.price("mac", 2000.0, "system")]
    found = ask(made.evidence(rows, prices, devices=[mac]))
    # 1,500 for the card and 900 around it against 2,000 for the whole.
    assert found.pick.system.key == "mac"
    alone = made.scenario_text + "whole_machine = false\n" + made.question_text
    found = ask(made.evidence(rows, prices, devices=[mac], text=alone))
    assert found.pick.system.key == "card"
    assert "mac" not in {c.system.key for c in found.candidates if c.place}


def test_least_money_for_the_work(made) -> None:
    text = made.scenario_text.replace('"fastest"', '"cheapest-work"') + made.question_text
    rows = [made.row("fast", 100.0, half=0.01), made.row("slow", 40.0, half=0.01)]
    prices = [made.price("fast", 1.0, "rent-on-demand"), made.price("slow", 0.2, "rent-on-demand")]
    found = ask(made.evidence(rows, prices, text=text))
    assert found.pick.system.key == "slow"
    assert found.pick.score == pytest.approx(0.2 / (40 * 3600) * 1e6)
    assert found.pick.score_unit == "USD per million tokens"


def test_least_energy_by_rated_power(made) -> None:
    text = made.scenario_text.replace('"fastest"', '"least-energy"') + made.question_text
    rows = [made.row("big", 100.0, half=0.01), made.row("small", 40.0, half=0.01)]
    devices = [made.device("big", tdp_w=300.0), made.device("small", tdp_w=20.0)]
    prices = [made.price("big", 100.0), made.price("small", 9000.0)]
    found = ask(made.evidence(rows, prices, devices=devices, text=text))
    assert found.pick.system.key == "small"
    assert found.pick.score == pytest.approx(0.5)
    assert found.pick.score_unit == "J per token at rated power"


def test_how_many_the_budget_pays_for(made) -> None:
    text = (
        made.scenario_text
        + "count_how_many = true\nassumptions = { budget_usd = 10000 }\n"
        + made.question_text
    )
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 50.0, half=0.01)]
    found = ask(made.evidence(rows, [made.price("a", 2500.0), made.price("b", 2500.0)], text=text))
    # 2,500 and 900 for the computer; then 2,750 for each further card: 10,000 - 3,400 pays for two more.
    assert found.how_many == 3


def test_high_confidence_needs_every_check(made) -> None:
    rows = [
        made.row(name, rate, half=0.005, run_id=f"{name}{n}")
        for name, rate in (("a", 100.0), ("b", 50.0), ("c", 40.0))
        for n in range(2)
    ]
    prices = [made.price(k, 500.0, provider=p) for k in "abc" for p in ("x", "y")]
    found = ask(made.evidence(rows, prices))
    assert (found.confidence.level, found.confidence.failed) == ("high", ())
    once = ask(made.evidence(rows[::2], prices))
    assert once.confidence.level == "medium"
    assert once.confidence.failed == ("one run of one source is all there is",)


def test_what_was_not_known_on_the_day_does_not_count(made) -> None:
    rows = [
        made.row("a", 100.0, half=0.01),
        made.row("b", 90.0, half=0.01),
        made.row("later", 900.0, half=0.01, recorded_at=made.day.replace(year=2028)),
    ]
    prices = [made.price(k, 100.0) for k in ("a", "b", "later")]
    then = made.evidence(rows, prices, as_of=date(2026, 6, 1))
    assert ask(then).pick.system.key == "a"
    assert ask(then).as_of == date(2026, 6, 1)
    now = ask(made.evidence(rows, prices))
    assert now.pick is None  # the prices of 2026 are too old in 2028
    assert now.leader.system.key == "later"


def test_shuffled_rows_and_prices_give_the_same_answer(made, simple) -> None:
    rows, prices = list(simple.rows), list(simple.book.observations)
    random.Random(5).shuffle(rows)
    random.Random(6).shuffle(prices)
    text = made.scenario_text + "assumptions = { budget_usd = 5000 }\n" + made.question_text
    assert answers(made.evidence(rows, prices, text=text)) == answers(simple)


def test_the_only_one_left_is_called_that(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 50.0, half=0.01)]
    found = ask(made.evidence(rows, [made.price("a", 500.0)]))
    assert "the only device left" in found.headline
    assert any("only 1" in words for words in found.confidence.failed)


def test_bins_of_one_device_share_its_price(made) -> None:
    card = made.device("card", compute_units=(8, 10), memory_varies=True, form="soc", memory_unified=True)
    rows = [
        made.row("card", 100.0, half=0.01, device_memory_bytes=24 * 2**30),
        made.row("card", 99.0, half=0.01, device_memory_bytes=8 * 2**30),
        made.row("other", 50.0, half=0.01),
    ]
    prices = [made.price("card", 1000.0, "system"), made.price("other", 500.0)]
    evidence = made.evidence(rows, prices, devices=[card])
    assert len(evidence.systems) == 3
    inputs = [f.input for f in ask(evidence).flips if f.input.startswith("price:card")]
    assert len(inputs) <= 1


def call_of(made, grid, *, rows=None, prices=None):
    """The answer where the pick's price may be wrong by these factors."""
    rows = rows or [made.row("a", 100.0, half=0.01), made.row("b", 100.0, half=0.01)]
    prices = prices or [made.price("a", 1000.0), made.price("b", 1100.0)]
    text = (
        made.scenario_text + f"grid = {{ price_factor = {grid}, usd_per_kwh = [0.2] }}\n" + made.question_text
    )
    return ask(made.evidence(rows, prices, text=text))


def test_a_pick_that_loses_most_of_the_grid_is_not_shouted(made) -> None:
    found = call_of(made, [1.0, 1.2, 1.3, 1.4])
    assert (found.call, found.confidence.level) == ("depends", "low")
    assert found.headline.startswith("It depends: B, bought new, wins in 75\u00a0% of 4 plausible")
    assert any(note.startswith("What decides: ") and "buying B new wins" in note for note in found.notes)
    close = call_of(made, [1.0, 1.05, 1.4])
    assert close.call == "close"
    assert close.headline.startswith("A close call: A, bought new")
    assert call_of(made, [0.9, 1.0, 1.05]).call == "clear"


def test_to_buy_or_to_rent_the_same_device_is_no_doubt_about_the_device(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 50.0, half=0.01), made.row("c", 40.0, half=0.01)]
    prices = [made.price("a", 2000.0), made.price("a", 0.2, "rent-on-demand"), made.price("b", 500.0),
              made.price("c", 500.0)]  # fmt: skip
    found = call_of(made, [1.0, 3.0, 4.0], rows=rows, prices=prices)
    assert found.grid.pick_share == pytest.approx(1 / 3)
    assert found.grid.device_share == 1.0
    assert found.call == "clear"
    assert any("100\u00a0% however it is paid for" in note for note in found.notes)


def test_the_grid_names_the_winner_of_each_combination(simple) -> None:
    found = ask(simple).grid
    assert len(found.winners) == found.cells
    assert found.winners.count(found.shares[0][0]) / found.cells == pytest.approx(found.shares[0][1])


def test_a_headline_states_the_interval_or_that_there_is_none(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 50.0)]
    stated = ask(made.evidence(rows, [made.price("a", 500.0), made.price("b", 600.0)]))
    assert "100 tokens/s [99–101]" in stated.headline or "100 tokens/s [99.0–101.0]" in stated.headline
    rows = [made.row("a", 100.0), made.row("b", 50.0)]
    bare = ask(made.evidence(rows, [made.price("a", 500.0), made.price("b", 600.0)]))
    assert "no interval stated" in bare.headline


def test_what_an_answer_rests_on_is_told_in_rows_and_by_whom_they_were_measured(made) -> None:
    rows = [made.row("a", 100.0, half=0.01, run_id=f"a{n}") for n in range(2)] + [made.row("b", 50.0)]
    prices = [made.price("a", 500.0), made.price("b", 600.0)]
    own = ask(made.evidence(rows, prices))
    assert own.rests_on == ("3\u00a0rows, measured by this project, on 2\u00a0systems: hwguide.",)
    theirs = {"origin": "published", "source_id": "paper", "protocol": "theirs"}
    rows = [made.row(key, rate, **theirs) for key, rate in (("a", 100.0), ("b", 50.0))]
    read = ask(made.evidence(rows, prices))
    assert read.rests_on == ("2\u00a0rows, published elsewhere, on 2\u00a0systems: paper.",)
    assert "published elsewhere, not measured by this project" in read.confidence.failed
