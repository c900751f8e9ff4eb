"""What the workloads plan and need, without torch."""

import itertools
import subprocess
import sys

import pytest

from bench import schema
from bench.cells import Cell
from bench.suites import SUITES
from bench.workloads import WORKLOADS
from bench.workloads import texts as short_texts
from bench.workloads.probe import ceilings, size_bytes

KINDS = ("cpu", "cuda", "mps", "xpu")
PLANS = [(w, s, k) for w in WORKLOADS for s in SUITES for k in KINDS]


def test_all_are_found_and_the_probe_is_first():
    assert list(WORKLOADS) == ["probe", "decode", "encode", "finetune", "prefill", "summarize"]


def test_planning_imports_no_torch():
    code = (
        "import sys; from bench.workloads import WORKLOADS; from bench.suites import SUITES\n"
        "for w in WORKLOADS.values():\n"
        "    for s in SUITES:\n"
        "        [w.need(c) for k in ('cpu', 'cuda') for c in w.cells(s, k)]\n"
        "heavy = {'torch', 'transformers', 'datasets', 'accelerate', 'numpy'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("workload", "suite", "kind"), PLANS)
def test_cells_are_distinct_survive_a_message_and_have_needs(workload, suite, kind):
    plan = WORKLOADS[workload].cells(suite, kind)
    assert len({c.cell_id for c in plan}) == len(plan)
    for cell in plan:
        assert Cell.from_json(cell.as_json()) == cell
        need = WORKLOADS[workload].need(cell)
        assert need.memory_bytes > 0
        assert need.working_set_bytes > 0
        assert need.work_per_sample > 0
        assert need.bytes_per_sample > 0
        assert WORKLOADS[workload].unit(cell)
        row = schema.make_row(
            run_id="r",
            origin="measured",
            source_id="hwguide",
            device_name="d",
            status="oom",
            **cell.columns(),
        )
        assert row["task_key"]


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_workload_takes_part_in_quick_and_standard(workload):
    for kind in KINDS:
        assert WORKLOADS[workload].cells("quick", kind)
        assert WORKLOADS[workload].cells("standard", kind)


def test_article_suite_is_as_published():
    (summary,) = WORKLOADS["summarize"].cells("article", "cuda")
    assert (summary.model, summary.batch, summary.beams) == ("t5-large", 1, 4)
    assert (summary.input_tokens, summary.output_tokens, summary.compute_dtype) == (300, 30, "fp32")
    assert WORKLOADS["summarize"].need(summary).job_samples == 100
    (training,) = WORKLOADS["finetune"].cells("article", "cuda")
    assert (training.model, training.batch, training.compute_dtype) == ("distilbert-base-uncased", 8, "fp32")
    assert WORKLOADS["finetune"].need(training).job_samples == 5 * 762


def test_standard_plans_the_models_that_do_not_fit():
    plan = [c for c in WORKLOADS["decode"].cells("standard", "cpu") if c.model == "Llama-3.1-70B"]
    assert plan
    assert all(WORKLOADS["decode"].need(c).memory_bytes > 140e9 for c in plan)


@pytest.mark.parametrize("workload", ["prefill", "decode", "encode", "summarize", "finetune"])
def test_needs_grow_with_the_batch(workload):
    by_rest = {}
    for cell in WORKLOADS[workload].cells("full", "cuda"):
        rest = (cell.model, cell.weights_dtype, cell.compute_dtype, cell.input_tokens, cell.context_depth)
        by_rest.setdefault(rest, []).append((cell.batch, WORKLOADS[workload].need(cell)))
    for family in by_rest.values():
        needs = [need for _, need in sorted(family, key=lambda pair: pair[0])]
        assert len(needs) > 1
        for small, large in itertools.pairwise(needs):
            assert small.memory_bytes < large.memory_bytes
            assert small.flops_per_sample < large.flops_per_sample
            assert small.work_per_sample < large.work_per_sample


def test_decode_of_a_large_cache_is_mostly_traffic():
    """Llama 3.1 8B: 128 KiB of cache a token in 16 bits (its published 8 KV heads of 128 over 32 layers)."""
    cell = Cell("decode", model="Llama-3.1-8B", weights_dtype="bf16", compute_dtype="bf16", batch=1,
                context_depth=1, output_tokens=1)  # fmt: skip
    deeper = Cell("decode", model="Llama-3.1-8B", weights_dtype="bf16", compute_dtype="bf16", batch=1,
                  context_depth=1001, output_tokens=1)  # fmt: skip
    need, more = WORKLOADS["decode"].need(cell), WORKLOADS["decode"].need(deeper)
    assert more.bytes_per_sample - need.bytes_per_sample == 1000 * 128 * 1024
    assert more.memory_bytes - need.memory_bytes == 1000 * 128 * 1024
    # All weights but the embedding table, and one of its rows.
    assert need.bytes_per_sample == 2 * (8_030_261_248 - 128_256 * 4_096 + 4_096) + 2 * 128 * 1024


def test_texts_have_the_stated_lengths():
    drawn = short_texts.lengths()
    assert len(drawn) == 7_613
    assert short_texts.split(len(drawn)) == (6_090, 1_523)
    assert 32 < sum(drawn) / len(drawn) < 35
    assert min(drawn) >= 5
    assert max(drawn) <= 84
    padded = short_texts.batch_lengths(8)
    assert 8 * 33 < padded.tokens < 8 * 84
    assert padded.square >= padded.tokens**2 / 8


def test_sizes():
    assert size_bytes("256 KiB") == 262_144
    assert size_bytes("2 GiB") == 2_147_483_648


def probe_row(operation, samples, **other):
    row = {"workload": "probe", "status": "ok", "samples_s": samples, "work_per_sample": 100.0, "flags": []}
    size = other.pop("size", None)
    settings = {"operation": operation} | ({"size": size} if size else {})
    return row | {"settings": schema.to_json(settings), "compute_dtype": "fp32"} | other


def test_ceilings_take_the_fastest_repetition():
    found = ceilings(
        [
            probe_row("matmul", [2.0, 1.0, 4.0]),
            probe_row("matmul", [5.0], compute_dtype="bf16"),
            probe_row("matmul", None, status="oom"),
            probe_row("read", [1.0], size="1 MiB"),
            probe_row("copy", [2.0], size="1 MiB"),
            probe_row("copy", [4.0], size="16 MiB"),
            probe_row("read", [10.0], size="1 GiB"),
            {"workload": "encode", "status": "ok", "samples_s": [1.0]},
        ]
    )
    assert found.flops == {"fp32": 100.0, "bf16": 20.0}
    assert found.memory == ((2**20, 100.0), (2**24, 25.0), (2**30, 10.0))
    assert found.memory_at(1) == 100.0
    assert found.memory_at(2**20) == 100.0
    assert found.memory_at(2**23) == 100.0, "between two sizes the smaller, faster one counts"
    assert found.memory_at(2**25) == 25.0
    assert found.memory_at(2**40) == 10.0


def test_ceilings_tell_what_disturbed_the_probe():
    rows = [
        probe_row("matmul", [1.0], flags=["contended", "power-limited", "few-samples"]),
        probe_row("read", [1.0], size="1 MiB", flags=["throttled"]),
        probe_row("copy", None, status="oom", flags=["swapping"]),
    ]
    assert ceilings(rows).disturbed == ("contended", "throttled")


def test_ceilings_without_a_probe():
    assert ceilings([]).memory_at(1) is None
