"""Figures that were really published and cannot be true are caught; the fastest honest ones pass."""

import pytest

from bench.catalog import Catalog
from bench.project import DataDir
from bench.published import load_published
from bench.verify.base import Context
from bench.verify.gate import FIGURES, gated, why_impossible
from bench.verify.models import BITS, bits_of, is_dense, working_params
from bench.verify.peaks import arithmetic_of, most_bytes_per_s, most_flops

from .conftest import DEVICES


def test_the_run_that_failed_on_an_8_gb_m1_and_printed_rates_all_the_same(tool):
    """llama-bench of May 2024 ignored that decoding failed (pp 8192 and tg 8192 of one public notebook)."""
    prefill = tool.row(workload="prefill", input_tokens=8192, rate=1849.39)
    decode = tool.row(rate=1133.05)
    assert tool.found(prefill) == ["arithmetic"]
    assert tool.found(decode) == ["arithmetic", "bandwidth"]
    assert "26.7 TFLOP/s" in tool.text(prefill) and "Apple M1" in tool.text(prefill)


def test_the_missing_synchronisation_of_an_m2_ultra(tool):
    row = tool.row(
        workload="probe", device_id="apple-m2-ultra", device_name="M2 Ultra", device_memory_bytes=None,
        model=None, params=None, weights_dtype="fp32", compute_dtype="fp32", batch=None, rate=17e15,
        rate_unit="FLOP/s",
    )  # fmt: skip
    assert tool.found(row) == ["arithmetic"]


#: (device, count, workload, weights, batch, rate): the closest to the ceilings of 17,000 public rows.
FASTEST = [
    ("intel-gaudi2", 1, "probe", None, None, 418.7e12),
    ("nvidia-l40s", 1, "decode", "fp16", 1, 43.69),
    ("apple-m2", 1, "decode", "fp16", 1, 6.2),
    ("nvidia-rtx-4090", 1, "decode", "q4_k_m", 1, 165.0),
    ("nvidia-gtx-1080-ti", 1, "prefill", "q4_0", 1, 1050.0),
    ("amd-mi300x", 1, "decode", "fp16", 1, 160.0),
    ("nvidia-rtx-5090", 1, "prefill", "q4_0", 1, 14_000.0),
]


@pytest.mark.parametrize(("device", "count", "workload", "weights", "batch", "rate"), FASTEST)
def test_the_fastest_honest_rows_pass(tool, device, count, workload, weights, batch, rate):
    probe = workload == "probe"
    row = tool.row(
        device_id=device, device_name=device, device_count=count, workload=workload, weights_dtype=weights,
        compute_dtype="bf16" if probe else None, params=None if probe else 8_030_261_248,
        batch=batch, rate=rate, rate_unit="FLOP/s" if probe else "tokens/s", device_memory_bytes=None,
    )  # fmt: skip
    assert tool.found(row) == []


def test_the_committed_tables_hold_nothing_impossible(catalog):
    rows = load_published(DataDir(DEVICES.parent)).rows
    assert [r for r in rows if why_impossible(r, Context(catalog))] == []
    # The gate does judge: ten times the rate is caught in most rows whose model and device are known.
    raised = [r | {"rate": 10 * r["rate"]} for r in rows if r["source_id"] == "xiongjie" and r["rate"]]
    caught = [r for r in raised if r["workload"] == "decode" and why_impossible(r, Context(catalog))]
    assert len(caught) > 0.5 * sum(r["workload"] == "decode" for r in raised)


def test_a_batch_reads_the_weights_once_a_step(tool):
    assert tool.found(tool.row(rate=60.0)) == ["bandwidth"]
    assert tool.found(tool.row(rate=60.0, batch=8)) == []
    assert tool.found(tool.row(rate=60.0, batch=None)) == []


def test_a_mixture_is_judged_by_its_active_parameters(tool):
    mixture = {"model": "gpt-oss-20b", "params": 20_900_000_000, "weights_dtype": "mxfp4", "rate": 50.0}
    assert tool.found(tool.row(**mixture, active_params=3_600_000_000, device_memory_bytes=16 * 2**30)) == []
    dense = tool.row(model="Llama-2-20B", params=20_900_000_000, weights_dtype="mxfp4", rate=50.0)
    assert "bandwidth" in tool.found(dense)
    # Whether an unknown model is a mixture cannot be told: it is not judged by all its parameters.
    assert working_params({"model": "Brandnew-20B", "params": 20e9}) is None


def test_several_devices_add_up(tool):
    assert tool.found(tool.row(device_id="nvidia-rtx-4090", device_memory_bytes=None, rate=400.0)) != []
    four = tool.row(device_id="nvidia-rtx-4090", device_memory_bytes=None, rate=400.0, device_count=4)
    assert tool.found(four) == []


def test_weights_guessed_ahead_are_read_once_for_several_tokens(tool):
    row = tool.row(rate=60.0, settings='{"speculative": "ngram"}')
    assert tool.found(row) == []


def test_a_model_that_a_device_cannot_hold(tool):
    big = {"model": "Llama-3-70B", "params": 70_550_000_000, "device_id": "nvidia-rtx-4090"}
    big |= {"device_memory_bytes": 24 * 2**30}
    slow = tool.row(**big, weights_dtype="fp16", rate=1.0)
    assert tool.found(slow) == [] and tool.found(slow, "note") == ["capacity"]
    assert "a part must have been elsewhere" in tool.text(slow)
    assert "capacity" in tool.found(tool.row(**big, weights_dtype="fp16", rate=45.0))
    assert tool.found(tool.row(**big, weights_dtype="fp16", rate=1.0, engine="vLLM")) == ["capacity"]
    assert tool.found(tool.row(**big, weights_dtype="fp16", rate=1.0, device_count=8, engine="vLLM")) == []
    shared = big | {"device_id": "apple-m1", "device_memory_bytes": 8 * 2**30}
    assert "capacity" in tool.found(tool.row(**shared, weights_dtype="q4_0", rate=5.0))


def test_a_device_or_figure_that_nothing_is_known_of_is_not_judged(tool):
    assert tool.found(tool.row(device_id=None, device_name="CPU (unspecified)", rate=1e9)) == []
    assert tool.found(tool.row(), context=Context(None)) == []
    assert tool.found(tool.row(model="Brandnew-8B", rate=1e4)) == []


def test_a_measured_row_without_a_device_is_looked_up_by_its_name(tool):
    row = tool.row(origin="measured", device_id=None, device_name="NVIDIA GeForce RTX 4080", rate=1e5)
    row["device_memory_bytes"] = 16 * 2**30
    assert "bandwidth" in tool.found(row)


def test_the_gate_takes_the_figures_of_an_impossible_row(tool):
    good, bad = tool.row(), tool.row(rate=1133.05, rate_low=1100.0, rate_high=1200.0, job_s=2.0)
    first, second = gated([good, bad], tool.context)
    assert first is good
    assert second["status"] == "impossible" and "4.30 TB/s" in second["status_detail"]
    assert all(second[name] is None for name in FIGURES)
    failed = tool.row(status="oom", rate=None)
    assert list(gated([failed], tool.context)) == [failed]


def test_peaks_allow_what_programs_may_do_beyond_the_catalog(catalog: Catalog):
    get = catalog.get
    geforce, h100 = get("nvidia-rtx-4090"), get("nvidia-h100-sxm5-80gb")
    # fp16 products that accumulate in fp16 run at twice the rate on GeForce, not on an H100.
    assert most_flops(geforce, "fp16") == pytest.approx(2 * 165.2e12 * 1.2)
    assert most_flops(geforce, "bf16") == pytest.approx(165.2e12 * 1.2)
    assert most_flops(h100, "fp16") == pytest.approx(989.4e12)
    assert most_flops(geforce, "any") == pytest.approx(660.6e12 * 1.2)
    assert most_flops(get("amd-epyc-9654")) is None
    assert most_bytes_per_s(get("amd-epyc-9654")) == pytest.approx(2 * 460.8e9 * 1.2)
    assert (arithmetic_of(None, "q4_0"), arithmetic_of("bf16", "bf16")) == ("any", "bf16")


@pytest.mark.parametrize(
    ("name", "bits"),
    [("q4_0", (2 + 16) * 8 / 32), ("q4_k", (4 + 12 + 128) * 8 / 256), ("q6_k", (128 + 64 + 16 + 2) * 8 / 256),
     ("q8_0", (2 + 32) * 8 / 32), ("iq2_xxs", (2 + 64) * 8 / 256), ("mxfp4", (1 + 16) * 8 / 32)],
)  # fmt: skip
def test_bits_follow_from_the_blocks(name, bits):
    assert BITS[name] == bits


def test_names_of_types_and_models():
    assert bits_of("Q4_K_M") == bits_of("UD-Q4_K_XL") == 4.5
    assert bits_of("mixed (5.2 bits)") == 5.2
    assert bits_of("who-knows") is None and bits_of(None) is None
    assert is_dense("meta-llama/Meta-Llama-3-8B") and is_dense("DeepSeek-R1-Distill-14B")
    for mixture in ("Mixtral-8x7B", "DeepSeek-R1", "Qwen3-30B-A3B", "Llama-4-Scout", "qwen3moe 30B.A3B"):
        assert not is_dense(mixture)
    assert working_params({"model": "llama2-70b-99"}) == pytest.approx(70e9 * 0.93 * 0.9)
