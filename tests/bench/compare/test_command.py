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


def night(number, rate=100.0, **values):
    """One of many nights of one machine."""
    return make(rate, device="nightly", run_id=f"night-{number:02}", day=number, **values)


@pytest.fixture
def nights(data):
    """Fifteen nights: one of them disturbed, one withdrawn, and the last with another driver on batch 2."""
    rows = [night(n, 100.0 + n) for n in range(15)]
    rows[3] = night(3, 10.0, flags=["contended"])
    rows += [night(n, 50.0, batch=2, driver_version=f"{n}") for n in (13, 14)]
    for row in rows:
        path = data / "runs" / "20260610" / f"{row['run_id']}-{row['batch']}.parquet"
        store.write_run(path, [row], {})
    (data / "withdrawn.csv").write_text(
        "run_id,cell_id,withdrawn_on,reason\nnight-05,,2026-06-20,a window was open\n", encoding="utf-8"
    )
    return data


def test_what_does_not_count_is_said_in_a_line_of_its_side(nights):
    found = run("compare", "nightly", "run-card-a-0", "--data", nights)
    lines = found.stdout.splitlines()
    # 15 nights less the withdrawn one: the 12 newest, of which the disturbed one is none.
    assert lines[1] == (
        "   4 rows do not count: 1 withdrawn, 2 older than the newest 12 of the same task, machine and "
        "software, 1 of an earlier state of the machine, or scaled up."
    )
    assert lines[2].startswith("B: run-card-a-0")
    assert not any("not count" in line for line in lines[2:])
    told = json.loads(run("compare", "nightly", "run-card-a-0", "--data", nights, "--json").stdout)
    assert told["first"]["passed_over"] == {"withdrawn": 1, "older": 2, "disturbed": 0, "superseded": 1}
    assert set(told["second"]["passed_over"].values()) == {0}


def test_disturbed_rows_are_counted_among_those_that_do_not_count(nights):
    asked = "device=nightly,batch=1,recorded_at~2026-06-0"
    found = json.loads(run("compare", asked, "run-card-a-0", "--data", nights, "--json").stdout)
    assert found["first"]["passed_over"] == {"withdrawn": 1, "older": 0, "disturbed": 1, "superseded": 0}


def test_a_run_is_withdrawn_as_a_whole_or_not_at_all(nights):
    assert run("compare", "night-06", "run-card-a-0", "--data", nights).exit_code == 0
    gone = run("compare", "night-05", "run-card-a-0", "--data", nights)
    assert gone.exit_code == 1 and "Every row of 'night-05' was withdrawn" in gone.stderr
