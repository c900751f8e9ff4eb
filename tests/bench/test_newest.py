"""Of each machine the newest records of each task: what counts, and that both ways of reading agree."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bench import schema, store
from bench.newest import newest_of, read_newest

START = datetime(2026, 6, 1, tzinfo=UTC)


def record(day: int, run: str = "", cell: str = "cell", **values: Any) -> schema.Row:
    given = {
        "run_id": run or f"run-{day:03}",
        "cell_id": cell,
        "recorded_at": START + timedelta(days=day),
        "origin": "measured",
        "source_id": "hwguide",
        "workload": "decode",
        "protocol": "hwguide",
        "device_name": "A card",
        "status": "ok",
        "rate": 10.0 + day,
        "rate_unit": "tokens/s",
    }
    return schema.make_row(**given | values)


def put(runs: Path, *rows: schema.Row) -> None:
    """One file a run."""
    for run in sorted({row["run_id"] for row in rows}):
        mine = [row for row in rows if row["run_id"] == run]
        store.write_run(store.run_path(runs, run, mine[0]["recorded_at"]), mine, {})


def days(rows: list[schema.Row]) -> list[int]:
    return [(row["recorded_at"] - START).days for row in rows]


@pytest.fixture(params=[0, 10**9], ids=["chosen by the database", "read whole"])
def small(request: pytest.FixtureRequest) -> int:
    """From how many rows on a store counts as large."""
    return request.param


def test_the_newest_records_of_a_task_on_a_machine_count(tmp_path: Path, small: int) -> None:
    put(tmp_path, *(record(day) for day in range(8)))
    found = read_newest(tmp_path, kept=3, small=small)
    assert days(found.contents.rows) == [5, 6, 7]
    assert found.older == 5
    assert len(found.contents.files) == 8


def test_a_file_beside_the_days_folders_is_read(tmp_path: Path, small: int) -> None:
    put(tmp_path, record(1))
    store.write_run(tmp_path / "run-002.parquet", [record(2)], {})
    assert days(read_newest(tmp_path, small=small).contents.rows) == [1, 2]


@pytest.mark.parametrize(
    "other",
    [{"host_id": "b"}, {"device_count": 2}, {"engine_version": "2"}, {"driver_version": "2"}, {"batch": 8}],
)
def test_what_is_not_the_same_measurement_again_has_records_of_its_own(
    tmp_path: Path, small: int, other: dict[str, Any]
) -> None:
    put(tmp_path, *(record(day) for day in range(4)), record(0, run="other", **other))
    found = read_newest(tmp_path, kept=2, small=small)
    assert days(found.contents.rows) == [0, 2, 3]
    assert found.older == 2


def test_a_withdrawn_record_takes_nobodys_place_and_is_there_to_be_named(tmp_path: Path, small: int) -> None:
    put(tmp_path, *(record(day) for day in range(5)))
    gone = {("run-004", None): "wrong", ("run-003", "cell"): "wrong", ("run-002", "another"): "not this"}
    put(tmp_path, record(6, flags=["withdrawn"]))
    found = read_newest(tmp_path, gone, kept=2, small=small)
    assert days(found.contents.rows) == [1, 2, 3, 4, 6]
    assert found.older == 1


def test_a_cell_that_two_files_hold_counts_once(tmp_path: Path, small: int) -> None:
    first, again = record(0, run="run", cell="same"), record(1, run="run", cell="same")
    store.write_run(tmp_path / "20260601" / "run.parquet", [first], {})
    store.write_run(tmp_path / "20260602" / "copy.parquet", [again], {})
    found = read_newest(tmp_path, small=small)
    assert days(found.contents.rows) == [1]
    assert found.older == 0


@pytest.mark.parametrize("fault", ["no Parquet", "foreign", "newer"])
def test_a_file_that_cannot_be_read_is_named_and_the_others_count(
    tmp_path: Path, small: int, fault: str
) -> None:
    put(tmp_path, *(record(day) for day in range(4)))
    path = tmp_path / "20260601" / "bad.parquet"
    if fault == "no Parquet":
        path.write_bytes(b"PAR1 nothing")
    else:
        note = "" if fault == "foreign" else ", KV_METADATA {hwguide_schema: '99'}"
        with store.connect() as con:
            con.execute(f"COPY (SELECT 1 AS run_id) TO {store.quoted_path(path)} (FORMAT parquet{note})")
    found = read_newest(tmp_path, kept=2, small=small)
    assert days(found.contents.rows) == [2, 3]
    assert [left for left, _ in found.contents.left_out] == [path]


def test_both_ways_give_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        record(day, run=f"run-{day}-{host}", cell=f"c{batch}", host_id=host, batch=batch)
        for day in range(7)
        for host in ("a", "b")
        for batch in (1, 8)
    ]
    put(tmp_path, *rows)
    with monkeypatch.context() as patched:
        patched.delattr(store, "read_store")  # so that the database has to choose
        chosen = read_newest(tmp_path, kept=3, small=0)
    whole = read_newest(tmp_path, kept=3, small=10**9)
    assert chosen.contents.rows == whole.contents.rows
    assert len(chosen.contents.rows) == 12
    assert chosen.older == whole.older == 16
    assert whole.contents.rows == newest_of(store.read_store(tmp_path).rows, kept=3)


def test_records_of_days_to_come_are_counted_and_take_nobodys_place(tmp_path: Path, small: int) -> None:
    put(
        tmp_path,
        *(record(day) for day in (0, 1, 2)),
        record(900, run="clock"),
        record(901, run="clock", cell="b"),
    )
    latest = START.date() + timedelta(days=1)
    found = read_newest(tmp_path, kept=2, small=small, latest=latest)
    assert days(found.contents.rows) == [0, 1]
    assert found.later == {"run-002": 1, "clock": 2}
    assert found.older == 0
    assert read_newest(tmp_path, kept=2, small=small).later == {}


def test_an_empty_store_is_empty(tmp_path: Path) -> None:
    found = read_newest(tmp_path)
    assert not found.contents.rows
    assert found.older == 0


def test_disturbed_records_take_no_undisturbed_ones_place(tmp_path: Path, small: int) -> None:
    put(tmp_path, record(0), record(1), *(record(day, flags=["contended"]) for day in range(2, 6)))
    assert days(read_newest(tmp_path, kept=3, small=small).contents.rows) == [0, 1, 5]
