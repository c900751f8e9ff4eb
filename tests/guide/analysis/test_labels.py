"""Names of models and number types as a reader knows them."""

from __future__ import annotations

import pytest

from guide.analysis.labels import dtype_words, model_words, precision, task_label, weights_words
from guide.analysis.tasks import called


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("Llama-3-8B", "Llama 3 8B"),
        ("Llama-2-7b-hf", "Llama 2 7B hf"),
        ("Qwen3-30B-A3B", "Qwen3 30B A3B"),
        ("Mixtral-8x7B-v0.1", "Mixtral 8x7B v0.1"),
        ("distilbert-base-uncased", "distilbert-base-uncased"),
        ("t5-large", "t5-large"),
        ("llama2-70b-99.9", "llama2-70b-99.9"),
        ("FLUX.1-dev", "FLUX.1-dev"),
        (None, ""),
    ],
)
def test_models(stored: str | None, shown: str) -> None:
    assert model_words(stored) == shown


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("q4_k_m", "Q4_K_M"),
        ("fp32", "FP32"),
        ("f16", "FP16"),
        ("bf16", "BF16"),
        ("mxfp4", "MXFP4"),
        ("w4a16", "W4A16"),
        ("w8a16_mixed_int16", "W8A16 mixed INT16"),
        ("4-bit", "4-bit"),
        ("float", "float"),
        (None, ""),
    ],
)
def test_number_types(stored: str | None, shown: str) -> None:
    assert dtype_words(stored) == shown


def test_what_is_not_stated_leaves_no_trace() -> None:
    assert weights_words({"model": "bert", "weights_dtype": None}) == "bert"
    assert precision({"weights_dtype": None, "compute_dtype": None}) == ""
    assert precision({"weights_dtype": "int8", "compute_dtype": "fp16"}) == "INT8 weights in FP16"


def test_a_reference_that_nobody_timed_in_full_says_so(made) -> None:
    cpu = made.device("cpu", device_class="cpu", form="cpu")
    rows = [
        made.row("cpu", 1.0, value_kind="estimated"),
        made.row("card", 200.0),
        made.row("cpu", 1.0, model="Llama-3.2-1B"),
    ]
    tasks = made.evidence(rows, [], devices=[cpu]).tasks
    assert {t.model: called(t.reference.result) for t in tasks} == {
        "Llama-3-8B": "CPU, estimated",
        "Llama-3.2-1B": "CPU",
    }


def test_tasks_of_two_operations_have_two_names() -> None:
    shared = dict.fromkeys(
        ("model", "weights_dtype", "batch", "input_tokens", "output_tokens", "context_depth")
    )
    shared |= dict.fromkeys(("beams", "execution", "rate_kind"))
    shared |= {"workload": "probe", "compute_dtype": "fp32"}
    names = [
        task_label(shared | {"settings": f'{{"operation": "{name}", "size": "1 GiB"}}'})
        for name in ("copy", "read")
    ]
    assert names == [f"FP32, probe, operation {name}, size 1 GiB" for name in ("copy", "read")]
