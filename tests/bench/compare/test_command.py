"""Sides by name, and the command."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import store
from bench.cli import main
from bench.compare.select import Sides
from bench.errors import UsageError
from bench.project import DataDir

from .conftest import make

DEVICES = Path(__file__).parents[3] / "data" / "devices.csv"
GB = 10**9


@pytest.fixture
def data(tmp_path):
    (tmp_path / "devices.csv").write_bytes(DEVICES.read_bytes())
    before = [make(100.0), make(80.0, batch=2), make(None, batch=4)]
    after = [make(85.0, day=1, engine_version="2.13"), make(82.0, day=1, batch=2), make(70.0, day=1, batch=4)]
    other = [make(300.0, device="NVIDIA GeForce RTX 4090", day=2, device_id="nvidia-rtx-4090")]
    other += [make(1e9, device="NVIDIA GeForce RTX 4090", day=2, device_id="nvidia-rtx-4090", batch=2,
                   params=8 * GB, model="Llama-8B")]  # fmt: skip
    for number, rows in enumerate((before, after, other)):
        store.write_run(tmp_path / "runs" / f"2026060{number}" / f"{rows[0]['run_id']}.parquet", rows, {})
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, [str(w) for w in words], catch_exceptions=False)


def test_sides_are_runs_files_devices_and_queries(data):
    sides = Sides(DataDir(data))
    assert len(sides.side("run-card-a-0").rows) == 3
    assert len(sides.side(str(data / "runs" / "20260600" / "run-card-a-0.parquet")).rows) == 3
    assert (
        sides.side("latest").name.startswith("run-NVIDIA") and sides.side("previous").name == "run-card-a-1"
    )
    assert {r["device_name"] for r in sides.side("nvidia-rtx-4090").rows} == {"NVIDIA GeForce RTX 4090"}
    assert sides.side("4090").name == "nvidia-rtx-4090"
    assert len(sides.side("device=card-a,batch=2").rows) == 2
    assert len(sides.side("run~card-a-1,workload=decode").rows) == 3


def test_impossible_rows_are_on_no_side(data):
    rows = Sides(DataDir(data)).side("nvidia-rtx-4090").rows
    assert [(r["status"], r["rate"]) for r in rows if r["batch"] == 2] == [("impossible", None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing-like-it", "Unknown run, device or file"),
        ("run-card-a", "beginning of 2 runs"),
        ("colour=red", "Unknown column"),
        ("batch=3", "No row"),
        ("=3", "no condition"),
    ],
)
def test_words_that_name_nothing_or_too_much(data, text, message):
    with pytest.raises(UsageError, match=message):
        Sides(DataDir(data)).side(text)


def test_what_differs_is_said_before_how_much(data):
    found = run("compare", "run-card-a-0", "run-card-a-1", "--data", data)
    assert found.exit_code == 0
    text = found.stdout
    assert text.index("engine_version: 2.12 → 2.13") < text.index("× 0.85")
    assert "slower" in text and "tied" in text and "oom" in text


def test_json_has_every_task_with_its_verdict(data):
    found = json.loads(run("compare", "run-card-a-0", "run-card-a-1", "--data", data, "--json").stdout)
    tasks = {t["task"]["batch"]: t for t in found["tasks"]}
    assert tasks[1]["verdict"] == "slower" and tasks[1]["ratio_high"] < 0.9
    assert tasks[2]["verdict"] == "tied"
    assert tasks[4]["first"]["status"] == "oom" and tasks[4]["ratio"] is None
    assert tasks[1]["differences"][0]["second"] == ["2.13"]


def test_the_regression_check_fails_only_for_what_is_certain(data):
    words = ("compare", "run-card-a-0", "run-card-a-1", "--data", data, "--fail-slower")
    failed = run(*words, "5%")
    assert failed.exit_code == 1 and "15.0% slower" in failed.stderr
    assert run(*words, "20%").exit_code == 0
    assert run(*words, "fast").exit_code == 2


def test_another_unit_is_left_out_with_the_reason(data):
    odd = [make(85.0, day=5, rate_unit="tokens/min"), make(82.0, day=5, batch=2)]
    store.write_run(data / "runs" / "20260605" / "odd.parquet", [r | {"run_id": "odd-unit"} for r in odd], {})
    found = run("compare", "run-card-a-0", "odd-unit", "--data", data)
    assert found.exit_code == 0 and "× 1.0" in found.stdout
    assert "its figure is in tokens/min, that of its task in tokens/s" in found.stderr
    alone = run("compare", "run-card-a-0", "run_id=odd-unit,batch=1", "--data", data)
    assert alone.exit_code == 1 and "bench verify" in alone.stderr


def test_nothing_in_common_is_an_error(data):
    found = run("compare", "device=card-a,batch=1", "device=card-a,batch=2", "--data", data)
    assert found.exit_code == 1 and "share no task" in found.stderr
    across = run(
        "compare", "device=card-a,batch=1", "device=card-a,batch=2", "--across", "batch", "--data", data
    )
    assert across.exit_code == 0
