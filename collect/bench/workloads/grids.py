"""Which models, types, batches and lengths the language-model workloads run in each suite.

A cell that needs more memory than the device has is planned all the same: that it does not fit is a
result. On a CPU the larger models are planned at one small cell each for that reason, and the grid stops
where one repetition would take minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from bench.cells import Cell
from bench.workloads.common import FP32, inference_dtypes

B1, B3, B8, B14, B70 = "Llama-3.2-1B", "Llama-3.2-3B", "Llama-3.1-8B", "Qwen2.5-14B", "Llama-3.1-70B"
BF16 = ("bf16", "bf16")

#: On a CPU, batch x length of the largest point: beyond it one repetition takes minutes.
CPU_MOST_TOKENS = {"quick": 128, "standard": 1_024}


@dataclass(frozen=True)
class Point:
    """One point of a grid: ``length`` is the prompt's or the cache's, in tokens."""

    model: str
    weights_dtype: str
    compute_dtype: str
    batch: int
    length: int

    def cell(self, workload: str, **asked: Any) -> Cell:
        """A cell of a workload at this point, with what else is asked for, such as which length it is."""
        return Cell(
            workload,
            model=self.model,
            weights_dtype=self.weights_dtype,
            compute_dtype=self.compute_dtype,
            batch=self.batch,
            **asked,
        )


def llm_grid(suite: str, device_kind: str) -> list[Point]:
    """The points of a suite on a kind of device, small ones first within a model and type."""
    points = (
        Point(model, weights, compute, batch, length)
        for models, dtypes, batches, lengths in _blocks(suite, device_kind)
        for model, (weights, compute), length, batch in product(models, dtypes, lengths, batches)
        if device_kind != "cpu" or batch * length <= CPU_MOST_TOKENS.get(suite, batch * length)
    )
    return list(dict.fromkeys(points))


Block = tuple[tuple[str, ...], list[tuple[str, str]], tuple[int, ...], tuple[int, ...]]


def _blocks(suite: str, kind: str) -> Iterator[Block]:
    """(models, types, batches, lengths) whose products make the grid."""
    if suite == "tiny":
        yield ("tiny-llama",), [FP32], (1, 2), (16,)
    elif suite == "quick":
        types = [FP32] if kind == "cpu" else [FP32, BF16]
        yield (B1,), types, (1, 4), (32, 128)
    elif suite == "standard" and kind == "cpu":
        yield (B1,), inference_dtypes(suite, kind), (1, 8), (128, 512)
        yield (B3, B8, B14, B70), [BF16], (1,), (128,)
    elif suite == "standard":
        yield (B1,), inference_dtypes(suite, kind), (1, 8, 32), (128, 512, 2_048)
        yield (B3, B8, B14, B70), [BF16], (1, 8, 32), (128, 512, 2_048)
    elif suite == "full" and kind == "cpu":
        yield (B1,), inference_dtypes(suite, kind), (1, 4, 8, 32), (128, 512, 2_048)
        yield (B3, B8, B14, B70), [BF16], (1, 8), (128, 512)
    elif suite == "full":
        batches, lengths = (1, 4, 8, 16, 32, 64), (128, 512, 2_048, 8_192)
        yield (B1,), inference_dtypes(suite, kind), batches, lengths
        yield (B3, B8, B14, B70), [BF16], batches, lengths
