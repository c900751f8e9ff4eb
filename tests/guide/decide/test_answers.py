"""The guide's own data: properties that its answers must have, whatever they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.project import DataDir
from guide.analysis.findings import surprises
from guide.decide.fit import Requirement, fit, known_shape, need_bytes
from guide.decide.verdicts import Answer
from guide.evidence import Evidence, load_evidence
from guide.recommend import answers

DATA = DataDir(Path(__file__).parents[3] / "data")


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return load_evidence(DATA)


@pytest.fixture(scope="module")
def found(evidence: Evidence) -> tuple[Answer, ...]:
    return answers(evidence)


def test_the_four_readers_are_answered(found: tuple[Answer, ...]) -> None:
    assert [a.scenario_key for a in found] == ["lab", "production", "mobile", "solo"]
    assert all(a.headline.endswith(".") for a in found)
    assert sum(a.pick is not None for a in found) >= 2


def test_the_share_a_device_wins_is_not_to_be_read_as_the_share_of_the_pick(found) -> None:
    """The headline's share is of one way of paying, the confidence's of the device."""
    checked = [a for a in found if a.grid is not None]
    assert checked
    for answer in checked:
        told = [c for c in (*answer.confidence.held, *answer.confidence.failed) if "plausible prices" in c]
        assert len(told) == 1
        assert told[0].startswith("the device, however it is paid for, wins in ")


def test_a_pick_has_evidence_a_fresh_price_and_fits(found, evidence: Evidence) -> None:
    for answer in found:
        pick = answer.pick
        if pick is None:
            assert answer.gaps
            assert answer.confidence.level == "low"
            continue
        assert pick.rates
        assert evidence.rows_by_system[pick.system.key]
        assert pick.price is not None
        assert pick.price.fresh
        assert pick.price.n > 0
        assert pick.fit is None or pick.fit.ok
        budget = next(s for s in evidence.settings.scenarios if s.key == answer.scenario_key).given.budget_usd
        assert budget is None or pick.cost.total_usd <= budget
        assert answer.runner_up is None or answer.runner_up.system.key != pick.system.key
        assert answer.grid.pick_share > 0


def test_every_system_is_accounted_for_and_has_a_reason(found, evidence: Evidence) -> None:
    for answer in found:
        if not answer.candidates:
            continue
        assert {c.system.key for c in answer.candidates} == set(evidence.systems)
        assert all(c.reason.endswith(".") for c in answer.candidates)
        places = [c.place for c in answer.candidates if c.place]
        assert places == list(range(1, len(places) + 1))


def test_tiers_follow_the_ranking(found) -> None:
    for answer in found:
        tiers = [c.tier for c in answer.candidates if c.place]
        assert tiers == sorted(tiers)
        cheapest = [c.cost.usd_per_month for c in answer.candidates if c.tier == 1]
        assert cheapest == sorted(cheapest)


def test_tasks_of_an_answer_are_of_one_kind_and_protocol(found) -> None:
    for answer in found:
        assert len({t.kind for t in answer.tasks}) <= 1
        assert len({t.columns["protocol"] for t in answer.tasks}) <= 1


def test_the_answers_are_the_same_twice(found) -> None:
    assert answers(load_evidence(DATA)) == found


def test_no_impossible_figure_is_in_the_evidence(evidence: Evidence) -> None:
    assert not [r for r in evidence.rows if r["status"] != "ok" and r["rate"] is not None]
    assert all(s.result.rate and s.result.status == "ok" for t in evidence.tasks for s in t.standings)


def test_the_estimate_of_fit_agrees_with_what_ran_out_of_memory(evidence: Evidence) -> None:
    """Of all decoder rows whose fit can be computed, the estimate may be cautious but not hopeful: at most
    one in fifty that ran out of memory may be called fitting."""
    hopeful, failures = [], 0
    for row in evidence.rows:
        if row["status"] != "oom" or not known_shape(row["model"] or ""):
            continue
        tokens = sum(row[n] or 0 for n in ("input_tokens", "output_tokens", "context_depth"))
        need = Requirement(row["model"], row["weights_dtype"], tokens, row["batch"] or 1)
        if need_bytes(need) is None:
            continue
        failures += 1
        system = next(s for s in evidence.systems.values() if row in evidence.rows_by_system[s.key])
        if fit(need, system, ()).verdict == "fits":
            hopeful.append((system.label, need.label))
    assert failures > 50
    assert len(hopeful) <= failures / 50, hopeful


def test_the_articles_findings_are_found_again(evidence: Evidence) -> None:
    found = surprises(evidence)
    assert {"newer-slower", "dear-but-close", "more-slower", "capacity-wins"} <= {s.kind for s in found}
    lost = [s for s in found if s.kind == "newer-slower" and s.rows[0]["source_id"] == "article1"]
    assert [s.figure for s in lost] == [pytest.approx(125 / 60)]
    assert all(s.rows for s in found)


def test_what_was_known_in_june_2024(evidence: Evidence) -> None:
    from datetime import date

    then = load_evidence(DATA, as_of=date(2024, 6, 1))
    assert then.as_of == date(2024, 6, 1)
    assert "xiongjie" in {r["source_id"] for r in then.rows}
    assert "article1" not in {r["source_id"] for r in then.rows}
    for answer in answers(then):
        assert answer.pick is None or answer.pick.price.observed_on <= then.as_of
