"""What an optimum-benchmark configuration says of weights, devices and settings; every figure is made up."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def decode(rows, changed):
    """``decode(backend={…}, scenario={…}, launcher={…})``: the row after the configuration was changed so."""

    def read(**changes):
        def edit(config):
            for part, new in changes.items():
                config[part].update(new)

        changed("optimum/benchmark_config.json", edit)
        found = rows(changed("optimum/benchmark_report.json", lambda report: None))
        return next(row for row in found if row["workload"] == "decode")

    return read


@pytest.mark.parametrize(
    ("backend", "dtype"),
    [
        ({"model": "example/llm-7B-GPTQ-Int8"}, "gptq-int8"),
        ({"model": "example/llm-7B-gptq"}, "gptq-int4"),
        ({"model": "example/llm-7B-AWQ"}, "awq-int4"),
        ({"model": "example/llm-7B-AQLM-PV-2Bit-1x16"}, "aqlm-int2"),
        ({"model": "VPTQ-example/llm-7B-v12"}, "vptq"),
        ({"model": "example/llm-7B-FP8"}, "fp8"),
        ({"model": "example/hawqeye-7B"}, "fp16"),
        ({"quantization_scheme": "bnb", "quantization_config": {"load_in_4bit": True}}, "bnb-int4"),
        (
            {"quantization_scheme": "torchao", "quantization_config": {"quant_type": "int8_weight_only"}},
            "torchao-int8_weight_only",
        ),
        ({"quantization_scheme": "torchao", "quantization_config": {"quant_type": {}}}, "torchao"),
    ],
)
def test_the_type_of_the_weights(decode, backend, dtype):
    assert decode(backend=backend)["weights_dtype"] == dtype


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        ({"backend": {"device_ids": "0,1"}}, 1),
        ({"backend": {"device_ids": "0,1", "device_map": "auto"}}, 2),
        ({"backend": {"device_ids": "0,1", "tp_plan": "auto"}}, 2),
        ({"backend": {"device_ids": "0,1"}, "launcher": {"name": "torchrun", "nproc_per_node": 2}}, 2),
        ({"backend": {"device_ids": "0,1", "name": "vllm"}}, 2),
        ({"backend": {"device_ids": "1"}}, 1),
    ],
)
def test_devices_that_were_picked_are_not_all_running(decode, changes, count):
    row = decode(**changes)
    picked = len(changes["backend"]["device_ids"].split(","))
    assert row["device_count"] == count
    assert ("several-devices-listed" in row["flags"]) is (count < picked)


@pytest.mark.parametrize(
    "changes",
    [
        {"backend": {"name": "onnxruntime"}},
        {"backend": {"name": "onnxruntime", "provider": "TensorrtExecutionProvider"}},
        {"backend": {"auto_optimization": "O4"}},
        {"scenario": {"generate_kwargs": {"max_new_tokens": 64, "cache_implementation": "static"}}},
    ],
)
def test_what_else_was_asked_for_is_a_task_of_its_own(decode, changes):
    assert decode(**changes)["task_key"] != decode()["task_key"]


def test_settings_at_their_defaults_say_nothing(decode):
    assert not {"engine", "provider", "optimisation", "cache"} & json.loads(decode()["settings"]).keys()
