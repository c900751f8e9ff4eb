"""Files as people have them: run files, tables, other tools' files, damaged ones; and the command."""

import csv
import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from bench import schema, store
from bench.cli import main
from bench.errors import UsageError
from bench.verify.files import verify, verify_file

from .conftest import DEVICES, make

SOURCES = """\
[here]
table = "here.csv"
title = "Here"
url = "https://example.org"
published = 2026-01-01
licence = "none"
protocol = "here"
transcribed = "By hand."
comparable = "All rows."
"""
HEADER = (
    "workload,model,params,weights_dtype,batch,input_tokens,device_id,device_name,device_memory_bytes,"
    "value_kind,source_locator,status,rate,rate_unit\n"
)
GOOD = "decode,Llama-3-8B,8030261248,q4_k_m,1,,apple-m1,Apple M1,8589934592,stated,line 1,ok,10,tokens/s\n"
BAD = GOOD.replace("decode", "prefill").replace(",1,,", ",1,8192,").replace(",10,", ",1849.39,")


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    (folder / "published").mkdir(parents=True)
    (folder / "published" / "sources.toml").write_text(SOURCES)
    (folder / "published" / "here.csv").write_text(HEADER + GOOD + BAD)
    (folder / "devices.csv").write_bytes(DEVICES.read_bytes())
    measured = {"origin": "measured", "method_version": 1}
    rows = [make(run_id="one", cell_id=c, **measured) for c in "ab"]
    store.write_run(folder / "runs" / "20260101" / "one.parquet", rows, {})
    return folder


def run(*words):
    return CliRunner().invoke(main, [str(w) for w in words], catch_exceptions=False)


def test_a_finding_names_file_line_cell_and_both_figures(data, catalog):
    [found] = verify_file(data / "published" / "here.csv", catalog).findings
    assert (found.check, found.severity, found.place) == ("arithmetic", "impossible", "line 3")
    assert "prefill Llama-3-8B q4_k_m b1 8192 on Apple M1" in found.sentence()
    assert found.found == pytest.approx(26.7e12, rel=0.01) and found.limit < found.found
    assert found.unit == "FLOP/s"


def test_a_table_alone_is_read_without_its_sources(data, catalog):
    alone = data / "alone.csv"
    alone.write_text(HEADER + GOOD + BAD)
    assert [f.place for f in verify_file(alone, catalog).findings] == ["line 3"]


def test_lines_that_are_no_rows_are_told_each(data, catalog):
    table = data / "published" / "here.csv"
    table.write_text(HEADER + GOOD.replace(",ok,", ",fine,") + GOOD + GOOD + BAD)
    found = verify_file(table, catalog)
    assert [(f.place, f.check) for f in found.findings] == [
        ("line 2", "schema"),
        ("line 4", "schema"),
        ("line 5", "arithmetic"),
    ]
    assert "says the same as line 3" in found.findings[1].text
    table.write_text("nonsense\n1\n")
    [finding] = verify_file(table, catalog).findings
    assert finding.check == "file" and "unknown column" in finding.text


def test_a_run_file_whose_rows_were_changed(data, catalog, monkeypatch):
    path = data / "runs" / "20260101" / "one.parquet"
    assert verify_file(path, catalog).findings == ()
    monkeypatch.setattr(store, "_checked", lambda rows: rows)
    bad = make(run_id="one", cell_id="a", method_version=1) | {"rate_low": 99.0, "status": "fine"}
    store.write_run(path, [bad, make(run_id="two")], {})
    found = verify_file(path, catalog)
    assert found.damaged and found.rows == 2
    texts = [f.sentence() for f in found.findings]
    assert any("holds rows of run two" in t for t in texts)
    assert any("rate_low 99.0 is above rate 10.0" in t and "row 1" in t for t in texts)


def test_damaged_and_foreign_files_are_findings_too(data, catalog):
    path = data / "runs" / "20260101" / "one.parquet"
    path.write_bytes(path.read_bytes()[:50])
    [found] = verify_file(path, catalog).findings
    assert found.check == "file" and "cannot be read" in found.text
    other = data / "notes.txt"
    other.write_text("hello\n")
    assert "no format that can be imported" in verify_file(other, catalog).problem


def test_a_file_of_another_tool_is_read_by_its_importer(data, catalog):
    entry = {
        "build_commit": "8cf427ff", "build_number": 5163, "cpu_info": "x", "backends": "CUDA",
        "gpu_info": "NVIDIA GeForce RTX 4080", "model_filename": "m.gguf",
        "model_type": "qwen2 7B Q4_K - Medium", "model_size": 4677120000, "model_n_params": 7615616512,
        "n_batch": 2048, "n_ubatch": 512, "n_threads": 8, "type_k": "f16", "type_v": "f16",
        "n_gpu_layers": 99, "split_mode": "layer", "flash_attn": False, "n_prompt": 0, "n_gen": 128,
        "test_time": "2025-04-24T11:58:50Z", "avg_ns": 72153326, "stddev_ns": 0, "avg_ts": 1774.0,
        "stddev_ts": 0.0, "samples_ns": [72153326] * 3, "samples_ts": [1774.0] * 3,
    }  # fmt: skip
    path = data / "bench.jsonl"
    path.write_text(json.dumps(entry) + "\n")
    [found] = verify_file(path, catalog).findings
    assert found.severity == "impossible" and "read from memory" in found.text


def test_the_committed_data_verifies_clean(catalog):
    reports = verify([DEVICES.parent], catalog)
    assert sum(report.rows for report in reports) > 3000
    assert [f.sentence() for report in reports for f in report.faults] == []


def test_a_path_with_nothing_to_verify_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="no file or folder"):
        verify([tmp_path / "nowhere"])
    with pytest.raises(UsageError, match="holds no run file"):
        verify([tmp_path])


def test_the_command_explains_and_fails(data):
    found = run("verify", "--data", data)
    assert found.exit_code == 1
    assert found.stdout.startswith("impossible: ") and "26.7 TFLOP/s" in found.stdout
    assert "2 files, 4 rows: 1 finding." in found.stderr
    [one] = json.loads(run("verify", data / "published", "--data", data, "--json").stdout)
    assert one["check"] == "arithmetic" and one["sentence"].endswith("wrong.")
    (data / "published" / "here.csv").write_text(HEADER + GOOD)
    assert run("verify", data, "--data", data).exit_code == 0
    assert run("verify", data / "nowhere", "--data", data).exit_code == 2


def test_the_command_lists_its_checks():
    assert "bandwidth" in run("verify", "--checks").stdout
    assert len(json.loads(run("verify", "--checks", "--json").stdout)) >= 8


def test_store_verify_is_the_same_mechanism(data):
    path = data / "runs" / "20260101" / "one.parquet"
    store.write_run(path, [make(run_id="one", origin="measured", method_version=1, rate=1133.05)], {})
    found = run("store", "verify", "--data", data, "--json")
    assert found.exit_code == 1
    [report] = json.loads(found.stdout)
    assert "weights" in report["findings"][1]["text"] and "(and 1 more)" in report["problem"]


def test_what_was_exported_verifies_clean(data, tmp_path, catalog):
    target = tmp_path / "all.parquet"
    assert run("store", "export", target, "--data", data).exit_code == 0
    assert verify_file(target, catalog).findings == ()
    with (tmp_path / "x.csv").open("w", newline="") as file:
        csv.writer(file).writerow(schema.NAMES)
    assert verify_file(tmp_path / "x.csv", catalog).problem  # a header alone holds no result


@pytest.mark.parametrize("year", [1980, 2099])
def test_a_time_at_which_nothing_was_measured(tmp_path, year):
    now = datetime(2026, 6, 1, tzinfo=UTC)
    times = {"a": now + timedelta(days=1), "b": datetime(year, 1, 1, tzinfo=UTC)}
    rows = [make(run_id="one", cell_id=cell, recorded_at=time) for cell, time in times.items()]
    path = tmp_path / "20260601" / "one.parquet"
    store.write_run(path, rows, {})
    [found] = [f for f in verify_file(path, now=now).findings if f.check == "time"]
    assert f"recorded_at is {year}-01-01" in found.text and found.severity == "wrong"


def test_a_published_table_from_the_future(data):
    now = datetime(2025, 12, 30, 23, tzinfo=UTC)  # its source says that it came out on 2026-01-01
    found = verify_file(data / "published" / "here.csv", now=now)
    assert {f.check for f in found.findings} >= {"time"}
    assert "time" not in {f.check for f in verify_file(data / "published" / "here.csv").findings}
