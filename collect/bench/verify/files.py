"""From a file, a folder or a store to findings: which reader a file needs, and its faults as a whole."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bench import schema, store
from bench.catalog import Catalog
from bench.errors import BenchError, UsageError
from bench.published import TABLE_COLUMNS, Source, each_line, load_sources, read_table
from bench.runner.rows import UNFINISHED
from bench.text import plain
from bench.times import EARLIEST
from bench.verify.base import Context, Finding, Row
from bench.verify.checks import CHECKS

if TYPE_CHECKING:
    from bench.importers.service import Import

#: The check that stands for the file itself.
FILE = "file"
_LEFTOVER = "leftover of an interrupted write; can be deleted"


@dataclass(frozen=True)
class FileReport:
    """One file: how many rows it holds, and what was found in it. ``note`` is worth knowing, no fault."""

    path: Path
    rows: int = 0
    unfinished: int = 0
    findings: tuple[Finding, ...] = field(default=())
    note: str | None = None

    @property
    def faults(self) -> tuple[Finding, ...]:
        """Findings that are more than notes."""
        return tuple(f for f in self.findings if f.severity != "note")

    @property
    def damaged(self) -> bool:
        """Whether the file as a whole, or a row of it, cannot be read as what it says."""
        return any(f.check in (FILE, "schema") for f in self.faults)

    @property
    def problem(self) -> str | None:
        """The first fault in short, and how many more there are."""
        if not self.faults:
            return None
        more = f" (and {len(self.faults) - 1} more)" if len(self.faults) > 1 else ""
        return f"{self.faults[0].text}{more}"


def verify(
    paths: Sequence[Path], catalog: Catalog | None = None, now: datetime | None = None
) -> list[FileReport]:
    """A report on each file that the paths name: run files, published tables, files of other tools, and
    folders of them. ``now`` is the clock's time unless given. Raises ``UsageError`` for a path that does not
    exist or holds no file to verify."""
    found: list[FileReport] = []
    for path in paths:
        files = list(files_in(path))
        if not files:
            raise UsageError(
                f"'{path}' holds no run file and no table.", hint="Name a file, or a data folder."
            )
        found += [verify_file(file, catalog, now) for file in files]
    return found


def files_in(path: Path) -> Iterator[Path]:
    """The files to verify under a path: itself, or the run files and tables in a folder and below it.

    Raises ``UsageError`` when there is nothing at the path.
    """
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise UsageError(f"There is no file or folder at '{path}'.")
    for kind in ("*.parquet", ".*.tmp"):
        yield from sorted(p for p in path.rglob(kind) if kind != "*.parquet" or not p.name.startswith("."))
    for sources in sorted(path.rglob("sources.toml")):
        yield from sorted(sources.parent / s.table for s in load_sources(sources).values())


def verify_file(path: Path, catalog: Catalog | None = None, now: datetime | None = None) -> FileReport:
    """What is wrong with one file and its rows; ``now`` is the clock's time unless given."""
    now = now or datetime.now(UTC)
    if path.name.startswith(".") and path.suffix == ".tmp":
        return FileReport(path, note=_LEFTOVER)
    try:
        if path.suffix == ".parquet":
            return _run_file(path, catalog, now)
        source = _source_of(path)
        return _table(path, source, catalog, now) if source is not None else _foreign(path, catalog, now)
    except BenchError as error:
        return FileReport(path, findings=(_whole(path, _without(path, error.message)),))


def findings_of(
    rows: Iterable[tuple[str, Row]], context: Context, path: str, checks: Iterable[str] = tuple(CHECKS)
) -> Iterator[Finding]:
    """Findings of (place, row) pairs. A row that does not fit the schema is not looked at further."""
    chosen = [CHECKS[name] for name in checks]
    for place, row in rows:
        for check in chosen:
            found = [
                Finding(
                    check.name,
                    problem.severity or check.severity,
                    path,
                    place,
                    label(row),
                    problem.text,
                    problem.found,
                    problem.limit,
                    problem.unit,
                )
                for problem in check.problems(row, context)
            ]
            yield from found
            if found and check.name == "schema":
                break


def label(row: Row) -> str:
    """Which cell, on what: ``decode Llama-3-8B q4_k_m b1 on Apple M1``."""
    parts = [row.get("workload"), row.get("model"), row.get("weights_dtype"), row.get("execution")]
    parts += [f"b{row['batch']}" if row.get("batch") else None]
    lengths = [str(row[name]) for name in ("input_tokens", "output_tokens") if row.get(name)]
    parts += ["+".join(lengths) or None]
    count = row.get("device_count") or 1
    device = plain(row.get("device_name") or "unnamed device")
    return plain(
        f"{' '.join(str(p) for p in parts if p)} on {f'{count} × ' if count > 1 else ''}{device}".strip()
    )


def rows_of(path: Path, catalog: Catalog | None = None) -> list[schema.Row]:
    """The rows of a run file, a published table or a file of another tool. Raises ``BenchError``."""
    if path.suffix == ".parquet":
        return store.read_run(path)
    source = _source_of(path)
    if source is not None:
        return read_table(path, source)
    return list(_imported(path, catalog, datetime.now(UTC), partial=False).rows())


def _imported(path: Path, catalog: Catalog | None, now: datetime, *, partial: bool) -> Import:
    """The file on its way through ``bench import``."""
    from bench.importers.service import Options, open_import

    return open_import(path, catalog or Catalog({}), Options(partial=partial), now=now)


def _run_file(path: Path, catalog: Catalog | None, now: datetime) -> FileReport:
    from bench.workloads.probe import ceilings

    rows = store.read_unchecked(path)
    meta = store.read_meta(path)
    findings = []
    known = set(meta.get("runs", {})) or {path.stem}
    strangers = sorted({str(row["run_id"]) for row in rows} - known)
    if strangers and not meta.get("exported"):
        findings.append(_whole(path, f"holds rows of run {strangers[0]}, which its name does not say"))
    elif len({(row["run_id"], row["cell_id"]) for row in rows}) < len(rows):
        findings.append(_whole(path, "holds a cell twice"))
    sound = [row for row in rows if not schema.check(row)]
    runs = {row["run_id"] for row in sound}
    found = {run: ceilings(r for r in sound if r["run_id"] == run) for run in runs}
    pairs = ((f"row {number}", row) for number, row in enumerate(rows, 1))
    findings += findings_of(pairs, Context(catalog, found, now), str(path))
    unfinished = sum(row["status"] in UNFINISHED for row in rows)
    note = f"{unfinished} cell{'s' if unfinished > 1 else ''} left to do" if unfinished else None
    return FileReport(path, len(rows), unfinished, tuple(findings), note)


def _table(path: Path, source: Source, catalog: Catalog | None, now: datetime) -> FileReport:
    findings: list[Finding] = []
    pairs: list[tuple[str, Row]] = []
    for number, row in each_line(path, source):
        if isinstance(row, BenchError):
            text = _without(path, row.message).removeprefix(f"line {number}").lstrip(" :,")
            findings.append(Finding("schema", "wrong", str(path), f"line {number}", "", text))
        else:
            pairs.append((f"line {number}", row))
    findings += findings_of(pairs, Context(catalog, now=now), str(path))
    return FileReport(path, len(pairs), findings=tuple(findings))


def _source_of(path: Path) -> Source | None:
    """The source whose table the file is: the one that ``sources.toml`` beside it says, or a stand-in for a
    CSV file whose header is made of a table's columns; None for any other file."""
    for source in load_sources(path.parent / "sources.toml").values():
        if source.table == path.name:
            return source
    if path.suffix.lower() != ".csv":
        return None
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = {name.strip() for name in next(csv.reader(file), [])}
    except (OSError, UnicodeDecodeError, csv.Error):
        return None
    if not {"workload", "device_name", "status"} <= header or not header <= set(TABLE_COLUMNS):
        return None
    name, nowhere = path.stem.lower(), "not stated"
    return Source(name, path.name, name, nowhere, EARLIEST.date(), nowhere, name, nowhere, nowhere)


def _foreign(path: Path, catalog: Catalog | None, now: datetime) -> FileReport:
    """A file of another tool, as ``bench import`` would read it."""
    work = _imported(path, catalog, now, partial=True)
    pairs = []
    try:
        for row in work.rows():
            pairs.append((str(row["source_locator"]).partition(", ")[2], row))
    except BenchError:
        if not work.faults:  # else each of them is told
            raise
    findings = [Finding(FILE, "wrong", str(path), f.where, "", f"{f.what}.") for f in work.faults]
    for place, row in pairs:
        if row["status"] == "impossible":
            text = row["status_detail"] or "impossible"
            findings.append(Finding("import", "impossible", str(path), place, label(row), text))
    findings += findings_of(pairs, Context(catalog, now=now), str(path))
    return FileReport(path, len(pairs), findings=tuple(findings))


def _whole(path: Path, text: str) -> Finding:
    return Finding(FILE, "wrong", str(path), "", "", plain(text))


def _without(path: Path, message: str) -> str:
    """The first line of a message, without the path that the finding names already."""
    line = message.splitlines()[0]
    return line.removeprefix(f"{path}").lstrip(" :,") or line
