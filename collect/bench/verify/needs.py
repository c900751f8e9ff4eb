"""What a row's rate takes at least, by formula: arithmetic and memory traffic a second, and capacity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.verify.models import bits_of, weight_bytes, working_params

#: Multiply and add, for each parameter and token (Kaplan et al. 2020, arXiv:2001.08361, table 1), without
#: attention.
FLOPS_PER_PARAMETER = 2.0

#: Floating-point operations of one sample of workloads that others publish, at least. ResNet-50: 3.8e9
#: multiply-adds an image (He et al. 2015, arXiv:1512.03385, table 1).
SAMPLE_FLOPS = {("mlperf-inference", "resnet"): 7.6e9}


@dataclass(frozen=True)
class Least:
    """What one unit of the rate's work takes at least: FLOP, and bytes of memory traffic beyond caches.

    ``formula`` says in words where the FLOP come from. ``sequential``: devices work one after the other, so
    that their memory rates do not add up.
    """

    flops: float | None = None
    bytes_moved: float | None = None
    sequential: bool = False
    formula: str = ""


def guesses_ahead(row: Mapping[str, Any]) -> bool:
    """Whether tokens may be guessed ahead (speculative decoding): then weights are read once for several."""
    text = f"{row.get('settings') or ''} {row.get('conditions') or ''}".lower()
    return "specul" in text or "draft" in text


def least_of(row: Mapping[str, Any], cache_bytes: float = 0.0) -> Least:
    """What one unit of work of the row takes; parts that cannot be known are None."""
    workload, unit = row.get("workload"), row.get("rate_unit")
    work, flops = row.get("work_per_sample"), row.get("flops_per_sample")
    if workload == "probe":
        return Least(flops=1.0, formula="the figure itself") if unit == "FLOP/s" else Least()
    moved = _traffic(row, cache_bytes) if workload == "decode" and unit == "tokens/s" else None
    if flops and work:
        return Least(flops / work, moved, formula="the row's own flops_per_sample over work_per_sample")
    if unit == "tokens/s":
        params = working_params(row)
        if params is not None:
            words = f"2 operations for each of at least {params / 1e9:.3g} billion parameters"
            return Least(FLOPS_PER_PARAMETER * params, moved, formula=words)
    known = SAMPLE_FLOPS.get((workload or "", row.get("model") or ""))
    if known and unit in ("samples/s", "queries/s"):
        return Least(known, formula=f"at least {known:.3g} operations a sample")
    return Least(None, moved)


def _traffic(row: Mapping[str, Any], cache_bytes: float) -> float | None:
    """Bytes for each token: one step reads the weights once, and makes a token for every sequence."""
    weights, batch = weight_bytes(row), row.get("batch")
    if weights is None or not batch or guesses_ahead(row):
        return None
    return max(0.0, weights - cache_bytes) / batch


def resident_bytes(row: Mapping[str, Any]) -> float | None:
    """Bytes of all weights that must be in reach, at least: of a mixture the inactive ones too, since any
    token may need them. The table of embeddings is left out, which programs keep elsewhere."""
    total, bits = row.get("params"), bits_of(row.get("weights_dtype"))
    if total and bits and row.get("active_params") and row["active_params"] < total:
        return 0.85 * total * bits / 8
    return weight_bytes(row)
