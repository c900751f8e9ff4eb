"""``bench devices`` and ``bench prices``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.cli import main

DATA = Path(__file__).parents[3] / "data"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("devices.csv", "prices.csv"):
        shutil.copy(DATA / name, folder / name)
    return folder


def bench(*args: object, code: int = 0):
    result = CliRunner().invoke(main, [str(a) for a in args])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def test_a_device_with_its_prices_and_their_ages(data):
    shown = bench("devices", "RTX", "4090", "--data", data, "--as-of", "2026-09-01").stdout
    assert "'RTX 4090' is nvidia-rtx-4090" in shown and "1008" in shown
    assert "10 days old" in shown and "history, not a price of today" in shown
    found = json.loads(bench("devices", "RTX 4090", "--data", data, "--as-of", "2026-09-01", "--json").stdout)
    assert found["device"]["class"] == "consumer" and found["device"]["compute_units"] == [128]
    new = next(p for p in found["prices"] if p["kind"] == "new")
    assert (new["low_usd"], new["median_usd"], new["age_days"], new["stale"]) == (2200, 2500, 212, False)


def test_a_name_that_could_be_several_says_which(data):
    shown = bench("devices", "NVIDIA A100", "--data", data, code=1).stdout
    assert "no single device" in shown and "nvidia-a100-sxm4-40gb: 40 GiB" in shown
    sized = json.loads(
        bench("devices", "NVIDIA GeForce RTX 3080", "--memory", "12GB", "--data", data, "--json").stdout
    )
    assert sized["resolution"]["device_id"] == "nvidia-rtx-3080-12gb"
    sliced = bench("devices", "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "--data", data).stdout
    assert "a part of the device" in sliced


def test_core_counts_tell_bins_apart(data):
    shown = bench("devices", "Apple M1", "--compute-units", 7, "--data", data).stdout
    assert "7-core" in shown


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_is_a_slip_of_the_command(data, name):
    assert "name is empty" in bench("devices", name, "--data", data, code=2).stderr


def test_a_long_name_is_cut_where_it_is_quoted(data):
    for command in ("devices", "prices"):
        result = CliRunner().invoke(main, [command, "x" * 5000, "--data", str(data)])
        assert result.exit_code in (1, 2)
        assert "x" * 60 in result.output and "x" * 100 not in result.output, command


def test_a_hostile_name_is_shown_plain(data):
    shown = bench("devices", "\x1b[31mRTX\x07 9999", "--data", data, code=1).stdout
    assert "\x1b" not in shown and "\x07" not in shown


def test_the_list_and_its_filters(data):
    every = json.loads(bench("devices", "--data", data, "--json").stdout)
    assert len(every) == 225
    some = json.loads(
        bench(
            "devices", "--vendor", "nvidia", "--class", "edge", "--memory", "64GB", "--data", data, "--json"
        ).stdout
    )
    assert {d["device_id"] for d in some} == {"nvidia-jetson-agx-orin-64gb", "nvidia-jetson-thor-t5000"}


@pytest.mark.parametrize(
    ("words", "about"),
    [
        (("devices", "RTX 4090", "--vendor", "amd"), "--vendor"),
        (("devices", "--compute-units", "7"), "--compute-units"),
        (("devices", "A100", "--memory", "lots"), "--memory"),
        (("prices", "A100"), "A100"),
        (("prices", "--as-of", "May"), "--as-of"),
        (("prices", "add", "RTX 4090", "--kind", "used", "--usd", "5"), "--"),
    ],
)
def test_wrong_usage(data, words, about):
    assert about in bench(*words, "--data", data, code=2).stderr


def test_the_catalog_check(data):
    assert bench("devices", "check", "--data", data, "--json").stdout.strip() == "[]"
    path = data / "devices.csv"
    path.write_text(path.read_text("utf-8").replace("nvidia-t4,", "nvidia t4,", 1), "utf-8")
    shown = bench("devices", "check", "--data", data, code=1)
    assert "error: line" in shown.stdout and "1 errors" in shown.stderr


def test_prices_of_one_device_never_mix_kinds(data):
    rows = json.loads(bench("prices", "RTX 4090", "--data", data, "--as-of", "2026-09-01", "--json").stdout)
    assert [r["kind"] for r in rows] == ["launch", "new", "rent-on-demand", "rent-spot"]
    assert {r["device_id"] for r in rows} == {"nvidia-rtx-4090"}
    used = bench("prices", "RTX 4090", "--kind", "used", "--data", data, "--json")
    assert json.loads(used.stdout) == [] and "No such price" in used.stderr


def test_a_price_is_added_and_answers(data):
    words = ("prices", "add", "RTX 4090", "--kind", "used", "--usd", 1650, "--on", "2026-08-30")
    words += ("--source", "https://example.org/offer", "--stat", "report", "--data", data)
    before = (data / "prices.csv").read_bytes()
    assert bench(*words, "--dry-run").stdout.startswith("nvidia-rtx-4090,used,1650,unit,1,,,2026-08-30")
    assert (data / "prices.csv").read_bytes() == before
    bench(*words)
    assert "already" in bench(*words, code=2).stderr
    rows = json.loads(bench("prices", "RTX 4090", "--kind", "used", "--data", data, "--json").stdout)
    assert [r["median_usd"] for r in rows] == [1650]


def test_the_price_check_fails_on_errors_alone(data):
    clean = bench("prices", "check", "--as-of", "2026-12-01", "--data", data)
    assert "0 errors" in clean.stderr and "warning: " in clean.stdout
    early = bench("prices", "check", "--as-of", "2026-01-01", "--data", data, "--json", code=1)
    assert {r["severity"] for r in json.loads(early.stdout)} == {"error", "warning"}


def test_a_malformed_price_is_one_sentence(data):
    path = data / "prices.csv"
    header, first, *rest = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([header, f"nobody{first[first.index(',') :]}", *rest]) + "\n", encoding="utf-8")
    shown = bench("prices", "check", "--data", data, code=1).stdout.splitlines()[0]
    assert shown == (
        "error: line 2: column device_id: found 'nobody', expected the id of a device in devices.csv."
    )


def test_without_the_files_a_person_is_told_where_to_look(tmp_path):
    assert "no devices.csv" in bench("devices", "--data", tmp_path, code=1).stderr
