"""Results that others published, as rows of the schema.

``data/published/sources.toml`` names each source and its table, a CSV file whose header is made of the
schema's column names. The loader adds what follows from the source: origin, source id, protocol, date, ids.
Every row keeps its source's own protocol, so its ``task_key`` never equals that of another source or of the
collector's rows: what may not be compared cannot be, by construction.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any

from bench import schema
from bench.catalog.table import Line, read_lines
from bench.errors import BenchError
from bench.project import DataDir
from bench.published_flags import FLAGS
from bench.schema import Row

#: What the loader sets itself; a table must not hold these.
_SET_BY_LOADER = frozenset({
    "run_id", "cell_id", "schema_version", "method_version", "origin", "source_id", "task_key",
})  # fmt: skip

TABLE_COLUMNS: tuple[str, ...] = tuple(name for name in schema.NAMES if name not in _SET_BY_LOADER)

CLAIM_COLUMNS = ("source_id", "kind", "workload", "device_name", "quantity", "value", "unit", "note")

CLAIM_KINDS = {
    "expectation": "said before any test; never a result",
    "stated": "printed by the source as a result",
    "derived": "computed from the source's other figures",
}

_SOURCE_KEYS = {
    "table": str, "claims": str, "title": str, "url": str, "commit": str, "published": date, "licence": str,
    "protocol": str, "reference_device": str, "transcribed": str, "comparable": str, "note": str,
    "attribution": str, "left_out": list,
}  # fmt: skip
_REQUIRED = ("table", "title", "url", "published", "licence", "protocol", "transcribed", "comparable")
_SOURCE_ID = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")


@dataclass(frozen=True)
class Source:
    """One source. ``transcribed``: how its figures came here; ``comparable``: what may be compared with
    what; ``left_out``: what of it was not carried over, and why."""

    source_id: str
    table: str
    title: str
    url: str
    published: date
    licence: str
    protocol: str
    transcribed: str
    comparable: str
    commit: str | None = None
    reference_device: str | None = None
    attribution: str | None = None
    note: str | None = None
    claims: str | None = None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """Something a source says that is not a measured rate: an expectation, a speedup, a time an epoch."""

    source_id: str
    kind: str
    workload: str | None
    device_name: str
    quantity: str
    value: float
    unit: str
    note: str | None


@dataclass(frozen=True)
class Published:
    """All published rows, each source by its id, the sources' claims, and (source id, what) left out."""

    rows: tuple[Row, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()


def load_published(data: DataDir) -> Published:
    """Every table that ``sources.toml`` names; empty when the project has none.

    Raises ``BenchError`` naming file, line and column for a malformed table, for a row that does not fit the
    schema, for two rows of one source that say the same, and for a CSV file that no source names.
    """
    folder = data.published
    sources = load_sources(folder / "sources.toml")
    named = {name for s in sources.values() for name in (s.table, s.claims) if name}
    for path in sorted(folder.glob("*.csv")):
        if path.name not in named:
            raise BenchError(f"{path} belongs to no source.", hint="Name it in sources.toml beside it.")
    rows: list[Row] = []
    claims: list[Claim] = []
    for source in sources.values():
        rows += read_table(folder / source.table, source)
        if source.claims:
            claims += _claims(folder / source.claims, sources)
    left_out = tuple((s.source_id, what) for s in sources.values() for what in s.left_out)
    return Published(tuple(rows), sources, tuple(claims), left_out)


def load_sources(path: Path) -> dict[str, Source]:
    """``sources.toml`` as records, in the file's order; empty when there is none. Raises ``BenchError``."""
    if not path.is_file():
        return {}
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BenchError(f"{path} is not TOML: {error}") from error
    return {name: _source(path, name, entry) for name, entry in entries.items()}


def _source(path: Path, name: str, entry: Any) -> Source:
    if not isinstance(entry, dict) or not _SOURCE_ID.fullmatch(name):
        raise BenchError(f"{path}: '{name}' should be a table named in lower-case words and digits.")
    for key, value in entry.items():
        if key not in _SOURCE_KEYS:
            raise BenchError(
                f"{path}, [{name}]: unknown key '{key}'.", hint=f"Known: {', '.join(_SOURCE_KEYS)}."
            )
        if not isinstance(value, _SOURCE_KEYS[key]) or isinstance(value, datetime):
            raise BenchError(f"{path}, [{name}], {key}: expected {_SOURCE_KEYS[key].__name__}.")
    missing = [key for key in _REQUIRED if not entry.get(key)]
    if missing:
        raise BenchError(f"{path}, [{name}]: {', '.join(missing)} missing.")
    files = [entry["table"], entry.get("claims") or "x.csv"]
    if any(Path(file).name != file or not file.endswith(".csv") for file in files):
        raise BenchError(f"{path}, [{name}]: table and claims are names of CSV files beside sources.toml.")
    return Source(source_id=name, **entry | {"left_out": tuple(entry.get("left_out", ()))})


def read_table(path: Path, source: Source) -> list[Row]:
    """The rows of one published table, complete and checked. Raises ``BenchError``."""
    rows: list[Row] = []
    for _, row in each_line(path, source):
        if isinstance(row, BenchError):
            raise row
        rows.append(row)
    return rows


def each_line(path: Path, source: Source) -> Iterator[tuple[int, Row | BenchError]]:
    """Line number and row of each line of a table, or the error where a line is no row.

    Raises ``BenchError`` where the file cannot be read on from, as at a wrong header.
    """
    seen: dict[str, int] = {}
    for line in read_lines(path, TABLE_COLUMNS, all_needed=False):
        try:
            row = _row(line, source)
        except BenchError as error:
            yield line.number, error
            continue
        first = seen.setdefault(row["cell_id"], line.number)
        if first != line.number:
            yield (
                line.number,
                BenchError(
                    f"{path}, line {line.number}: says the same as line {first}.", hint="Take one out."
                ),
            )
        else:
            yield line.number, row


def _row(line: Line, source: Source) -> Row:
    values: Row = {name: _value(line, schema.BY_NAME[name]) for name, text in line.cells.items() if text}
    values = {name: value for name, value in values.items() if value is not None}
    midnight = datetime.combine(source.published, time(), UTC)
    row: Row = {"recorded_at": midnight, "protocol": source.protocol} | values
    # The collector's own method version has no say in how others measured.
    row |= {"origin": "published", "source_id": source.source_id, "method_version": None}
    row["run_id"] = f"published-{source.source_id}"
    row["task_key"] = schema.task_key({"rate_kind": "burst"} | row)
    which = [row.get(n) for n in ("device_name", "device_count", "value_kind", "source_locator")]
    row["cell_id"] = schema.digest([source.source_id, row["task_key"], *which])
    try:
        return schema.make_row(**row)
    except BenchError as error:
        raise BenchError(f"{line.path}, line {line.number}: {error.message}") from error


def _value(line: Line, column: schema.Column) -> Any:
    """The cell as its column's type; lists are separated by semicolons, times are days or ISO times."""
    name = column.name
    text = line.text(name)
    if text is None or column.kind == "text":
        return text
    if column.kind == "int":
        return line.integer(name, 0, 2**62)
    if column.kind == "float":
        return line.number_in(name, -1e30, 1e30)
    if column.kind == "bool":
        return line.flag(name)
    if column.kind == "time":
        return _time(line, name, text)
    if column.kind == "json":
        return _json(line, name, text)
    parts = [part.strip() for part in text.split(";") if part.strip()]
    if column.kind == "floats":
        try:
            return [float(part) for part in parts]
        except ValueError:
            raise line.fault(name, "numbers separated by semicolons") from None
    if name == "flags" and set(parts) - set(FLAGS):
        raise line.fault(name, f"flags out of {', '.join(FLAGS)}")
    return parts if column.kind == "texts" else text


def _time(line: Line, name: str, text: str) -> datetime:
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        raise line.fault(name, "a date or time in ISO 8601") from None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _json(line: Line, name: str, text: str) -> str:
    try:
        return _canonical(text)
    except ValueError as error:
        raise line.fault(name, str(error)) from None


@lru_cache(maxsize=1024)  # the lines of a table share most of these texts
def _canonical(text: str) -> str:
    """A JSON object in its canonical text. Raises ``ValueError`` saying what was expected."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ValueError("a JSON object")
    try:
        return schema.to_json(value)
    except ValueError:
        raise ValueError("a JSON object without NaN or infinity") from None


def _claims(path: Path, sources: Mapping[str, Source]) -> list[Claim]:
    return [
        Claim(
            source_id=line.choice("source_id", sources, required=True),
            kind=line.choice("kind", CLAIM_KINDS, required=True),
            workload=line.text("workload"),
            device_name=line.text("device_name", required=True),
            quantity=line.text("quantity", required=True),
            value=line.number_in("value", 0, 1e12, required=True),
            unit=line.text("unit", required=True),
            note=line.text("note"),
        )
        for line in read_lines(path, CLAIM_COLUMNS)
    ]
