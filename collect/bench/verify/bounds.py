"""Is a Parquet file safe to read, and has it a run's columns? Answered from its footer and inside DuckDB,
before any value of it is taken into memory."""

from __future__ import annotations

import struct
from pathlib import Path

import duckdb

from bench import schema, store
from bench.errors import BenchError
from bench.text import nbytes, plain

#: A full suite of 500 cells with 100 times each takes under 1 MB.
MOST_FILE_BYTES = 8 << 20
MOST_FOOTER_BYTES = 2 << 20
MOST_ROWS = 20_000
MOST_UNPACKED_BYTES = 64 << 20
MOST_TEXT = 20_000
MOST_IN_LIST = 10_000
_MEMORY_LIMIT = "512MB"
_MAGIC = b"PAR1"
_TAIL = 8


def check_bounds(path: Path) -> None:
    """Nothing, when the file is a plain file of a run's columns within the bounds above.

    Raises ``BenchError`` with the reason otherwise. Sizes are taken from the file system, then from the
    footer; texts and lists are measured in DuckDB, under a memory limit, since a footer may lie.
    """
    _check_file(path)
    con = store.connect()
    try:
        con.execute(f"SET memory_limit = '{_MEMORY_LIMIT}'; SET threads = 1; SET temp_directory = ''")
        name = store.quoted_path(path)
        _check_footer(con, name)
        _check_values(con, name, _check_columns(con, name))
    except duckdb.Error as error:
        reason = plain(str(error).splitlines()[0])[:200]
        raise BenchError(f"{path}: damaged, or not what its footer says ({reason}).") from error
    finally:
        con.close()


def _check_file(path: Path) -> None:
    try:
        if path.is_symlink() or not path.is_file():
            raise BenchError(f"{path}: not a plain file.")
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
            file.seek(max(0, size - _TAIL))
            tail = file.read(_TAIL)
    except OSError as error:
        raise BenchError(f"{path}: cannot be read ({error.strerror or error}).") from error
    if size > MOST_FILE_BYTES:
        raise BenchError(f"{path}: {nbytes(size)}; a run takes at most {nbytes(MOST_FILE_BYTES)}.")
    if head != _MAGIC or len(tail) < _TAIL or tail[4:] != _MAGIC or size < 2 * _TAIL:
        raise BenchError(f"{path}: not a Parquet file.")
    (footer,) = struct.unpack("<I", tail[:4])
    if footer > min(MOST_FOOTER_BYTES, size - _TAIL):
        raise BenchError(
            f"{path}: a footer of {nbytes(footer)}; at most {nbytes(MOST_FOOTER_BYTES)} are read."
        )


def _check_footer(con: duckdb.DuckDBPyConnection, name: str) -> None:
    rows, encrypted = con.execute(
        f"SELECT num_rows, encryption_algorithm IS NOT NULL FROM parquet_file_metadata({name})"
    ).fetchall()[0]
    unpacked, least = con.execute(
        "SELECT coalesce(sum(total_uncompressed_size), 0), "
        "coalesce(min(least(total_uncompressed_size, total_compressed_size, num_values)), 0) "
        f"FROM parquet_metadata({name})"
    ).fetchall()[0]
    if encrypted:
        raise BenchError(f"{name}: encrypted.")
    if not 0 <= rows <= MOST_ROWS:
        raise BenchError(f"{name}: {rows:,} rows; a run has at most {MOST_ROWS:,}.")
    if least < 0 or unpacked > MOST_UNPACKED_BYTES:
        raise BenchError(
            f"{name}: unpacks to {nbytes(unpacked)}; a run takes at most {nbytes(MOST_UNPACKED_BYTES)}."
        )


def _check_columns(con: duckdb.DuckDBPyConnection, name: str) -> list[tuple[str, str]]:
    found = [
        (column, kind)
        for column, kind, *_ in con.execute(f"DESCRIBE SELECT * FROM read_parquet({name})").fetchall()
    ]
    foreign = [column for column, _ in found if column not in schema.BY_NAME]
    if foreign:
        shown = ", ".join(f"'{plain(column)[:40]}'" for column in foreign[:5])
        raise BenchError(f"{name}: {len(foreign)} columns that a run does not have ({shown}).")
    for column, kind in found:
        wanted = schema.BY_NAME[column].sql_type
        if kind.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ") != wanted:
            raise BenchError(f"{name}: column {column} holds {plain(kind)[:60]}, expected {wanted}.")
    missing = [c.name for c in schema.COLUMNS if c.required and c.name not in dict(found)]
    if missing:
        raise BenchError(f"{name}: column {missing[0]} is missing.")
    return found


def _check_values(con: duckdb.DuckDBPyConnection, name: str, columns: list[tuple[str, str]]) -> None:
    """Longest text, longest list and the sum of all texts, without taking any of them out of DuckDB."""
    parts: list[tuple[str, str]] = []
    for column, kind in columns:
        if kind == "VARCHAR":
            parts.append((f"max(strlen({column}))", f"sum(strlen({column}))"))
        elif kind.endswith("[]"):
            texts = f"list_sum(list_transform({column}, lambda t: strlen(t)))" if kind == "VARCHAR[]" else "0"
            parts.append((f"max(len({column}))", f"sum(8 * len({column}) + coalesce({texts}, 0))"))
    asked = ", ".join(f"{longest}, {total}" for longest, total in parts)
    answers = con.execute(f"SELECT {asked} FROM read_parquet({name})").fetchall()[0]
    bounded = [c for c in columns if c[1] == "VARCHAR" or c[1].endswith("[]")]
    total = 0
    for (column, kind), longest, size in zip(bounded, answers[::2], answers[1::2], strict=True):
        most = MOST_TEXT if kind == "VARCHAR" else MOST_IN_LIST
        if (longest or 0) > most:
            what = "bytes in one value" if kind == "VARCHAR" else "values in one list"
            raise BenchError(
                f"{name}: column {column} has {int(longest):,} {what}; at most {most:,} are read."
            )
        total += int(size or 0)
    if total > MOST_UNPACKED_BYTES:
        raise BenchError(f"{name}: its values take {nbytes(total)}; at most {nbytes(MOST_UNPACKED_BYTES)}.")
