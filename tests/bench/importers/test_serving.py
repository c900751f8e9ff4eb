"""Serving clients in all their forms: metadata, PyTorch's records, servers apart; every figure is made up."""

from __future__ import annotations

import json
import math

import pytest

from bench.errors import BenchError


@pytest.fixture
def plain(opened):
    def read(name: str) -> dict:
        return json.loads(opened(name).source.path.read_text("utf-8"))

    return read


@pytest.fixture
def written(tmp_path):
    def write(value, name: str = "a.pytorch.json"):
        path = tmp_path / name
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return write


def records(args: dict, metrics: dict[str, list], extra: dict) -> list[dict]:
    return [
        {
            "benchmark": {"name": "vLLM benchmark", "extra_info": {"args": args}},
            "model": {"name": args["model"]},
            "metric": {"name": name, "benchmark_values": values, "extra_info": extra},
        }
        for name, values in metrics.items()
    ]


def test_records_of_serve_are_the_plain_result(rows, plain, written):
    value = plain("vllm_serve.json")
    timed = {key for key in value if key.endswith(("_ttft_ms", "_tpot_ms", "_itl_ms"))}
    extra = {key: value[key] for key in value if key not in timed}
    args = {"model": "example/chat-8B", "tensor_parallel_size": 2}
    (found,) = rows(written(records(args, {key: [value[key]] for key in timed}, extra)))
    (same,) = rows("vllm_serve.json")
    names = ("rate", "rate_unit", "model", "batch", "input_tokens", "first_token_ms", "inter_token_p99_ms")
    assert [found[name] for name in names] == [same[name] for name in names]
    assert found["device_count"] == 2


def test_records_of_latency_say_what_ran(rows, plain, written):
    value = plain("vllm_latency.json")
    args = {"model": "/home/user/models/chat-8B", "batch_size": 8, "input_len": 32, "output_len": 128}
    args |= {
        "tensor_parallel_size": 4,
        "pipeline_parallel_size": 1,
        "dtype": "bfloat16",
        "quantization": None,
    }
    extra = {key: value[key] for key in ("avg_latency", "percentiles")}
    path = written(records(args, {"latency": value["latencies"]}, extra))
    (found,) = rows(path, device_name="NVIDIA L4")
    assert (found["rate"], found["rate_unit"]) == (8 * 128 / 2, "output tokens/s")
    assert (found["model"], found["batch"], found["device_count"]) == ("chat-8B", 8, 4)
    assert found["samples_s"] == value["latencies"]
    assert "settings-not-stated" not in found["flags"]
    with pytest.raises(BenchError, match="states batch as 8"):
        rows(path, "batch=16")


def test_records_of_throughput(rows, plain, written):
    value = plain("vllm_throughput.json")
    rates = {key: [value[key]] for key in ("requests_per_second", "tokens_per_second")}
    extra = {key: value[key] for key in value if key not in rates}
    args = {"model": "example/chat-8B", "input_len": 300, "output_len": 100}
    (found,) = rows(written(records(args, rates, extra)))
    assert (found["rate"], found["input_tokens"], found["output_tokens"]) == (1600.0, 300, 100)


def test_several_runs_in_one_file_of_records(rows, plain, written):
    value = plain("vllm_throughput.json")
    rates = {key: [value[key]] for key in ("requests_per_second", "tokens_per_second")}
    extra = {key: value[key] for key in value if key not in rates}
    both = [r for name in ("a/one-1B", "a/two-2B") for r in records({"model": name}, rates, extra)]
    assert [row["model"] for row in rows(written(both))] == ["a/one-1B", "a/two-2B"]


def test_a_changed_figure_of_a_record(rows, plain, written):
    value = plain("vllm_throughput.json")
    rates = {"requests_per_second": [value["requests_per_second"]], "tokens_per_second": [1700.0]}
    extra = {key: value[key] for key in value if key not in rates}
    with pytest.raises(BenchError, match="tokens_per_second"):
        rows(written(records({"model": "a/one-1B"}, rates, extra)))


def test_latencies_without_totals_have_no_rate(rows, plain, written):
    value = plain("vllm_serve.json")
    gone = ("duration", "completed", "output_throughput", "total_token_throughput", "request_throughput")
    with pytest.raises(BenchError, match="key 'duration': is missing"):
        rows(written({key: value[key] for key in value if key not in gone}, "a.json"))


@pytest.mark.parametrize(
    ("metadata", "device", "count"),
    [
        ({"gpu": "NVIDIA L4"}, "nvidia-l4", 1),
        ({"gpu_name": "NVIDIA L4", "tensor_parallel_size": "2"}, "nvidia-l4", 2),
        ({"hardware": "4xNVIDIA L4"}, "nvidia-l4", 4),
        ({"gpu": 0, "tp": 2}, None, 2),
        ({"gpu": "true"}, None, 1),
    ],
)
def test_metadata_may_name_the_device(rows, changed, metadata, device, count):
    (found,) = rows(changed("vllm_serve.json", lambda value: value.update(metadata)))
    assert (found["device_id"], found["device_count"]) == (device, count)
    assert ("device-not-stated" in found["flags"]) is (device is None)


def test_a_model_in_a_cache_has_its_name(rows, changed):
    where = "/models/models--example--chat-8B/snapshots/b5c939de8f754692c1647ca79fbf85e8c1e70f8a/"
    (found,) = rows(changed("vllm_serve.json", lambda value: value.update(model_id=where)))
    assert found["model"] == "example/chat-8B"


def test_servers_apart_are_added_up(rows, plain, written):
    value = plain("sglang.jsonl")
    one = value.pop("server_info")
    together = {
        "prefill": [one],
        "decode": [one | {"tp_size": 4, "version": "0.5.9"}],
        "internal_states": [one],
    }
    assert math.isinf(value["request_rate"])
    (found,) = rows(written(value | {"server_info": together}, "a.jsonl"))
    (alone,) = rows("sglang.jsonl")
    assert (found["model"], found["device_count"]) == ("chat-8B", 6)
    assert found["engine_version"] == "0.5.8 + 0.5.9"
    assert found["task_key"] != alone["task_key"]


def test_a_column_without_a_name_is_no_runtime(rows, tmp_path):
    path = tmp_path / "inference_results.csv"
    path.write_text(",forward.latency(s),forward.throughput(samples/s)\n3,0.5,16.2\n", encoding="utf-8")
    (found,) = rows(path)
    assert found["rate"] == 16.2
    assert "runtime" not in found["status_detail"]


def test_metadata_are_conditions(rows, changed):
    added = {
        "max_num_seqs": 8,
        "note": "/home/user/x \x1b[2J",
        "empty": "",
        "lists": [1],
        "p99.9_ttft_ms": 301.0,
    }
    (found,) = rows(changed("vllm_serve.json", lambda value: value.update(added)))
    (plain,) = rows("vllm_serve.json")
    more = {key: value for key, value in json.loads(found["conditions"]).items() if key in added}
    assert more.keys() == {"max_num_seqs", "note"}
    assert more["max_num_seqs"] == 8
    assert "/home" not in more["note"] and "\x1b" not in more["note"]
    assert found["settings"] == plain["settings"]


def test_embeddings_have_no_rate_of_generated_tokens(rows, plain, written):
    value = plain("vllm_serve.json")
    kept = {key: value[key] for key in value if not key.endswith(("_ttft_ms", "_tpot_ms", "_itl_ms"))}
    del kept["output_throughput"], kept["total_output_tokens"]
    with pytest.raises(BenchError, match="key 'output_throughput': is missing, expected generated tokens"):
        rows(written(kept | {"mean_e2el_ms": 12.0}, "a.json"))
