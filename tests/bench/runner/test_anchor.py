"""The anchor: when it is due, what its drift is, and what that does to rows."""

import json

import pytest

from bench.cells import Cell, Need
from bench.runner.anchor import Anchor, Anchors, drift, has_drifted, limits, of_outcome
from bench.runner.plan import Planned, second_half

NEED = Need(1, 1.0, 1.0, 100.0, 1)


def anchor(rate, half=0.001):
    return Anchor("start", "2026-01-01T00:00:00+00:00", rate, rate * (1 - half), rate * (1 + half))


def outcome(seconds, half=0.001):
    low, high = seconds * (1 - half), seconds * (1 + half)
    return {"status": "ok", "seconds": seconds, "seconds_low": low, "seconds_high": high}


def test_a_rate_is_the_work_over_the_time():
    found = of_outcome("end", outcome(0.5), NEED)
    assert (found.at, found.rate) == ("end", 200)
    assert found.rate_low < found.rate < found.rate_high
    built = outcome(0.5) | {"need": {"work_per_sample": 7.0}}
    assert of_outcome("end", built, NEED).rate == 14
    few = outcome(0.5) | {"seconds_low": None, "seconds_high": None}
    assert of_outcome("end", few, NEED).rate_low is None


def test_a_failed_anchor_is_none():
    assert of_outcome("end", {"status": "killed", "status_detail": "gone"}, NEED) is None


def test_drift_is_between_the_extremes():
    assert drift([anchor(100)]) is None
    assert drift([anchor(100), anchor(90), anchor(99)]) == pytest.approx(100 / 90 - 1)


def test_drift_counts_beyond_the_target_and_both_intervals():
    assert has_drifted([anchor(100), anchor(95)], 0.01)
    assert not has_drifted([anchor(100), anchor(95)], 0.10)
    assert not has_drifted([anchor(100, half=0.05), anchor(95)], 0.01)
    assert not has_drifted([anchor(100)], 0.0)


def test_it_is_due_at_the_start_and_once_in_the_second_half():
    anchors = Anchors({"c", "d"}, 0.01)
    assert anchors.due_before("c") == "start"
    anchors.put("start", outcome(0.5), NEED)
    assert [anchors.due_before(cell) for cell in "abc"] == [None, None, "middle"]
    anchors.put("middle", {"status": "failed"}, NEED)
    assert anchors.due_before("d") is None
    assert anchors.is_open
    anchors.put("end", outcome(0.5), NEED)
    assert not anchors.is_open
    assert [a["at"] for a in anchors.meta([{"at": "start"}])] == ["start", "start", "end"]


def test_one_that_never_succeeded_is_not_closed():
    anchors = Anchors((), 0.01)
    anchors.put("start", {"status": "failed"}, NEED)
    assert not anchors.is_open


def test_rows_carry_the_drift_and_the_latest_verdict():
    row = {"flags": ["few-samples"], "environment": json.dumps({"os": "x", "telemetry": {"samples": 3}})}
    anchors = Anchors((), 0.01)
    anchors.put("start", outcome(0.5), NEED)
    assert anchors.mark(row) is row
    anchors.put("middle", outcome(0.6), NEED)
    marked = anchors.mark(row)
    assert marked["flags"] == ["anchor-drift", "few-samples"]
    environment = json.loads(marked["environment"])
    assert environment == {"os": "x", "telemetry": {"samples": 3, "anchor_drift": 0.2}}
    assert row["flags"] == ["few-samples"]


def test_its_budget_is_never_more_than_a_cells():
    assert limits(60).budget_s == 0.5
    assert limits(0.1).budget_s == 0.1


def test_the_second_half_is_of_expected_time():
    cells = [Planned(Cell("fake", model=name), NEED) for name in "abcd"]
    ids = [p.cell.cell_id for p in cells]
    assert second_half(cells, dict(zip(ids, (1, 1, 1, 1), strict=True))) == {*ids[2:]}
    assert second_half(cells, dict(zip(ids, (10, 1, 1, 1), strict=True))) == {*ids[1:]}
    assert second_half(cells, dict(zip(ids, (1, 1, 1, 10), strict=True))) == frozenset()
    assert second_half(cells, {}) == {*ids[1:]}
