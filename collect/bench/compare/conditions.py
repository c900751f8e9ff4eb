"""What two sides' answers depended on, key by key: the first thing to look at when they differ."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bench.schema import Row

#: Columns that say what an answer depended on, beside the JSON of ``conditions`` and ``environment``.
COLUMNS = ("engine", "engine_version", "driver_version", "power_limit_w", "device_memory_bytes", "value_kind")
#: Parts of the JSON that say how a cell went, not what it ran on.
PER_CELL = frozenset({
    "disturbance", "telemetry", "anchor", "uploads", "highest_tokens_per_s", "lowest_tokens_per_s",
    "wall_peak_power_w",
})  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """A condition and its values on each side; a side whose rows disagree has several, one without any has
    none. Names are those of the columns and of the JSON keys, joined by dots."""

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]

    def sentence(self) -> str:
        """``conditions.torch: 2.12 → 2.13``."""
        sides = (" / ".join(side) or "not stated" for side in (self.first, self.second))
        return f"{self.name}: {' → '.join(sides)}"


def differences(first: Iterable[Row], second: Iterable[Row]) -> tuple[Difference, ...]:
    """Every condition whose values are not the same on both sides, by name."""
    a, b = _values(first), _values(second)
    found = [
        Difference(name, tuple(sorted(a.get(name, ()))), tuple(sorted(b.get(name, ()))))
        for name in sorted({*a, *b})
        if a.get(name, set()) != b.get(name, set())
    ]
    return tuple(found)


def _values(rows: Iterable[Row]) -> dict[str, set[str]]:
    values: dict[str, set[str]] = {}
    for row in rows:
        for name, value in values_of(row):
            values.setdefault(name, set()).add(value)
    return values


def values_of(row: Row) -> Iterator[tuple[str, str]]:
    """Every condition of one row: its name (a column's, or JSON keys joined by dots) and its value."""
    for name in COLUMNS:
        if row[name] is not None:
            yield name, str(row[name])
    for column in ("conditions", "environment"):
        content = json.loads(row[column]) if row[column] else {}
        if isinstance(content, Mapping):
            yield from _flat(column, {k: v for k, v in content.items() if k not in PER_CELL})


def _flat(prefix: str, content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in content.items():
        name = f"{prefix}.{key}"
        if isinstance(value, Mapping):
            yield from _flat(name, value)
        elif value is not None:
            yield name, value if isinstance(value, str) else json.dumps(value, sort_keys=True)
