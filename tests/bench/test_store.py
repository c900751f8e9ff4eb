"""The store: atomic writes, damaged files, newer versions."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench import schema, store
from bench.errors import BenchError

NOW = datetime(2026, 12, 1, 12, 30, tzinfo=UTC)


def row(cell_id: str = "c1", **values):
    base = {
        "run_id": "r1",
        "cell_id": cell_id,
        "origin": "measured",
        "source_id": "hwguide",
        "workload": "probe",
        "protocol": "hwguide",
        "device_name": "Test 'device' ☃",
        "status": "failed",
        "recorded_at": NOW,
    }
    return schema.make_row(**base | values)


def test_a_run_reads_back_as_it_was_written(tmp_path):
    path = store.run_path(tmp_path, "r1", NOW)
    rows = [
        row("a", samples_s=[0.1, 1e-9, 3.0], sample_count=3, flags=["x", "y'z"], settings='{"a": "\'"}'),
        row("b", status="ok", rate=1e15, rate_unit="FLOP/s", params=70_000_000_000),
    ]
    store.write_run(path, rows, {"plan": [{"quote": "'"}], "seed": 1})
    assert path == tmp_path / "20261201" / "r1.parquet"
    assert store.read_run(path) == rows
    assert store.read_meta(path) == {"plan": [{"quote": "'"}], "seed": 1}


def test_a_run_that_was_put_beside_the_days_folders_counts(tmp_path):
    store.write_run(store.run_path(tmp_path, "r1", NOW), [row()], {})
    store.write_run(tmp_path / "r2.parquet", [row(run_id="r2")], {})
    (tmp_path / ".r3.parquet").write_bytes(b"a file that is being written")
    assert [path.name for path in store.run_files(tmp_path)] == ["r1.parquet", "r2.parquet"]
    assert {r["run_id"] for r in store.read_store(tmp_path).rows} == {"r1", "r2"}


def test_a_run_without_rows_is_a_valid_file(tmp_path):
    store.write_run(tmp_path / "d" / "r.parquet", [], {})
    assert store.read_run(tmp_path / "d" / "r.parquet") == []


def test_an_invalid_row_is_refused_and_the_old_file_stays(tmp_path):
    path = tmp_path / "d" / "r.parquet"
    store.write_run(path, [row()], {})
    with pytest.raises(BenchError, match="status is 'odd'"):
        store.write_run(path, [row() | {"status": "odd"}], {})
    assert store.read_run(path) == [row()]


@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_a_full_disk_leaves_the_file_before_it(tmp_path, monkeypatch, failing):
    path = tmp_path / "d" / "r.parquet"
    store.write_run(path, [row()], {})

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path if failing == "replace" else os, failing, full)
    with pytest.raises(BenchError, match="the disk is full") as caught:
        store.write_run(path, [row(), row("b")], {})
    monkeypatch.undo()
    assert "--resume" in caught.value.message
    monkeypatch.setattr(Path if failing == "replace" else os, failing, full)
    with pytest.raises(BenchError, match="the disk is full") as caught:
        store.write_run(path, [row(), row("b")], {}, advice=store.AGAIN)
    monkeypatch.undo()
    assert "--resume" not in caught.value.message and "give the command again" in caught.value.message
    assert store.read_run(path) == [row()]
    assert [p.name for p in path.parent.iterdir()] == ["r.parquet"]


def test_a_damaged_file_is_named_and_the_others_are_read(tmp_path):
    good, bad = (store.run_path(tmp_path, name, NOW) for name in ("good", "bad"))
    store.write_run(good, [row(run_id="good")], {})
    store.write_run(bad, [row(run_id="bad")], {})
    whole = bad.read_bytes()
    for size in (0, 3, len(whole) // 2, len(whole) - 1):
        bad.write_bytes(whole[:size])
        contents = store.read_store(tmp_path)
        assert [r["run_id"] for r in contents.rows] == ["good"]
        [(path, reason)] = contents.left_out
        assert path == bad
        assert "bad.parquet" in reason


@pytest.mark.parametrize(
    ("values", "why"),
    [({"input_tokens": -5}, "input_tokens is -5"), ({"device_name": "d" * 10_000}, "10,000 characters")],
)
def test_a_file_with_a_row_out_of_bounds_is_left_out_by_name(tmp_path, monkeypatch, values, why):
    good, bad = (store.run_path(tmp_path, name, NOW) for name in ("good", "bad"))
    store.write_run(good, [row(run_id="good")], {})
    monkeypatch.setattr(schema, "check", lambda row: [])
    store.write_run(bad, [row(run_id="bad") | values], {})
    monkeypatch.undo()
    contents = store.read_store(tmp_path)
    assert [r["run_id"] for r in contents.rows] == ["good"]
    [(path, reason)] = contents.left_out
    assert path == bad and why in reason


def test_a_newer_file_says_how_to_upgrade(tmp_path, monkeypatch):
    path = store.run_path(tmp_path, "r1", NOW)
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 99)
    store.write_run(path, [row()], {})
    monkeypatch.undo()
    with pytest.raises(BenchError, match="pip install --upgrade"):
        store.read_run(path)


def test_a_foreign_parquet_file_is_refused(tmp_path):
    path = tmp_path / "d" / "x.parquet"
    path.parent.mkdir()
    store.connect().execute(f"COPY (SELECT 1 AS a) TO '{path}' (FORMAT parquet)")
    with pytest.raises(BenchError, match="not one that 'bench collect' wrote"):
        store.read_run(path)


def test_a_cell_that_two_files_hold_counts_once(tmp_path):
    later = NOW.replace(hour=13)
    store.write_run(tmp_path / "d" / "a.parquet", [row(status="interrupted")], {})
    store.write_run(tmp_path / "d" / "b.parquet", [row(recorded_at=later)], {})
    store.write_run(tmp_path / "d" / "c.parquet", [row(status="interrupted")], {})
    assert [r["status"] for r in store.read_store(tmp_path).rows] == ["failed"]


def test_names_with_glob_characters_are_read_as_they_are(tmp_path):
    path = tmp_path / "d[1]*" / "r.parquet"
    store.write_run(path, [row()], {})
    assert store.read_run(path) == [row()]


def test_an_empty_or_absent_store_has_no_rows(tmp_path):
    assert store.read_store(tmp_path / "none").rows == []


def test_only_old_temporary_files_are_abandoned(tmp_path):
    day = tmp_path / "20260101"
    day.mkdir()
    old, young, run = (day / name for name in (".a-1.tmp", ".b-2.json.tmp", "c.parquet"))
    for path in (old, young, run):
        path.write_bytes(b"")
    for path in (old, run):
        os.utime(path, (0, 0))
    store.remove_abandoned(tmp_path)
    assert sorted(path.name for path in day.iterdir()) == [young.name, run.name]
