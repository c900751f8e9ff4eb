"""One file into the store: its format told, its results made rows, and one run file written for it.

The run's name is made of the content of the file (and of the files beside it that matter), so importing the
same file again finds the run there and changes nothing.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from bench import schema, store
from bench.catalog import Catalog
from bench.errors import BenchError, UsageError, unknown
from bench.importers import IMPORTERS
from bench.importers.base import Importer
from bench.importers.fields import basename
from bench.importers.files import Fault, Source
from bench.importers.rows import Builder

#: Faults that are told one by one when only sound results are imported.
MOST_TOLD = 20


@dataclass(frozen=True)
class Options:
    """What the person said: ``form`` is an importer's name, ``given`` parsed ``--set`` values."""

    form: str | None = None
    device_name: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    partial: bool = False
    replace: bool = False

    def as_json(self) -> dict[str, Any]:
        """What the rows depend on beside the file, kept in the run file."""
        given = {k: v.isoformat() if isinstance(v, datetime) else v for k, v in self.given.items()}
        return {"device_name": self.device_name, "set": given, "partial": self.partial}


@dataclass
class Import:
    """One file on its way. Iterating ``rows`` reads it; counts and faults are complete afterwards."""

    source: Source
    importer: Importer
    run_id: str
    options: Options
    builder: Builder
    faults: list[Fault] = field(default_factory=list)
    left_out: int = 0
    by_status: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    path: Path | None = None
    already: bool = False

    @property
    def count(self) -> int:
        """Rows made."""
        return sum(self.by_status.values())

    def rows(self) -> Iterator[schema.Row]:
        """The file's rows. Raises ``BenchError`` at the first fault, unless only sound results are wanted,
        and when the file holds no result."""
        try:
            for found in self.importer.read(self.source, self.options.given):
                if isinstance(found, Fault):
                    self._fault(found)
                    continue
                try:
                    row = self.builder.row(found)
                except UsageError:  # of what the person said, and so of every row
                    raise
                except BenchError as error:
                    self._fault(Fault(found.where, error.message.rstrip(".")))
                    continue
                self.by_status[row["status"]] += 1
                self.flags.update(row["flags"])
                yield row
        except Fault as fault:
            self._fault(fault)
        if self.source.cut_off:
            self.flags["file-cut-off"] = self.count
        if self.count == 0:
            why = f" ({self.faults[0]})" if self.faults else ""
            raise BenchError(f"{self.source.path} holds no result that can be imported{why}.")

    def _fault(self, fault: Fault) -> None:
        if not self.options.partial:
            raise BenchError(
                f"{self.source.path}, {fault.where}: {fault.what}.",
                hint="Nothing was imported. --partial imports the results that are sound.",
            )
        self.left_out += 1
        if len(self.faults) < MOST_TOLD:
            self.faults.append(fault)


def detect(source: Source, form: str | None = None) -> Importer:
    """The importer of a file: the one that is asked for, else the first that recognises it.

    Raises ``UsageError`` for an unknown name, ``BenchError`` for a file that none recognises.
    """
    if form is not None:
        importer = IMPORTERS.get(form)
        if importer is None:
            raise unknown("format", form, IMPORTERS)
        return importer
    assert source.size
    for importer in IMPORTERS.values():
        if importer.recognises(source):
            return importer
    for importer in IMPORTERS.values():
        if importer.is_companion(source):
            raise UsageError(
                f"{source.path} belongs to a result of {importer.title}, but holds none itself.",
                hint="Name the file with the results; this one is found beside it.",
            )
    raise BenchError(
        f"{source.path} is in no format that can be imported{_seen(source)}.",
        hint=f"Formats: {', '.join(IMPORTERS)}. If it is one of these, say which with --format.",
    )


def _seen(source: Source) -> str:
    if (
        source.head_bytes[:4] in (b"PAR1", b"\x1f\x8b\x08\x08", b"PK\x03\x04")
        or b"\0" in source.head_bytes[:512]
    ):
        return " (it is a binary file)"
    if source.keys:
        return f" (a JSON object with the keys {', '.join(sorted(source.keys)[:6])}, …)"
    line = basename(source.head.lstrip().partition("\n")[0][:60])
    return f" (it begins with '{line}')" if line else ""


def open_import(
    path: Path, catalog: Catalog, options: Options, others: tuple[Path, ...] = (), now: datetime | None = None
) -> Import:
    """A file ready to be read. Raises ``BenchError`` when its format is unknown or it cannot be read."""
    source = Source(path, others)
    importer = detect(source, options.form)
    digest = _digest(source, importer)
    run_id = f"import-{importer.name}-{digest}"
    builder = Builder(
        tool=importer.name,
        run_id=run_id,
        digest=digest,
        file_name=basename(path.name),
        catalog=catalog,
        now=now or datetime.now(UTC).replace(microsecond=0),
        device_name=options.device_name,
        given=options.given,
    )
    return Import(source, importer, run_id, options, builder)


def _digest(source: Source, importer: Importer) -> str:
    related = importer.related(source)
    if not related:
        return source.digest
    text = schema.digest([source.digest, *map(str, related)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write(work: Import, runs: Path) -> Import:
    """Read the file and write its rows as one run file; a run that is there already is left as it is.

    Raises ``BenchError`` when the same file was imported with other options and ``replace`` is not set.
    """
    meta = _meta(work)
    there = sorted(runs.glob(f"*/{work.run_id}.parquet"))
    for path in there:
        if _same(path, meta):
            work.path, work.already = path, True
            return work
        if not work.options.replace:
            raise BenchError(
                f"{work.source.path} was imported before, with other options: {path.name}.",
                hint="--replace puts the new rows in place of the old ones.",
            )
    rows = work.rows()
    first = next(rows, None)
    if first is None:
        return work
    work.path = store.run_path(runs, work.run_id, first["recorded_at"])
    store.write_run(work.path, _marked(work, chain([first], rows)), meta, advice=store.AGAIN)
    for path in there:
        if path != work.path:
            path.unlink()
    return work


def _marked(work: Import, rows: Iterator[schema.Row]) -> Iterator[schema.Row]:
    """The rows; the last one says that its list had no end, since nobody knows before."""
    held: schema.Row | None = None
    for row in rows:
        if held is not None:
            yield held
        held = row
    if held is not None:
        yield held | {"flags": sorted({*held["flags"], "file-cut-off"})} if work.source.cut_off else held


def _meta(work: Import) -> dict[str, Any]:
    return {
        "import": work.importer.name,
        "importer_version": work.importer.version,
        "file": work.builder.file_name,
        "digest": work.builder.digest,
        "options": work.options.as_json(),
    }


def _same(path: Path, meta: Mapping[str, Any]) -> bool:
    try:
        return store.read_meta(path) == meta
    except BenchError:
        return False  # damaged: replaced if asked


def split_helpers(paths: tuple[Path, ...], form: str | None = None) -> tuple[list[Path], tuple[Path, ...]]:
    """Of the named files those to import, and those that only belong to another one (a system's
    description, a configuration), as long as others are left."""
    if form is not None or len(paths) < 2:
        return list(paths), ()
    helpers = tuple(path for path in paths if path.is_file() and _is_helper(Source(path)))
    results = [path for path in paths if path not in helpers]
    return (results, helpers) if results else (list(paths), ())


def _is_helper(source: Source) -> bool:
    if source.path.stat().st_size == 0:
        return False
    return any(importer.is_companion(source) for importer in IMPORTERS.values())
