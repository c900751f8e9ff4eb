"""The same cell run eagerly, compiled by ``torch.compile``, or replayed as a CUDA graph.

What compiling or capturing takes is added to ``load_s``, never to the rate. A way that this machine does not
have ends as ``Unsupported`` with the reason, never silently as eager.

Not shown by this project's tests, which have no GPU: that a driver captures a given model. They replace
``torch.cuda``'s graph by a stand-in, and show the order (warm-up on a side stream, then one capture), that a
refusal becomes an ``unsupported`` row, that a replay is held against the eager answer before it is timed, and
that the key-value cache stays where it is. On a card where capturing fails, the rows say so.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bench.workloads.base import Prepared, Unsupported
from bench.workloads.common import built_model, require, token_ids

if TYPE_CHECKING:
    import torch

    from bench.cells import Cell
    from bench.devices.base import Device

EAGER, COMPILED, CUDA_GRAPH = "eager", "compiled", "cuda-graph"
#: What workloads with one forward pass a step offer.
ALL = (EAGER, COMPILED, CUDA_GRAPH)

CXX = ("g++", "clang++", "c++", "cl")


def cannot_compile(kind: str) -> str | None:
    """Why ``torch.compile`` cannot work on this kind of device, and what to install; None where it may."""
    if kind == "cpu" and not any(shutil.which(name) for name in (os.environ.get("CXX"), *CXX) if name):
        return "torch.compile needs a C++ compiler for the CPU (apt install g++, or xcode-select --install)"
    if kind in ("cuda", "xpu") and importlib.util.find_spec("triton") is None:
        return "torch.compile needs triton for GPUs, which this torch came without"
    return None


class Passes:
    """A model's forward pass in the way that the cell asks for.

    ``call(**inputs)`` is the pass for ``eager`` and ``compiled``. ``setup_s`` is what compiling took,
    ``conditions`` what came of it.
    """

    def __init__(self, model: Any, cell: Cell, device: Device) -> None:
        self.model = model
        self.execution = cell.execution
        self.device = device
        self.setup_s = 0.0
        self.conditions: dict[str, Any] = {}
        self.call: Callable[..., Any] = model
        if self.execution == COMPILED:
            reason = cannot_compile(device.kind)
            if reason:
                raise Unsupported(reason)
            import torch

            torch._dynamo.reset()  # graphs of the cell before would count, and could be used
            torch._dynamo.utils.counters.clear()
            self.call = torch.compile(model, dynamic=False)
        elif self.execution == CUDA_GRAPH:
            _need_graphs(device)

    def get_ready(self, step: Callable[[], None]) -> None:
        """Run ``step`` until nothing is left to compile. Raises ``Unsupported`` when compiling fails."""
        if self.execution != COMPILED:
            return
        import torch

        begin = time.perf_counter()
        try:
            step()
            step()
        except torch._dynamo.exc.TorchDynamoException as error:
            if self.device.is_out_of_memory(error):
                raise
            raise Unsupported(f"torch.compile failed: {_first_line(error)}") from error
        self.device.synchronize()
        self.setup_s += time.perf_counter() - begin
        counters = torch._dynamo.utils.counters
        graphs, breaks = counters["stats"]["unique_graphs"], sum(counters["graph_break"].values())
        if not graphs:
            raise Unsupported("torch.compile ran, but compiled nothing")
        self.conditions["compile"] = {"backend": "inductor", "graphs": graphs, "graph_breaks": breaks}

    def captured(
        self, step: Callable[[], torch.Tensor], before: Callable[[], None] = lambda: None
    ) -> Callable[[], torch.Tensor]:
        """``step`` as a CUDA graph: calling it replays the graph and gives the tensor that it fills.

        ``step`` must read from and write to the same memory each time; ``before`` sets back what it changes,
        and is no part of the graph. Raises ``Unsupported`` when it cannot
        be captured, or when the graph's answer differs from the eager one.
        """
        import torch

        begin = time.perf_counter()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.stream(side), torch.inference_mode():
                for _ in range(3):  # lazy initialisation of libraries cannot be captured
                    before()
                    expected = step().clone()
            torch.cuda.current_stream().wait_stream(side)
            before()
            with torch.inference_mode(), torch.cuda.graph(graph):
                output = step()
        except RuntimeError as error:
            if self.device.is_out_of_memory(error):
                raise
            raise Unsupported(f"the work cannot be captured as a CUDA graph: {_first_line(error)}") from error

        def replay() -> torch.Tensor:
            graph.replay()
            return output

        before()
        if not torch.equal(replay(), expected):
            raise Unsupported("the captured CUDA graph gives another answer than the eager run")
        self.device.synchronize()
        self.setup_s += time.perf_counter() - begin
        return replay


def passes_and_ids(cell: Cell, device: Device, models: dict[str, Any]) -> tuple[Passes, torch.Tensor, float]:
    """What a workload of one pass over seeded token ids needs: the pass, its (batch, input_tokens) ids on the
    device, and the seconds that building the model took. Raises ``Unsupported``."""
    require(device, cell.weights_dtype, cell.compute_dtype)
    model, load_s = built_model(cell, device, models)
    ids = token_ids(cell, model.config.vocab_size, cell.batch, cell.input_tokens)
    return Passes(model, cell, device), ids.to(device.torch_device), load_s


class OnePass(Prepared):
    """A repetition is one forward pass over the same token ids; subclasses say which in ``eager``.

    ``output`` is the last repetition's answer.
    """

    def __init__(self, passes: Passes, ids: torch.Tensor, load_s: float) -> None:
        self.model, self.ids = passes.model, ids
        self.output: torch.Tensor | None = None
        self.call = passes.call
        self._answer = self.eager
        passes.get_ready(self.step)
        if passes.execution == CUDA_GRAPH:
            self._answer = passes.captured(self.eager)
        self.load_s, self.conditions = load_s + passes.setup_s, passes.conditions

    def eager(self) -> torch.Tensor:
        """The pass, by ``call``."""
        raise NotImplementedError

    def step(self) -> None:
        self.output = self._answer()

    def one_pass(self) -> bool:
        self.eager()
        return True


def _need_graphs(device: Device) -> None:
    if device.kind != "cuda":
        raise Unsupported(f"CUDA graphs exist on NVIDIA and AMD GPUs only, this is {device.kind}")


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
