"""The other formats, optimum-benchmark to plain CSV: their figures, and what is corrected."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from bench.errors import BenchError

SUMMARY = Path("mlperf/v4.1/closed/Example/results/1xL4/llama2-70b-99/Offline/mlperf_log_summary.txt")


def one(found):
    (row,) = found
    return row


# optimum-benchmark


def test_a_report_with_its_configuration(rows):
    found = {row["workload"]: row for row in rows("optimum/benchmark_report.json")}
    assert set(found) == {"prefill", "decode", "generate"}
    assert found["prefill"]["rate"] == pytest.approx(2 * 256 / 0.04025)
    assert found["decode"]["rate"] == pytest.approx(2 * 63 / 1.26)
    assert found["decode"]["inter_token_p50_ms"] is None
    assert "per-token-cumulative" in found["decode"]["flags"]
    assert found["generate"]["rate"] == pytest.approx(2 * 64 / 1.305)
    assert {"unit-corrected", "includes-prefill"} <= set(found["generate"]["flags"])
    for row in found.values():
        assert (row["device_id"], row["device_count"]) == ("nvidia-a100-sxm4-80gb", 1)
        assert row["load_s"] == 11.5
    assert found["decode"]["peak_memory_bytes"] == 6_800_500_000


def test_per_token_times_that_do_not_pile_up_are_taken(rows, changed, tmp_path):
    path = changed("optimum/benchmark_report.json", lambda v: v["per_token"].update(_latency(252)))
    changed("optimum/benchmark_config.json", lambda v: None)
    row = next(r for r in rows(path) if r["workload"] == "decode")
    assert row["inter_token_p50_ms"] == pytest.approx(20)


def _latency(count):
    return {"latency": {"unit": "s", "values": [], "count": count, "mean": 0.02, "p50": 0.02, "p95": 0.03}}


def test_training_throughput_is_computed_anew(rows):
    row = one(rows("optimum/benchmark.json"))
    assert (row["workload"], row["rate"]) == ("train", pytest.approx(20))
    assert "training-throughput-corrected" in row["flags"]
    assert row["device_memory_bytes"] == 16_106_127_360
    assert "megabytes-were-bytes" in row["flags"]


def test_the_processor_ran_though_a_gpu_is_listed(rows, changed):
    path = changed("optimum/benchmark.json", lambda v: v["config"]["backend"].update(device="cpu"))
    assert one(rows(path))["device_name"] == "AMD EPYC 7742 64-Core Processor"


def test_the_csv_of_2023(rows):
    forward, generate = rows("optimum_2023/inference_results.csv")
    assert (forward["rate"], forward["rate_unit"]) == (16.0, "samples/s")
    assert (generate["rate"], generate["rate_unit"]) == (200.0, "output tokens/s")
    assert "includes-prefill" in generate["flags"]
    assert generate["weights_dtype"] == "gptq-int4"


def test_a_negative_latency_is_a_failure(rows, changed):
    def negative(value):
        latency = value["report"]["train"]["latency"]
        latency.update(values=[], count=None, total=None, mean=-0.1)

    row = one(rows(changed("optimum/benchmark.json", negative)))
    assert (row["status"], row["rate"]) == ("failed", None)


# serving


def test_vllm_serve(rows):
    row = one(rows("vllm_serve.json", device_name="NVIDIA L4"))
    assert (row["rate"], row["rate_unit"], row["workload"]) == (128.0, "output tokens/s", "serve")
    assert (row["input_tokens"], row["output_tokens"], row["batch"]) == (1600, 256, 4)
    assert (row["first_token_ms"], row["inter_token_p50_ms"]) == (245.0, 19.9)
    assert row["device_id"] == "nvidia-l4"
    assert "device-set-by-hand" in row["flags"]


@pytest.mark.parametrize(
    "edit",
    [
        {"completed": 0, "total_output_tokens": 0, "output_throughput": 0.0, "request_throughput": 0.0},
        {"failed": 52},
        {"num_prompts": 102},
        {"errors": ["", "connection refused"]},
        {"output_lens": [256, 0]},
        {"failed": 50, "median_ttft_ms": float("nan"), "output_throughput": 0.0},
    ],
)
def test_failed_requests_make_a_failed_run(rows, changed, edit):
    def fail(value):
        value.update(edit)
        if edit.get("completed") == 0:
            value.update(total_token_throughput=800.0)

    row = one(rows(changed("vllm_serve.json", fail), device_name="NVIDIA L4"))
    assert (row["status"], row["rate"], row["first_token_ms"]) == ("failed", None, None)
    assert row["status_detail"]


@pytest.mark.parametrize(
    "edit",
    [
        {"output_throughput": 228.0},
        {"duration": 50.0},
        {"p99_ttft_ms": 20.0},
        {"completed": 51},
        {"duration": "x"},
    ],
)
def test_overwritten_figures_are_found_out(rows, changed, edit):
    with pytest.raises(BenchError, match="line 1"):
        rows(changed("vllm_serve.json", lambda value: value.update(edit)))


def test_a_fixed_request_rate_is_a_task_of_its_own(rows, changed):
    full = one(rows("vllm_serve.json", device_name="NVIDIA L4"))
    path = changed("vllm_serve.json", lambda value: value.update(request_rate=0.5))
    limited = one(rows(path, device_name="NVIDIA L4"))
    assert "load-limited" in limited["flags"]
    assert limited["task_key"] != full["task_key"]


def test_sglang(rows):
    row = one(rows("sglang.jsonl", device_name="NVIDIA A100-SXM4-80GB"))
    assert (row["rate"], row["device_count"], row["model"]) == (600.0, 2, "chat-8B")
    assert (row["input_tokens"], row["output_tokens"]) == (500, 60)
    assert "itl-is-chunk-gap" in row["flags"]
    assert row["inter_token_p50_ms"] == 29.0


def test_vllm_latency_without_and_with_what_ran(rows):
    alone = one(rows("vllm_latency.json"))
    assert (alone["rate"], alone["rate_unit"]) == (0.5, "batches/s")
    assert {"settings-not-stated", "device-not-stated"} <= set(alone["flags"])
    given = ("batch=8", "input_tokens=32", "output_tokens=128", "model=example/chat-8B")
    told = one(rows("vllm_latency.json", *given, device_name="NVIDIA L4"))
    assert (told["rate"], told["rate_unit"]) == (8 * 128 / 2, "output tokens/s")
    assert told["protocol"] == "import/vllm-latency"
    assert "settings-set-by-hand" in told["flags"]


def test_vllm_throughput_mixes_tokens(rows):
    row = one(rows("vllm_throughput.json"))
    assert (row["rate"], row["rate_unit"]) == (1600.0, "input+output tokens/s")
    assert "mixed-tokens" in row["flags"]


def test_a_machine_type_is_no_device(rows):
    limited, full = rows("vllm_nightly.json")
    assert (limited["device_name"], limited["device_count"]) == ("unknown", 4)
    assert "load-limited" in limited["flags"]
    assert (full["device_id"], full["rate"]) == ("nvidia-h200-sxm-141gb", 1800.0)


def test_inferencex(rows):
    whole, part = rows("inferencex.json")
    assert (whole["rate"], whole["rate_unit"]) == (200.0, "output tokens/s per device")
    assert (whole["device_id"], whole["device_count"]) == ("nvidia-b300-288gb", 8)
    assert whole["first_token_ms"] == pytest.approx(900)
    assert "generation-phase-only" in part["flags"]
    assert "generation-phase-only" not in whole["flags"]
    assert whole["task_key"] != part["task_key"]


# MLPerf


def test_mlperf_with_its_system(rows, opened):
    row = one(rows(str(SUMMARY)))
    assert (row["rate"], row["rate_unit"]) == (2950.5, "tokens/s")
    assert (row["model"], row["engine_version"]) == ("llama2-70b-99", "v4.1")
    assert (row["device_id"], row["device_count"]) == ("nvidia-l4", 2)
    assert json.loads(row["settings"])["scenario"] == "Offline"
    assert row["first_token_ms"] is None


def changed_summary(tmp_path, opened, old, new):
    text = opened(str(SUMMARY)).source.path.read_text("utf-8")
    assert old in text
    path = tmp_path / "llama2-70b-99" / "mlperf_log_summary.txt"
    path.parent.mkdir()
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new"), [("is : VALID", "is : INVALID"), ("No errors", "3 ERRORS"), ("No errors", "1 ERROR")]
)
def test_an_invalid_run_has_no_rate(rows, opened, tmp_path, old, new):
    row = one(rows(changed_summary(tmp_path, opened, old, new)))
    assert (row["status"], row["rate"]) == ("failed", None)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("PerformanceOnly", "AccuracyOnly", "no performance run"),
        ("Samples per second: 10", "Samples per second: 12", "other figures give"),
        ("Tokens per second: 2950.5\n", "", "tokens a second are missing"),
        ("No errors encountered during test.", "", "breaks off"),
        ("2950.5", "fast", "found 'fast'"),
    ],
)
def test_a_summary_that_is_refused(rows, opened, tmp_path, old, new, why):
    with pytest.raises(BenchError, match=why):
        rows(changed_summary(tmp_path, opened, old, new))


def test_the_official_latency_is_the_estimate(rows, opened, tmp_path):
    text = opened(str(SUMMARY)).source.path.read_text("utf-8")
    top, rest = text.split("Samples per second: 10\nTokens per second: 2950.5\n")
    top = top.replace("Offline", "SingleStream") + "90th percentile latency (ns) : 4000000\n"
    rest = rest.replace(
        "Early stopping satisfied: Yes\n",
        "Early stopping satisfied: Yes\nEarly Stopping Result:\n"
        " * Early stopping 90th percentile estimate: 5000000\n",
    ).replace("samples_per_query : 24000", "samples_per_query : 1")
    path = tmp_path / "mlperf_log_summary.txt"
    path.write_text(top + rest, encoding="utf-8")
    row = one(rows(path, "model=gptj-99"))
    assert row["rate"] == pytest.approx(200)
    assert "official-latency" in row["flags"]
    assert "5000000" in row["status_detail"]


def test_an_estimate_above_the_longest_latency(rows, opened, tmp_path):
    old = "Samples per second: 10\nTokens per second: 2950.5\n"
    new = "99th percentile latency (ns) : 2400000000001\n"
    path = changed_summary(tmp_path, opened, old, new)
    path.write_text(path.read_text("utf-8").replace("Early stopping satisfied: Yes\n", ""), encoding="utf-8")
    path.write_text(path.read_text("utf-8").replace("Offline", "MultiStream"), encoding="utf-8")
    with pytest.raises(BenchError, match="above the longest"):
        rows(path)


def test_a_system_description_alone_is_no_result(opened):
    with pytest.raises(BenchError, match="belongs to a result"):
        opened("mlperf/v4.1/closed/Example/systems/1xL4.json")


# LocalScore


def test_localscore(rows):
    found = rows("localscore.json")
    assert len(found) == 20
    first = found[0]
    assert (first["rate"], first["workload"], first["mean_power_w"]) == (4000.0, "prefill", 280.0)
    assert found[2]["mean_power_w"] is None
    assert "zero-meant-unknown" in found[2]["flags"]
    assert {row["weights_dtype"] for row in found} == {"q4_k_m"}
    means = [row for row in found if "mean-over-shapes" in row["flags"]]
    assert [row["rate"] for row in means] == [pytest.approx(3600), pytest.approx(96)]
    assert len({row["task_key"] for row in found}) == 20


def test_an_apple_gpu_has_the_memory_of_its_machine(rows, changed):
    def apple(value):
        value["accelerator_info"].update(name="Apple M1 Pro 8P+2E+16GPU", memory_gb=21.33)
        value["system_info"]["ram_gb"] = 32.0

    row = rows(changed("localscore.json", apple))[0]
    assert (row["device_id"], row["device_memory_bytes"]) == ("apple-m1-pro", 32 * 2**30)


def test_a_changed_test_contradicts_its_time(rows, changed):
    path = changed("localscore.json", lambda v: v["results"][3].update(gen_tps=270.0))
    with pytest.raises(BenchError, match="test 4"):
        rows(path)


def test_the_short_csv(rows):
    found = rows("localscore.csv", device_name="NVIDIA GeForce RTX 3090")
    assert [row["rate"] for row in found] == [4000.0, 100.0, 3900.0, 99.0]
    assert all("settings-not-stated" in row["flags"] for row in found)


def test_a_database(rows, tmp_path):
    path = tmp_path / "site.sqlite"
    con = sqlite3.connect(path)
    con.executescript("""
        CREATE TABLE accelerators (id, name, type, memory_gb);
        CREATE TABLE models (id, name, params);
        CREATE TABLE model_variants (id, model_id, quantization);
        CREATE TABLE benchmark_runs (id, accelerator_id, model_variant_id, created_at);
        CREATE TABLE test_results (id, benchmark_run_id, n_prompt, n_gen, prompt_tps, gen_tps, power_watts);
        INSERT INTO accelerators VALUES (1, 'Apple M4 Max 12P+4E', 'CPU', 128.0), (2, 'NVIDIA L4', 'GPU', 0);
        INSERT INTO models VALUES (1, 'Example 1B', 1500000000);
        INSERT INTO model_variants VALUES (1, 1, 'Q4_K - Medium');
        INSERT INTO benchmark_runs VALUES (7, 1, 1, '2025-03-19 21:50:27'), (8, 2, 1, '2025-03-19 21:51:27');
        INSERT INTO test_results VALUES (1, 7, 1024, 16, 800.0, 150.0, 0.0);
        INSERT INTO test_results VALUES (2, 8, 1024, 16, 900.0, 160.0, 50);
    """)
    con.commit()
    con.close()
    found = rows(path)
    assert [row["rate"] for row in found] == [800.0, 150.0, 900.0, 160.0]
    assert (found[0]["device_id"], found[0]["device_name"]) == (None, "Apple M4 Max 12P+4E (CPU)")
    assert (found[2]["device_id"], found[2]["mean_power_w"]) == ("nvidia-l4", 50.0)
    with pytest.raises(BenchError, match="several devices"):
        rows(path, device_name="NVIDIA L4")


# CSV


def test_plain_csv(rows):
    first, second = rows("generic.csv")
    assert (first["rate"], first["rate_low"], first["sample_count"]) == (101.5, 100.0, 7)
    assert (first["device_id"], first["protocol"]) == ("nvidia-rtx-4090", "import/csv")
    assert json.loads(first["settings"]) == {"kind": "x", "protocol": "lab-2026"}
    assert "interval-unknown" in second["flags"]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("101.5", "99", "inside its interval"),
        ("101.5", "-1", "number from 0"),
        ("101.5", "nan", "number from 0"),
        ("rate_low", "rate_lowest", "is no column"),
        (",33,", ",33,9,", "values, but the header"),
    ],
)
def test_plain_csv_that_is_refused(rows, opened, tmp_path, old, new, why):
    text = opened("generic.csv").source.path.read_text("utf-8")
    path = tmp_path / "a.csv"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BenchError, match=why):
        rows(path)
