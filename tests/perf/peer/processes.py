"""Whole processes: started, waited for asleep, their wall time and their processor time."""

from __future__ import annotations

import contextlib
import os
import signal
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
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=os.name == "posix",
    )
    try:
        output, errors = process.communicate(timeout=TIMEOUT_S)
    except BaseException as reason:  # Ctrl-C too: nothing that it started may live on and disturb the next
        _kill(process)
        if isinstance(reason, subprocess.TimeoutExpired):
            raise CannotRun(f"no result in {TIMEOUT_S} s") from None
        raise
    return Done(output, errors, process.returncode, time.perf_counter() - begin)


def _kill(process: subprocess.Popen[str]) -> None:
    """End it and all of its group."""
    with contextlib.suppress(ProcessLookupError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()


def usable_cores() -> list[int]:
    """The cores this process may use; empty where a process cannot be kept to some of them."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
