"""Looking after a store: verify every file, merge a day's runs, export all rows."""

from __future__ import annotations

import contextlib
import csv
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from bench import schema, store
from bench.catalog import Catalog
from bench.errors import BenchError
from bench.text import csv_cell
from bench.verify.files import FileReport, verify_file

#: Names of merged files start with the day and this word; no run id does.
MERGED = "merged"


def verify_store(runs: Path, catalog: Catalog | None = None) -> list[FileReport]:
    """A report on each file (``bench.verify``), leftovers of interrupted writes included."""
    paths = [*store.run_files(runs), *sorted(runs.glob("*/.*.tmp"))]
    return [verify_file(path, catalog) for path in paths]


@dataclass(frozen=True)
class Merged:
    """A file that holds several runs, and the run files that were deleted for it."""

    path: Path
    runs: tuple[str, ...]
    rows: int
    deleted: tuple[Path, ...] = ()


def compact_store(runs: Path, *, delete: bool = False) -> list[Merged]:
    """Merge the finished runs of each day that has two or more into one file in that day's folder.

    Damaged and unfinished runs are left alone. With ``delete`` the merged run files are removed once the
    new file has been read back and found equal. Raises ``BenchError`` when it cannot be written.
    """
    days: dict[Path, list[Path]] = defaultdict(list)
    for path in store.run_files(runs):
        report = verify_file(path)
        if path.parent != runs and not report.damaged and not report.unfinished:
            days[path.parent].append(path)
    return [_merge(day, paths, delete) for day, paths in sorted(days.items()) if len(paths) > 1]


def _merge(day: Path, paths: list[Path], delete: bool) -> Merged:
    rows: dict[tuple[str, str], schema.Row] = {}
    metas: dict[str, object] = {}
    for path in paths:
        meta = store.read_meta(path)
        metas |= meta.get("runs") or {path.stem: meta}
        for row in store.read_run(path):
            rows[row["run_id"], row["cell_id"]] = row
    target = day / f"{day.name}-{MERGED}-{schema.digest(sorted(metas))}.parquet"
    kept = sorted(rows.values(), key=lambda row: (row["recorded_at"], row["cell_id"], row["run_id"]))
    store.write_run(target, kept, {"runs": metas}, advice=store.AGAIN)
    back = sorted(store.read_run(target), key=lambda row: (row["recorded_at"], row["cell_id"], row["run_id"]))
    if back != kept:
        raise BenchError(f"{target} does not read back as it was written; nothing was deleted.")
    deleted = tuple(path for path in paths if delete and path != target)
    for path in deleted:
        path.unlink()
    return Merged(target, tuple(sorted(metas)), len(kept), deleted)


def export_store(runs: Path, target: Path, kind: str) -> tuple[int, list[tuple[Path, str]]]:
    """Write every row to ``target`` (``-`` is standard output), as ``csv`` or ``parquet``, atomically.

    Returns how many rows were written, and the files that were left out with the reason.
    """
    contents = store.read_store(runs)
    if str(target) == "-":
        _write_csv(sys.stdout, contents.rows)
    elif kind == "parquet":
        store.write_run(target, contents.rows, {"exported": True}, advice=store.AGAIN)
    else:
        with _replacing(target) as stream:
            _write_csv(stream, contents.rows)
    return len(contents.rows), contents.left_out


def _write_csv(stream: TextIO, rows: list[schema.Row]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(schema.NAMES)
    writer.writerows([csv_cell(row[name]) for name in schema.NAMES] for row in rows)


@contextlib.contextmanager
def _replacing(target: Path) -> Iterator[TextIO]:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}-", suffix=".tmp")
        try:
            with open(descriptor, "w", encoding="utf-8", newline="") as stream:  # noqa: PTH123 (a descriptor)
                yield stream
            os.chmod(name, 0o644)  # noqa: PTH101
            os.replace(name, target)  # noqa: PTH105
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise BenchError(f"Cannot write '{target}': {error.strerror}.") from error
