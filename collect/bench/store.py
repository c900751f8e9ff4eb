"""The store: one immutable Parquet file a run, read together through DuckDB.

A run's file is rewritten whole after each cell: to a temporary file in the same folder, flushed to disk,
then renamed over the old one. Whatever kills the process, the file on disk is valid and holds every
finished cell. Merging the results of two machines is putting their files side by side.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import duckdb

from bench import schema
from bench.errors import BenchError

TABLE = "results"
_CREATE = f"CREATE TEMPORARY TABLE {TABLE} ({', '.join(f'{c.name} {c.sql_type}' for c in schema.COLUMNS)})"
_TYPES = ", ".join(f"{c.name}: '{c.sql_type}'" for c in schema.COLUMNS)
#: Rows go through a file of JSON lines: one document of them all takes DuckDB four times as long, binding
#: them one by one forty times, and either holds a run of 100,000 rows in memory.
_READ = f"format = 'newline_delimited', columns = {{{_TYPES}}}"


def connect() -> duckdb.DuckDBPyConnection:
    """An in-memory database in UTC, of its own, that cannot fetch extensions from the network."""
    con = duckdb.connect()
    con.execute("SET GLOBAL TimeZone = 'UTC'; SET GLOBAL autoinstall_known_extensions = false")
    return con


#: One database a process, opened when first used: opening takes longer than reading or writing a run.
_databases: dict[int, duckdb.DuckDBPyConnection] = {}


def _connection() -> duckdb.DuckDBPyConnection:
    """A connection to the process's database, with temporary tables of its own."""
    process = os.getpid()  # a forked process cannot use its parent's
    if process not in _databases:
        _databases[process] = connect()
    return _databases[process].cursor()


def table_of(rows: Iterable[Mapping[str, Any]]) -> duckdb.DuckDBPyConnection:
    """A connection, to a database of its own, whose table ``results`` holds ``rows``."""
    con = connect()
    with tempfile.TemporaryDirectory() as folder:
        _fill(con, rows, Path(folder) / "rows.json")
    return con


def _fill(con: duckdb.DuckDBPyConnection, rows: Iterable[Mapping[str, Any]], by_way_of: Path) -> None:
    con.execute(_CREATE)
    with by_way_of.open("w", encoding="utf-8") as file:
        count = _write_lines(rows, file)
    if count:
        con.execute(f"INSERT INTO {TABLE} SELECT * FROM read_json({_quote(_literal(by_way_of))}, {_READ})")


_as_line = json.JSONEncoder(default=datetime.isoformat, allow_nan=False).encode


def _write_lines(rows: Iterable[Mapping[str, Any]], file: TextIO) -> int:
    """One JSON line a row; a value that is missing is left out. Returns how many rows there were."""
    count = 0
    for row in rows:
        values = {name: value for name in schema.NAMES if (value := row.get(name)) is not None}
        file.write(_as_line(values))
        file.write("\n")
        count += 1
    return count


def run_path(runs: Path, run_id: str, started: datetime) -> Path:
    """``<runs>/<YYYYMMDD>/<run_id>.parquet``."""
    return runs / started.astimezone(UTC).strftime("%Y%m%d") / f"{run_id}.parquet"


#: What to do when a run cannot be stored while it is collected, and when a file is made of what is stored.
RESUME = (
    "Every cell stored before this one is safe. Free some space or check the folder's permissions, "
    "then give the same 'bench collect' with --resume."
)
AGAIN = (
    "Nothing stored is lost. Free some space or check the folder's permissions, then give the command again."
)


def write_run(
    path: Path, rows: Iterable[Mapping[str, Any]], meta: Mapping[str, Any], *, advice: str = RESUME
) -> None:
    """Replace the run's file by ``rows`` (read once), atomically and durably; ``meta`` is kept in the file.

    Raises ``BenchError`` when a row is invalid or the file cannot be written, with ``advice`` on what to do
    then; the previous file, if any, is untouched.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".tmp")
        os.close(descriptor)
    except OSError as error:
        raise _cannot_write(path, error, advice) from error
    temporary = Path(name)
    lines = temporary.with_suffix(".json.tmp")  # beside it: what a killed writer leaves is found there
    try:
        _copy(_checked(rows), lines, temporary, meta)
        _sync(temporary)
        temporary.chmod(0o644)
        temporary.replace(path)
        _sync(path.parent)
    except (OSError, duckdb.Error) as error:
        raise _cannot_write(path, error, advice) from error
    finally:
        for path in (lines, temporary):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


#: No write takes so long: what lies about since then belongs to a process that was killed.
ABANDONED_S = 24 * 3600.0


def remove_abandoned(runs: Path) -> None:
    """Delete temporary files under ``runs`` whose writers were killed a day ago or more. Younger ones may
    be another machine's, which is writing them now."""
    now = time.time()
    for path in runs.glob("*/.*.tmp"):
        with contextlib.suppress(OSError):
            if now - path.stat().st_mtime > ABANDONED_S:
                path.unlink()


def _checked(rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for row in rows:
        problems = schema.check(row)
        if problems:
            raise BenchError(f"Row {row.get('cell_id')} cannot be stored: {'; '.join(problems)}.")
        yield row


def _copy(rows: Iterable[Mapping[str, Any]], lines: Path, target: Path, meta: Mapping[str, Any]) -> None:
    note = {"hwguide_schema": str(schema.SCHEMA_VERSION), "hwguide_run": schema.to_json(meta)}
    pairs = ", ".join(f"{key}: {_quote(value)}" for key, value in note.items())
    with contextlib.closing(_connection()) as con:
        _fill(con, rows, lines)
        con.execute(
            f"COPY (SELECT * FROM {TABLE} ORDER BY recorded_at, cell_id) TO {_quote(str(target))} "
            f"(FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{pairs}}})"
        )


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _sync(path: Path) -> None:
    """Flush a file, or a folder's list of names, to the disk."""
    if path.is_dir() and os.name == "nt":  # Windows has no descriptor for a folder
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _cannot_write(path: Path, error: Exception, advice: str) -> BenchError:
    full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error)
    reason = "the disk is full" if full else str(error).splitlines()[0]
    return BenchError(f"Cannot write the run file {path}: {reason}.", hint=advice)


def read_meta(path: Path) -> dict[str, Any]:
    """What ``write_run`` kept beside the rows (suite, seed, plan, …). Raises ``BenchError``."""
    try:
        found = json.loads(_key_values(path).get("hwguide_run", "{}"))
    except (ValueError, RecursionError) as error:
        raise BenchError(f"{path}: the settings of its run are not JSON.") from error
    if not isinstance(found, dict):
        raise BenchError(f"{path}: the settings of its run are no JSON object.")
    return found


def read_run(path: Path) -> list[schema.Row]:
    """The rows of one file, brought to this schema version.

    Raises ``BenchError`` naming the file when it is damaged, foreign, or of a newer version, or holds a row
    that does not fit the schema.
    """
    rows = read_unchecked(path)
    for row in rows:
        problems = schema.check(row)
        if problems:
            raise BenchError(f"{path} holds a row that does not fit the schema: {'; '.join(problems[:3])}.")
    return rows


def read_unchecked(path: Path) -> list[schema.Row]:
    """As ``read_run``, but rows that do not fit the schema are there too, for those who look for them."""
    version = _key_values(path).get("hwguide_schema")
    if version is None:
        raise BenchError(f"{path} is a Parquet file, but not one that 'bench collect' wrote.")
    if not re.fullmatch("[1-9][0-9]{0,5}", version):
        raise BenchError(f"{path} names no version of the schema.")
    if int(version) > schema.SCHEMA_VERSION:
        raise BenchError(
            f"{path} was written by a newer version (schema {version}; this one reads up to "
            f"{schema.SCHEMA_VERSION}).",
            hint="Upgrade with: pip install --upgrade hwguide",
        )
    con = _connection()
    try:
        relation = con.execute(f"SELECT * FROM read_parquet({_quote(_literal(path))})")
        names = [column[0] for column in relation.description]
        rows = [dict(zip(names, values, strict=True)) for values in relation.fetchall()]
    except duckdb.Error as error:
        raise _damaged(path, error) from error
    finally:
        con.close()
    return [_as_row(row) for row in rows]


def _as_row(raw: schema.Row) -> schema.Row:
    row = schema.migrate(raw)
    row["flags"] = row["flags"] or []
    return row


def _key_values(path: Path) -> dict[str, str]:
    if not path.is_file():
        raise BenchError(f"No run file at {path}.", hint="'bench show' lists what is in the store.")
    con = _connection()
    try:
        found = con.execute(
            f"SELECT decode(key), decode(value) FROM parquet_kv_metadata({_quote(_literal(path))})"
        ).fetchall()
    except duckdb.Error as error:
        raise _damaged(path, error) from error
    finally:
        con.close()
    return dict(found)


def quoted_path(path: Path) -> str:
    """A path as DuckDB reads it in SQL: quoted, and no character in it a glob."""
    return _quote(_literal(path))


def _literal(path: Path) -> str:
    """A path in which DuckDB sees no glob characters."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path))


def _damaged(path: Path, error: Exception) -> BenchError:
    reason = str(error).splitlines()[0]
    return BenchError(
        f"{path} cannot be read: {reason}",
        hint="The file is damaged or incomplete. Move it out of the store, or restore it from a copy.",
    )


@dataclass
class Contents:
    """What the store holds: all rows, and each file that had to be left out with the reason."""

    rows: list[schema.Row] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    left_out: list[tuple[Path, str]] = field(default_factory=list)


def run_files(runs: Path) -> list[Path]:
    """Every run file under ``runs``, in order of name: in its day's folder, or put beside such folders."""
    found = [*runs.glob("*.parquet"), *runs.glob("*/*.parquet")]
    return sorted(path for path in found if path.is_file() and not path.name.startswith("."))


def read_store(runs: Path) -> Contents:
    """Every run under ``runs``; a damaged or newer file is named in ``left_out``, the others still count.

    A cell of a run counts once, however many files hold it (a copy, a merged day): the latest record does.
    """
    contents = Contents()
    rows: dict[tuple[str, str], schema.Row] = {}
    for path in run_files(runs):
        try:
            for row in read_run(path):
                known = rows.get((row["run_id"], row["cell_id"]))
                if known is None or known["recorded_at"] <= row["recorded_at"]:
                    rows[row["run_id"], row["cell_id"]] = row
            contents.files.append(path)
        except BenchError as error:
            contents.left_out.append((path, error.message))
    contents.rows = sorted(rows.values(), key=lambda r: (r["recorded_at"], r["run_id"], r["cell_id"]))
    return contents
