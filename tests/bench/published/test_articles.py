"""The two founding articles' figures, as their texts and tables state them."""

import math
from collections import Counter
from datetime import UTC, datetime

import pytest


def test_article1_counts(rows):
    found = rows("article1")
    assert Counter((r["workload"], r["value_kind"], r["status"]) for r in found) == {
        ("summarize", "stated", "ok"): 3,
        ("summarize", "inferred", "ok"): 2,
        ("summarize", "stated", "impossible"): 2,
        ("finetune", "stated", "ok"): 4,
        ("finetune", "estimated", "ok"): 1,
    }
    assert len({r["task_key"] for r in found}) == 2


def test_article1_figures_give_the_speedups_that_it_states(one):
    def rate(workload, device):
        return one("article1", workload=workload, device_name=device, status="ok")["rate"]

    cpu = "CPU (unspecified)"
    assert rate("summarize", "NVIDIA T4") / rate("summarize", cpu) == pytest.approx(15, rel=1e-5)
    assert rate("summarize", "NVIDIA H100") / rate("summarize", cpu) == pytest.approx(40, rel=1e-5)
    assert rate("finetune", "NVIDIA GeForce RTX 4090") / rate("finetune", cpu) == pytest.approx(200, rel=1e-5)
    assert rate("finetune", "NVIDIA T4") / rate("finetune", cpu) == pytest.approx(12000 / 243, rel=1e-5)
    assert rate("summarize", "NVIDIA GeForce RTX 4090") == pytest.approx(100 / 69, rel=1e-5)
    assert rate("finetune", "NVIDIA H100") == pytest.approx(5 * 6090 / 46, rel=1e-5)


def test_article1_keeps_apart_what_is_stated_inferred_and_estimated(one):
    cpu = one("article1", workload="finetune", device_name="CPU (unspecified)")
    assert (cpu["value_kind"], cpu["measured_fraction"], cpu["job_s"]) == ("estimated", 0.2, 12000)
    garbled = one("article1", device_name="NVIDIA T4", status="impossible")
    assert "1.6 s" in garbled["status_detail"] and garbled["rate"] is None
    assert (
        one("article1", workload="summarize", device_name="NVIDIA T4", status="ok")["value_kind"]
        == "inferred"
    )


def test_article1_form_factor_and_processor_stay_unknown(one, published):
    assert one("article1", workload="finetune", device_name="NVIDIA H100")["device_id"] is None
    assert one("article1", workload="finetune", device_name="CPU (unspecified)")["device_id"] is None
    assert published.sources["article1"].reference_device == "CPU (unspecified)"


def test_article1_claims_are_not_rows(published):
    assert Counter(c.kind for c in published.claims) == {"expectation": 5, "stated": 10, "derived": 5}
    assert all(c.source_id == "article1" for c in published.claims)


@pytest.fixture
def cell(one):
    """One cell of the repository's tables."""

    def found(device, count, model, dtype, phase, tokens, **more):
        length = {"prefill": "input_tokens", "decode": "output_tokens"}[phase]
        wanted = {
            "device_name": device,
            "device_count": count,
            "model": f"Llama-3-{model}",
            "weights_dtype": dtype,
        }
        return one("xiongjie", **wanted, workload=phase, **{length: tokens}, **more)

    return found


@pytest.mark.parametrize(
    ("device", "count", "model", "dtype", "phase", "tokens", "rate"),
    [
        ("NVIDIA H100 PCIe 80GB", 4, "70B", "fp16", "decode", 512, 9.67),
        ("NVIDIA H100 PCIe 80GB", 4, "70B", "fp16", "decode", 1024, 9.63),
        ("NVIDIA H100 PCIe 80GB", 4, "70B", "fp16", "decode", 8192, 9.23),
        ("NVIDIA H100 PCIe 80GB", 4, "70B", "fp16", "prefill", 4096, 2437.53),
        ("NVIDIA GeForce RTX 4080 16GB", 1, "8B", "fp16", "decode", 512, 40.58),
        ("NVIDIA GeForce RTX 4080 16GB", 1, "8B", "fp16", "prefill", 4096, 4720.22),
        ("NVIDIA A40 48GB", 1, "8B", "fp16", "prefill", 1024, 4043.05),
        ("NVIDIA A40 48GB", 1, "8B", "fp16", "decode", 4096, 33.06),
        ("NVIDIA A40 48GB", 1, "8B", "fp16", "prefill", 8192, 2295.02),
        ("NVIDIA GeForce RTX 4090 24GB", 4, "70B", "q4_k_m", "decode", 512, 19.80),
    ],
)
def test_xiongjie_cell_as_printed(cell, device, count, model, dtype, phase, tokens, rate):
    assert cell(device, count, model, dtype, phase, tokens)["rate"] == rate


def test_xiongjie_counts(rows):
    found = rows("xiongjie")
    assert Counter(r["status"] for r in found) == {"ok": 796, "oom": 84}
    assert len({(r["device_name"], r["device_count"]) for r in found}) == 35
    # two models, two precisions, two phases, four lengths: one task each, whatever the device
    assert len({r["task_key"] for r in found}) == 32
    assert Counter(f for r in found for f in r["flags"]) == {
        "within-run-interval": 793, "source-anomaly": 18, "source-conflict": 7, "no-log": 3,
    }  # fmt: skip
    assert {r["recorded_at"] for r in found} == {datetime(2024, 5, 12, tzinfo=UTC)}


def test_xiongjie_keeps_out_of_memory_as_a_result(cell):
    row = cell("NVIDIA GeForce RTX 4080 16GB", 1, "8B", "fp16", "prefill", 8192)
    assert (row["status"], row["rate"]) == ("oom", None)
    assert cell("Apple M1 (7-core GPU) 8GB", 1, "8B", "q4_k_m", "prefill", 8192)["status"] == "oom"


def test_xiongjie_says_both_values_where_the_log_differs(cell):
    row = cell("NVIDIA GeForce RTX 4090 24GB", 4, "70B", "q4_k_m", "decode", 512)
    assert (
        "source-conflict" in row["flags"]
        and "19.8" in row["status_detail"]
        and "19.0" in row["status_detail"]
    )


def test_xiongjie_interval_is_students_of_the_mean_of_five(cell):
    row = cell("NVIDIA A40 48GB", 1, "8B", "fp16", "prefill", 1024)  # printed as 4043.05 ± 3.47
    half = 2.7764 * (3.47 + 0.005) / math.sqrt(5)
    assert row["rate_high"] - row["rate"] == pytest.approx(half, rel=1e-3)
    assert row["sample_count"] == 5
