"""Real processes of ``bench`` with fake workloads, and the events that tests wait for."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bench import store

FAKES = Path(__file__).with_name("fakes.py")
FORKS = Path(__file__).with_name("forks.py")


@dataclass
class Bench:
    """``bench`` with the fakes, a store of its own, and a pipe on which cells say that they start."""

    folder: Path
    events: int
    _unread: bytes = b""
    started: list[subprocess.Popen] = field(default_factory=list)

    @property
    def runs(self) -> Path:
        return self.folder / "data" / "runs"

    def start(self, *args: str, **env: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, str(FAKES), *args],
            env=os.environ
            | {"HWGUIDE_STATE": str(self.folder / "state"), "FAKE_EVENTS": str(self.folder / "events")}
            | env,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def run(self, *args: str, **env: str) -> subprocess.CompletedProcess:
        process = self.start(*args, **env)
        out, err = process.communicate()
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    def collect(self, *args: str, **env: str) -> subprocess.CompletedProcess:
        return self.run("collect", "--out", "data", *args, **env)

    def next_cell(self) -> tuple[str, int]:
        """The name of the next cell that starts, and the process in which it does. Waits for it."""
        while b"\n" not in self._unread:
            if select.select([self.events], [], [], 1.0)[0]:
                self._unread += os.read(self.events, 4096)
            elif self.started[-1].poll() is not None:
                pytest.fail(f"bench ended before the cell started: {self.started[-1].communicate()[1]}")
        line, _, self._unread = self._unread.partition(b"\n")
        name, pid = line.decode().split()
        return name, int(pid)

    def until(self, name: str) -> int:
        """Wait until that cell starts; returns its process."""
        while True:
            found, pid = self.next_cell()
            if found == name:
                return pid

    def cells_so_far(self) -> list[str]:
        """The names of all cells that started and were not asked about yet."""
        names = []
        while self._unread or select.select([self.events], [], [], 0)[0]:
            names.append(self.next_cell()[0])
        return names

    def files(self) -> list[Path]:
        return sorted(self.runs.glob("*/*.parquet"))

    def rows(self, path: Path | None = None) -> dict[str, dict[str, Any]]:
        """The rows of the one run (or of ``path``) by ``<model>-<batch>``."""
        [path] = [path] if path else self.files()
        return {f"{row['model']}-{row['batch']}": row for row in store.read_run(path)}


@pytest.fixture
def bench(tmp_path: Path):
    os.mkfifo(tmp_path / "events")
    events = os.open(tmp_path / "events", os.O_RDWR)  # both ends: readers and writers never block on open
    made = Bench(tmp_path, events)
    yield made
    for process in made.started:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            stream.close()
    os.close(events)


class Server:
    """Runs as forks of one process; see ``forks.py``."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(FORKS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, folder: Path, args: tuple[str, ...], kill: Any = (), **more: Any) -> Any:
        """What became of it, when it and all it started are gone. Words in capitals are for ``fakes.py``."""
        own = {name: more.pop(name) for name in list(more) if name.isupper()}
        env = {"HWGUIDE_STATE": str(folder / "state"), "FAKE_BUDGET": "0.003"} | own
        request = {"args": args, "env": env, "folder": str(folder), "kill": list(kill)} | more
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@pytest.fixture(scope="session")
def server():
    if not hasattr(os, "fork"):
        pytest.skip("forks of one process need fork")
    made = Server()
    yield made
    made.close()
