"""May a run file that somebody offers join the store? Accepted, or every reason why not, in sentences.

The file comes from anyone, so it is bounded before it is read (``bench.verify.bounds``), its texts are
searched before they are shown, and only then its rows are held against the physics like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench import schema, store
from bench.catalog import Catalog
from bench.errors import BenchError
from bench.text import plain
from bench.verify.base import Finding, Row
from bench.verify.bounds import check_bounds
from bench.verify.files import label, verify_file
from bench.verify.personal import depth_of, hostile, personal, texts_of

CHECK = "submission"
MOST_DEPTH = 8
_RUN_ID = re.compile(r"(\d{8})T\d{6}Z-[0-9a-f]{8}")
_HASH = re.compile(r"[0-9a-f]{16}")
#: What ``bench collect`` writes beside the rows, with the type of each.
_META = {"run_id": str, "bench_version": str, "started": str, "suite": str, "device": str, "plan": list}
_ENVIRONMENT = ("os", "machine", "cpu", "memory_bytes", "python")
_JSON = tuple(c.name for c in schema.COLUMNS if c.kind == "json")
_TEXTS = tuple(c.name for c in schema.COLUMNS if c.kind in ("text", "texts"))


@dataclass(frozen=True)
class Submission:
    """One offered file: its rows, and what was found. It is accepted when nothing but notes was."""

    path: Path
    rows: int = 0
    ok_rows: int = 0
    findings: tuple[Finding, ...] = ()

    @property
    def accepted(self) -> bool:
        return all(f.severity == "note" for f in self.findings)


def check_submissions(
    paths: Sequence[Path], catalog: Catalog, runs: Path | None = None, now: datetime | None = None
) -> list[Submission]:
    """A verdict on each file. ``runs`` is the store that they would join; a file that lies there already is
    not its own double."""
    now = now or datetime.now(UTC)
    found, offered = [], []
    for path in paths:
        others = [*(_stored(runs, path) if runs is not None else ()), *offered]
        found.append(check_submission(path, catalog, others, now))
        if found[-1].accepted:
            offered += store.read_run(path)
    return found


def check_submission(
    path: Path, catalog: Catalog, others: Iterable[Row] = (), now: datetime | None = None
) -> Submission:
    """The verdict on one file; ``others`` are rows that are in the store already."""
    try:
        check_bounds(path)
        meta, rows = store.read_meta(path), store.read_unchecked(path)
    except BenchError as error:
        text = error.message.splitlines()[0].replace(store.quoted_path(path), "")
        return Submission(path, findings=(_finding(path, text.removeprefix(str(path)).lstrip(" :,'")),))
    ok = sum(row["status"] == "ok" for row in rows)
    findings = [_finding(path, *item) for item in (*_of_texts(meta, rows), *_of_run(path, meta, rows))]
    if not findings:
        now = now or datetime.now(UTC)
        if not any(schema.check(row) for row in rows):
            findings = [_finding(path, *item) for item in _of_rows(path, rows, catalog, others, now)]
        findings += verify_file(path, catalog, now).findings
    return Submission(path, len(rows), ok, tuple(findings))


Item = tuple[str, str, Row | None, str]


def _of_texts(meta: dict[str, Any], rows: list[Row]) -> Iterator[Item]:
    """Texts that name somebody, could harm a reader, or are no JSON that can be parsed safely."""
    told: set[tuple[str, str]] = set()
    for place, row in [("its settings", None), *((f"row {n}", row) for n, row in enumerate(rows, 1))]:
        if row is None:
            found: list[tuple[str, str]] = list(texts_of(meta, "settings of the run"))
        else:
            found = [text for name in _TEXTS for text in texts_of(row[name], name)]
            for name in _JSON:
                if row[name] is None:
                    continue
                value = _parsed(row[name])
                if value is None:
                    yield (f"{name} is no JSON object of at most {MOST_DEPTH} levels.", place, row, "wrong")
                    continue
                found += texts_of(value, name)
        for name, text in found:
            what = hostile(text) or personal(name, text)
            if what and (name, what) not in told:
                told.add((name, what))
                shown = "" if what == personal(name, text) else f" ('{plain(text)[:40]}')"
                where = plain(name)[:60]
                yield (f"{where} holds {what}{shown}: no such thing may be stored.", place, row, "wrong")


def _parsed(text: str) -> dict[str, Any] | None:
    if depth_of(text) > MOST_DEPTH:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _of_run(path: Path, meta: dict[str, Any], rows: list[Row]) -> Iterator[Item]:
    """Whether ``bench collect`` wrote the file, under its own name, in its own folder."""
    lacking = [name for name, kind in _META.items() if not isinstance(meta.get(name), kind)]
    if lacking:
        yield (
            f"not a file that 'bench collect' wrote: its settings lack {', '.join(lacking)}.",
            "",
            None,
            "wrong",
        )
        return
    named = _RUN_ID.fullmatch(path.stem)
    if named is None or path.suffix != ".parquet" or meta["run_id"] != path.stem:
        yield (
            "its name is not that of its run: keep the file as 'bench collect' named it.",
            "",
            None,
            "wrong",
        )
    elif path.resolve().parent.parent.name == "runs" and path.resolve().parent.name != named[1]:
        yield (f"it belongs into the folder {named[1]}.", "", None, "wrong")
    if meta["suite"] == "tiny":
        yield ("the tiny suite is for tests: its figures mean nothing.", "", None, "wrong")
    if not rows:
        yield ("it holds no row.", "", None, "wrong")
    elif not any(row["status"] == "ok" for row in rows):
        yield ("none of its cells was measured (status ok).", "", None, "wrong")
    planned = sum(isinstance(cell, dict) for cell in meta["plan"])
    if planned != len(rows):
        yield (f"{planned} cells were planned, and {len(rows)} rows are there.", "", None, "wrong")


def _of_rows(
    path: Path, rows: list[Row], catalog: Catalog, others: Iterable[Row], now: datetime
) -> Iterator[Item]:
    """Identity, device, environment and times of the rows, and whether the store holds them already."""
    hosts = {row["host_id"] for row in rows}
    if len(hosts) != 1 or not all(isinstance(h, str) and _HASH.fullmatch(h) for h in hosts):
        yield ("its rows are not of one machine (host_id).", "", None, "wrong")
    for number, row in enumerate(rows, 1):
        for what in _of_row(row, catalog, now):
            yield (what, f"row {number}", row, "wrong")
    names = sorted({row["device_name"] for row in rows if row["device_id"] is None})
    for name in names:
        found = catalog.resolve(name, memory_bytes=rows[0]["device_memory_bytes"])
        if found.device_id is None:
            text = f"'{name}' is no device of the catalog ({found.reason})"
            yield (f"{text}: add a line to devices.csv, or say what it is.", "", None, "note")
    known = list(others)
    if any(row["run_id"] == path.stem for row in known):
        yield ("the store holds this run already.", "", None, "wrong")
        return
    seen = {_print(row) for row in known if row["samples_s"]}
    double = [n for n, row in enumerate(rows, 1) if row["samples_s"] and _print(row) in seen]
    if double:
        text = (
            f"{len(double)} rows have the times of rows in the store, to the last digit, under another run."
        )
        yield (text, f"row {double[0]}", rows[double[0] - 1], "wrong")


def _print(row: Row) -> str:
    """What two measurements never have in common."""
    return schema.digest([row["cell_id"], row["samples_s"]])


def _of_row(row: Row, catalog: Catalog, now: datetime) -> Iterator[str]:
    wanted = {"origin": "measured", "source_id": "hwguide", "protocol": "hwguide"}
    for name, value in wanted.items():
        if row[name] != value:
            yield f"{name} is {plain(row[name])[:40]}, not {value}: only rows of the collector are taken."
    time = row["recorded_at"]
    if isinstance(time, datetime) and not datetime(2026, 1, 1, tzinfo=UTC) <= time <= now + timedelta(days=1):
        yield f"recorded_at is {time:%Y-%m-%d}, which is no time of a measurement."
    if row["device_id"] is not None:
        found = catalog.resolve(row["device_name"], memory_bytes=row["device_memory_bytes"])
        if row["device_id"] not in (found.device_id, *found.candidates):
            meant = found.device_id or found.reason
            yield f"device_id is {row['device_id']}, but '{row['device_name']}' is {meant}."
    if row["status"] != "ok":
        return
    environment, conditions = _parsed(row["environment"] or "{}"), _parsed(row["conditions"] or "{}")
    lacking = [name for name in _ENVIRONMENT if not (environment or {}).get(name)]
    if lacking or not conditions or not row["engine_version"]:
        lacking += [] if conditions else ["conditions"]
        lacking += [] if row["engine_version"] else ["engine_version"]
        yield f"says too little of where it ran: {', '.join(lacking)} missing."
    if not row["samples_s"] or not row["sample_count"]:
        yield "holds no repetition's time (samples_s)."


def _stored(runs: Path, offered: Path) -> list[Row]:
    """Rows of the store without those of the offered file."""
    rows: list[Row] = []
    for path in store.run_files(runs):
        if path.resolve() == offered.resolve():
            continue
        try:
            check_bounds(path)
            rows += store.read_run(path)
        except BenchError:
            continue  # 'bench store verify' names it
    return rows


def _finding(
    path: Path, text: str, place: str = "", row: Row | None = None, severity: str = "wrong"
) -> Finding:
    return Finding(CHECK, severity, str(path), place, "" if row is None else label(row), plain(text))
