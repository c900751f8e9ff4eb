"""What this machine keeps for itself, outside any store: the salt of its ``host_id`` and locks of runs."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.errors import BenchError


def state_dir() -> Path:
    """``$HWGUIDE_STATE``, else the platform's folder for a program's own state."""
    if explicit := os.environ.get("HWGUIDE_STATE"):
        return Path(explicit)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "hwguide"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "hwguide"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "hwguide"


@contextlib.contextmanager
def run_lock(run_id: str) -> Iterator[None]:
    """Hold the run for this process; the system lets go of it whatever ends the process.

    Raises ``BenchError`` when another process holds it, or the folder cannot be written.
    """
    path = state_dir() / "locks" / f"{run_id}.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
    except OSError as error:
        raise BenchError(
            f"Cannot write {path}: {error.strerror}.",
            hint="Set HWGUIDE_STATE to a folder that can be written.",
        ) from error
    with lock:
        try:
            _lock(lock.fileno())
        except OSError as error:
            raise BenchError(
                f"Run {run_id} is in progress in another process.",
                hint="Wait for it to end, or start a run of its own: leave --resume out.",
            ) from error
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # on Windows an open file cannot be removed
                path.unlink(missing_ok=True)


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
