"""What a piece of work takes at least: from rows, from formulas, from parameters; a range for a family."""

from __future__ import annotations

import pytest

from bench.workloads import WORKLOADS
from guide.explain.work import least, paper_ratio, share_of, work_of


def test_a_published_job_has_the_size_of_the_collectors_own(made, cards, article) -> None:
    evidence = made.evidence([made.row("small", 1.5, **article)], [], devices=cards)
    work = work_of(evidence.tasks[0])
    workload = WORKLOADS["summarize"]
    need = workload.need(next(c for c in workload.cells("article", "cuda") if c.batch == 1))
    assert (work.flops, work.traffic) == (need.flops_per_sample, need.bytes_per_sample)
    assert "the source states none" in work.basis
    found = least(work, evidence.systems["small"], evidence)
    assert found.bound == "memory"
    assert found.low_s == found.high_s == pytest.approx(need.bytes_per_sample / 1e12)


def test_stated_lengths_must_be_those_of_the_job(made, cards, article) -> None:
    rows = [made.row("small", 1.5, **article | {"input_tokens": 77})]
    assert work_of(made.evidence(rows, [], devices=cards).tasks[0]) is None


def test_rows_that_carry_their_own_work_go_first(made, cards) -> None:
    own = {"flops_per_sample": 8e12, "bytes_per_sample": 1e9, "work_per_sample": 4.0, "compute_dtype": "fp32"}
    evidence = made.evidence([made.row("small", 1.0, **own)], [], devices=cards)
    work = work_of(evidence.tasks[0])
    assert (work.flops, work.traffic) == (2e12, 0.25e9)
    assert least(work, evidence.systems["small"], evidence).bound == "compute"


def test_a_language_model_reads_its_weights_for_each_token(made, cards) -> None:
    evidence = made.evidence([made.row("small", 100.0, params=8_000_000_000)], [], devices=cards)
    work = work_of(evidence.tasks[0])
    assert work.flops is None
    assert work.traffic == pytest.approx(8e9 * 0.603)
    share = share_of(evidence.tasks[0], evidence.tasks[0].of("small"), evidence)
    assert share.low == share.high == pytest.approx(100 * 8e9 * 0.603 / 1e12)


def test_a_family_of_cards_gives_a_range(made, article) -> None:
    devices = [
        made.device("big-a", name="BIG A", bandwidth_gb_s=2000.0, fp32_tflops=50.0),
        made.device("big-b", name="BIG B", bandwidth_gb_s=3000.0, fp32_tflops=60.0),
        made.device("small", bandwidth_gb_s=1000.0, fp32_tflops=80.0),
    ]
    rows = [
        made.row("small", 1.45, **article),
        made.row(None, 1.67, **article | {"device_name": "BIG"}),
    ]
    evidence = made.evidence(rows, [], devices=devices)
    task = evidence.tasks[0]
    big, small = (task.of(k) for k in ("unlisted-big", "small"))
    assert big.system.candidates == ("big-a", "big-b")
    low, high = paper_ratio(*(least(work_of(task), r.system, evidence) for r in (big, small)))
    assert (low, high) == (pytest.approx(2.0), pytest.approx(3.0))
    share = share_of(task, big, evidence)
    assert share.low == pytest.approx(share.high / 1.5)


def test_what_is_not_known_is_none(made, article) -> None:
    devices = [made.device("small", bandwidth_gb_s=1000.0, fp32_tflops=None)]
    evidence = made.evidence([made.row("small", 1.5, **article)], [], devices=devices)
    task = evidence.tasks[0]
    assert least(work_of(task), evidence.systems["small"], evidence) is None
    assert share_of(task, task.of("small"), evidence) is None
    odd = made.evidence([made.row("small", 1.0, workload="mystery")], [], devices=devices)
    assert work_of(odd.tasks[0]) is None


def test_a_measured_share_is_the_rows_own(made, cards) -> None:
    evidence = made.evidence([made.row("small", 1.0, efficiency=0.31, bound="memory")], [], devices=cards)
    share = share_of(evidence.tasks[0], evidence.tasks[0].of("small"), evidence)
    assert (share.low, share.high, share.bound, share.measured) == (0.31, 0.31, "memory", True)


def test_a_matrix_product_is_held_against_the_dense_peak(made) -> None:
    devices = [made.device("card", bf16_dense_tflops=1000.0)]
    probe = {"workload": "probe", "model": None, "weights_dtype": "bf16", "compute_dtype": "bf16",
             "output_tokens": None, "settings": '{"operation": "matmul"}', "rate_unit": "FLOP/s"}  # fmt: skip
    evidence = made.evidence([made.row("card", 780e12, **probe)], [], devices=devices)
    assert share_of(evidence.tasks[0], evidence.tasks[0].of("card"), evidence).low == pytest.approx(0.78)
