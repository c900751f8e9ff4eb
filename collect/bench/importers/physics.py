"""What a file's figures take at least, and the gate of ``bench.verify`` on them.

A file may know more than its row: the exact bytes of the weights, or that devices worked in turn. So an
importer states the least work itself; models, peaks and the comparison are those of ``bench.verify``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.catalog import CatalogDevice
from bench.verify import models, peaks
from bench.verify.models import is_dense, working_share
from bench.verify.needs import FLOPS_PER_PARAMETER, Least
from bench.verify.physics import broken

__all__ = [
    "FLOPS_PER_PARAMETER", "is_dense", "of_decoding", "of_prompt", "params_in", "verdict", "working_share",
]  # fmt: skip

#: Smaller models may be served by a cache, which the gate does not know.
CACHED_BYTES = 1.5e9


def of_prompt(model: str | None, params: float | None) -> Least | None:
    """What reading one prompt token takes."""
    if not params or not is_dense(model):
        return None
    return Least(FLOPS_PER_PARAMETER * params * working_share(params), formula=_formula(params))


def of_decoding(
    model: str | None, params: float | None, weight_bytes: float | None, *, sequential: bool = True
) -> Least | None:
    """What generating one token of one sequence takes: every weight that works is read once."""
    if not params or not is_dense(model):
        return None
    share = working_share(params)
    moved = weight_bytes * share if weight_bytes and weight_bytes > CACHED_BYTES else None
    return Least(FLOPS_PER_PARAMETER * params * share, moved, sequential, _formula(params))


def params_in(model: str | None) -> float | None:
    """The least parameter count that a dense model's name can mean: names are rounded."""
    named = models.params_in(model)
    return None if named is None else named * models.NAMED_SHARE


def verdict(
    device: CatalogDevice | None,
    count: int,
    rate: float | None,
    least: Least | None,
    columns: Mapping[str, Any] | None = None,
) -> str | None:
    """None when the rate is possible or cannot be judged, else the figures in a sentence.

    ``columns`` may say in which types weights are kept and products computed.
    """
    if device is None or rate is None or least is None:
        return None
    types = (columns or {}).get("compute_dtype"), (columns or {}).get("weights_dtype")
    found = [p.text for p in broken(device, count, rate, least, peaks.arithmetic_of(*types))]
    return " ".join(text[:1].upper() + text[1:] for text in found) or None


def _formula(params: float) -> str:
    return f"2 operations for each of at least {params * working_share(params) / 1e9:.3g} billion parameters"
