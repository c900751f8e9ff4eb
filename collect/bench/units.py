"""Rows of one task have one unit: figures in two are never averaged, divided or ranked.

The unit is no part of what a task asks for, so equal keys do not prove it equal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from bench.schema import Row

#: The collector's own rows, whose units its workloads define.
OWN = "hwguide"


def defined(workload: str, settings: str | None) -> str | None:
    """The unit of a cell of one of the collector's workloads; None for any other, or unreadable settings."""
    from bench.cells import Cell
    from bench.workloads import WORKLOADS

    known = WORKLOADS.get(workload)
    if known is None:
        return None
    try:
        return known.unit(Cell(workload, settings=json.loads(settings) if settings else {}))
    except (LookupError, TypeError, ValueError):
        return None


def unit_of(rows: Sequence[Row]) -> str | None:
    """The unit of a task by its rows: what the workload of a row of the collector defines, else the most
    common of the rows with status ``ok``, of equally common ones the first by name; None without any."""
    units = Counter(row["rate_unit"] for row in rows if row["status"] == "ok")
    if len(units) < 2:
        return next(iter(units), None)
    own = next((row for row in rows if row["source_id"] == OWN), None)
    return (own and defined(own["workload"], own["settings"])) or min(units, key=lambda u: (-units[u], u))


def fits(row: Row, unit: str | None) -> bool:
    """Whether a row has no figure in another unit. One without a figure fits: it tells of a failure."""
    return row["status"] != "ok" or row["rate_unit"] == unit


def why_apart(row: Row, unit: str | None) -> str:
    """Why a row is no result of its task, in words."""
    return f"its figure is in {row['rate_unit']}, that of its task in {unit}"
