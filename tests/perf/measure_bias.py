"""Whether the harness's times are a bare hand-written loop's, on the same real model.

A workload's own loop runs in the harness, as in a run; the bare loop's calls happen in between, in the same
process on the same model: bare, harness, harness, bare, and again, so that whatever drifts cancels in each
block of four. The control holds the bare loop against itself, its neighbouring calls of two blocks.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

from figures import Figure, Missing, bias
from subjects import BERT, add_shapes, decode

from bench.cells import Cell
from bench.measure.harness import Harness
from bench.measure.stopping import StoppingRule

#: Seconds a model; the goal, in per cent.
MODEL_S, QUICK_S, GOAL = 330.0, 10.0, 1.0
TOKENS = 4


def measure(quick: bool = False) -> Iterator[Figure | Missing]:
    add_shapes()
    seconds = QUICK_S if quick else MODEL_S
    yield from held_against(BERT, "BERT-base, 1 × 128 tokens", bare_encode, seconds)
    what = f"decoder of 110 M, {TOKENS} tokens after 64"
    yield from held_against(decode(TOKENS), what, bare_decode, seconds)


def held_against(
    cell: Cell, name: str, bare_of: Callable[..., Any], seconds: float
) -> Iterator[Figure | Missing]:
    """The harness's bias on one cell, and the control."""
    from bench.devices import open_device
    from bench.workloads import WORKLOADS

    device = open_device("cpu")
    device.seed(0)
    prepared = WORKLOADS[cell.workload].prepare(cell, device, {})
    # A target that no interval meets: the harness looks at its samples as often as ever, and time ends it.
    rule = StoppingRule(target=0.0, budget_s=seconds)
    harness = ByTurns(device, rule, bare_of(prepared, cell))
    prepared.run(harness)
    blocks = harness.blocks()[1:]
    if len(blocks) < 3:
        reason = f"{len(blocks)} rounds in {seconds:.0f} s: this machine is too slow or too busy now"
        yield Missing(f"harness: its times, {name}", "a bare loop", reason)
        return
    typical = sorted(bare for one in blocks for bare in (one[0], one[3]))[len(blocks)]
    against = f"a bare loop, {1e3 * typical:.3g} ms a call"
    ratios = [(one[1] + one[2]) / (one[0] + one[3]) for one in blocks]
    yield bias(f"harness: its times, {name}", against, ratios, goal_percent=GOAL)
    neighbours = [a[3] / b[0] for a, b in itertools.pairwise(blocks)]
    yield bias(f"control: the bare loop, {name}", "itself, the next call", neighbours)


class ByTurns(Harness):
    """A harness that lets the bare loop have its turns between its own repetitions."""

    def __init__(self, device: Any, rule: StoppingRule, bare: Callable[[], float]) -> None:
        super().__init__(device, rule, on_sample=interval_so_far, report_every_s=0.5)
        self._bare = bare
        self._bare_s: list[float] = []
        self._turn = 0

    def wants_more(self) -> bool:
        """Bare calls before every other repetition: the last of one block and the first of the next."""
        if self._turn % 2 == 0:
            self._bare_s += [self._bare() for _ in range(1 if self._turn == 0 else 2)]
        self._turn += 1
        return super().wants_more()

    def blocks(self) -> list[tuple[float, float, float, float]]:
        """Seconds of bare, harness, harness, bare, for each whole block in the order they ran."""
        bare, timed = self._bare_s, [*self.warmup_s, *self.samples_s]
        whole = min(len(bare), len(timed)) // 2
        return [(bare[2 * i], timed[2 * i], timed[2 * i + 1], bare[2 * i + 1]) for i in range(whole)]


def interval_so_far(harness: Harness) -> None:
    """What a run does twice a second, to show its progress."""
    if harness.samples_s:
        harness.interval()


def bare_encode(prepared: Any, cell: Cell) -> Callable[[], float]:
    """One forward pass; seconds."""
    import torch

    model, ids = prepared.model, prepared.ids

    def call() -> float:
        with torch.inference_mode():
            begin = time.perf_counter()
            model(input_ids=ids)
            return time.perf_counter() - begin

    return call


def bare_decode(prepared: Any, cell: Cell) -> Callable[[], float]:
    """The cell's tokens one after another behind a cache of the same kind and depth; seconds."""
    import torch

    from bench.workloads.decode import cache_argument, fill_cache, new_cache

    model, first, count = prepared.model, prepared.first, cell.output_tokens
    cache = new_cache(model, cell.context_depth + count)
    fill_cache(model, cache, 1, cell.context_depth, seed=0)
    inputs = {"use_cache": True, "logits_to_keep": 1, cache_argument(model): cache}

    def call() -> float:
        token = first
        with torch.inference_mode():
            begin = time.perf_counter()
            for _ in range(count):
                token = model(input_ids=token, **inputs).logits[:, -1].argmax(-1, keepdim=True)
            taken = time.perf_counter() - begin
        cache.crop(-count)
        return taken

    return call
