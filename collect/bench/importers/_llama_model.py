"""What llama.cpp's name of a model says: family and size, and the type of its weights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

#: Bits a weight of each type takes, as llama.cpp states them; a mixture has a bit more or less.
BITS: dict[str, float] = {
    "fp32": 32, "fp16": 16, "bf16": 16, "q8_0": 8.5, "q6_k": 6.6, "q5_k_m": 5.7, "q5_k_s": 5.5, "q5_1": 6,
    "q5_0": 5.5, "q4_k_m": 4.85, "q4_k_s": 4.6, "q4_1": 5, "q4_0": 4.5, "q3_k_l": 4.3, "q3_k_m": 3.9,
    "q3_k_s": 3.5, "q2_k": 2.96, "q2_k_s": 2.6, "mxfp4": 4.25, "iq4_xs": 4.3, "iq4_nl": 4.5,
    "iq3_m": 3.7, "iq3_s": 3.4, "iq3_xs": 3.3, "iq3_xxs": 3.1, "iq2_m": 2.7, "iq2_s": 2.5, "iq2_xs": 2.3,
    "iq2_xxs": 2.1, "iq1_m": 1.75, "iq1_s": 1.6, "tq1_0": 1.7, "tq2_0": 2.1, "nvfp4": 4.5,
}  # fmt: skip

#: How far the size may be from what the type takes: embeddings of small models are kept in a larger type.
_SIZE_RANGE = (0.7, 2.0)

_TYPE = re.compile(
    r"(?:^|\s)(?:mostly |all )?"
    r"((?:I?Q\d[A-Z0-9_]*|TQ\d_\d|B?F16|F32|MXFP4|NVFP4)(?: MoE)?)"
    r"(?: - (Small|Medium|Large|[\d.]+ bpw.*))?(?: \(guessed\))?$"
)
_ACTIVE = re.compile(r"\.A(\d+(?:\.\d+)?)B\b")
_PLAIN = {"f16": "fp16", "f32": "fp32", "bf16": "bf16"}


@dataclass(frozen=True)
class Model:
    """``name`` without the weight type; ``active_params`` as its name rounds them."""

    name: str | None
    weights_dtype: str | None
    active_params: int | None = None
    flags: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def read_model(printed: str | None, params: int | None, size: int | None) -> Model:
    """``llama 7B Q4_K - Medium`` with 6.74e9 parameters in 4.08e9 bytes."""
    if not printed:
        return Model(None, None)
    text = " ".join(printed.split())
    found = _TYPE.search(text)
    name = text[: found.start()].strip() if found else text
    dtype = _dtype(found) if found else None
    flags: list[str] = []
    if "?B" in name and params:
        name = name.replace("?B", _human(params))
        flags.append("size-from-parameters")
    if dtype and params and size and not _fits(dtype, size * 8 / params):
        dtype = f"mixed ({size * 8 / params:.1f} bits)"
        flags.append("weights-type-corrected")
    active = _ACTIVE.search(name)
    return Model(name, dtype, int(float(active[1]) * 1e9) if active else None, tuple(flags))


def _dtype(found: re.Match[str]) -> str:
    base = found[1].removesuffix(" MoE").lower()
    size = found[2] or ""
    suffix = f"_{size[0].lower()}" if size in ("Small", "Medium", "Large") else ""
    name = _PLAIN.get(base, base + suffix)
    return "q2_k" if name == "q2_k_m" else name  # its only size but "Small" is called so by newer builds


def _fits(dtype: str, bits: float) -> bool:
    usual = BITS.get(dtype)
    return usual is None or _SIZE_RANGE[0] * usual <= bits <= _SIZE_RANGE[1] * usual


def _human(params: int) -> str:
    return f"{params / 1e9:.3g}B" if params >= 1e9 else f"{params / 1e6:.3g}M"
