"""What a check is, what it finds, and what it may know about the row it looks at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from bench.catalog import Catalog, CatalogDevice
    from bench.workloads.probe import Ceilings

Row = Mapping[str, Any]

SEVERITIES = {
    "impossible": "no hardware of this kind can do it: the row must not be shown",
    "wrong": "the row or file contradicts itself or the schema",
    "note": "worth knowing; the figure stands",
}


@dataclass(frozen=True)
class Problem:
    """What a check says of one row: a sentence or two, and the two figures that clash, in ``unit``."""

    text: str
    found: float | None = None
    limit: float | None = None
    unit: str | None = None
    severity: str | None = None


@dataclass(frozen=True)
class Finding:
    """A problem and where it is. ``place`` is a line, a row or empty for a whole file; ``label`` names cell
    and device; ``severity`` is one of ``SEVERITIES``."""

    check: str
    severity: str
    path: str
    place: str
    label: str
    text: str
    found: float | None = None
    limit: float | None = None
    unit: str | None = None

    def sentence(self) -> str:
        """The finding as one line: where, which cell, what."""
        where = ", ".join(part for part in (self.path, self.place) if part)
        return f"{where}: {f'{self.label}: ' if self.label else ''}{self.text}"

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"sentence": self.sentence()}


@dataclass(frozen=True)
class Context:
    """What is known beside the row: the catalog, the ceilings of the row's own run, by run id, and the time
    now; without it no row's time is judged."""

    catalog: Catalog | None = None
    ceilings: Mapping[str, Ceilings] = field(default_factory=dict)
    now: datetime | None = None

    def device(self, row: Row) -> CatalogDevice | None:
        """The catalog's device of a row; a measured row that was collected without a catalog is looked up by
        its name, a published one without a device is one that its source does not tell."""
        if self.catalog is None:
            return None
        device_id = row["device_id"]
        if device_id is None and row["origin"] == "measured":
            found = self.catalog.resolve(row["device_name"], memory_bytes=row["device_memory_bytes"])
            device_id = found.device_id
        return self.catalog.get(device_id)


class Check(Protocol):
    """One idea, one file. ``severity`` is that of its problems unless one says otherwise; ``what`` and
    ``why`` are one sentence each. Checks of ``physics`` make the gate."""

    name: ClassVar[str]
    what: ClassVar[str]
    why: ClassVar[str]
    severity: ClassVar[str]
    physics: ClassVar[bool]

    def problems(self, row: Row, context: Context) -> Iterable[Problem]:
        """What is wrong with the row; nothing when it is right or cannot be judged."""
