"""The parent or a child of a run is killed 200 times at seeded random moments, and each run is resumed until
it is complete: no finished cell is lost or done again, the file is always valid, the current cell is a row.

Each cell is measured by two processes, so deaths fall between a cell's processes as well.
"""

from __future__ import annotations

import json
import random
from collections import Counter

from bench import store

KILLS = 200
PROCESSES = 2
POINTS = ("rows", "copy", "fsync", "replace", "replaced")
NEW = ("collect", "--out", "data", "--device", "fake", "--suite", "tiny")
RESUMED = ("collect", "--out", "data", "--resume")


def a_death(rng):
    """One way and moment to die, of all that ``forks.py`` knows."""
    call = int(10 ** rng.uniform(2, 4.6))
    return rng.choice(
        [
            {"who": "parent", "point": rng.choice(POINTS), "nth": rng.randint(1, 24)},
            {"who": "parent", "during": rng.choice(POINTS), "nth": rng.randint(1, 16)},
            {"who": "parent", "call": call},
            {"who": rng.randint(1, 6), "message": rng.randint(1, 5), "cut": rng.random() < 0.5},
            {"who": rng.randint(1, 6), "call": call // 4 + 1},
            {"who": "child", "during": "start", "nth": rng.randint(1, 8)},
        ]
    )


class Run:
    """One run of the suite, killed again and again; what must hold after every sitting."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.rows, self.parts = {}, {}
        self.is_complete = False

    def sit(self, server, kill):
        """Start or resume the run; returns how many were killed."""
        found = server.run(self.folder, RESUMED if self.rows else NEW, kill, FAKE_PROCESSES=str(PROCESSES))
        events = [line.split() for line in found["events"]]
        started = [words[1] for words in events if words[0] == "start"]
        stored = [words[1:] for words in events if words[0] == "stored"]
        assert "Traceback" not in found["err"], found["err"]
        files = sorted(self.folder.glob("data/runs/*/*.parquet"))
        if not files:
            assert not stored, "a file was written, and is gone"
            assert found["code"] != 0
            return 1
        [path] = [file for file in files if not file.name.startswith(".")]
        if stored and found["code"] >= 0:
            assert not list(path.parent.glob(f".{path.stem}-*")), "a dead writer's files are left"
        rows = {row["cell_id"]: row for row in store.read_run(path)}  # it is valid, and every row in it
        meta = store.read_meta(path)
        self._nothing_is_lost(rows, meta, stored)
        self._nothing_is_done_twice(started, rows)
        killed = self._the_current_cell_is_a_row(rows, started, found)
        self.rows = rows
        self.parts |= meta.get("parts", {})  # what was there once must be in the row at last
        self.is_complete = {row["status"] for row in rows.values()} == {"ok"}
        return killed

    def _nothing_is_lost(self, rows, meta, stored):
        assert len(rows) == 6 and set(rows) >= set(self.rows)
        for cell_id, row in self.rows.items():
            if row["status"] == "ok":
                assert rows[cell_id] == row
        for cell_id in stored[-1] if stored else ():
            assert rows[cell_id]["status"] == "ok", "it was stored, and is lost"
        for cell_id, known in self.parts.items():
            samples = [seconds for part in known for seconds in part["samples_s"]]
            later = meta.get("parts", {}).get(cell_id)
            now = [s for part in later for s in part["samples_s"]] if later else rows[cell_id]["samples_s"]
            assert now[: len(samples)] == samples, "a process's repetitions are lost"

    def _nothing_is_done_twice(self, started, rows):
        for cell_id, times in Counter(started).items():
            assert times <= PROCESSES - len(self.parts.get(cell_id, ())), "measured again"
            assert self.rows.get(cell_id, {}).get("status") != "ok", "measured again"
        for row in rows.values():
            if row["status"] == "ok":
                counts = json.loads(row["environment"])["telemetry"]["process_samples"]
                assert len(counts) == PROCESSES and sum(counts) == len(row["samples_s"])

    def _the_current_cell_is_a_row(self, rows, started, found):
        statuses = {row["status"] for row in rows.values()}
        assert statuses <= {"ok", "killed", "interrupted"}, statuses
        killed = [i for i, row in rows.items() if row["status"] == "killed" and row != self.rows.get(i)]
        for cell_id in killed:
            detail = rows[cell_id]["status_detail"]
            assert "SIGKILL" in detail or "started, not finished" in detail
        if found["code"] == -9:
            if started:
                assert rows[started[-1]]["status"] in ("interrupted", "killed", "ok")
            return 1 + sum("SIGKILL" in rows[cell_id]["status_detail"] for cell_id in killed)
        if "Error: The measuring process did not start" in found["err"]:  # the first child died at once
            assert found["code"] == 1 and rows == self.rows
            return 1
        assert found["code"] == (1 if "killed" in statuses else 0), found["err"]
        assert "interrupted" not in statuses
        return len(killed)


def test_nothing_is_lost_in_two_hundred_kills(server, tmp_path):
    rng = random.Random(20261201)
    kills, sittings, runs = 0, 0, 0
    while kills < KILLS:
        run = Run(tmp_path / str(runs))
        runs += 1
        while kills < KILLS and not run.is_complete:
            kills += run.sit(server, [a_death(rng) for _ in range(rng.randint(1, 4))])
            sittings += 1
        while not run.is_complete:
            assert run.sit(server, []) == 0 or not run.rows
            sittings += 1
    print(f"\n{kills} kills in {sittings} sittings of {runs} runs")
    assert kills >= KILLS
