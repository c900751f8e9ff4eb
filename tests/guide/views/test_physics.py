"""Achieved over possible, against figures worked out by hand."""

from __future__ import annotations

import pytest

from guide.views.physics import share


def only(evidence):
    (task,) = evidence.tasks
    result = task.standings[0].result
    return task, result, evidence.catalog.get(result.system.device_id)


def test_decode_is_held_against_the_bandwidth(made) -> None:
    # Llama 3 8B in 16 bits: 8,030,261,248 weights of 2 bytes; 30 tokens/s of 1,000 GB/s.
    row = made.row("card", 30.0, weights_dtype="fp16")
    card = made.device("card", bandwidth_gb_s=1000.0)
    found = share(*only(made.evidence([row], [], devices=[card])))
    assert found.value == pytest.approx(30 * 2 * 8_030_261_248 / 1e12, rel=1e-9)
    assert "482 GB/s of weights" in found.sentence.replace("\u00a0", " ")


def test_batched_decode_reads_the_weights_once_for_all_sequences(made) -> None:
    row = made.row("card", 240.0, weights_dtype="fp16", batch=8)
    card = made.device("card", bandwidth_gb_s=1000.0)
    assert share(*only(made.evidence([row], [], devices=[card]))).value == pytest.approx(0.4818, abs=1e-4)


def test_prefill_is_held_against_the_dense_peak(made) -> None:
    row = made.row(
        "card", 5000.0, workload="prefill", weights_dtype="fp16", input_tokens=512, output_tokens=None
    )
    card = made.device("card", fp16_dense_tflops=160.0)
    found = share(*only(made.evidence([row], [], devices=[card])))
    assert found.value == pytest.approx(5000 * 2 * 8_030_261_248 / 160e12, rel=1e-9)


def test_what_the_row_says_itself_comes_first(made) -> None:
    row = made.row("card", 30.0, weights_dtype="fp16", efficiency=0.71, bound="memory")
    found = share(*only(made.evidence([row], [])))
    assert found.value == 0.71
    assert "memory" in found.sentence


@pytest.mark.parametrize(
    "values", [{"model": "unheard-of"}, {"weights_dtype": "q9_z"}, {"workload": "encode"}]
)
def test_what_cannot_be_told_is_not(made, values) -> None:
    assert share(*only(made.evidence([made.row("card", 30.0, **values)], []))) is None
