"""Eager, compiled, as a CUDA graph: planned where offered, refused with a reason where they do not exist."""

import dataclasses

import pytest
import torch

from bench.devices import open_device
from bench.errors import UsageError
from bench.measure.kernels import attention_kernel, told
from bench.runner.plan import make_plan
from bench.workloads import WORKLOADS, _execution
from bench.workloads._execution import ALL, COMPILED, CUDA_GRAPH, EAGER, Passes, cannot_compile
from bench.workloads.base import Unsupported

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def cpu():
    return open_device("cpu")


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


@pytest.mark.parametrize("workload", ["prefill", "decode", "encode"])
def test_a_cpu_has_no_cuda_graphs(cpu, workload):
    with pytest.raises(Unsupported, match="CUDA graphs exist on NVIDIA and AMD GPUs only, this is cpu"):
        prepare(first_cell(workload, execution=CUDA_GRAPH), cpu)


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


class FakeGraph:
    """Stands in for torch.cuda.CUDAGraph: replays what was captured."""

    captured = None

    def replay(self):
        self.captured()


class Around:
    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def wait_stream(self, _):
        pass


@pytest.fixture
def fake_cuda(monkeypatch, cpu):
    device = type("Fake", (), {
        "kind": "cuda", "synchronize": lambda self: None, "is_out_of_memory": lambda self, error: False,
    })()  # fmt: skip
    monkeypatch.setattr(torch.cuda, "Stream", Around)
    monkeypatch.setattr(torch.cuda, "current_stream", Around)
    monkeypatch.setattr(torch.cuda, "stream", Around)
    monkeypatch.setattr(torch.cuda, "graph", Around)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", FakeGraph)
    return device


def test_a_graph_is_held_against_the_eager_answer(fake_cuda, monkeypatch):
    passes = Passes(torch.nn.Linear(2, 2), first_cell("encode", execution=CUDA_GRAPH), fake_cuda)
    out, state = torch.zeros(1), {"n": 0}

    def step():
        state["n"] += 1
        out.fill_(state["n"])
        return out

    def back():
        state["n"] = 0

    monkeypatch.setattr(FakeGraph, "captured", staticmethod(step), raising=False)
    replay = passes.captured(step, before=back)
    assert replay() is out and passes.setup_s > 0
    with pytest.raises(Unsupported, match="another answer"):
        passes.captured(step)  # what it changes is not set back: the replay goes on where the capture ended

    def refuses():
        raise RuntimeError("operation not permitted when stream is capturing\nmore")

    with pytest.raises(Unsupported, match="cannot be captured as a CUDA graph: operation not permitted"):
        passes.captured(refuses)


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


@pytest.mark.parametrize("workload", ["prefill", "decode", "encode"])
def test_a_replayed_cell_gives_the_eager_answer(cpu, monkeypatch, workload):
    """With a stand-in for the graph: what is replayed reads and writes the same memory each time."""

    def captured(self, step, before=lambda: None):
        before()
        with torch.inference_mode():
            output = step().clone()
        before()

        def replay():
            with torch.inference_mode():
                return output.copy_(step())

        return replay

    monkeypatch.setattr(_execution, "_need_graphs", lambda device: None)
    monkeypatch.setattr(Passes, "captured", captured)
    from bench.measure.harness import Harness
    from bench.measure.stopping import StoppingRule

    rule = StoppingRule(target=1e9, budget_s=1e9, max_samples=3, warmup_share=0, settle_samples=0, settle_s=0)
    answers = []
    for execution in (EAGER, CUDA_GRAPH):
        prepared = prepare(first_cell(workload, execution=execution), cpu)
        prepared.run(Harness(cpu, rule))
        answers.append({"prefill": "output", "decode": "tokens", "encode": "output"}[workload])
        answers[-1] = getattr(prepared, answers[-1])
    assert torch.equal(*answers)
