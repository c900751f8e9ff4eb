"""Where the evidence comes from, how much there is of it, and what of it is not shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Source:
    """Where rows come from: ``source_id`` is the rows' key, ``reference_device`` the name of the device
    that the source itself compares with, if it names one. ``comparable``: what may be compared with what;
    ``transcribed``: how its figures came here; ``left_out``: what of it did not, and why."""

    source_id: str
    title: str
    url: str | None = None
    published: str | None = None
    licence: str | None = None
    note: str | None = None
    reference_device: str | None = None
    commit: str | None = None
    attribution: str | None = None
    comparable: str | None = None
    transcribed: str | None = None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Counts:
    """What the guide rests on. ``newest`` and ``oldest`` are the rows' times; None in an empty store."""

    rows: int
    measured_rows: int
    published_rows: int
    ok_rows: int
    devices: int
    systems: int
    sources: int
    tasks: int
    runs: int
    oldest: datetime | None
    newest: datetime | None
    by_status: Mapping[str, int] = field(hash=False)


@dataclass(frozen=True)
class LeftOut:
    """Something the guide does not show, and why: a damaged file (``what`` is its path inside the data
    folder), an impossible figure, a withdrawn row."""

    what: str
    reason: str
    rows: int = 0
