"""Eager, compiled, as a CUDA graph: planned where offered, refused with a reason where they do not exist."""

import dataclasses

import pytest
import torch

from bench.errors import UsageError
from bench.measure.kernels import attention_kernel, told
from bench.runner.plan import make_plan
from bench.workloads import WORKLOADS, _execution
from bench.workloads._execution import ALL, COMPILED, EAGER, Passes, cannot_compile
from bench.workloads.base import Unsupported

pytestmark = pytest.mark.torch


def first_cell(workload, **changes):
    return dataclasses.replace(WORKLOADS[workload].cells("tiny", "cpu")[0], **changes)


def prepare(cell, device):
    return WORKLOADS[cell.workload].prepare(cell, device, {})


def planned(**options):
    return [item.cell for item in make_plan("tiny", "cpu", WORKLOADS.values(), **options).cells]


def test_each_way_is_planned_for_the_cells_that_offer_it():
    eager, both = planned(), planned(executions=(EAGER, COMPILED))
    offering = [c for c in eager if WORKLOADS[c.workload].executions == ALL]
    assert {c.workload for c in offering} == {"prefill", "decode", "encode"}
    assert len(both) == len(eager) + len(offering)
    only = planned(executions=(COMPILED,))
    assert len(only) == len(eager)
    assert {c.execution for c in only if c.workload in ("finetune", "probe")} == {EAGER}


def test_both_kinds_of_weights_are_planned_for_every_cell_with_a_model():
    cells = planned(weights="both")
    pairs = {dataclasses.replace(c, weights="random") for c in cells if c.model}
    assert len(cells) == len(planned()) + len(pairs)
    assert all(dataclasses.replace(c, weights="pretrained") in cells for c in pairs)


def test_compiling_without_a_compiler_is_refused_with_what_to_install(cpu, monkeypatch):
    monkeypatch.setattr(_execution.shutil, "which", lambda name: None)
    with pytest.raises(Unsupported, match=r"C\+\+ compiler"):
        prepare(first_cell("encode", execution=COMPILED), cpu)
    assert cannot_compile("mps") is None
    monkeypatch.setattr(_execution.importlib.util, "find_spec", lambda name: None)
    assert "triton" in cannot_compile("cuda")


def test_a_compiled_cell_gives_the_eager_answer_and_says_what_was_compiled(cpu):
    cell = first_cell("encode")
    if cannot_compile("cpu"):
        pytest.fail("the tests of this project need a C++ compiler")
    eager, compiled = prepare(cell, cpu), prepare(dataclasses.replace(cell, execution=COMPILED), cpu)
    eager.step()
    compiled.step()
    assert torch.allclose(compiled.output, eager.output, atol=1e-4)
    assert compiled.conditions["compile"] == {"backend": "inductor", "graphs": 1, "graph_breaks": 0}
    assert compiled.load_s > eager.load_s


def test_a_failing_compilation_is_unsupported_not_an_error(cpu):
    passes = Passes(torch.nn.Linear(2, 2), first_cell("encode", execution=COMPILED), cpu)

    def fails():
        raise torch._dynamo.exc.TorchDynamoException("no such thing\nmore")

    with pytest.raises(Unsupported, match=r"torch\.compile failed: no such thing$"):
        passes.get_ready(fails)
    with pytest.raises(Unsupported, match="compiled nothing"):
        Passes(torch.nn.Linear(2, 2), first_cell("encode", execution=COMPILED), cpu).get_ready(lambda: None)


def test_the_attention_kernel_is_read_from_what_ran(cpu):
    q = torch.ones(1, 1, 4, 8)

    def attention():
        torch.nn.functional.scaled_dot_product_attention(q, q, q)

    with torch.inference_mode(), torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        assert attention_kernel(attention) == "math"
    with torch.inference_mode():
        assert attention_kernel(attention) == "flash (CPU)"
        assert attention_kernel(lambda: q + q) is None


def test_kernels_by_the_names_that_torch_gives_them():
    flash = "aten::_scaled_dot_product_flash_attention"
    assert told(["aten::mm", flash]) == "flash"
    assert told([flash, "aten::_scaled_dot_product_cudnn_attention"]) == "flash + cuDNN"
    assert told(["aten::mm"]) is None


@pytest.mark.parametrize("workload", ["prefill", "decode", "encode"])
def test_one_pass_shows_the_attention_of_a_cell(cpu, workload):
    prepared = prepare(first_cell(workload), cpu)
    seen = []
    assert attention_kernel(lambda: seen.append(prepared.one_pass())) == "flash (CPU)"
    assert seen == [True]


def test_words_that_are_no_way_to_run():
    from click.testing import CliRunner

    from bench.cli import main

    found = CliRunner().invoke(main, ["collect", "--execution", "eager,jit", "--dry-run"])
    assert found.exit_code == 2 and "'jit' is not one of eager, compiled, cuda-graph" in found.output
    with pytest.raises(UsageError):
        make_plan("tiny", "cpu", [], executions=(EAGER,))
