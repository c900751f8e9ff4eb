"""A cell measured by several processes: what becomes of their outcomes, and resuming in between."""

from __future__ import annotations

import json
import os
import signal
from statistics import median

import pytest

from bench import store
from bench.cells import Cell
from bench.runner.parts import combined, ended_early, processes_of
from bench.suites import SUITES

SUITE = ("--device", "fake", "--suite", "tiny")


def part(samples, **more):
    return {
        "status": "ok",
        "samples_s": samples,
        "sample_count": len(samples),
        "seconds": median(samples),
        "flags": ["wide-interval", "few-samples"],
        "telemetry": {"window_unix_s": [10.0, 10.0 + 2 * sum(samples)], "samples": 3},
    } | more


def test_only_full_asks_for_several_processes_and_never_for_the_probe():
    assert {name for name, suite in SUITES.items() if suite.processes > 1} == {"full"}
    assert processes_of(Cell("encode"), SUITES["full"]) >= 2
    assert processes_of(Cell("probe"), SUITES["full"]) == 1


def test_one_part_stands_as_it_is():
    only = part([1.0, 1.1])
    assert combined([only], 0.01) == only


def test_parts_become_one_outcome_whose_interval_holds_their_spread():
    parts = [
        part([1.0] * 5, energy_j=10.0, energy_scope="device", energy_validity="ok", peak_memory_bytes=5,
             mean_power_w=2.0, conditions={"attention_kernel": "flash"}),
        part([1.2] * 10, energy_j=24.0, energy_scope="device", energy_validity="ok", peak_memory_bytes=7,
             mean_power_w=2.0, conditions={"attention_kernel": "math"}),
    ]  # fmt: skip
    found = combined(parts, 0.01)
    assert found["samples_s"] == [1.0] * 5 + [1.2] * 10
    assert found["sample_count"] == 15
    assert found["seconds"] == pytest.approx((1.0 * 1.2) ** 0.5)
    assert found["seconds_low"] < 1.0 and found["seconds_high"] > 1.2
    assert found["flags"] == ["few-samples", "processes-differ", "wide-interval"]
    assert found["energy_j"] == 34
    assert found["peak_memory_bytes"] == 7
    assert found["mean_power_w"] == 2
    assert found["conditions"] == {"attention_kernel": "flash or math"}
    telemetry = found["telemetry"]
    assert telemetry["process_samples"] == [5, 10]
    assert telemetry["windows_unix_s"] == [[10.0, 20.0], [10.0, 34.0]]
    assert telemetry["timed_share"] == pytest.approx(0.5)
    assert [own["samples"] for own in telemetry["processes"]] == [3, 3]


def test_energy_that_one_process_lacks_is_missing_for_the_cell():
    with_it = part([1.0] * 3, energy_j=3.0, energy_validity="ok", energy_source="s", energy_scope="device")
    without = part([1.0] * 3, energy_j=None, energy_validity="counter-error", energy_source="s",
                   energy_scope="device")  # fmt: skip
    for parts in ([with_it, without], [without, with_it]):
        found = combined(parts, 0.01)
        assert (found["energy_j"], found["energy_validity"]) == (None, "counter-error")


def test_processes_that_drew_other_work_are_no_cell():
    need = {"flops_per_sample": 3e9, "bytes_per_sample": 2e8, "work_per_sample": 8.0}
    found = combined([part([1.0], need=need), part([1.0], need=need | {"flops_per_sample": 4e9})], 0.01)
    assert found["status"] == "failed"


def test_blocks_of_other_lengths_of_the_same_work_are_one_cell():
    step = {"flops_per_sample": 3e9, "bytes_per_sample": 2e8, "work_per_sample": 8.0}
    five, ten = ({name: value * n for name, value in step.items()} for n in (5, 10))
    found = combined([part([1.0] * 6, need=five), part([2.0] * 6, need=ten)], 0.01)
    assert found["samples_s"] == [1.0] * 12
    assert found["seconds"] == pytest.approx(1.0)
    assert found["need"] == five


def test_energy_and_times_are_those_of_the_first_processs_work():
    """The second process took blocks of twice the work: its 2 s and 60 J are 1 s and 30 J of the cell's."""
    step = {"flops_per_sample": 3e9, "bytes_per_sample": 2e8, "work_per_sample": 8.0}
    five, ten = ({name: value * n for name, value in step.items()} for n in (5, 10))
    meter = {"energy_validity": "ok", "energy_source": "s", "energy_scope": "device"}
    found = combined(
        [
            part([1.0] * 6, need=five, energy_j=180.0, job_s=100.0, seconds_sustained=1.5, **meter),
            part([2.0] * 6, need=ten, energy_j=360.0, job_s=100.0, seconds_sustained=3.0, **meter),
        ],
        0.01,
    )
    assert found["energy_j"] == pytest.approx(360)
    assert found["energy_j"] / found["sample_count"] == pytest.approx(30)
    assert found["job_s"] == pytest.approx(100)
    assert found["seconds_sustained"] == pytest.approx(1.5)


def test_times_that_follow_from_the_repetition_follow_from_the_cells():
    parts = [
        part([s] * 6, job_s=100 * s, first_token_ms=1e3 * s, seconds_sustained=2 * s) for s in (1.0, 4.0)
    ]
    found = combined(parts, 0.01)
    assert found["seconds"] == pytest.approx(2.0), "the geometric mean"
    assert found["job_s"] == pytest.approx(200)
    assert found["first_token_ms"] == pytest.approx(2000)
    assert found["seconds_sustained"] == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("each", "together", "kind"), [(0.2, 0.6, "extrapolated"), (0.4, 1.0, "measured"), (1.0, 1.0, "measured")]
)
def test_the_part_of_a_job_that_was_run_is_the_sum_of_what_the_processes_ran(each, together, kind):
    told = {"value_kind": "extrapolated", "flags": ["extrapolated"]} if each < 1 else {"flags": []}
    found = combined([part([1.0] * 6, measured_fraction=each, job_s=9.0, **told) for _ in range(3)], 0.01)
    assert found["measured_fraction"] == pytest.approx(together)
    assert ("extrapolated" in found["flags"]) == (kind == "extrapolated")
    assert found.get("value_kind", "measured") == kind


def test_a_process_that_fails_keeps_the_repetitions_of_those_before():
    failed = {"status": "timeout", "status_detail": "not finished"}
    assert ended_early([], failed, 2) == failed
    found = ended_early([part([1.0, 2.0])], failed, 2)
    assert found["status_detail"] == "process 2 of 2: not finished"
    assert (found["samples_s"], found["sample_count"]) == ([1.0, 2.0], 2)


def telemetry(row):
    return json.loads(row["environment"])["telemetry"]


def test_every_cell_is_measured_by_that_many_processes(bench):
    process = bench.start("collect", "--out", "data", *SUITE, FAKE_PROCESSES="3")
    seen = {}
    for _ in range(18):
        name, pid = bench.next_cell()
        seen.setdefault(name, set()).add(pid)
    process.communicate()
    assert process.returncode == 0
    assert {len(pids) for pids in seen.values()} == {3}
    rows = bench.rows()
    assert {row["status"] for row in rows.values()} == {"ok"}
    for row in rows.values():
        counts = telemetry(row)["process_samples"]
        assert len(counts) == 3 and sum(counts) == row["sample_count"] == len(row["samples_s"])
        assert row["rate_low"] <= row["rate"] <= row["rate_high"]
    assert store.read_meta(bench.files()[0])["parts"] == {}
    assert bench.run("verify", str(bench.files()[0])).returncode == 0


@pytest.mark.parametrize("victim", ["parent", "child"])
def test_resume_asks_only_for_the_processes_that_are_missing(bench, victim):
    process = bench.start("collect", "--out", "data", *SUITE, FAKE_PROCESSES="2")
    order = [bench.next_cell() for _ in range(3)]  # both cells of the first group, then one of them again
    name, child = order[2]
    assert order[2][0] == order[1][0]
    if victim == "child":
        os.kill(child, signal.SIGSTOP)  # it cannot finish the cell meanwhile
        os.kill(child, signal.SIGKILL)
        process.communicate()
        assert bench.rows()[name]["status"] == "killed"
        assert bench.rows()[name]["status_detail"].startswith("process 2 of 2: ")
        bench.cells_so_far()
        missing = [name]
    else:
        process.kill()
        process.communicate()
        rows = bench.rows()
        assert {rows[name]["status"] for name, _ in order} <= {"interrupted", "ok"}
        bench.cells_so_far()
        missing = None
    path = bench.files()[0]
    cell_id = bench.rows()[name]["cell_id"]
    kept = store.read_meta(path)["parts"]
    assert bench.collect("--resume", FAKE_PROCESSES="2").returncode == 0
    started = bench.cells_so_far()
    assert missing is None or started == missing
    after = bench.rows()[name]
    if cell_id in kept:
        assert started.count(name) == 1
        first = kept[cell_id][0]["samples_s"]
        assert after["samples_s"][: len(first)] == first
    assert {row["status"] for row in bench.rows().values()} == {"ok"}
