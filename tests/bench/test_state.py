"""The lock of a run: one process at a time, whoever else comes and goes. With real processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.errors import BenchError
from bench.state import run_lock

PROCESSES, TURNS = 6, 300

#: Takes the lock again and again; within it, nobody else may be: a file made there cannot be there already.
CONTENDER = """
import os, sys
from bench.errors import BenchError
from bench.state import run_lock

inside, turns, held = sys.argv[1], int(sys.argv[2]), 0
sys.stdin.read(1)  # all begin together
for _ in range(turns):
    try:
        with run_lock("the-run"):
            os.close(os.open(inside, os.O_CREAT | os.O_EXCL))
            os.sched_yield() if hasattr(os, "sched_yield") else None
            os.unlink(inside)
            held += 1
    except FileExistsError:
        sys.exit("two processes hold the run at once")
    except BenchError as error:
        assert "is in progress in another process" in error.message, error.message
print(held)
"""


def start(folder: Path) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", CONTENDER, str(folder / "inside"), str(TURNS)],
        env=os.environ | {"HWGUIDE_STATE": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_never_hold_a_run_at_once(tmp_path):
    processes = [start(tmp_path) for _ in range(PROCESSES)]
    for process in processes:
        process.stdin.write("!")
        process.stdin.flush()
    ended = [process.communicate() for process in processes]
    assert [err for _, err in ended] == [""] * PROCESSES
    assert sum(int(out) for out, _ in ended) >= PROCESSES, "everybody gives up at once"
    assert list((tmp_path / "locks").iterdir()) == []


def test_a_held_run_is_refused_and_free_afterwards(tmp_path, monkeypatch):
    monkeypatch.setenv("HWGUIDE_STATE", str(tmp_path))
    with run_lock("a"):
        with pytest.raises(BenchError, match="in progress in another process"), run_lock("a"):
            pass
        with run_lock("b"):
            pass
    with run_lock("a"):
        pass


def test_a_file_that_was_removed_while_it_was_waited_for_is_no_lock(tmp_path, monkeypatch):
    """How two could hold it: opened by one, removed by its holder, made anew and locked by a third."""
    from bench import state

    monkeypatch.setenv("HWGUIDE_STATE", str(tmp_path))
    path = tmp_path / "locks" / "a.lock"
    real, third = state._lock, []

    def late(descriptor):
        if not third:  # between the opening and the locking of this one, two others come and go
            path.unlink()
            third.append(path.open("a"))
            real(third[0].fileno())
        real(descriptor)

    monkeypatch.setattr(state, "_lock", late)
    with pytest.raises(BenchError, match="in progress in another process"), run_lock("a"):
        pass
    third[0].close()
