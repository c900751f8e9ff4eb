"""Whatever is killed, and whenever: finished cells are on disk, and --resume does the rest, nothing twice."""

from __future__ import annotations

import os
import select
import signal
from pathlib import Path

import pytest

from bench import store
from bench.runner.plan import Planned, grouped, in_order

SUITE = ("--device", "fake", "--suite", "tiny")


def order() -> list[str]:
    """Names of the cells of suite ``tiny`` in the order of seed 0."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("fakes_of_order", Path(__file__).with_name("fakes.py"))
    fakes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fakes)
    workload = fakes.FakeWorkload()
    planned = in_order([Planned(c, workload.need(c)) for c in workload.cells("tiny", "fake")], 0)
    return [f"{p.cell.model}-{p.cell.batch}" for group in grouped(planned) for p in group]


ORDER = order()


def gone(pid: int) -> bool:
    """Wait until a process, not necessarily a child, has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 60)[0])
    finally:
        os.close(descriptor)


def measured_once(before: dict, after: dict) -> bool:
    """Whether every row that was a result before is the same row after."""
    kept = {name for name, row in before.items() if row["status"] == "ok"}
    return all(after[name] == before[name] for name in kept)


@pytest.mark.parametrize("victim", [ORDER[0], ORDER[3], ORDER[-1]])
def test_a_killed_child_costs_its_cell_and_nothing_else(bench, victim):
    process = bench.start("collect", "--out", "data", *SUITE, FAKE_HANG=victim)
    os.kill(bench.until(victim), signal.SIGKILL)
    out, _ = process.communicate()
    rows = bench.rows()
    assert process.returncode == 1
    assert rows[victim]["status"] == "killed"
    assert "SIGKILL" in rows[victim]["status_detail"]
    assert {row["status"] for name, row in rows.items() if name != victim} == {"ok"}
    assert f"bench collect --resume {bench.files()[0].stem}" in out

    bench.cells_so_far()
    assert bench.collect("--resume").returncode == 0
    assert bench.cells_so_far() == [victim]
    assert {row["status"] for row in bench.rows().values()} == {"ok"}
    assert measured_once(rows, bench.rows())


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waiting for a grandchild needs pidfd_open (Linux)")
@pytest.mark.parametrize("current", ORDER)
def test_a_killed_parent_loses_no_finished_cell(bench, current):
    process = bench.start("collect", "--out", "data", *SUITE, FAKE_HANG=current)
    child = bench.until(current)
    process.kill()
    process.wait()
    assert gone(child), "the child outlived its parent"

    before = bench.rows()
    place = ORDER.index(current)
    assert [before[name]["status"] for name in ORDER] == ["ok"] * place + ["interrupted"] * (6 - place)
    assert before[current]["status_detail"] == "started, not finished"
    assert {before[name]["status_detail"] for name in ORDER[place + 1 :]} <= {"planned, not started"}

    bench.cells_so_far()
    assert bench.collect("--resume").returncode == 0
    assert bench.cells_so_far() == ORDER[place:]
    assert {row["status"] for row in bench.rows().values()} == {"ok"}
    assert measured_once(before, bench.rows())


@pytest.mark.parametrize("write", [2, 3, 6, 9])
def test_death_while_writing_leaves_the_file_before_it(bench, write):
    assert bench.collect(*SUITE, FAKE_AT=f"kill {write}").returncode == -signal.SIGKILL
    before = bench.rows()
    assert sum(row["status"] == "ok" for row in before.values()) == (write - 2) // 2
    assert list(bench.runs.glob("*/.*.tmp")), "the death was meant to come before the rename"

    assert bench.collect("--resume").returncode == 0
    assert {row["status"] for row in bench.rows().values()} == {"ok"}
    assert measured_once(before, bench.rows())
    assert not list(bench.runs.glob("*/.*.tmp"))


def test_death_before_the_first_write_leaves_an_empty_store(bench):
    assert bench.collect(*SUITE, FAKE_AT="kill 1").returncode == -signal.SIGKILL
    assert bench.files() == []
    result = bench.collect("--resume")
    assert result.returncode == 2
    assert "no unfinished run" in result.stderr


def test_a_full_disk_ends_the_run_and_keeps_what_was_stored(bench):
    result = bench.collect(*SUITE, FAKE_AT="full 5")
    assert result.returncode == 1
    assert "the disk is full" in result.stderr
    assert "--resume" in result.stderr
    assert "Traceback" not in result.stderr
    assert sum(row["status"] == "ok" for row in bench.rows().values()) == 1
    assert not list(bench.runs.glob("*/.*.tmp"))
    assert bench.collect("--resume").returncode == 0


def test_ctrl_c_ends_the_cell_and_says_how_to_continue(bench):
    process = bench.start("collect", "--out", "data", *SUITE, FAKE_HANG=ORDER[2])
    child = bench.until(ORDER[2])
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 1
    rows = bench.rows()
    assert [rows[name]["status"] for name in ORDER] == ["ok"] * 2 + ["interrupted"] * 4
    assert rows[ORDER[2]]["status_detail"] == "stopped after 0 repetitions"
    assert f"Continue with: bench collect --resume {bench.files()[0].stem} --out data" in out
    assert "stopped by Ctrl-C" in err
    assert "Traceback" not in err
    assert gone(child)


def test_a_second_ctrl_c_stops_at_once(bench):
    process = bench.start("collect", "--out", "data", *SUITE, FAKE_STUCK=ORDER[1])
    child = bench.until(ORDER[1])
    process.send_signal(signal.SIGINT)
    for line in process.stderr:
        if "Ending the current cell" in line:
            break
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    assert process.returncode == 1
    assert "second Ctrl-C" in out
    assert bench.rows()[ORDER[1]]["status"] == "interrupted"
    assert gone(child)


def test_sigterm_is_a_polite_ctrl_c(bench):
    process = bench.start("collect", "--out", "data", *SUITE, FAKE_HANG=ORDER[1])
    bench.until(ORDER[1])
    process.terminate()
    out, _ = process.communicate()
    assert process.returncode == 1
    assert "stopped by SIGTERM" in out


def test_two_collectors_share_a_store(bench):
    both = [bench.start("collect", "--out", "data", *SUITE) for _ in range(2)]
    for process in both:
        process.communicate()
    assert [process.returncode for process in both] == [0, 0]
    assert len(bench.files()) == 2
    contents = store.read_store(bench.runs)
    assert len(contents.rows) == 12
    assert contents.left_out == []


def test_a_run_in_progress_cannot_be_resumed(bench):
    process = bench.start("collect", "--out", "data", *SUITE, FAKE_HANG=ORDER[1])
    bench.until(ORDER[1])
    result = bench.collect("--resume", bench.files()[0].stem)
    assert result.returncode == 1
    assert "in progress in another process" in result.stderr
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert bench.collect("--resume").returncode == 0


def test_resume_refuses_another_device(bench):
    assert bench.collect(*SUITE, FAKE_AT="kill 4").returncode == -signal.SIGKILL
    result = bench.collect("--resume", FAKE_NAME="Fake 9001")
    assert result.returncode == 1
    assert "'Fake 9000'" in result.stderr
    assert "'Fake 9001'" in result.stderr
    assert bench.collect("--resume", "--suite", "full").returncode == 2
