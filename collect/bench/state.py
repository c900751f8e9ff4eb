"""What this machine keeps for itself, outside any store: the salt of its ``host_id``, and locks."""

from __future__ import annotations

import contextlib
import os
import sys
import time
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
    with contextlib.ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            is_ours = stack.enter_context(_held(path))
        except OSError as error:
            raise BenchError(
                f"Cannot write {path}: {error.strerror}.",
                hint="Set HWGUIDE_STATE to a folder that can be written.",
            ) from error
        if not is_ours:
            raise BenchError(
                f"Run {run_id} is in progress in another process.",
                hint="Wait for it to end, or start a run of its own: leave --resume out.",
            )
        yield


#: How long a change to a file of the project waits for another one to end, and how often it looks.
WAIT_S = 30.0
_LOOK_S = 0.02


@contextlib.contextmanager
def file_lock(path: Path, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold ``path`` against other processes that change it: read it, change it and replace it inside.

    The lock is a hidden file beside it, gone afterwards; the system lets go of it whatever ends the process.
    Raises ``BenchError`` when another process holds it for ``wait_s`` seconds, or the folder is not writable.
    """
    hidden = path.with_name(f".{path.name}.lock")
    until = time.monotonic() + wait_s
    while True:
        with contextlib.ExitStack() as stack:
            try:
                is_ours = stack.enter_context(_held(hidden))
            except OSError as error:
                raise BenchError(f"Cannot write {path}: {error.strerror or error}.") from error
            if is_ours:
                yield
                return
        if time.monotonic() > until:
            raise BenchError(
                f"{path} is being changed by another process.", hint="Try again when it is done."
            )
        time.sleep(_LOOK_S)


@contextlib.contextmanager
def _held(path: Path) -> Iterator[bool]:
    """Whether this process has the lock of a file within the block; never waits. The file is made for it and
    removed afterwards. Raises ``OSError`` when it cannot be made."""
    while True:
        with path.open("a") as lock:
            try:
                _lock(lock.fileno())
            except OSError:
                yield False
                return
            if not _is_still_at(path, lock.fileno()):
                continue
            try:
                yield True
            finally:
                with contextlib.suppress(OSError):  # on Windows an open file cannot be removed
                    path.unlink(missing_ok=True)
            return


def _is_still_at(path: Path, descriptor: int) -> bool:
    """Whether a file that was opened at ``path`` is there now: whoever held its lock before removed it, and
    a third process may have made, and locked, another one."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
