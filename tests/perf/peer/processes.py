"""Whole processes: started, waited for asleep, their wall time and their processor time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from peer.environment import CannotRun, last_line

#: No run here takes a tenth of it on a quiet machine.
TIMEOUT_S = 900
#: Become another program, on the given cores alone.
PIN = (
    "import os, sys; os.sched_setaffinity(0, map(int, sys.argv[1].split(','))); "
    "os.execv(sys.argv[2], sys.argv[2:])"
)


@dataclass(frozen=True)
class Done:
    """A process that has ended."""

    output: str
    errors: str
    status: int
    wall_s: float

    def error(self) -> CannotRun:
        """Why it gave no result, in its own last words."""
        return CannotRun(f"exit status {self.status}: {last_line(self.errors or self.output)}")


def run(
    command: Sequence[str],
    cores: Sequence[int] = (),
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Done:
    """Run to the end, on ``cores`` only where any are named. Raises ``CannotRun`` when it takes too long."""
    if cores:
        command = [sys.executable, "-c", PIN, ",".join(map(str, cores)), *command]
    begin = time.perf_counter()
    try:
        done = subprocess.run(
            command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        raise CannotRun(f"no result in {TIMEOUT_S} s") from None
    return Done(done.stdout, done.stderr, done.returncode, time.perf_counter() - begin)


def usable_cores() -> list[int]:
    """The cores this process may use; empty where a process cannot be kept to some of them."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
