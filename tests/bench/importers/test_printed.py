"""Forms as programs print them: LocalScore without a power sensor, and rows of vLLM's nightly evaluation."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def printed(opened, tmp_path):
    """The LocalScore fixture with what its program prints for a rate over a power of 0."""
    value = json.loads(opened("localscore.json").source.path.read_text("utf-8"))
    value.pop("results_summary")
    for test in value["results"]:
        test.update(
            power_watts=0.0, prompt_tps_watt="INF", gen_tps_watt="-NAN", test_time="2025-04-03T10:00:00Z"
        )
    text = json.dumps(value, indent=2).replace('"INF"', "inf").replace('"-NAN"', "-nan")
    path = tmp_path / "printed.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_words_that_are_no_numbers_are_missing(rows, printed):
    found = rows(printed)
    assert [r["rate"] for r in found] == [r["rate"] for r in rows("localscore.json")]
    assert all(r["mean_power_w"] is None for r in found)
    assert all("zero-meant-unknown" in r["flags"] for r in found[:-2])
    assert {r["recorded_at"].isoformat() for r in found} == {"2025-04-03T10:00:00+00:00"}


def test_the_same_words_in_csv(rows, opened, tmp_path):
    value = json.loads(opened("localscore.json").source.path.read_text("utf-8"))
    names = (
        "model_type",
        "model_n_params",
        "n_prompt",
        "n_gen",
        "avg_time_ms",
        "prompt_tps",
        "gen_tps",
        "ttft_ms",
    )
    lines = [",".join((*names, "prompt_tps_watt", "power_watts"))]
    for test in value["results"]:
        lines.append(",".join(f'"{v}"' for v in (*(test[name] for name in names), "inf", "0.000000")))
    path = tmp_path / "printed.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = rows(path, device_name="NVIDIA GeForce RTX 3090")
    assert found[0]["rate"] == value["results"][0]["prompt_tps"]
    assert found[0]["weights_dtype"] == "q4_k_m"


def test_a_device_for_hardware(rows, changed):
    def nightly(value):
        value[0]["device"] = value[0].pop("hw")
        value[0].update(date="2026-05-30 17:44:42", spec_decoding="false", disagg="false")

    row, plain = rows(changed("inferencex.json", nightly))[0], rows("inferencex.json")[0]
    assert (row["device_id"], row["task_key"]) == (plain["device_id"], plain["task_key"])
    assert row["recorded_at"].isoformat() == "2026-05-30T17:44:42+00:00"
