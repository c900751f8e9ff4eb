"""What becomes of each way in which a cell can end, in real processes."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from bench import store
from bench.cells import Cell, Need
from bench.runner import process
from bench.runner.one_cell import Limits
from bench.runner.plan import Planned
from bench.runner.progress import Reporter
from bench.runner.supervisor import Supervisor

FULL = ("--device", "fake", "--suite", "full")


def test_every_planned_cell_ends_as_a_row_with_its_reason(bench):
    result = bench.collect(*FULL, "--budget", "1h")
    assert result.returncode == 1
    [path] = bench.files()
    rows = store.read_run(path)
    found = {(r["model"], r["compute_dtype"], r["batch"], r["input_tokens"]): r for r in rows}
    assert len(found) == 14

    def outcome(model: str, dtype: str = "fp32") -> tuple[str, str]:
        row = found[model, dtype, 1, None]
        return row["status"], row["status_detail"] or ""

    assert outcome("plain") == ("ok", "")
    assert outcome("unsupported") == ("unsupported", "this device cannot do nothing")
    assert outcome("plain", "int4")[0] == "unsupported"
    assert outcome("raises")[0] == "failed"
    assert str(Path.home()) not in outcome("raises")[1]
    assert outcome("exits") == ("failed", "the process ended with exit code 3: last words")
    assert outcome("segfault") == ("killed", "the process was ended by SIGSEGV")
    assert outcome("huge")[0] == "oom"
    assert "needs 107 GB, the device has 17.2 GB" in outcome("huge")[1]
    assert "only 8.59 GB of 17.2 GB are free" in outcome("crowded")[1]
    assert outcome("wrong")[0] == "failed"
    assert "run_id" in outcome("wrong")[1]
    large = {key[2:]: r["status"] for key, r in found.items() if key[0] == "oom" and key[2] > 1}
    assert large.pop((8, 64)) == "skipped"
    assert "oom" in large.values()


def test_a_row_holds_what_was_asked_what_ran_and_how_fast(bench):
    result = bench.collect("--device", "fake", "--suite", "tiny", "--json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["resume"] is None
    row = next(r for r in document["rows"] if r["model"] == "plain" and r["batch"] == 2)
    assert row["status"] == "ok"
    assert row["device_name"] == "Fake 9000"
    assert row["rate_unit"] == "nothings/s"
    assert row["rate_low"] <= row["rate"] <= row["rate_high"]
    assert row["sample_count"] == len(row["samples_s"]) >= 3
    samples = sorted(row["samples_s"])
    middle = (samples[(len(samples) - 1) // 2] + samples[len(samples) // 2]) / 2
    assert row["rate"] == pytest.approx(2 / middle)
    assert row["job_s"] == pytest.approx(100 * middle)
    assert row["achieved_flops"] == pytest.approx(2e6 / middle)
    assert (row["value_kind"], row["measured_fraction"]) == ("measured", 1)
    assert "fake" in row["flags"]
    assert json.loads(row["conditions"])["threads"] == 1
    assert json.loads(row["conditions"])["sync_self_test"] == "passed"


def test_a_library_that_prints_cannot_speak_for_the_child(bench):
    assert bench.collect("--device", "fake", "--suite", "tiny").returncode == 0
    assert bench.rows()["chatty-1"]["status"] == "ok"


def test_the_budget_ends_the_run_and_resume_goes_on(bench):
    result = bench.collect("--device", "fake", "--suite", "tiny", "--budget", "0.001")
    assert result.returncode == 0
    assert {row["status"] for row in bench.rows().values()} == {"interrupted"}
    assert "time budget ended" in result.stdout
    assert bench.collect("--resume").returncode == 0
    assert {row["status"] for row in bench.rows().values()} == {"ok"}


def test_a_dry_run_plans_and_stores_nothing(bench):
    result = bench.collect(*FULL, "--dry-run", "--json")
    document = json.loads(result.stdout)
    assert result.returncode == 0
    assert len(document["cells"]) == 14
    assert document["expected_s"] > 0
    assert "rough" in document["expected_from"]
    refused = [c for c in document["cells"] if c["status"] == "oom"]
    assert {c["model"] for c in refused} == {"huge", "crowded"}
    assert bench.files() == []
    assert bench.cells_so_far() == []
    assert "An estimate" in bench.collect(*FULL, "--dry-run").stdout


def test_a_device_that_cannot_be_used_says_why(bench):
    result = bench.collect("--device", "fake", FAKE_UNAVAILABLE="no driver. Install one with: fake-install")
    assert result.returncode == 1
    assert "fake-install" in result.stderr
    assert "Traceback" not in result.stderr
    assert bench.files() == []


def test_a_self_test_that_noise_hides_flags_rows_and_refuses_nothing(server, tmp_path):
    said = "unproven: the times were too uneven"
    found = server.run(
        tmp_path, ("collect", "--out", "data", "--device", "fake", "--suite", "tiny"), FAKE_SELF_TEST=said
    )
    assert found["code"] == 0
    rows = store.read_store(tmp_path / "data" / "runs").rows
    assert len(rows) == 6
    assert all("sync-unproven" in row["flags"] for row in rows)
    assert all(json.loads(row["conditions"])["sync_self_test"] == said for row in rows)


def test_a_self_test_that_fails_ends_the_run_before_anything_is_measured(server, tmp_path):
    said = "failed: synchronize returned before the work was done"
    found = server.run(
        tmp_path, ("collect", "--out", "data", "--device", "fake", "--suite", "tiny"), FAKE_SELF_TEST=said
    )
    assert found["code"] == 1
    assert said in found["err"]
    assert not list(tmp_path.glob("data/runs/*/*"))


def test_a_cell_past_its_time_is_a_timeout(tmp_path, monkeypatch):
    monkeypatch.setattr(
        process, "COMMAND", [sys.executable, str(Path(__file__).with_name("fakes.py")), "--child"]
    )
    monkeypatch.setenv("FAKE_HANG", "plain-1")
    supervisor = Supervisor("fake", 0, 0, Reporter())
    item = Planned(Cell("fake", model="plain"), Need(1, 1, 1, 1, 1))
    with supervisor.signals():
        supervisor.start()
        outcome = supervisor.measure(item, Limits(0.5, 0.1, 3), timeout_s=0.01)
    assert outcome == {"status": "timeout", "status_detail": "not finished within 0 s"}
    assert supervisor.child is None


def test_the_parent_sleeps_while_the_child_measures(monkeypatch):
    monkeypatch.setattr(
        process, "COMMAND", [sys.executable, str(Path(__file__).with_name("fakes.py")), "--child"]
    )
    supervisor = Supervisor("fake", 0, 0, Reporter())
    item = Planned(Cell("fake", model="plain"), Need(1, 1, 1, 1, 1))
    with supervisor.signals():
        supervisor.start()
        before = time.process_time()
        # A target of 0 is never reached: the child keeps a core busy until its budget ends.
        outcome = supervisor.measure(item, Limits(0.0, 2.0, 3), timeout_s=60)
        own = time.process_time() - before
    assert sum(outcome["samples_s"]) > 0
    assert own < 0.1 * sum(outcome["samples_s"])


@pytest.mark.torch
def test_real_workloads_on_the_cpu(tmp_path):
    import subprocess

    options = ("--suite", "tiny", "--device", "cpu", "--out", "data", "--workload", "encode", "--json")
    result = subprocess.run(
        [sys.executable, "-m", "bench", "collect", *options],
        cwd=tmp_path,
        env=os.environ | {"HWGUIDE_STATE": str(tmp_path / "state")},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    rows = json.loads(result.stdout)["rows"]
    assert {row["workload"] for row in rows} == {"probe", "encode"}
    assert {row["status"] for row in rows} <= {"ok", "impossible"}  # a tiny probe is no ceiling
    encode = next(row for row in rows if row["workload"] == "encode")
    if encode["probe_flops"] is None:  # on a busy machine the probe may not settle
        assert "arithmetic in fp32" in encode["status_detail"] and "not judged" in encode["status_detail"]
    else:
        assert encode["probe_flops"] > 0 and encode["efficiency"] > 0
    assert encode["engine"] == "torch"
    assert str(tmp_path) not in result.stdout.replace(json.loads(result.stdout)["path"], "")
