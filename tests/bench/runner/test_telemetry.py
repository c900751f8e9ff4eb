"""The sampling process in real runs: what it leaves in rows, and that it goes when its owner does."""

from __future__ import annotations

import json
import os
import select
import signal
import time

import psutil
import pytest

from bench import store
from bench.telemetry import KEYS

SUITE = ("--device", "fake", "--suite", "tiny")
LINUX = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd_open (Linux)")


def telemetry(row):
    return json.loads(row["environment"])["telemetry"]


def sampler_of(child: int) -> int:
    """The sampling process of a measuring one."""
    [found] = [p.pid for p in psutil.Process(child).children() if "bench.telemetry.sampler" in p.cmdline()]
    return found


def test_every_measured_row_says_what_went_on(bench):
    before = time.time()
    assert bench.collect(*SUITE).returncode == 0
    for row in bench.rows().values():
        found = telemetry(row)
        assert found.keys() <= KEYS.keys()
        assert found["sampled_at_ends_only"] is True
        begin, end = found["window_unix_s"]
        assert before <= begin <= end <= time.time()
        assert 0 < found["timed_share"] <= 1
        assert (row["energy_j"], row["energy_validity"]) == (None, "no-counter")
        assert found["energy_note"]


@LINUX
@pytest.mark.parametrize("victim", ["parent", "child"])
def test_the_sampler_goes_with_its_owner(bench, victim):
    process = bench.start("collect", "--out", "data", *SUITE, FAKE_HANG="other-2", FAKE_SAMPLER="1")
    child = bench.until("other-2")
    sampler = os.pidfd_open(sampler_of(child))
    if victim == "child":
        os.kill(child, signal.SIGKILL)
    else:
        process.kill()
    assert select.select([sampler], [], [], 60)[0], "the sampler outlived its owner"
    os.close(sampler)


@LINUX
def test_a_killed_sampler_costs_no_cell(bench):
    process = bench.start("collect", "--out", "data", *SUITE, FAKE_SAMPLER="1")
    _, child = bench.next_cell()
    os.kill(sampler_of(child), signal.SIGKILL)
    process.communicate()
    assert process.returncode == 0
    assert {row["status"] for row in bench.rows().values()} == {"ok"}
    assert all(telemetry(row)["samples"] >= 1 for row in bench.rows().values())


def test_a_run_has_anchors_and_their_drift_is_on_its_rows(bench):
    assert bench.collect(*SUITE, FAKE_PROBE="1").returncode == 0
    [path] = bench.files()
    anchors = store.read_meta(path)["anchors"]
    assert [anchor["at"] for anchor in anchors] == ["start", "middle", "end"]
    rates = [anchor["rate"] for anchor in anchors]
    drift = max(rates) / min(rates) - 1
    assert len(bench.rows()) == 6, "anchors are no cells"
    for row in bench.rows().values():
        assert telemetry(row)["anchor_drift"] == pytest.approx(drift, abs=1e-5)


def test_a_stopped_run_has_no_anchor_at_its_end(bench):
    process = bench.start("collect", "--out", "data", *SUITE, FAKE_PROBE="1", FAKE_HANG="other-2")
    bench.until("other-2")
    process.send_signal(signal.SIGINT)
    process.communicate()
    [path] = bench.files()
    assert "end" not in [anchor["at"] for anchor in store.read_meta(path)["anchors"]]
    assert bench.rows()["other-2"]["status"] == "interrupted"


def test_wall_readings_become_energy(bench):
    """The meter wrote before and will have written after: its file reaches over the whole run."""
    now = time.time()
    readings = "".join(f"{now + second:.1f},{50.0}\n" for second in range(-5, 600))
    (bench.folder / "meter.csv").write_text("timestamp,watts\n" + readings)
    assert bench.collect(*SUITE, "--energy-meter", "meter.csv").returncode == 0
    for row in bench.rows().values():
        begin, end = telemetry(row)["window_unix_s"]
        share = telemetry(row)["timed_share"]
        assert row["energy_j"] == pytest.approx(50 * (end - begin) * share)
        assert (row["energy_scope"], row["energy_validity"]) == ("wall", "ok")
        assert row["idle_power_w"] == pytest.approx(50)


@pytest.mark.parametrize(
    ("content", "words", "code"),
    [(None, "does not exist", 2), ("timestamp,watts\n1700000000,4\nnoon,5\n", "line 3", 1)],
)
def test_a_meters_file_at_fault_ends_before_anything_is_measured(bench, content, words, code):
    if content is not None:
        (bench.folder / "meter.csv").write_text(content)
    result = bench.collect(*SUITE, "--energy-meter", "meter.csv")
    assert result.returncode == code
    assert words in result.stderr
    assert bench.files() == []
