"""The store as a guide needs it: of each machine the newest records of each task.

Whoever measures every night has a thousand records of one cell after three years. The newest few say what
the machine does now and how far its runs differ; the others stay in the store and are not even read. So the
cost of a guide follows from its machines and tasks, not from how often they were measured. Records whose
measurement was disturbed take no other's place: they give way to older ones of the machine on its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb

from bench import schema, store
from bench.errors import BenchError
from bench.measure.flags import DISTURBED, disturbances
from bench.schema import Row
from bench.store import Contents
from bench.withdrawn import FLAG as WITHDRAWN_FLAG

#: Records of one task on one machine with the same software that count.
KEPT = 12
#: What makes two records the same measurement again. Software is part of it: its history is evidence.
SAME = (
    "host_id", "device_name", "device_count", "device_memory_bytes", "task_key", "engine_version",
    "driver_version", "source_id",
)  # fmt: skip
#: A store of fewer rows is read whole: choosing would cost more than it saves.
SMALL = 20_000

#: Runs, or single cells of them, whose records were withdrawn: they take no other record's place.
Withdrawn = Collection[tuple[str, str | None]]


@dataclass(frozen=True)
class Newest:
    """``contents`` holds the records that count; ``older`` is how many were passed over for newer ones;
    ``later`` counts those of a day to come, by run."""

    contents: Contents
    older: int = 0
    later: Mapping[str, int] = field(default_factory=dict)


def read_newest(
    runs: Path,
    withdrawn: Withdrawn = (),
    kept: int = KEPT,
    small: int = SMALL,
    latest: date | None = None,
) -> Newest:
    """The newest ``kept`` records of each task, machine and software; withdrawn ones are there besides.
    Records of days after ``latest`` count for nothing, and take no other's place.

    Files that cannot be read are named as ``store.read_store`` names them. In a large store the columns that
    decide are read first, and then only the rows that count: what is wrong with a row that does not count
    is ``bench store verify``'s to find.
    """
    files = store.run_files(runs)
    if files:
        try:
            found = _chosen(files, withdrawn, kept, small, latest)
        except (BenchError, duckdb.Error):  # one file is enough; reading them one by one tells which
            found = None
        if found is not None:
            return found
    found = known_by(Newest(store.read_store(runs)), latest)
    contents = found.contents
    rows = newest_of(contents.rows, withdrawn, kept)
    older = len(contents.rows) - len(rows)
    contents.rows = rows
    return replace(found, older=older)


def known_by(found: Newest, latest: date | None) -> Newest:
    """The same without records of days after ``latest``, which are counted."""
    if latest is None:
        return found
    later = [row["run_id"] for row in found.contents.rows if row["recorded_at"].date() > latest]
    rows = [row for row in found.contents.rows if row["recorded_at"].date() <= latest]
    return replace(found, contents=replace(found.contents, rows=rows), later=Counter(later))


def newest_of(rows: Sequence[Row], withdrawn: Withdrawn = (), kept: int = KEPT) -> list[Row]:
    """The same choice among rows that are in memory, in the order they came in."""
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if not _is_withdrawn(row, withdrawn):
            groups[tuple(row[name] for name in SAME)].append(row)
    passed_over = set()
    for group in groups.values():
        group.sort(key=_preference, reverse=True)
        passed_over |= {(row["run_id"], row["cell_id"]) for row in group[kept:]}
    return [row for row in rows if (row["run_id"], row["cell_id"]) not in passed_over]


def _preference(row: Row) -> tuple[Any, ...]:
    return not disturbances(row["flags"]), row["recorded_at"], row["run_id"], row["cell_id"]


def _is_withdrawn(row: Row, withdrawn: Withdrawn) -> bool:
    named = (row["run_id"], row["cell_id"]) in withdrawn or (row["run_id"], None) in withdrawn
    return named or WITHDRAWN_FLAG in row["flags"]


def _chosen(
    files: Sequence[Path], withdrawn: Withdrawn, kept: int, small: int, latest: date | None
) -> Newest | None:
    """The choice made by DuckDB; None when the store is small or a file needs a closer look."""
    listed = f"[{', '.join(map(store.quoted_path, files))}]"
    with store.connect() as con:
        (total,) = con.execute(f"SELECT sum(num_rows) FROM parquet_file_metadata({listed})").fetchone() or (
            0,
        )
        if (total or 0) < small or not _all_ours(con, listed, len(files)):
            return None
        con.execute("CREATE TEMP TABLE withdrawn (run_id VARCHAR, cell_id VARCHAR)")
        if withdrawn:
            con.executemany("INSERT INTO withdrawn VALUES (?, ?)", [list(one) for one in withdrawn])
        later = _take_out_later(con, listed, latest)
        records = _choose(con, listed, kept)
        names = [column[0] for column in records.description]
        rows = [dict(zip(names, values, strict=True)) for values in records.fetchall()]
        (single,) = con.execute("SELECT count(*) FROM latest").fetchone() or (0,)
    rows = [row | {"flags": row["flags"] or []} for row in map(schema.migrate, rows)]
    if any(schema.check(row) for row in rows):
        return None
    return Newest(Contents(rows=rows, files=list(files)), older=single - len(rows), later=later)


_PLACE = "filename, file_row_number"


def _source(listed: str) -> str:
    return f"read_parquet({listed}, union_by_name = true, filename = true, file_row_number = true)"


def _take_out_later(con: duckdb.DuckDBPyConnection, listed: str, latest: date | None) -> dict[str, int]:
    """Make the table ``latest``: a cell of a run counts once, however many files hold it, and the latest
    record does, as in the store. Returns how many were of days after ``latest``, by run."""
    deciding = ", ".join({"run_id": 0, "cell_id": 0, "recorded_at": 0, "flags": 0} | dict.fromkeys(SAME))
    con.execute(
        f"CREATE TEMP TABLE latest AS SELECT {deciding}, {_PLACE} FROM {_source(listed)} "
        "QUALIFY row_number() OVER "
        f"(PARTITION BY run_id, cell_id ORDER BY recorded_at DESC, {_PLACE} DESC) = 1"
    )
    if latest is None:
        return {}
    later = "recorded_at >= $1::DATE::TIMESTAMPTZ"
    day_after = [latest + timedelta(days=1)]
    found = con.execute(f"SELECT run_id, count(*) FROM latest WHERE {later} GROUP BY 1", day_after).fetchall()
    con.execute(f"DELETE FROM latest WHERE {later}", day_after)
    return dict(sorted(found))


def _choose(con: duckdb.DuckDBPyConnection, listed: str, kept: int) -> duckdb.DuckDBPyConnection:
    source, place = _source(listed), _PLACE
    con.execute(
        "CREATE TEMP TABLE gone AS SELECT DISTINCT l.run_id, l.cell_id FROM latest l JOIN withdrawn w "
        "ON l.run_id = w.run_id AND (w.cell_id IS NULL OR w.cell_id = l.cell_id) "
        f"UNION SELECT run_id, cell_id FROM latest WHERE list_contains(flags, '{WITHDRAWN_FLAG}')"
    )
    con.execute(
        f"CREATE TEMP TABLE counting AS SELECT {place} FROM latest ANTI JOIN gone USING (run_id, cell_id) "
        f"QUALIFY row_number() OVER (PARTITION BY {', '.join(SAME)} "
        f"ORDER BY coalesce(list_has_any(flags, {list(DISTURBED)}), false), "
        f"recorded_at DESC, run_id DESC, cell_id DESC) <= {kept} "
        f"UNION ALL SELECT {place} FROM latest SEMI JOIN gone USING (run_id, cell_id)"
    )
    return con.execute(
        f"SELECT * EXCLUDE (filename, file_row_number) FROM {source} SEMI JOIN counting USING ({place}) "
        "ORDER BY recorded_at, run_id, cell_id"
    )


def _all_ours(con: duckdb.DuckDBPyConnection, listed: str, files: int) -> bool:
    """Whether every file says that it is a run of this schema version or an older one."""
    query = (
        f"SELECT count(DISTINCT file_name) FROM parquet_kv_metadata({listed}) "
        "WHERE decode(key) = 'hwguide_schema' AND regexp_full_match(decode(value), '[1-9][0-9]{0,5}') "
        f"AND decode(value)::INTEGER <= {schema.SCHEMA_VERSION}"
    )
    return (con.execute(query).fetchone() or (0,))[0] == files
