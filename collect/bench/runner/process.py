"""A child process and its end: how it is started, spoken to, ended, and why it died."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.runner import protocol
from bench.text import scrub

#: The command of a child process. Tests put their own workloads and devices in by another command.
COMMAND: list[str] = [sys.executable, "-m", "bench.runner.child"]


@dataclass(frozen=True)
class Event:
    """Something the parent woke up for: a child's ``message``, a child's ``end``, or a ``signal``."""

    kind: str
    child: Child | None = None
    message: protocol.Message | None = None
    signal_name: str = ""


Events = queue.SimpleQueue[Event]


class Child:
    """One running child. Its messages, and its end, arrive in ``events``; a thread that sleeps in ``read``
    puts them there, so that the parent can sleep on one queue, on every platform."""

    def __init__(self, events: Events, environment: dict[str, str]) -> None:
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the child)
        self._kills_before = out_of_memory_kills()
        self.process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=os.environ | environment,
            # Ctrl-C in the terminal is for the parent alone, which then asks the child to end.
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._reader = threading.Thread(target=self._read, args=(events,), daemon=True)
        self._reader.start()
        threading.Thread(target=self._bury, daemon=True).start()

    def _read(self, events: Events) -> None:
        for message in protocol.messages(self.process.stdout):
            events.put(Event("message", self, message))
        self.process.wait()
        events.put(Event("end", self))

    def _bury(self) -> None:
        """Once it is dead, end what it started: a worker that lives on would hold its pipe open."""
        self.process.wait()
        self.kill()

    def send(self, type: str, **fields: Any) -> None:
        """Send one message; a child that is gone is noticed by its ``end``, not here."""
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(protocol.encode({"type": type} | fields))
            self.process.stdin.flush()

    def kill(self) -> None:
        """End it and whatever it started, now."""
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self.process.kill()

    def close(self, patience_s: float = 10.0) -> None:
        """Let it end by itself, then make sure that it has, and free what it held."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(patience_s)
        self.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()
        self.log.close()

    def last_words(self) -> str:
        """The last line of what it wrote to standard error, fit to be stored; empty when it wrote nothing."""
        size = self.log.seek(0, os.SEEK_END)
        self.log.seek(max(0, size - 8192))
        lines = self.log.read().decode(errors="replace").splitlines()
        return scrub(next((line for line in reversed(lines) if line.strip()), ""))

    def why_it_died(self) -> dict[str, str]:
        """Status and detail of the cell that a dead child was measuring."""
        code = self.process.returncode
        if code >= 0:
            words = self.last_words()
            detail = f"the process ended with exit code {code}" + (f": {words}" if words else "")
            return {"status": "failed", "status_detail": detail}
        name = signal_name(-code)
        if name == "SIGKILL" and out_of_memory_kills() > self._kills_before:
            return {
                "status": "oom",
                "status_detail": "the kernel's out-of-memory killer ended the process (SIGKILL, and its "
                "count of out-of-memory kills rose)",
            }
        return {"status": "killed", "status_detail": f"the process was ended by {name}"}


def signal_name(number: int) -> str:
    """``SIGKILL`` for 9; the number itself for a signal without a name here."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def out_of_memory_kills() -> int:
    """How many processes the kernel has killed for memory: in this control group, and on the machine.

    0 where the system keeps no such count (only Linux does).
    """
    files = [(Path("/proc/vmstat"), "oom_kill")]
    with contextlib.suppress(OSError, ValueError):
        own = Path("/proc/self/cgroup").read_text().strip().splitlines()[-1].split(":", 2)[2]
        files.append((Path("/sys/fs/cgroup") / own.lstrip("/") / "memory.events", "oom_kill"))
    total = 0
    for path, name in files:
        with contextlib.suppress(OSError, ValueError):
            for line in path.read_text().splitlines():
                key, _, value = line.partition(" ")
                total += int(value) if key == name else 0
    return total
