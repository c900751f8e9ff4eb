"""What is offered to the store: honest runs are accepted, everything else is told why, and nothing harms."""

from __future__ import annotations

import json
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from bench import schema, store
from bench.catalog import Catalog
from bench.cells import Cell
from bench.cli import main
from bench.verify import bounds
from bench.verify.personal import depth_of, hostile, personal
from bench.verify.submission import check_submission, check_submissions

CATALOG = Catalog.load(Path(__file__).parents[3] / "data" / "devices.csv")
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
RUN = "20261201T100000Z-0123abcd"
CELL = Cell("encode", model="bert-base-uncased", input_tokens=128)
ENVIRONMENT = {
    "os": "Debian GNU/Linux 12",
    "machine": "x86_64",
    "cpu": "AMD EPYC 7763",
    "memory_bytes": 2**36,
}
META = {
    "run_id": RUN, "bench_version": "0.1.0", "started": "2026-12-01T10:00:00+00:00", "suite": "quick",
    "device": "cuda", "seed": 0, "plan": [CELL.as_json()],
}  # fmt: skip


def row(**values):
    base = {
        "run_id": RUN, "origin": "measured", "source_id": "hwguide", "recorded_at": NOW - timedelta(hours=1),
        "device_id": "nvidia-rtx-4090", "device_name": "NVIDIA GeForce RTX 4090",
        "host_id": "0123456789abcdef",
        "device_memory_bytes": 25_757_220_864, "engine": "torch", "engine_version": "2.13.0+cu128",
        "driver_version": "570.86.10.15",
        "conditions": json.dumps({"torch": "2.13.0", "fp32_matmul": "highest"}),
        "environment": json.dumps(ENVIRONMENT | {"python": "3.12.4"}),
        "status": "ok", "rate": 100.0, "rate_unit": "sequences/s", "sample_count": 3,
        "samples_s": [0.01, 0.0100001, 0.0099999], "work_per_sample": 1.0, "measured_fraction": 1.0,
        "value_kind": "measured",
    }  # fmt: skip
    return schema.make_row(**CELL.columns() | base | values)


def offer(folder: Path, rows=None, *, run: str = RUN, meta=None, **values) -> Path:
    path = folder / f"{run}.parquet"
    store.write_run(path, [row(**values)] if rows is None else rows, META if meta is None else meta)
    return path


def told(path: Path, **more) -> str:
    found = check_submission(path, CATALOG, more.get("others", ()), NOW)
    assert not found.accepted
    return " ".join(f.sentence() for f in found.findings)


def test_an_honest_run_is_accepted(tmp_path):
    found = check_submission(offer(tmp_path), CATALOG, now=NOW)
    assert (found.accepted, found.rows, found.ok_rows, found.findings) == (True, 1, 1, ())


def test_a_device_that_the_catalog_lacks_is_a_note(tmp_path):
    path = offer(tmp_path, device_id=None, device_name="Acme 9000")
    found = check_submission(path, CATALOG, now=NOW)
    assert found.accepted and "no device of the catalog" in found.findings[0].text


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"device_id": "nvidia-t4"}, "but 'NVIDIA GeForce RTX 4090' is nvidia-rtx-4090"),
        ({"origin": "published"}, "origin is published"),
        ({"protocol": "mine"}, "protocol is mine"),
        ({"recorded_at": NOW + timedelta(days=9)}, "no time of a measurement"),
        ({"recorded_at": NOW - timedelta(days=900)}, "no time of a measurement"),
        ({"host_id": "my-machine"}, "not of one machine"),
        ({"environment": "{}"}, "os, machine, cpu, memory_bytes, python missing"),
        ({"conditions": None}, "conditions missing"),
        ({"engine_version": None}, "engine_version missing"),
        ({"samples_s": [], "sample_count": None}, "no repetition's time"),
        ({"rate": 200.0}, "the median of its 3 times gives 100"),
        ({"status": "oom", "rate": None}, "none of its cells was measured"),
        ({"achieved_flops": 9e13, "probe_flops": 5e13}, "that the probe of this machine found"),
        ({"device_name": "\x1b[31mNVIDIA GeForce RTX 4090"}, "control characters or terminal escapes"),
        ({"device_name": "RTX\u202e4090", "device_id": None}, "control characters"),
        ({"device_name": "<img src=x onerror=alert(1)>", "device_id": None}, "holds markup"),
        ({"status_detail": "see <script>x</script>"}, "holds markup"),
        ({"device_name": "=HYPERLINK(1)", "device_id": None}, "a spreadsheet's formula"),
        ({"flags": ["@SUM(1)"]}, "a spreadsheet's formula"),
        ({"conditions": '{"=cmd|x": 1}'}, "a spreadsheet's formula"),
        ({"status_detail": "failed in /home/alice/bench"}, "status_detail holds a home folder"),
        ({"status_detail": "C:\\Users\\alice\\x"}, "a home folder"),
        ({"status_detail": "see /opt/secret/place/x"}, "holds a path"),
        ({"conditions": '{"note": "ask bob@example.org"}'}, "conditions.note holds an e-mail address"),
        ({"environment": '{"node": "gpu7.local"}'}, "a host name"),
        ({"environment": '{"node": "10.1.2.3"}'}, "an IP address"),
        ({"environment": '{"node": "fe80::1ff:fe23:4567:890a"}'}, "an IPv6 address"),
        ({"environment": '{"net": "00:1a:2b:3c:4d:5e"}'}, "a MAC address"),
        ({"conditions": '{"gpu": "GPU-5a1b2c3d-0000-1111-2222-333344445555"}'}, "a UUID"),
        ({"settings": "[1]"}, "settings is no JSON object"),
        ({"conditions": '{"a":' * 9 + "1" + "}" * 9}, "at most 8 levels"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(tmp_path, values, why):
    assert why in told(offer(tmp_path, **values))


def test_what_is_told_repeats_nothing_personal_and_nothing_harmful(tmp_path):
    text = told(offer(tmp_path, status_detail="/home/alice/bench", device_name="\x1b]0;x\x07Card"))
    assert "alice" not in text and "\x1b" not in text and "\x07" not in text


@pytest.mark.parametrize(
    ("meta", "why"),
    [
        ({}, "not a file that 'bench collect' wrote"),
        (META | {"suite": "tiny"}, "tiny suite is for tests"),
        (META | {"run_id": "20261201T100000Z-ffffffff"}, "its name is not that of its run"),
        (META | {"plan": []}, "0 cells were planned, and 1 rows are there"),
        (META | {"note": "see /home/alice/x"}, "settings of the run.note holds a home folder"),
    ],
)
def test_settings_of_the_run(tmp_path, meta, why):
    assert why in told(offer(tmp_path, meta=meta))


def test_name_and_folder(tmp_path):
    assert "belongs into the folder 20261201" in told(offer(tmp_path / "runs" / "20261130"))
    assert "its name is not" in told(offer(tmp_path, run="my-run", run_id="my-run"))


def test_a_run_that_the_store_has_and_times_that_were_copied(tmp_path):
    assert "holds this run already" in told(offer(tmp_path), others=[row()])
    copied = row(run_id="20261130T100000Z-0123abcd")
    assert "to the last digit" in told(offer(tmp_path), others=[copied])
    runs = tmp_path / "runs"
    inside = offer(runs / "20261201")
    assert [s.accepted for s in check_submissions([inside], CATALOG, runs, NOW)] == [True]
    again = offer(tmp_path / "other")
    assert [s.accepted for s in check_submissions([again], CATALOG, runs, NOW)] == [False]
    assert [s.accepted for s in check_submissions([again, offer(tmp_path)], CATALOG, None, NOW)] == [
        True,
        False,
    ]


def test_rows_that_do_not_fit_the_schema_are_told(tmp_path):
    path = tmp_path / f"{RUN}.parquet"
    good = row()
    values = {
        c.name: f"{str(good[c.name])!r}"
        for c in schema.COLUMNS
        if c.kind in ("text", "json") and good[c.name]
    } | {
        "schema_version": "1::BIGINT",
        "rate": "100::DOUBLE",
        "status": "'ok'",
        "device_name": "NULL::VARCHAR",
    }
    found = told(parquet(path, columns(**values)))
    assert "device_name is missing" in found


# --- files made to harm -------------------------------------------------------------------------------


def parquet(path: Path, select: str, schema_version: str = "1", run: object = META) -> Path:
    con = duckdb.connect()
    text = run if isinstance(run, str) else json.dumps(run)
    kv = f"{{hwguide_schema: '{schema_version}', hwguide_run: $run$ {text} $run$}}"
    con.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet, COMPRESSION zstd, KV_METADATA {kv})")
    return path


def columns(**changed: str) -> str:
    """A SELECT of one row of every column, with some of them as other expressions."""
    parts = [f"{changed.get(c.name, f'NULL::{c.sql_type}')} AS {c.name}" for c in schema.COLUMNS]
    return f"SELECT {', '.join(parts)}"


@pytest.mark.parametrize(
    ("select", "why"),
    [
        ("SELECT 1 AS x", "1 columns that a run does not have ('x')"),
        ("SELECT 'r' AS run_id", "column cell_id is missing"),
        (columns(rate="'fast'"), "column rate holds VARCHAR, expected DOUBLE"),
        (columns(flags="{'a': 1}"), "column flags holds STRUCT"),
        (columns(device_name="repeat('x', 30000)"), "column device_name has 30,000 bytes in one value"),
        (columns(samples_s="range(20000)::DOUBLE[]"), "column samples_s has 20,000 values in one list"),
        (f"{columns()} FROM range(30000)", "30,000 rows; a run has at most 20,000"),
        (
            f"{columns(device_name='repeat((i % 7)::VARCHAR, 19000)')} FROM range(19000) t(i)",
            "its values take 361 MB",
        ),
        (
            f"{columns(status_detail='repeat(md5(i::VARCHAR), 400)')} FROM range(9000) t(i)",
            "at most 67.1 MB",
        ),
    ],
)  # fmt: skip
def test_foreign_columns_and_bombs_are_refused_before_they_are_read(tmp_path, select, why, monkeypatch):
    path = parquet(tmp_path / f"{RUN}.parquet", select)
    monkeypatch.setattr(bounds, "MOST_FILE_BYTES", 1 << 30)
    monkeypatch.setattr(store, "read_unchecked", lambda _: pytest.fail("its values were read"))
    assert why in told(path)


@pytest.mark.parametrize(
    ("version", "run", "why"),
    [
        ("99", META, "written by a newer version"),
        ("one", META, "names no version"),
        ("1", "[" * 5000, "not JSON"),
        ("1", "[1]", "no JSON object"),
        ("1", '{"a":' * 400 + "1" + "}" * 400, "not a file that 'bench collect' wrote"),
    ],
)
def test_hostile_settings(tmp_path, version, run, why):
    assert why in told(parquet(tmp_path / f"{RUN}.parquet", columns(), version, run))


def test_sizes_are_bounded_by_the_file_system_and_the_tail_first(tmp_path, monkeypatch):
    path = offer(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[:-8] + struct.pack("<I", 2**31) + b"PAR1")
    assert "a footer of 2.15 GB" in told(path)
    path.write_bytes(b"PAR1")
    assert "not a Parquet file" in told(path)
    path.write_bytes(content[: len(content) // 2] + content[-200:])
    assert told(path)
    monkeypatch.setattr(bounds, "MOST_FILE_BYTES", 1000)
    path.write_bytes(content)
    assert "a run takes at most 1000 B" in told(path) or "at most" in told(path)


def test_links_and_folders_are_no_submissions(tmp_path):
    (tmp_path / "link.parquet").symlink_to(offer(tmp_path))
    assert "not a plain file" in told(tmp_path / "link.parquet")
    assert "not a plain file" in told(tmp_path)


def test_the_command_accepts_or_explains(tmp_path):
    def call(*words, code):
        found = CliRunner().invoke(main, ["verify", "--submission", *map(str, words)])
        assert found.exit_code == code, found.output + repr(found.exception)
        return found.output

    good, bad = offer(tmp_path / "a"), offer(tmp_path / "b", device_name="\x1b[31m<b>x", device_id=None)
    assert "accepted: 1 rows, 1 of them measured" in call(good, code=0)
    shown = call(good, bad, code=1)
    assert "not accepted" in shown and "\x1b" not in shown and "terminal escapes" in shown
    found = json.loads(call(good, bad, "--json", code=1))
    assert [s["accepted"] for s in found] == [True, False] and found[1]["findings"]
    call(code=2)
    call(tmp_path / "none.parquet", code=2)


# --- texts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "570.86.10.15", "2.13.0+cu128", "torch 2.13.0 (CUDA 12.8)", "failed in …/torch/nn.py",
        "<host> said no",
        "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "12:30:05", "bf16/fp32", "a-b@c", "-0.8", "1e-3",
        "I/O error 5/6", "std::bad_alloc", "rate < 5 and b > 3", "https://example.org/a/b/c",
    ],
)  # fmt: skip
def test_honest_texts_are_neither_personal_nor_hostile(text):
    assert (personal("driver_version", text), hostile(text)) == (None, None)


def test_depth_is_counted_without_parsing():
    assert depth_of('{"a": [1, {"b": "[[[[\\"{{"}]}') == 3
    assert depth_of("[" * 100_000) == 100_000
