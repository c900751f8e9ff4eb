"""The first article's training job: DistilBERT learns two labels from 7,613 short texts, for 5 epochs.

``datasets`` and transformers' ``Trainer`` own the loop, as in the article: batch 8, AdamW with weight
decay 5e-4, 32 bits, batches padded to their longest text, no evaluation. What is timed is the Trainer's
whole step, data loading included, in blocks of steps with the device synchronised at each block's end.
Epoch ends (a short last batch) are left out, so a block's work is always the same. A whole job would take
minutes to hours: ``job_s`` is 5 epochs at the measured rate, seconds per epoch are ``job_s`` / 5, and
seconds per step are batch / rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench.cells import Cell, Need
from bench.models import shape
from bench.models.encoder import EncoderShape
from bench.workloads import texts
from bench.workloads.base import Prepared, Unsupported, Workload
from bench.workloads.common import require

if TYPE_CHECKING:
    from bench.devices.base import Device

TINY_TEXTS = 60

#: suite -> batches; other suites than these run none.
BATCHES: dict[str, tuple[int, ...]] = {
    "tiny": (4,),
    "quick": (8,),
    "article": (8,),
    "standard": (8, 32),
    "full": (8, 16, 32, 64, 128),
}


class Finetune(Workload):
    """One repetition is a block of 1 to 10 training steps, about 2 s of them on a slow device."""

    name = "finetune"
    title = "DistilBERT fine-tuning"
    what = "DistilBERT with a two-label head is trained on 7,613 short texts for 5 epochs with the Trainer."
    why = "It is the first article's training test, and what adapting a small model costs."
    rate_unit = "samples/s"

    def cells(self, suite: str, device_kind: str) -> list[Cell]:
        """Batch 8 in 32 bits as published, then larger batches and (beyond a CPU) bf16 and tf32."""
        computes = ["fp32"]
        if suite in ("standard", "full") and device_kind != "cpu":
            computes += ["tf32", "bf16"] if device_kind == "cuda" else ["bf16"]
        tiny = suite == "tiny"
        return [
            Cell(
                self.name,
                model="tiny-distilbert" if tiny else "distilbert-base-uncased",
                compute_dtype=compute,
                batch=batch,
                settings={"texts": TINY_TEXTS if tiny else texts.TEXTS, "optimizer": "adamw_torch_fused"},
            )
            for compute in computes
            for batch in BATCHES.get(suite, ())
        ]

    def need(self, cell: Cell) -> Need:
        """One training step at the mean padded length; ``Prepared.need`` holds the block that was run.

        FLOPs: 3 times the forward pass, since the backward pass does two products for each forward one
        (Kaplan et al. 2020, arXiv:2001.08361, section 2.1). Bytes: weights read forward and backward
        (without the embedding table, of which few rows are read), gradients written and read, and AdamW's
        weights and two moments read and written. Memory: weights, gradients and two moments in 32 bits,
        and for each layer 34 bytes a token and hidden unit kept for the backward pass in 16-bit training
        (Korthikanti et al. 2022, arXiv:2205.05198, equation 1), which is 66 in 32 bits, plus the attention
        scores with their softmax and dropout (9 bytes a pair and head).
        """
        model: EncoderShape = shape(cell.model)
        padded = texts.batch_lengths(cell.batch, cell.settings["texts"])
        forward = (
            2 * padded.tokens * model.layers * model.linear_params
            + 4 * padded.square * model.layers * model.hidden
            + model.forward_flops(cell.batch, 0)
        )
        table, longest = model.vocab * model.hidden, padded.longest
        kept = 66 * model.hidden * longest + 9 * model.heads * longest**2
        train = texts.split(cell.settings["texts"])[0]
        traffic = 4 * (2 * (model.params - table) + 8 * model.params)
        return Need(
            memory_bytes=16 * model.params + cell.batch * model.layers * kept,
            flops_per_sample=3 * forward,
            bytes_per_sample=traffic,
            work_per_sample=cell.batch,
            working_set_bytes=16 * model.params,
            params=model.params,
            active_params=model.params,
            job_samples=texts.EPOCHS * -(-train // cell.batch),
        )

    def times(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Seconds of a step, of an epoch, and of the job of 5 epochs."""
        step = {"s/step": row["batch"] / row["rate"]} if row["batch"] else {}
        job = {"s/epoch": row["job_s"] / texts.EPOCHS, "s/job": row["job_s"]} if row["job_s"] else {}
        return step | job

    def prepare(self, cell: Cell, device: Device, models: dict[str, Any]) -> Prepared:
        from bench.models.build import build
        from bench.workloads import _training

        require(device, cell.weights_dtype, cell.compute_dtype)
        if device.index:
            raise Unsupported("the Trainer takes the first device; choose another with CUDA_VISIBLE_DEVICES")
        models.clear()  # training changes the weights: every cell builds its own
        built = build(cell.model, cell.weights_dtype, device, weights=cell.weights)
        return _training.TrainingPrepared(built, cell, device, self.need(cell))
