"""llama-bench: every form and generation gives the same row, and a contradiction is found out."""

from __future__ import annotations

import json

import pytest

from bench import schema
from bench.errors import BenchError


def by_workload(rows):
    return {row["workload"]: row for row in rows}


def test_a_row_of_json(rows):
    found = by_workload(rows("llama_2025.json"))
    prefill, decode = found["prefill"], found["decode"]
    assert prefill["rate"] == pytest.approx(8000, rel=1e-3)
    assert (prefill["input_tokens"], prefill["output_tokens"], prefill["batch"]) == (512, None, 1)
    assert (decode["input_tokens"], decode["output_tokens"]) == (None, 128)
    assert decode["device_id"] == "nvidia-rtx-4090"
    assert (decode["model"], decode["weights_dtype"]) == ("llama 8B", "q4_k_m")
    assert decode["params"] == 8_030_261_248
    assert decode["samples_s"] == [0.95, 0.951, 0.9495, 0.9504, 0.9499]
    assert decode["rate_low"] < decode["rate"] < decode["rate_high"]
    assert decode["recorded_at"].isoformat() == "2025-05-02T09:00:00+00:00"
    assert decode["engine_version"] == "b5200 (0a1b2c3d)"
    assert decode["origin"] == "published"
    assert (decode["source_id"], decode["protocol"]) == ("import:llama-bench", "import/llama-bench")
    assert decode["source_locator"].startswith("llama_2025.json, line ")
    assert json.loads(decode["settings"])["flash_attention"] == "on"


def test_folders_of_a_path_are_left_out(rows):
    for row in rows("llama_2025.json"):
        text = json.dumps({k: str(v) for k, v in row.items()})
        assert "/home" not in text
        assert "llama-3-8b.Q4_K_M.gguf" in text


def test_json_lines_give_the_same_rows(rows):
    plain = [(r["workload"], r["rate"], r["task_key"]) for r in rows("llama_2025.json")]
    assert [(r["workload"], r["rate"], r["task_key"]) for r in rows("llama_2025.jsonl")] == plain


@pytest.mark.parametrize("name", ["llama_2023.csv", "llama_2023.sql"])
def test_columns_of_2023(rows, name):
    found = by_workload(rows(name))
    assert found["prefill"]["rate"] == pytest.approx(2436, rel=1e-3)
    assert found["decode"]["rate"] == pytest.approx(133.2, rel=1e-3)
    assert found["decode"]["device_id"] == "nvidia-rtx-3090"
    assert (found["decode"]["model"], found["decode"]["weights_dtype"]) == ("llama 7B", "q4_0")
    assert json.loads(found["decode"]["conditions"])["backend"] == "CUDA,GPU BLAS,BLAS"
    assert found["decode"]["rate_low"] is None
    assert "interval-unknown" in found["decode"]["flags"]


def test_the_order_of_columns_does_not_matter(rows, tmp_path, opened):
    import csv

    with (opened("llama_2023.csv").source.path).open(newline="") as file:
        lines = list(csv.reader(file))
    path = tmp_path / "turned.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([line[::-1] for line in lines])
    assert [r["rate"] for r in rows(path)] == [r["rate"] for r in rows("llama_2023.csv")]


def test_said_repetitions_give_an_interval(rows):
    row = rows("llama_2023.csv", "sample_count=3")[1]
    # Student's 97.5 % quantile at two degrees of freedom is 4.303.
    half = 4.303 * 0.138612 / 3**0.5
    assert row["rate_high"] - row["rate"] == pytest.approx(half, rel=0.02)
    assert row["sample_count"] == 3


def test_a_log_with_two_tables(rows):
    one, deep, both = rows("llama_log.md")
    assert (one["rate"], one["device_id"], one["device_count"]) == (3100.5, "amd-rx-7900-xtx", 1)
    assert (deep["workload"], deep["context_depth"], deep["rate"]) == ("decode", 512, 148.25)
    assert (both["device_count"], both["workload"]) == (2, "generate")
    assert both["rate_unit"] == "input+output tokens/s"
    assert "mixed-tokens" in both["flags"]
    assert one["engine_version"] == "b7000 (1234abcd)"


TABLE = """| model | size | params | backend | ngl | test | t/s |
| --- | ---: | ---: | --- | --: | --- | ---: |
| llama 7B Q4_0 | 3.56 GiB | 6.74 B | GPU | 99 | tg128 | 30.00 ± 0.50 |
"""


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (
            "ggml_cuda_init: found 2 CUDA devices:\n"
            "  Device 0: NVIDIA L4, compute capability 8.9, VMM: yes\n"
            "  Device 1: NVIDIA L4, compute capability 8.9, VMM: yes\n",
            ("nvidia-l4", 2),
        ),
        (
            "ggml_cuda_init: found 1 ROCm devices:\n"
            "  Device 0: AMD Radeon RX 7900 XTX, gfx1100 (0x1100), VMM: no, Wave Size: 32\n",
            ("amd-rx-7900-xtx", 1),
        ),
        ("ggml_metal_init: GPU name:   Apple M2 Ultra\n", ("apple-m2-ultra", 1)),
        ("| 0| [level_zero:gpu:0]|   Intel Arc A770 Graphics|  1.5| 512|\n", ("intel-arc-a770-16gb", 1)),
    ],
    ids=["cuda", "rocm", "metal", "sycl"],
)
def test_devices_are_read_from_the_log_before_a_table(rows, tmp_path, log, expected):
    path = tmp_path / "log.txt"
    path.write_text(log + TABLE, encoding="utf-8")
    row = rows(path)[0]
    assert (row["device_id"], row["device_count"]) == expected


def test_a_bare_table_is_compared_with_nothing(rows):
    old = rows("llama_bare.md")
    assert [r["rate"] for r in old] == [2300.0, 130.0]
    for row in old:
        assert (row["device_id"], row["device_name"]) == (None, "unknown")
        assert "device-not-stated" in row["flags"]
        assert row["protocol"] != "import/llama-bench"
    named = rows("llama_bare.md", device_name="NVIDIA GeForce RTX 4090")
    assert {r["device_id"] for r in named} == {"nvidia-rtx-4090"}
    assert {r["protocol"] for r in named} == {"import/llama-bench"}
    assert not {r["task_key"] for r in named} & {r["task_key"] for r in old}


def test_no_gpu_found_means_the_processor(rows, changed):
    def no_gpu(value):
        for row in value:
            row["gpu_info"] = ""

    for row in rows(changed("llama_2025.json", no_gpu)):
        assert row["device_name"] == "AMD EPYC 7742 64-Core Processor"
        assert "cpu-ran" in row["flags"]
        assert json.loads(row["settings"])["runs_on"] == "cpu"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ({"gpu_info": "NVIDIA L4, NVIDIA L4"}, ("nvidia-l4", 2)),
        ({"gpu_info": "NVIDIA L4, NVIDIA L4", "split_mode": "none"}, ("nvidia-l4", 1)),
        ({"gpu_info": "NVIDIA L4, NVIDIA GeForce RTX 4090", "devices": "CUDA1"}, ("nvidia-rtx-4090", 1)),
        ({"gpu_info": "NVIDIA L4, NVIDIA GeForce RTX 4090"}, (None, 2)),
        ({"gpu_info": "Apple M4", "backends": "MTL,BLAS", "n_gpu_layers": -1}, ("apple-m4", 1)),
    ],
)
def test_which_of_the_listed_devices_ran(rows, changed, edit, expected):
    row = rows(changed("llama_2025.json", lambda value: value[1].update(edit)))[1]
    assert (row["device_id"], row["device_count"]) == expected
    assert ("several-devices-listed" in row["flags"]) == (expected[0] is None)


def test_weights_that_do_not_fit_their_label(rows, changed):
    def label(value):
        value[1].update(
            model_type="gpt-oss 20B F16", model_size=13_800_000_000, model_n_params=20_900_000_000
        )

    row = rows(changed("llama_2025.json", label))[1]
    assert row["weights_dtype"] == "mixed (5.3 bits)"
    assert "weights-type-corrected" in row["flags"]


def test_one_repetition_has_no_interval(rows, changed):
    def single(value):
        row = value[1]
        row.update(samples_ns=[950_000_000], samples_ts=[134.74], avg_ns=950_000_000, stddev_ns=0)
        row.update(avg_ts=134.736842, stddev_ts=0.0)

    row = rows(changed("llama_2025.json", single))[1]
    assert row["rate_low"] is None
    assert "single-repetition" in row["flags"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("avg_ts", 9000.1),
        ("avg_ns", 65_000_000),
        ("n_prompt", 513),
        ("samples_ns", [1, 2, 3, 4, 5]),
        ("avg_ts", "x"),
    ],
)
def test_a_changed_figure_is_found_out(rows, changed, key, value):
    path = changed("llama_2025.json", lambda found: found[0].update({key: value}))
    with pytest.raises(BenchError, match="key"):
        rows(path)
    assert [r["workload"] for r in rows(path, partial=True)] == ["decode"]


def test_a_rate_of_nothing_is_no_result(rows, changed):
    row = rows(changed("llama_2025.json", lambda value: value[0].update(avg_ts=0)))[0]
    assert (row["status"], row["rate"]) == ("failed", None)


def test_faster_than_the_device_can_be(rows, changed):
    def wrong_device(value):
        value[1]["gpu_info"] = "NVIDIA L4"  # 300 GB/s, while 134 tokens/s of 4.9 GB take twice that

    row = rows(changed("llama_2025.json", wrong_device))[1]
    assert row["status"] == "impossible"
    assert "%" in row["status_detail"]


def test_the_physics_of_a_mixture_is_not_that_of_its_size(rows, changed):
    def mixture(value):
        value[1].update(gpu_info="NVIDIA L4", model_type="qwen3moe 30B.A3B Q4_K - Medium")

    row = rows(changed("llama_2025.json", mixture))[1]
    assert (row["status"], row["active_params"]) == ("ok", 3_000_000_000)


def test_every_row_fits_the_schema(rows):
    for name in ("llama_2025.json", "llama_2023.csv", "llama_2023.sql", "llama_log.md", "llama_bare.md"):
        for row in rows(name):
            assert schema.check(row) == []


@pytest.mark.parametrize(
    ("time", "why"),
    [
        ("2099-01-01T00:00:00Z", "more than a day after 2026-06-02"),
        ("2026-06-03T00:00:01Z", "more than a day after 2026-06-02"),
    ],
)
def test_a_time_to_come_is_refused(rows, opened, changed, time, why):
    path = changed("llama_2025.json", lambda value: value[0].update(test_time=time))
    with pytest.raises(BenchError, match=f"line 1: its time is .*{why}"):
        rows(path)
    work = opened(path, partial=True)
    assert len(list(work.rows())) == 1 and work.left_out == 1


def test_a_day_from_now_is_some_time_zones_today(rows, changed):
    path = changed("llama_2025.json", lambda value: value[0].update(test_time="2026-06-03T00:00:00Z"))
    assert rows(path)


def test_a_time_that_is_given_is_held_to_the_same(rows):
    with pytest.raises(BenchError, match="its time is 2099"):
        rows("llama_2025.json", "recorded_at=2099-01-01")
