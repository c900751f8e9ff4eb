"""CUDA graphs without a GPU: a stand-in for the graph, everything around it for real."""

import contextlib
import dataclasses
from types import SimpleNamespace

import pytest
import torch

from bench import schema
from bench.measure.energy import EnergyMeter
from bench.runner.child import Session
from bench.runner.one_cell import Limits
from bench.runner.plan import Planned
from bench.runner.rows import Where, finished_row, planned_row
from bench.workloads import WORKLOADS, _execution
from bench.workloads._execution import CUDA_GRAPH, EAGER, Passes
from bench.workloads.base import Unsupported
from bench.workloads.decode import generate, rewind

pytestmark = pytest.mark.torch


def first_cell(workload, **changes):
    return dataclasses.replace(WORKLOADS[workload].cells("tiny", "cpu")[0], **changes)


def prepare(cell, device):
    return WORKLOADS[cell.workload].prepare(cell, device, {})


@pytest.mark.parametrize("workload", ["prefill", "decode", "encode"])
def test_a_cpu_has_no_cuda_graphs(cpu, workload):
    with pytest.raises(Unsupported, match="CUDA graphs exist on NVIDIA and AMD GPUs only, this is cpu"):
        prepare(first_cell(workload, execution=CUDA_GRAPH), cpu)


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


class Log:
    """What happens around a capture, in order."""

    def __init__(self, monkeypatch, refusing=None):
        self.seen, self.refusing = [], refusing
        monkeypatch.setattr(torch.cuda, "stream", lambda _: self.block("side stream"))
        monkeypatch.setattr(torch.cuda, "graph", lambda _: self.block("capture"))

    @contextlib.contextmanager
    def block(self, name):
        self.seen.append(f"begin {name}")
        yield
        self.seen.append(f"end {name}")

    def step(self):
        self.seen.append("step")
        if self.refusing and "begin capture" in self.seen:
            raise RuntimeError(self.refusing)
        return torch.ones(1)


def test_it_is_warm_before_it_is_captured_and_captured_once(fake_cuda, monkeypatch):
    log = Log(monkeypatch)
    monkeypatch.setattr(FakeGraph, "captured", staticmethod(lambda: log.seen.append("replay")), raising=False)
    passes = Passes(torch.nn.Linear(2, 2), first_cell("encode", execution=CUDA_GRAPH), fake_cuda)
    passes.captured(log.step, before=lambda: log.seen.append("set back"))
    assert log.seen == [
        "begin side stream", *["set back", "step"] * 3, "end side stream",
        "set back", "begin capture", "step", "end capture",
        "set back", "replay",
    ]  # fmt: skip


@pytest.mark.parametrize("workload", ["prefill", "decode", "encode"])
def test_a_refused_capture_is_an_unsupported_row_with_the_reason(fake_cuda, cpu, monkeypatch, workload):
    """The whole way of a cell in the child, on the CPU with a graph that refuses as the driver does."""
    words = "CUDA error: operation not permitted when stream is capturing"

    @contextlib.contextmanager
    def refuses(_):
        raise RuntimeError(f"{words}\nCompile with TORCH_USE_CUDA_DSA")
        yield

    monkeypatch.setattr(torch.cuda, "graph", refuses)
    monkeypatch.setattr(_execution, "_need_graphs", lambda device: None)
    cell, sent = first_cell(workload, execution=CUDA_GRAPH), []
    session = Session(
        cpu,
        SimpleNamespace(send=lambda kind, **fields: sent.append((kind, fields))),
        SimpleNamespace(measuring=contextlib.nullcontext),
        seed=0,
    )
    session._telemetry = SimpleNamespace(start=lambda: None)
    session._meter = EnergyMeter()
    session.cell({"cell": cell.as_json(), "limits": vars(Limits(0.5, 0.1, 3))})
    kind, fields = sent[-1]
    assert kind == "done"
    assert fields["columns"] == {
        "status": "unsupported", "status_detail": f"the work cannot be captured as a CUDA graph: {words}",
    }  # fmt: skip
    item = Planned(cell, WORKLOADS[workload].need(cell))
    where = Where({"name": "d", "memory_bytes": 1}, {}, {}, "host", "1")
    row = finished_row(planned_row(item, "r", where, "tokens/s"), fields["columns"], item.need)
    assert (row["status"], row["rate"], row["execution"]) == ("unsupported", None, CUDA_GRAPH)
    assert schema.check(row) == []


def test_out_of_memory_while_capturing_is_no_missing_feature(fake_cuda, monkeypatch):
    monkeypatch.setattr(type(fake_cuda), "is_out_of_memory", lambda self, error: True)
    log = Log(monkeypatch, refusing="CUDA out of memory")
    passes = Passes(torch.nn.Linear(2, 2), first_cell("encode", execution=CUDA_GRAPH), fake_cuda)
    with pytest.raises(RuntimeError, match="out of memory"):
        passes.captured(log.step)


def test_the_cache_of_a_captured_cell_stays_where_it_is(cpu):
    """A graph replays with the addresses that it was captured with."""
    prepared = prepare(first_cell("decode"), cpu)

    def places():
        layers = prepared.cache.layers
        return [t.data_ptr() for layer in layers for t in (layer.keys, layer.values, layer.cumulative_length)]

    before = places()
    for _ in range(2):
        rewind(prepared.cache, prepared.depth)
        generate(prepared._next, cpu, prepared.first, prepared.count)
    assert int(prepared.cache.get_seq_length()) == prepared.depth + prepared.count
    assert places() == before


def test_a_graph_whose_cache_stands_still_is_refused(cpu, monkeypatch):
    """Its first token is right, and each after it is not."""
    monkeypatch.setattr(_execution, "_need_graphs", lambda device: None)

    def captured(self, step, before=lambda: None):
        def replay():
            before()
            with torch.inference_mode():
                return step()

        return replay

    monkeypatch.setattr(Passes, "captured", captured)
    with pytest.raises(Unsupported, match="writes other tokens than the eager run"):
        prepare(first_cell("decode", execution=CUDA_GRAPH), cpu)


@pytest.mark.parametrize("workload", ["prefill", "decode", "encode"])
def test_a_replayed_cell_gives_the_eager_answer(cpu, monkeypatch, few, workload):
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
    answers = []
    for execution in (EAGER, CUDA_GRAPH):
        prepared = prepare(first_cell(workload, execution=execution), cpu)
        prepared.run(few(cpu))
        answers.append({"prefill": "output", "decode": "tokens", "encode": "output"}[workload])
        answers[-1] = getattr(prepared, answers[-1])
    assert torch.equal(*answers)
