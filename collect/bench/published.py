"""Results that others published, as rows of the schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.project import DataDir
from bench.schema import Row


@dataclass(frozen=True)
class Published:
    """All published rows, and what is known about each source, by ``source_id``."""

    rows: tuple[Row, ...] = ()
    sources: Mapping[str, Any] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()


def load_published(data: DataDir) -> Published:
    """Every table under ``data/published``."""
    return Published()
