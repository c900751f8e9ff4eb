"""Prompt processing of decoder-only language models: how long until the first token."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench.cells import DTYPE_BYTES, Cell, Need
from bench.models import shape
from bench.models.decoder import DecoderShape
from bench.workloads._execution import ALL, OnePass, passes_and_ids
from bench.workloads.base import Prepared, Workload
from bench.workloads.grids import llm_grid

if TYPE_CHECKING:
    import torch

    from bench.devices.base import Device
    from bench.measure.harness import Harness


class Prefill(Workload):
    """One repetition is one forward pass over the prompts, which fills a new key-value cache, computes
    logits at the last position only, and picks the most likely token of each sequence."""

    name = "prefill"
    title = "LLM prompt processing"
    what = "A language model reads a batch of prompts and gives the first token of each answer."
    why = "It sets the time to first token, and the cost of long prompts."
    rate_unit = "tokens/s"
    executions = ALL

    def cells(self, suite: str, device_kind: str) -> list[Cell]:
        """Model x type x batch x prompt length, see ``bench.workloads.grids``."""
        return [
            point.cell(self.name, input_tokens=point.length, output_tokens=1)
            for point in llm_grid(suite, device_kind)
        ]

    def need(self, cell: Cell) -> Need:
        """Weights, the cache that is filled, and the activations (formulas: ``DecoderShape``)."""
        model: DecoderShape = shape(cell.model)
        element = DTYPE_BYTES[cell.weights_dtype]
        batch, length = cell.batch, cell.input_tokens
        weights = model.weight_bytes(element)
        cache = model.cache_bytes(batch, length, element)
        return Need(
            memory_bytes=weights + cache + model.activation_bytes(batch, length, element),
            flops_per_sample=model.forward_flops(batch, length),
            bytes_per_sample=model.pass_bytes(batch, length, 0, element, element),
            work_per_sample=batch * length,
            working_set_bytes=weights + cache,
            params=model.params,
            active_params=model.params,
        )

    def times(self, row: Mapping[str, Any]) -> dict[str, float]:
        """The time to first token in milliseconds."""
        return {"TTFT ms": row["first_token_ms"]} if row["first_token_ms"] else {}

    def prepare(self, cell: Cell, device: Device, models: dict[str, Any]) -> Prepared:
        return PrefillPrepared(*passes_and_ids(cell, device, models))


class PrefillPrepared(OnePass):
    """``output``: the most likely token of each sequence, ids (batch, 1)."""

    def eager(self) -> torch.Tensor:
        import torch

        with torch.inference_mode():
            logits = self.call(input_ids=self.ids, use_cache=True, logits_to_keep=1).logits
            return logits[:, -1].argmax(-1, keepdim=True)

    def columns(self, harness: Harness) -> dict[str, Any]:
        return {"first_token_ms": 1e3 * statistics.median(harness.samples_s)}
