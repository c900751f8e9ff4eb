"""The first article's inference job: T5-large summarises 100 articles.

Each article of the original is one sentence 30 times, about 300 tokens; here it is 300 seeded token ids.
The search is T5's own for summarisation (task-specific parameters of its published config): 4 beams,
length penalty 2, no repeated 3-gram, early stopping, at least 30 new tokens. End-of-sequence is disabled
and the output is exactly 30 tokens, so that its length never depends on the weights. The loop is
transformers' ``generate``, as published: its bookkeeping is part of what a user of it waits for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench.cells import DTYPE_BYTES, Cell, Need
from bench.models import shape
from bench.models.t5 import T5Shape
from bench.workloads.base import Prepared, Workload
from bench.workloads.common import (
    FP32,
    built_model,
    inference_dtypes,
    job_columns,
    require,
    token_ids,
)

if TYPE_CHECKING:
    import torch

    from bench.devices.base import Device
    from bench.measure.harness import Harness

ARTICLES, INPUT_TOKENS, OUTPUT_TOKENS, BEAMS = 100, 300, 30, 4

#: suite -> batches; other suites than these run none.
BATCHES: dict[str, tuple[int, ...]] = {
    "tiny": (1, 2),
    "quick": (1,),
    "article": (1,),
    "standard": (1, 8, 32),
    "full": (1, 2, 4, 8, 16, 32, 64),
}


class Summarize(Workload):
    """One repetition is one batch of articles."""

    name = "summarize"
    title = "T5-large summarisation"
    what = "T5-large summarises 100 articles of about 300 tokens into 30 tokens each, with 4 beams."
    why = "It is the first article's inference test: small steps in a row, where overhead counts most."
    rate_unit = "articles/s"

    def cells(self, suite: str, device_kind: str) -> list[Cell]:
        """One article at a time in 32 bits as published, then batches and 16 bits."""
        tiny = suite == "tiny"
        # In emulated 16 bits a beam search takes a CPU minutes an article.
        types = [FP32] if device_kind == "cpu" else inference_dtypes(suite, device_kind)
        return [
            Cell(
                self.name,
                model="tiny-t5" if tiny else "t5-large",
                weights_dtype=weights,
                compute_dtype=compute,
                batch=batch,
                input_tokens=24 if tiny else INPUT_TOKENS,
                output_tokens=6 if tiny else OUTPUT_TOKENS,
                beams=BEAMS,
            )
            for weights, compute in types
            for batch in BATCHES.get(suite, ())
        ]

    def need(self, cell: Cell) -> Need:
        """The encoder once an article, the decoder once a beam and token (formulas: ``T5Shape``)."""
        model: T5Shape = shape(cell.model)
        element = DTYPE_BYTES[cell.weights_dtype]
        articles, length, new, beams = cell.batch, cell.input_tokens, cell.output_tokens, cell.beams
        return Need(
            memory_bytes=model.memory_bytes(articles, length, new, beams, element),
            flops_per_sample=model.encode_flops(articles, length)
            + model.decode_flops(articles * beams, length, new),
            bytes_per_sample=model.generate_bytes(articles, length, new, beams, element),
            work_per_sample=articles,
            working_set_bytes=model.weight_bytes(element)
            + model.cache_bytes(articles * beams, length, new, element),
            params=model.params,
            active_params=model.params,
            job_samples=-(-ARTICLES // articles),
        )

    def times(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Seconds of an article, and of the job of 100; articles of one batch share its time."""
        job = {"s/job": row["job_s"]} if row["job_s"] else {}
        return {"s/article": 1 / row["rate"]} | job

    def prepare(self, cell: Cell, device: Device, models: dict[str, Any]) -> Prepared:
        require(device, cell.weights_dtype, cell.compute_dtype)
        model, load_s = built_model(cell, device, models)
        ids = token_ids(cell, model.config.vocab_size, cell.batch, cell.input_tokens)
        return SummarizePrepared(model, ids.to(device.torch_device), cell, load_s)


class SummarizePrepared(Prepared):
    """``summaries`` is the last repetition's: (articles, 1 + output_tokens) ids, start token first."""

    def __init__(self, model: Any, ids: torch.Tensor, cell: Cell, load_s: float) -> None:
        import torch
        from transformers import GenerationConfig

        self.model, self.ids, self.load_s = model, ids, load_s
        self.articles = cell.batch
        self.mask = torch.ones_like(ids)
        self.search = GenerationConfig(
            num_beams=cell.beams,
            do_sample=False,
            min_new_tokens=cell.output_tokens,
            max_new_tokens=cell.output_tokens,
            length_penalty=2.0,
            no_repeat_ngram_size=3,
            early_stopping=True,
            decoder_start_token_id=model.config.decoder_start_token_id,
            pad_token_id=model.config.pad_token_id,
            eos_token_id=None,
        )
        self.summaries: torch.Tensor | None = None

    def step(self) -> None:
        import torch

        with torch.inference_mode():
            self.summaries = self.model.generate(
                self.ids, attention_mask=self.mask, generation_config=self.search
            )

    def columns(self, harness: Harness) -> dict[str, Any]:
        return job_columns(harness, self.articles, ARTICLES)
