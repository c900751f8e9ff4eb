"""What a check of a data file says: an error has to be mended, a warning is for a person to judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.errors import BenchError

SEVERITIES = ("error", "warning")


@dataclass(frozen=True)
class Remark:
    """One finding. ``line`` is the line in the file, None for the file as a whole; ``check`` is its kind."""

    severity: str
    check: str
    line: int | None
    subject: str
    text: str

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def of_error(path: Path, line: int, error: BenchError) -> Remark:
    """A malformed line as a remark; the path and line are not said twice. Remarks have no full stop."""
    text = error.message.splitlines()[0].removeprefix(f"{path}, line {line}").lstrip(" ,:")
    return Remark("error", "format", line, "", text.removesuffix("."))


def in_order(remarks: Iterable[Remark]) -> list[Remark]:
    """Errors first, then by kind and line."""
    return sorted(remarks, key=lambda r: (SEVERITIES.index(r.severity), r.check, r.line or 0, r.subject))
