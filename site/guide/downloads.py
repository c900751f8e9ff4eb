"""The whole store as files of the site: Parquet for programs, CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import schema, store
from bench.schema import Row
from guide.site_files import SiteFile


def files(rows: Sequence[Row]) -> list[SiteFile]:
    """``downloads/results.parquet`` and ``downloads/results.csv``."""
    return [
        SiteFile("downloads/results.parquet", _parquet(rows)),
        SiteFile("downloads/results.csv", _csv(rows)),
    ]


def _parquet(rows: Sequence[Row]) -> bytes:
    con = store.table_of(rows)
    order = ", ".join(("recorded_at", "run_id", "cell_id"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.parquet"
        quoted = str(path).replace("'", "''")
        con.execute("SET threads = 1")  # row groups, and so the bytes, do not depend on the machine
        query = f"SELECT * FROM {store.TABLE} ORDER BY {order}"
        con.execute(f"COPY ({query}) TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)")
        con.close()
        return path.read_bytes()


def _csv(rows: Sequence[Row]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(schema.NAMES)
    for row in rows:
        writer.writerow([_plain(row[name]) for name in schema.NAMES])
    return text.getvalue().encode()


def _plain(value: Any) -> Any:
    """A value as a spreadsheet can take it. Text that a spreadsheet would run as a formula is disarmed."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, list):
        return "; ".join(str(_plain(v)) for v in value)
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value
