"""BERT-base: one forward pass over a batch of sequences, the work behind search and classification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.cells import DTYPE_BYTES, Cell, Need
from bench.models import shape
from bench.models.encoder import EncoderShape
from bench.workloads._execution import ALL, OnePass, passes_and_ids
from bench.workloads.base import Prepared, Workload
from bench.workloads.common import inference_dtypes

if TYPE_CHECKING:
    import torch

    from bench.devices.base import Device

#: suite -> (model, batches, lengths)
GRIDS: dict[str, tuple[str, tuple[int, ...], tuple[int, ...]]] = {
    "tiny": ("tiny-bert", (1, 2), (16,)),
    "quick": ("bert-base-uncased", (1, 8), (128, 512)),
    "standard": ("bert-base-uncased", (1, 8, 32), (128, 512)),
    "full": ("bert-base-uncased", (1, 2, 4, 8, 16, 32, 64, 128), (32, 128, 256, 512)),
}
#: On a CPU, tokens of the largest batch: beyond it one repetition takes many seconds.
CPU_MOST_TOKENS = {"quick": 1_024, "standard": 4_096}


class Encode(Workload):
    name = "encode"
    title = "BERT-base encoding"
    what = "One forward pass of BERT-base over a batch of equally long sequences."
    why = "Search, ranking and classification run on encoders of this size, alone or by the thousand."
    rate_unit = "sequences/s"
    executions = ALL

    def cells(self, suite: str, device_kind: str) -> list[Cell]:
        """Batch x length; fp32 everywhere, half types beyond ``quick``."""
        if suite not in GRIDS:
            return []
        model, batches, lengths = GRIDS[suite]
        return [
            Cell(self.name, model=model, weights_dtype=dtype, compute_dtype=compute, batch=b, input_tokens=n)
            for dtype, compute in inference_dtypes(suite, device_kind)
            for n in lengths
            for b in batches
            if device_kind != "cpu" or b * n <= CPU_MOST_TOKENS.get(suite, b * n)
        ]

    def need(self, cell: Cell) -> Need:
        """Weights once; in memory the sequences' activations beside them (formulas: ``EncoderShape``)."""
        model: EncoderShape = shape(cell.model)
        element = DTYPE_BYTES[cell.weights_dtype]
        weights = model.weight_bytes(element)
        table = round(model.vocab * model.hidden * element)
        activations = model.activation_bytes(cell.batch, cell.input_tokens, element)
        return Need(
            memory_bytes=weights + activations,
            flops_per_sample=model.forward_flops(cell.batch, cell.input_tokens),
            bytes_per_sample=model.pass_bytes(cell.batch, cell.input_tokens, element),
            work_per_sample=cell.batch,
            working_set_bytes=weights - table + activations,
            params=model.params,
            active_params=model.params,
        )

    def prepare(self, cell: Cell, device: Device, models: dict[str, Any]) -> Prepared:
        return EncodePrepared(*passes_and_ids(cell, device, models))


class EncodePrepared(OnePass):
    """``output``: the hidden states (batch, length, hidden)."""

    def eager(self) -> torch.Tensor:
        import torch

        with torch.inference_mode():
            return self.call(input_ids=self.ids).last_hidden_state
