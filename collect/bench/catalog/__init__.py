"""What is known about devices, their names, their prices, and the price of electricity."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from bench.catalog.devices import Catalog, CatalogDevice

if TYPE_CHECKING:
    from bench.catalog.resolver import Resolution

__all__ = ["Catalog", "CatalogDevice", "resolve"]


def resolve(
    name: str | None, *, memory_bytes: int | None = None, compute_units: int | None = None
) -> Resolution:
    """Which device of the nearest project's catalog a printed name means, or why none.

    ``memory_bytes`` and ``compute_units`` are what the system reports. Raises ``BenchError`` without a
    ``devices.csv``. For another catalog: ``Catalog.load(path).resolve(name)``.
    """
    from bench.project import find_data

    path = find_data().devices.resolve()
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    return _loaded(path, changed).resolve(name, memory_bytes=memory_bytes, compute_units=compute_units)


@lru_cache(maxsize=1)
def _loaded(path: Path, changed: int) -> Catalog:
    return Catalog.load(path)
