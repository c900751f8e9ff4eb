"""How large a published model is at least: parameters that work on a token, and bits of each weight.

Everything here is a lower bound, so that only what is surely wrong is called impossible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

#: Least bits a weight of each type takes. The types of llama.cpp: bytes of a block over its weights, from the
#: ``static_assert`` of each block in ggml/src/ggml-common.h (commit 01243c587f): q4_0 packs 32 weights into
#: 2 + 16 bytes, q4_K 256 into 4 + 12 + 128. A mixture ("q4_k_m") is counted as its smallest part.
BITS: dict[str, float] = {
    "fp32": 32, "tf32": 32, "bf16": 16, "fp16": 16, "fp8": 8, "int8": 8, "int4": 4, "fp4": 4,
    "w8a8": 8, "w8a16": 8, "w4a16": 4, "w4": 4, "w8": 8, "4-bit": 4, "8-bit": 8, "q4": 4, "q8": 8,
    "q8_0": 8.5, "q5_1": 6, "q5_0": 5.5, "q4_1": 5, "q4_0": 4.5, "q1_0": 1.125, "q2_0": 2.25,
    "q2_k": 2.625, "q3_k": 3.4375, "q4_k": 4.5, "q5_k": 5.5, "q6_k": 6.5625,
    "iq1_s": 1.5625, "iq1_m": 1.75, "iq2_xxs": 2.0625, "iq2_xs": 2.3125, "iq2_s": 2.5625, "iq2_m": 2.5625,
    "iq3_xxs": 3.0625, "iq3_xs": 3.0625, "iq3_s": 3.4375, "iq3_m": 3.4375, "iq4_nl": 4.5, "iq4_xs": 4.25,
    "tq1_0": 1.6875, "tq2_0": 2.0625, "mxfp4": 4.25, "nvfp4": 4.5,
}  # fmt: skip

#: Families of dense models, by the first word of their name: all their parameters work on every token.
DENSE = frozenset({
    "baichuan", "bloom", "codellama", "codeshell", "command-r", "exaone", "falcon", "falcon3", "gemma",
    "gemma2", "gemma3", "glm4", "gpt2", "gptj", "gptneox", "ibm", "internlm2", "llama", "llama2", "llama3",
    "llama3.1", "llama3.2", "llama3.3", "mistral", "mpt", "olmo", "olmo2", "opt", "orion", "persimmon", "phi",
    "phi2", "phi3", "plamo", "qwen", "qwen2", "qwen2.5", "qwen3", "refact", "smollm3", "stablelm",
    "starcoder", "starcoder2", "tinyllama", "xverse", "yi",
})  # fmt: skip
_MIXTURE = re.compile(r"\d+x\d|\d\.?\d*b[ .-]?a\d|moe|-\d+e\b|next|mixtral", re.IGNORECASE)
_NAMED_SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)b(?![a-z])", re.IGNORECASE)
_MIXED_BITS = re.compile(r"mixed \((\d+(?:\.\d+)?) bits\)")
#: A size in a name is rounded: "70B" has 68.98 or 70.55 thousand million parameters.
NAMED_SHARE = 0.93


@lru_cache(maxsize=4096)
def is_dense(model: str | None) -> bool:
    """Whether a model's name is that of a family whose every parameter works on every token."""
    if not model or _MIXTURE.search(model):
        return False
    name = model.lower().rpartition("/")[2].removeprefix("meta-").removeprefix("meta ")
    words = re.split(r"[ _:-]", name)
    if words[0] == "deepseek":  # the models themselves are mixtures; their distillates are Llama and Qwen
        return "distill" in words
    return words[0] in DENSE and not (words[0] == "llama" and words[1:2] == ["4"])


@lru_cache(maxsize=4096)
def params_in(model: str | None) -> float | None:
    """The parameter count that a dense model's name states: ``Llama-3.3-70B-Instruct`` is 70e9."""
    if not is_dense(model):
        return None
    found = _NAMED_SIZE.search((model or "").replace("_", "-"))
    return float(found[1]) * 1e9 if found else None


def working_share(params: float) -> float:
    """The least share of a model's parameters that works on a token; the rest may be the table of token
    embeddings, of which one line is read.

    The least found, with a table that is not also the output head: 0.93 from 6 billion on (Qwen2.5-7B), 0.83
    around 2 (Qwen1.5-1.8B), 0.54 below (Pythia-14m).
    """
    if params >= 6e9:
        return 0.9
    return 0.8 if params >= 1.5e9 else 0.5


def working_params(row: Mapping[str, Any]) -> float | None:
    """Parameters that work on every token at least; None where that cannot be known.

    Of a mixture of experts those are the active ones. Without ``params`` the size in a dense model's name
    counts.
    """
    total = row.get("params")
    active = row.get("active_params") or (total if is_dense(row.get("model")) else None)
    if active is None and total is None:
        named = params_in(row.get("model"))
        active = None if named is None else named * NAMED_SHARE
    return None if active is None else active * working_share(active)


@lru_cache(maxsize=4096)
def bits_of(weights_dtype: str | None) -> float | None:
    """Least bits of a weight; None for a type that is not known."""
    if not weights_dtype:
        return None
    name = weights_dtype.lower().removeprefix("ud-")
    if name not in BITS and (found := _MIXED_BITS.fullmatch(name)):
        return float(found[1])
    while name not in BITS and "_" in name:  # q4_k_m, q3_k_xl: as its base type
        name = name.rpartition("_")[0]
    return BITS.get(name)


def weight_bytes(row: Mapping[str, Any]) -> float | None:
    """Bytes of the weights that work on every token, at least."""
    params, bits = working_params(row), bits_of(row.get("weights_dtype"))
    return None if params is None or bits is None else params * bits / 8
