"""Imported figures held against what the catalog says a device can do at most.

An imported file brings no probe of its machine, so the dense peaks and the memory rate of the catalog stand
in for it. The formulas are lower bounds (what cannot be known is left out), so that only a figure that is
surely wrong is called impossible.
"""

from __future__ import annotations

import re

from bench.catalog import CatalogDevice
from bench.importers.base import Least
from bench.measure.gate import TOLERANCE

#: Multiply and add, for each parameter and token.
FLOPS_PER_PARAMETER = 2.0
#: The catalog's memory rate of a processor is that of one socket; a name does not tell the sockets.
SOCKETS = 2
#: Smaller models may be served by a cache (processors have up to 1.15 GB), which the gate does not know.
CACHED_BYTES = 1.5e9

#: Families of dense models, by the first word of their name: all their parameters work on every token.
DENSE = frozenset({
    "baichuan", "bloom", "codellama", "codeshell", "command-r", "exaone", "falcon", "falcon3", "gemma",
    "gemma2", "gemma3", "glm4", "gpt2", "gptneox", "internlm2", "llama", "mistral", "mpt", "olmo", "olmo2",
    "orion", "persimmon", "phi2", "phi3", "plamo", "qwen", "qwen2", "qwen2.5", "qwen3", "refact", "smollm3",
    "stablelm", "starcoder", "starcoder2", "tinyllama", "xverse",
})  # fmt: skip
_MIXTURE = re.compile(r"\d+x\d|\d\.?\d*b[ .-]?a\d|moe|-\d+e\b", re.IGNORECASE)


def is_dense(model: str | None) -> bool:
    """Whether a model's name is that of a family whose every parameter works on every token."""
    if not model or _MIXTURE.search(model):
        return False
    name = model.lower().rpartition("/")[2].removeprefix("meta-").removeprefix("meta ")
    words = re.split(r"[ _:-]", name)
    return words[0] in DENSE and not (words[0] == "llama" and words[1:2] == ["4"])


def working_share(params: float) -> float:
    """The least share of a model's parameters that works on a token; the rest may be the table of token
    embeddings, of which one line is read. Small models with large vocabularies have the least."""
    if params >= 6e9:
        return 0.85
    return 0.7 if params >= 2.5e9 else 0.35


def of_prompt(model: str | None, params: float | None) -> Least | None:
    """What reading one prompt token takes."""
    if not params or not is_dense(model):
        return None
    return Least(flops=FLOPS_PER_PARAMETER * params * working_share(params))


def of_decoding(
    model: str | None, params: float | None, weight_bytes: float | None, *, sequential: bool = True
) -> Least | None:
    """What generating one token of one sequence takes: every weight that works is read once."""
    if not params or not is_dense(model):
        return None
    share = working_share(params)
    moved = weight_bytes * share if weight_bytes and weight_bytes > CACHED_BYTES else None
    return Least(FLOPS_PER_PARAMETER * params * share, moved, sequential)


def params_in(model: str | None) -> float | None:
    """The parameter count that a dense model's name states: ``Llama-3.3-70B-Instruct`` is 70e9."""
    if not is_dense(model):
        return None
    found = re.search(r"(?<![\w.])(\d+(?:\.\d+)?)b(?![a-z])", (model or "").replace("_", "-"), re.IGNORECASE)
    return float(found[1]) * 1e9 if found else None


def verdict(device: CatalogDevice | None, count: int, rate: float | None, least: Least | None) -> str | None:
    """None when the rate is possible or cannot be judged, else the figures in a sentence."""
    if device is None or rate is None or least is None:
        return None
    sockets = SOCKETS if device.device_class == "cpu" else 1
    peaks = [p for t in ("fp32", "fp16", "bf16", "fp8", "int8") if (p := device.peak_flops(t))]
    broken = []
    if peaks and least.flops:
        broken += _over(rate * least.flops, max(peaks) * count * sockets, "FLOP/s")
    if device.bandwidth_gb_s and least.bytes_moved:
        # Devices that work in turn add no memory rate; which way a file's devices worked may be unknown.
        most = device.bandwidth_gb_s * 1e9 * sockets * (1 if least.sequential else count)
        broken += _over(rate * least.bytes_moved, most, "B/s of memory traffic")
    if not broken:
        return None
    return f"It would take at least {' and '.join(broken)} (catalog): the figure or the device is wrong."


def _over(needed: float, most: float, what: str) -> list[str]:
    if needed <= most * TOLERANCE:
        return []
    return [f"{needed:.4g} {what}, {needed / most:.0%} of the device's {most:.4g}"]
