"""A result above its ceiling: the ceiling is looked at once more before the result is called impossible."""

from __future__ import annotations

import types

import pytest

from bench import schema
from bench.cells import Cell
from bench.runner.plan import Planned
from bench.runner.work import Work
from bench.suites import get_suite
from bench.workloads import WORKLOADS

PRODUCT = Cell("probe", settings={"operation": "matmul", "shapes": "tiny"})
ENCODE = Cell("encode", model="tiny-bert", input_tokens=16)


def _samples(cell, flops_per_s):
    need = WORKLOADS[cell.workload].need(cell)
    seconds = need.flops_per_sample / flops_per_s
    return {
        "status": "ok", "samples_s": [seconds] * 3, "sample_count": 3,
        "seconds": seconds, "seconds_low": seconds, "seconds_high": seconds,
    }  # fmt: skip


def _row(cell, **values):
    need = WORKLOADS[cell.workload].need(cell)
    return schema.make_row(
        run_id="r", origin="measured", source_id="hwguide", device_name="CPU",
        rate_unit=WORKLOADS[cell.workload].unit(cell), work_per_sample=need.work_per_sample,
        conditions="{}", environment="{}", **cell.columns(), **values,
    )  # fmt: skip


@pytest.fixture
def work():
    """A run whose probe was disturbed: it found 1 GFLOP/s. ``again`` is what a second probe finds."""
    found = _samples(PRODUCT, 1e9)
    probe = _row(PRODUCT, status="ok", rate=1e9, samples_s=found["samples_s"], sample_count=3)
    rows = {row["cell_id"]: row for row in (probe, _row(ENCODE, status="interrupted"))}
    made = Work.__new__(Work)
    made.suite, made.wall, made.too_large, made.done = get_suite("tiny"), None, [], []
    made._cells, made._probed_again, made.again, made.asked = {PRODUCT.cell_id: PRODUCT}, set(), None, []

    def put(changed, **_):
        rows.update({row["cell_id"]: row for row in changed})

    def measure(item, limits, timeout_s):
        made.asked.append(item.cell)
        return made.again

    made.run = types.SimpleNamespace(rows=rows, meta={}, put=put)
    made.where = types.SimpleNamespace(conditions={})
    made.reporter = types.SimpleNamespace(note=lambda text: None, done=lambda item, row: None)
    made.supervisor = types.SimpleNamespace(
        child=object(), measure=measure, out_of_time=lambda: False, seconds_left=lambda: None
    )
    made._planned_row = lambda item: _row(item.cell, status="interrupted")
    return made


def _settle(work, flops_per_s):
    item = Planned(ENCODE, WORKLOADS["encode"].need(ENCODE))
    work._settle(item, _samples(ENCODE, flops_per_s))
    return work.run.rows[ENCODE.cell_id]


def test_a_disturbed_ceiling_does_not_condemn_an_honest_result(work):
    work.again = _samples(PRODUCT, 1e11)
    assert _settle(work, 5e9)["status"] == "ok"
    assert work.run.rows[PRODUCT.cell_id]["samples_s"] == work.again["samples_s"]


def test_a_result_above_an_undisturbed_ceiling_is_impossible_and_looked_at_once(work):
    work.again = _samples(PRODUCT, 1.01e9)
    row = _settle(work, 5e9)
    assert row["status"] == "impossible"
    assert "FLOP/s" in row["status_detail"]
    assert "disturbed" not in row["status_detail"]
    assert _settle(work, 5e9)["status"] == "impossible"
    assert work.asked == [PRODUCT]


def test_a_result_above_a_ceiling_that_is_disturbed_again_says_so(work):
    work.again = _samples(PRODUCT, 1.01e9) | {"flags": ["contended"]}
    row = _settle(work, 5e9)
    assert row["status"] == "impossible"
    assert row["status_detail"].endswith("The probe itself was disturbed (contended): run again.")


@pytest.mark.parametrize("flag", ["few-samples", "not-warm"])
def test_a_probe_that_did_not_settle_condemns_nothing_and_the_row_says_so(work, flag):
    work.run.rows[PRODUCT.cell_id]["flags"] = sorted([flag, "wide-interval"])
    row = _settle(work, 5e9)
    assert (row["status"], row["probe_flops"]) == ("ok", None)
    assert row["status_detail"] == "Its arithmetic in fp32 was not judged: the probe did not settle."
    assert work.asked == []


@pytest.mark.parametrize("flag", ["few-samples", "not-warm", "wide-interval"])
def test_a_probe_of_few_repetitions_that_agree_is_a_ceiling(work, flag):
    work.run.rows[PRODUCT.cell_id]["flags"] = [flag]
    work.again = _samples(PRODUCT, 1.01e9)
    assert _settle(work, 5e9)["status"] == "impossible"


def test_a_result_below_its_ceiling_needs_no_second_look(work):
    row = _settle(work, 9e8)
    assert (row["status"], row["status_detail"]) == ("ok", None)
    assert work.asked == []
