"""Numbers in Linux's files of the system."""

from __future__ import annotations

from pathlib import Path


def number(path: Path) -> float | None:
    """The number in a file; None where it is missing, unreadable, or holds something else."""
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return None


class Kept:
    """A file with a number that is read again and again: kept open, since opening it costs ten times more."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("rb", buffering=0)

    def number(self) -> float | None:
        """As ``number``. The system writes the file anew for each reading from its begin."""
        try:
            self._stream.seek(0)
            return float(self._stream.read(64))
        except (OSError, ValueError):
            return None


def text(path: Path) -> str:
    """The text of a file, stripped; empty where it cannot be read."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def mean(values: list[float | None]) -> float | None:
    """The mean of what is known; None for nothing."""
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None
