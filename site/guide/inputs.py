"""Everything the guide is made from, read once: store, published tables, catalog, prices, scenarios."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bench import store
from bench.project import DataDir
from bench.schema import Row


@dataclass(frozen=True)
class Inputs:
    """What ``build`` works on. ``rows`` holds measured and published rows, sorted; ``left_out`` names each
    run file that could not be read (relative to the data folder) with the reason."""

    rows: tuple[Row, ...]
    sources: Any
    catalog: Any
    prices: Any
    run_files: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    data: DataDir

    @property
    def as_of(self) -> datetime | None:
        """The time of the newest row, the guide's only clock; None for an empty store."""
        return max((row["recorded_at"] for row in self.rows), default=None)


def load(data: DataDir) -> Inputs:
    """Read a data folder. A damaged run file is left out by name; any other fault is a ``BenchError``."""
    import importlib.util

    if not importlib.util.find_spec("bench.catalog") or not importlib.util.find_spec("bench.published"):
        contents = store.read_store(data.runs)
        left = tuple((_inside(p, data), r.replace(str(p), _inside(p, data))) for p, r in contents.left_out)
        return Inputs(tuple(contents.rows), None, None, None, (), left, data)
    from bench.catalog import Catalog
    from bench.catalog.prices import PriceBook
    from bench.published import load_published

    contents = store.read_store(data.runs)
    published = load_published(data)
    rows = [*contents.rows, *published.rows]
    rows.sort(key=lambda row: (row["recorded_at"], row["run_id"], row["cell_id"]))
    return Inputs(
        rows=tuple(rows),
        sources=published.sources,
        catalog=Catalog.load(data.devices),
        prices=PriceBook.load(data.prices),
        run_files=tuple(_inside(path, data) for path in contents.files),
        left_out=tuple(
            (_inside(path, data), reason.replace(str(path), _inside(path, data)))
            for path, reason in contents.left_out
        ),
        data=data,
    )


def evidence(inputs: Inputs) -> Any:
    """The analysis of the inputs (``guide.evidence``)."""
    return None


def _inside(path: Path, data: DataDir) -> str:
    """The path from the data folder on: a page never shows where the folder lies on a machine."""
    return path.relative_to(data.root).as_posix()


def fingerprint(*folders: Path) -> str:
    """A digest of the names, sizes and times of all files under ``folders``: equal means nothing changed."""
    seen = hashlib.sha256()
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.endswith(".tmp")):
            try:
                status = path.stat()
            except FileNotFoundError:  # a run file was replaced between listing and looking
                continue
            seen.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
    return seen.hexdigest()
