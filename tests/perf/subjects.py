"""The real models on which measuring is measured: published or published-like shapes, random weights."""

from __future__ import annotations

import dataclasses
from typing import Any

from bench.cells import Cell
from bench.models import SHAPES, shape
from bench.models.decoder import TINY_LLAMA

#: A decoder of GPT-2's size, small enough for two cores: 12 layers, 110 M parameters.
SMALL_LLAMA = dataclasses.replace(
    TINY_LLAMA,
    name="small-llama",
    vocab=32_000,
    hidden=768,
    layers=12,
    heads=12,
    kv_heads=12,
    head_dim=64,
    intermediate=2_048,
    positions=1_024,
)

BERT = Cell("encode", model="bert-base-uncased", input_tokens=128)


def decode(tokens: int) -> Cell:
    """``tokens`` tokens of the small decoder, behind 64 others."""
    settings = {"cache": "static"}
    return Cell("decode", model=SMALL_LLAMA.name, context_depth=64, output_tokens=tokens, settings=settings)


def add_shapes() -> None:
    """Let ``bench.models.shape`` find the small decoder in this process."""
    SHAPES[SMALL_LLAMA.name] = SMALL_LLAMA


def config_of(cell: Cell) -> dict[str, Any]:
    """The model's ``config.json``, for any version of transformers."""
    add_shapes()
    wanted = shape(cell.model)
    kind = {"BertModel": "bert", "LlamaForCausalLM": "llama"}[wanted.model_class]
    return {"model_type": kind, "architectures": [wanted.model_class], **wanted.config()}
