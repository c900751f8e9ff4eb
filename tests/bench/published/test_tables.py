"""The published tables: counts, and figures held against the sources."""

import json
import math
from collections import Counter

import pytest

from bench import schema
from bench.published import FLAGS


def test_every_row_fits_the_schema_and_says_where_it_is_from(published):
    for row in published.rows:
        assert schema.check(row) == []
        assert row["origin"] == "published" and row["value_kind"] and row["source_locator"]
        assert row["source_id"] in published.sources
        assert set(row["flags"]) <= set(FLAGS)
        if row["status"] != "ok":
            assert row["rate"] is None and row["job_s"] is None and row["status_detail"]
        for value in row.values():
            assert not isinstance(value, float) or math.isfinite(value)


def test_no_two_rows_of_a_source_are_the_same_cell(published):
    keys = Counter(
        (
            r["source_id"],
            r["task_key"],
            r["device_name"],
            r["device_count"],
            r["value_kind"],
            r["source_locator"],
        )
        for r in published.rows
    )
    assert max(keys.values()) == 1
    assert len({r["cell_id"] for r in published.rows}) == len(published.rows)


def test_no_task_is_shared_between_sources_or_with_the_collector(published):
    owners: dict[str, set[str]] = {}
    for row in published.rows:
        owners.setdefault(row["task_key"], set()).add(row["source_id"])
        assert row["protocol"] != "hwguide"
    assert all(len(sources) == 1 for sources in owners.values())


def test_devices_are_what_the_catalog_makes_of_their_names(published, catalog):
    for row in {(r["device_name"], r["device_id"]): r for r in published.rows}.values():
        found = catalog.resolve(row["device_name"], memory_bytes=row["device_memory_bytes"])
        if row["device_id"] is None:
            assert found.device_id is None, row["device_name"]
        else:
            assert row["device_id"] in catalog.devices
            assert row["device_id"] in (found.device_id, *found.candidates), row["device_name"]


COUNTS = {
    "article1": 12, "xiongjie": 880, "llamacpp_cuda": 176, "llamacpp_rocm": 42, "llamacpp_vulkan": 74,
    "llamacpp_apple": 166, "llamacpp_dgx_spark": 110, "geerling": 102, "mamf": 20,
    "mlperf": 1413, "mlperf_training": 385, "qualcomm_llm": 34, "localscore": 488,
    "qualcomm_networks": 1319, "argonne": 3497, "mlperf_tiny": 73, "mlenergy": 512,
}  # fmt: skip


def test_every_table_is_whole(published):
    assert Counter(r["source_id"] for r in published.rows) == COUNTS


@pytest.mark.parametrize(
    ("source_id", "rate", "where"),
    [
        ("llamacpp_cuda", 300.4, {"device_id": "nvidia-rtx-5090", "workload": "decode"}),
        ("llamacpp_rocm", 11476.4, {"device_id": "amd-mi300x", "workload": "prefill"}),
        ("llamacpp_rocm", 232.92, {"device_id": "amd-mi300x", "workload": "decode"}),
        ("llamacpp_apple", 63.93, {"device_name": "Apple M3 Ultra (80-core GPU)", "weights_dtype": "q8_0"}),
        ("llamacpp_apple", 1538.34, {"device_name": "Apple M3 Ultra (80-core GPU)", "weights_dtype": "fp16"}),
        ("llamacpp_dgx_spark", 3782.76, {"model": "gpt-oss-20b", "workload": "prefill", "context_depth": 0}),
        ("mamf", 1565e12, {"device_id": "amd-mi355x", "compute_dtype": "bf16"}),
        ("mlperf", 146960.0, {"device_count": 8, "model": "llama3.1-8b", "energy_scope": "wall"}),
        ("mlperf", 29228.2, {"device_id": "nvidia-h200-sxm-141gb", "model": "llama2-70b-99"}),
        ("geerling", 122.85, {"device_id": "nvidia-rtx-3060-12gb", "model": "Llama-3.2-3B"}),
    ],
)
def test_figure_as_printed(one, source_id, rate, where):
    assert one(source_id, rate=rate, **where)["status"] == "ok"


def test_training_rates_are_runs_an_hour(one):
    row = one("mlperf_training", device_id="amd-rx-7900-xtx", model="bert")
    assert (row["device_count"], row["sample_count"], row["rate_unit"]) == (6, 10, "runs/h")
    assert row["rate"] == pytest.approx(60 / 300.5089, rel=1e-5)
    assert row["job_s"] == pytest.approx(300.5089 * 60, rel=1e-5)


def test_rounds_of_mlperf_are_never_one_task(rows):
    tasks = {r["task_key"]: r["protocol"] for r in rows("mlperf")}
    assert all(tasks[r["task_key"]] == r["protocol"] for r in rows("mlperf"))
    assert {r["settings"] for r in rows("mlperf")} and not {r["rate_unit"] for r in rows("mlperf")} - {
        "tokens/s",
        "samples/s",
        "queries/s",
    }


def test_uploads_are_medians_with_their_number(rows):
    for row in rows("localscore"):
        assert row["flags"] == ["median-of-uploads"] and row["sample_count"] >= 1
        assert row["device_id"] is not None


def test_second_hand_figures_say_so(published):
    for row in published.rows:
        transcribed = row["source_id"] in (
            "llamacpp_cuda",
            "llamacpp_rocm",
            "llamacpp_vulkan",
            "llamacpp_apple",
        )
        assert ("second-hand" in row["flags"]) == transcribed


def test_newer_builds_are_not_ranked_with_the_reference_build(rows):
    old = {r["task_key"] for r in rows("llamacpp_apple") if "newer-build" not in r["flags"]}
    new = {r["task_key"] for r in rows("llamacpp_apple") if "newer-build" in r["flags"]}
    assert old and new and not old & new


def test_peak_power_at_the_wall_is_not_a_mean(rows):
    found = [r for r in rows("geerling") if "wall-peak-power" in r["flags"]]
    assert len(found) == 86
    assert all(r["mean_power_w"] is None and "wall_peak_power_w" in r["conditions"] for r in found)


def test_prompt_and_generated_tokens_together_are_a_unit_and_a_workload_of_their_own(rows, published):
    found = rows("argonne")
    others = [r for r in published.rows if r["source_id"] != "argonne"]
    for column in ("rate_unit", "workload", "protocol"):
        (mine,) = {r[column] for r in found}
        assert mine not in {r[column] for r in others}
    assert all("mixed-tokens" in r["flags"] and r["input_tokens"] == r["output_tokens"] for r in found)
    good = [r for r in found if r["status"] == "ok"]
    for row in good:
        tokens = row["batch"] * (row["input_tokens"] + row["output_tokens"])
        assert row["rate"] == pytest.approx(tokens / row["job_s"], rel=0.03)


def test_tokens_that_cannot_have_been_generated_are_impossible(rows, one):
    where = {"device_name": "NVIDIA GH200", "model": "bloom-7b1", "input_tokens": 2048}
    broken = one("argonne", batch=1, **where)
    assert broken["status"] == "impossible" and "91915.33" in broken["status_detail"]
    rest = [r for r in rows("argonne", **where) if r["status"] == "ok"]
    assert rest and all("source-anomaly" in r["flags"] for r in rest)
    assert one("argonne", source_locator="Plots/All_results.csv line 2")["rate"] == 371.9272


def test_networks_on_processor_and_npu_are_different_tasks(rows):
    found = rows("qualcomm_networks", device_name="Dragonwing IQ-9075 EVK", model="resnet50")
    printed = [r for r in found if r["weights_dtype"] == "float" and r["engine"] == "tflite"]
    assert [r["rate"] for r in printed] == [pytest.approx(1000 / 3.343, rel=1e-6)]
    tasks: dict[str, set[str]] = {}
    for row in rows("qualcomm_networks"):
        asked = json.loads(row["settings"])
        assert asked["compute_unit"] in ("NPU", "GPU", "CPU") and row["batch"] == 1
        tasks.setdefault(row["task_key"], set()).add(asked["compute_unit"])
        assert ("proxy-device" in row["flags"]) == ("Proxy" in row["device_name"])
        assert row["rate"] == pytest.approx(1000 / json.loads(row["conditions"])["latency_ms"], rel=1e-6)
    assert all(len(units) == 1 for units in tasks.values())


def test_small_boards_state_energy_for_one_inference(rows, one):
    row = one("mlperf_tiny", device_name="NDP9120 (Syntiant Core 2)", source_locator="summary.csv line 8")
    assert (row["rate"], row["energy_scope"]) == (228.982, "board")
    assert row["energy_j"] / row["sample_count"] == pytest.approx(31.537e-6)
    assert sum(r["energy_j"] is not None for r in rows("mlperf_tiny")) == 18


def test_energy_of_serving_is_medians_within_one_latency_band(rows):
    found = rows("mlenergy")
    configurations = sum(r["sample_count"] for r in found)
    assert configurations == 1858 and all("median-of-configurations" in r["flags"] for r in found)
    for row in found:
        conditions = json.loads(row["conditions"])
        assert conditions["configurations"] == row["sample_count"] and row["energy_scope"] == "device"
        assert conditions["lowest_rate"] <= row["rate"] <= conditions["highest_rate"]
        band = json.loads(row["settings"]).get("inter_token_median")
        assert (band is not None) == (row["workload"] == "mlenergy-text")
        if band in ("10 to 20 ms", "20 to 40 ms", "40 to 80 ms"):
            low, high = (float(part) for part in band.removesuffix(" ms").split(" to "))
            assert low < row["inter_token_p50_ms"] <= high
