"""The engine on an earlier day: nothing later is known; what others advised is neither copied nor hidden."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from bench.errors import BenchError
from bench.project import DataDir
from guide.context import Context
from guide.decide.advice import AdvisedPick, load_advice
from guide.decide.history import VERDICTS, held
from guide.evidence import Evidence, load_evidence
from guide.pages.methodology import PAGE
from guide.recommend import answers
from guide.views.advised import pasts

DATA = DataDir(Path(__file__).parents[3] / "data")
JUNE_2024 = date(2024, 6, 1)


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return load_evidence(DATA)


@pytest.fixture(scope="module")
def then(evidence: Evidence) -> Evidence:
    return evidence.known_by(JUNE_2024)


def test_what_was_known_is_the_same_whether_filtered_or_loaded_anew(then: Evidence) -> None:
    loaded = load_evidence(DATA, as_of=JUNE_2024)
    assert then.rows == loaded.rows
    assert then.systems == loaded.systems
    assert then.tasks == loaded.tasks
    assert then.prices == loaded.prices
    assert then.catalog.devices == loaded.catalog.devices
    assert answers(then) == answers(loaded)


def test_on_the_guide_s_own_day_everything_is_known(example_data: DataDir) -> None:
    today = load_evidence(example_data)
    again = today.known_by(today.as_of)
    assert (again.rows, again.tasks, again.prices) == (today.rows, today.tasks, today.prices)
    assert answers(again) == answers(today)


def test_nothing_that_came_later_is_known(evidence, then: Evidence) -> None:
    assert then.as_of == JUNE_2024
    assert 0 < len(then.rows) < len(evidence.rows)
    assert max(row["recorded_at"].date() for row in then.rows) <= JUNE_2024
    assert "article1" not in {row["source_id"] for row in then.rows}
    days = [o.observed_on for o in then.book.observations if o.observed_on]
    assert days
    assert max(days) <= JUNE_2024
    seen = [p.observed_on for prices in then.prices.values() for p in prices]
    assert seen
    assert max(seen) <= JUNE_2024
    text = JUNE_2024.isoformat()
    later = [d for d in evidence.catalog if d.released and d.released > text]
    assert later
    assert not {d.device_id for d in later} & set(then.catalog.devices)
    for found in answers(then):
        assert found.as_of == JUNE_2024
        named = " ".join(gap.what for gap in found.gaps)
        assert not [d.name for d in later if d.name in named]


def test_the_filter_changes_nothing_in_what_it_filters(evidence: Evidence) -> None:
    before = answers(evidence)
    evidence.known_by(JUNE_2024)
    assert answers(evidence) == before


#: What came out, not what should: the engine of today asked with what was known then. The article advised
#: an RTX 4090 or A100, several H100 or A100, an Apple M2, an RTX 3090 or 4090.
CAME_OUT = {
    "lab": ("silent", None),
    "production": ("differs", "nvidia-rtx-a6000"),
    "mobile": ("differs", "apple-m1-7-core-gpu-8-gb"),
    "solo": ("tied", "nvidia-rtx-3080-10gb"),
}


def test_the_second_article_s_advice_beside_the_engine_s_answers_of_its_day(evidence, then) -> None:
    (advice,) = evidence.advice
    assert advice.day == JUNE_2024
    assert {pick.scenario: pick.words for pick in advice.picks} == {
        "lab": "RTX 4090 or A100",
        "production": "H100 or A100, several",
        "mobile": "Apple M2",
        "solo": "RTX 3090 or RTX 4090",
    }
    scenarios = {s.key: s for s in evidence.settings.scenarios}
    found = {p.scenario: held(p, scenarios[p.scenario], then, evidence) for p in advice.picks}
    came_out = {
        key: (one.verdict, one.answer.pick.system.key if one.answer.pick else None)
        for key, one in found.items()
    }
    assert came_out == CAME_OUT
    for one in found.values():
        assert all(sentence.endswith(".") for sentence in (*one.asked, *one.reasons))
        if one.verdict == "agrees":
            continue
        told = " ".join(one.reasons)
        names = [evidence.catalog.devices[device].name for device in one.advised.devices]
        assert [name for name in names if name not in told] == []


def advised(*devices: str, several: bool = False) -> AdvisedPick:
    return AdvisedPick("one", "some card", devices, several)


def hold(made, rows, prices, pick: AdvisedPick, **values):
    evidence = made.evidence(rows, prices, **values)
    return held(pick, evidence.settings.scenarios[0], evidence.known_by(evidence.as_of), evidence)


def test_the_four_ways_an_answer_can_stand_to_an_advice(made) -> None:
    rows = [made.row(key, rate, half=0.01) for key, rate in (("a", 101.0), ("b", 100.0), ("c", 50.0))]
    prices = [made.price("a", 2000.0), made.price("b", 1000.0), made.price("c", 900.0)]
    assert hold(made, rows, prices, advised("b")).verdict == "agrees"
    assert hold(made, rows, prices, advised("b")).reasons == ()
    tied = hold(made, rows, prices, advised("a"))
    assert tied.verdict == "tied"
    assert tied.reasons[0].startswith("A, bought new: Tied with B, bought new, but dearer")
    differs = hold(made, rows, prices, advised("c"))
    assert differs.verdict == "differs"
    assert differs.reasons[0].startswith("C, bought new: Tier 2")
    silent = hold(made, rows, [], advised("a"))
    assert silent.verdict == "silent"
    assert silent.reasons == ("A, bought new: No price is known (bought new).",)
    assert set(VERDICTS) == {"agrees", "tied", "differs", "silent"}


def test_a_question_that_could_not_be_asked_says_what_it_lacked(made) -> None:
    batched = made.question_text.replace('model = "~8b"', 'model = "~8b", batch = { min = 8 }')
    text = made.scenario_text + batched.replace("fastest?", "most at once?") + made.question_text
    rows = [made.row("a", 101.0, half=0.01), made.row("b", 100.0, half=0.01)]
    one = hold(made, rows, [made.price("a", 1.0), made.price("b", 2.0)], advised("b"), text=text)
    assert len(one.asked) == 1
    assert "What writes most at once?" in one.asked[0]
    assert "No system that comes into question had been measured" in one.asked[0]
    none = hold(made, rows[:1], [made.price("a", 1.0)], advised("a"))
    assert none.verdict == "silent"
    assert "1\u00a0system that fit had been measured" in none.asked[0]
    assert none.reasons == ("A had been measured on it, but too few others.",)
    other = [made.row("a", 1.0, half=0.01, workload="prefill", input_tokens=64)]
    assert hold(made, other, [], advised("a")).reasons == ("Results of A were known, but not on this task.",)


def test_a_device_without_results_and_one_that_was_not_out_are_told_apart(made) -> None:
    later = made.device("later", released="2026-08-01")
    rows = [made.row("a", 101.0, half=0.01), made.row("b", 100.0, half=0.01)]
    rows.append(made.row("later", 900.0, half=0.01, recorded_at=made.day + timedelta(days=90)))
    prices = [made.price(k, 100.0) for k in ("a", "b", "later", "unseen")]
    evidence = made.evidence(rows, prices, devices=[later])
    then = evidence.known_by(made.day.date())
    assert then.catalog.get("later") is None
    one = held(advised("unseen", "later"), evidence.settings.scenarios[0], then, evidence)
    assert one.verdict == "differs"
    assert one.reasons[0] == "No result of UNSEEN and LATER (not out by then) was known."


def test_several_were_advised_and_one_is_not_several(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 50.0, half=0.01)]
    prices = [made.price("a", 1000.0), made.price("b", 1000.0)]
    assert hold(made, rows, prices, advised("a", several=True)).verdict == "differs"
    rows.append(made.row("a", 190.0, half=0.01, device_count=2))
    assert hold(made, rows, prices, advised("a", several=True)).verdict == "agrees"


def test_the_methodology_page_tells_each_reader_s_advice_and_answer(evidence: Evidence) -> None:
    page = next(iter(PAGE.render(Context(evidence)))).content.decode()
    (past,) = pasts(evidence)
    assert page.count('<dl class="advised">') == len(past.told) == 4
    for told in past.told:
        assert f"### {told.title}: {told.short}" in page
        assert told.verdict in page
    assert "1\u00a0Jun\u00a02024" in page


GOOD = """
[[advice]]
title = "Someone"
day = 2024-06-01
url = "https://example.org/"
note = "A note."
pick = [{ scenario = "one", words = "a card", devices = ["card"] }]
"""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('title = "Someone"', ""), "advice[1].title"),
        (("day = 2024-06-01", 'day = "in June"'), "advice[1].day"),
        (("day = 2024-06-01", "day = 2024-06-01T10:00:00"), "advice[1].day"),
        (("https://", "javascript:"), "advice[1].url"),
        (('scenario = "one"', 'scenario = "two"'), "'two'"),
        (('devices = ["card"]', 'devices = ["cart"]'), "'cart'"),
        (('devices = ["card"]', "devices = []"), "devices"),
        (('words = "a card"', 'wrds = "a card"'), "wrds"),
        (('words = "a card"', 'words = "a card", several = "yes"'), "several"),
        (("[[advice]]", "[[advice]"), "TOML"),
        (("[[advice]]", "[[advise]]"), "advise"),
    ],
)
def test_a_slip_in_the_advice_names_file_and_key(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    path = tmp_path / "advice.toml"
    path.write_text(GOOD, encoding="utf-8")
    assert load_advice(path, ["card"], ["one"])[0].picks[0].devices == ("card",)
    path.write_text(GOOD.replace(*change), encoding="utf-8")
    with pytest.raises(BenchError) as caught:
        load_advice(path, ["card"], ["one"])
    assert "advice.toml" in caught.value.message
    assert told in caught.value.message


def test_advice_for_a_scenario_that_was_renamed_says_where_to_look(tmp_path: Path) -> None:
    path = tmp_path / "advice.toml"
    path.write_text(GOOD, encoding="utf-8")
    with pytest.raises(BenchError) as caught:
        load_advice(path, ["card"], ["renamed"])
    assert "'one', not one of renamed" in caught.value.message
    assert "scenarios.toml" in caught.value.hint


def test_no_advice_is_no_fault(tmp_path: Path) -> None:
    assert load_advice(tmp_path / "advice.toml", [], []) == ()
