"""The data behind the guide as files of the site: rows as Parquet and CSV, prices and devices as CSV.

``SHA256SUMS`` has a line for each CSV file, so that ``sha256sum -c SHA256SUMS`` checks them; its own digest
names the data of a publication in one line. Parquet is not in it: the same rows have other bytes in another
version of the library that writes them.
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any

from bench import schema, store
from bench.catalog import CatalogDevice
from bench.catalog.prices import Observation
from bench.schema import Row
from bench.text import csv_safe
from guide.evidence import Evidence
from guide.site_files import SiteFile

#: Where the digests lie.
SUMS = "downloads/SHA256SUMS"
#: What each file holds.
WHAT = {
    "results.parquet": "all rows",
    "results.csv": "all rows",
    "prices.csv": "all prices, with day and source",
    "devices.csv": "the catalog of devices",
    "SHA256SUMS": "digests of the CSV files",
}


def files(evidence: Evidence) -> list[SiteFile]:
    """All downloads, the digests last; none of a store without rows."""
    if not evidence.rows:
        return []
    tables = {
        "results.csv": _csv(schema.NAMES, map(itemgetter(*schema.NAMES), evidence.rows)),
        "prices.csv": _csv(*_records(Observation, evidence.book.observations, skip=("line",))),
        "devices.csv": _csv(*_records(CatalogDevice, evidence.catalog)),
    }
    sums = "".join(f"{sha256(text).hexdigest()}  {name}\n" for name, text in tables.items())
    return [
        SiteFile("downloads/results.parquet", _parquet(evidence.rows)),
        *(SiteFile(f"downloads/{name}", text) for name, text in tables.items()),
        SiteFile(SUMS, sums.encode()),
    ]


def checksum(found: Iterable[SiteFile]) -> str:
    """The digest (SHA-256) of the digests: it names these data. Empty without downloads."""
    return next((sha256(file.content).hexdigest() for file in found if file.path == SUMS), "")


def _records(
    kind: type, records: Iterable[Any], skip: Sequence[str] = ()
) -> tuple[list[str], list[list[Any]]]:
    """Field names and values of dataclass records."""
    names = [field.name for field in fields(kind) if field.name not in skip]
    return names, [[getattr(record, name) for name in names] for record in records]


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


def _csv(names: Sequence[str], lines: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    # Most cells of a row are empty, and the writer leaves those empty by itself.
    writer.writerows([None if value is None else _plain(value) for value in line] for line in lines)
    return text.getvalue().encode()


def _plain(value: Any) -> Any:
    """A value as a spreadsheet and a terminal can take it: what either would run is disarmed."""
    if type(value) is str:
        return csv_safe(value)
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, list | tuple):
        return "; ".join(str(_plain(v)) for v in value)
    return csv_safe(value)
