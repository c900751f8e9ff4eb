"""``bench import``: one file a run, once, and what it says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import store
from bench.cli import main

FIXTURES = Path(__file__).parent / "fixtures"
CATALOG = Path(__file__).resolve().parents[3] / "data" / "devices.csv"


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(CATALOG, folder)
    return folder


@pytest.fixture
def run(data):
    return lambda *args: CliRunner().invoke(main, ["import", *map(str, args), "--data", str(data)])


def stored(data):
    return store.read_store(data / "runs").rows


def test_a_file_becomes_one_run(run, data):
    result = run(FIXTURES / "llama_2025.json")
    assert result.exit_code == 0, result.output
    assert "2 rows (2 ok)" in result.output
    (path,) = (data / "runs").glob("*/*.parquet")
    assert path.parent.name == "20250502"
    assert len(stored(data)) == 2


def test_importing_again_changes_nothing(run, data):
    run(FIXTURES / "llama_2025.json")
    before = {p: p.read_bytes() for p in (data / "runs").glob("*/*")}
    result = run(FIXTURES / "llama_2025.json")
    assert result.exit_code == 0
    assert "imported before" in result.output
    assert {p: p.read_bytes() for p in (data / "runs").glob("*/*")} == before


def test_other_options_need_replace(run, data):
    run(FIXTURES / "llama_bare.md")
    refused = run(FIXTURES / "llama_bare.md", "--device-name", "NVIDIA L4")
    assert refused.exit_code == 1
    assert "--replace" in refused.output
    result = run(FIXTURES / "llama_bare.md", "--device-name", "NVIDIA L4", "--replace")
    assert result.exit_code == 0
    assert {row["device_name"] for row in stored(data)} == {"NVIDIA L4"}
    assert len(stored(data)) == 2


def test_a_dry_run_writes_nothing(run, data):
    result = run(FIXTURES / "llama_2025.json", "--dry-run", "--json")
    rows = json.loads(result.stdout)
    assert [row["workload"] for row in rows] == ["prefill", "decode"]
    assert not (data / "runs").exists()


def test_several_files_and_one_that_fails(run, data, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    result = run(FIXTURES / "llama_2025.json", bad, FIXTURES / "vllm_serve.json", "--json")
    assert result.exit_code == 1
    assert "bad.json" in result.stderr
    assert {row["source_id"] for row in json.loads(result.stdout)} == {
        "import:llama-bench",
        "import:vllm-serve",
    }


def test_a_description_may_be_named_with_its_result(run, data):
    base = FIXTURES / "mlperf/v4.1/closed/Example"
    summary = base / "results/1xL4/llama2-70b-99/Offline/mlperf_log_summary.txt"
    assert run(summary, base / "systems/1xL4.json").exit_code == 0
    assert [row["device_name"] for row in stored(data)] == ["NVIDIA L4"]


def test_partial_names_what_it_leaves_out(run, tmp_path):
    value = json.loads((FIXTURES / "llama_2025.json").read_text("utf-8"))
    value[0]["avg_ts"] = 1.0
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value))
    assert run(path).exit_code == 1
    result = run(path, "--partial")
    assert result.exit_code == 0
    assert "Left out: line 1" in result.output


@pytest.mark.parametrize("args", [(), ("nowhere.json",), (FIXTURES / "llama_2025.json", "--set", "x=1")])
def test_wrong_usage_ends_in_one_message(run, args):
    result = run(*args)
    assert result.exit_code in (1, 2)
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


def test_the_list_of_formats(run):
    result = run("--formats", "--json")
    assert {"llama-bench", "mlperf-loadgen", "csv"} <= {
        entry["format"] for entry in json.loads(result.stdout)
    }
    assert "reads" in run("--formats").output
