"""The interval of a rate that is a mean, from its repetitions or from their stated spread."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

#: Mean and median further apart than this are worth a word.
SKEW = 0.02
#: Repetitions that are kept one by one; of more, only the figures made from them.
MOST_KEPT = 10_000


@lru_cache(maxsize=4096)
def _t(freedom: int) -> float:
    from bench.measure.stats import t_quantile

    return t_quantile(0.975, freedom)


def of_samples(
    rate: float, rates: Sequence[float], seconds: Sequence[float]
) -> tuple[dict[str, Any], list[str]]:
    """Columns and flags of a mean over these repetitions (Student's interval of the mean)."""
    columns: dict[str, Any] = {"sample_count": len(rates)}
    if len(seconds) <= MOST_KEPT:
        columns["samples_s"] = list(seconds)
    if len(rates) < 2:
        return columns, ["single-repetition"]
    flags = ["within-run-interval"]
    if abs(statistics.median(rates) / rate - 1) > SKEW:
        flags.append("skewed-repetitions")
    return columns | _interval(rate, _deviation(rates), len(rates)), flags


def _deviation(values: Sequence[float]) -> float:
    """The sample standard deviation; ``statistics.stdev`` takes fifteen times as long for its last digit."""
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def of_spread(rate: float, spread: float | None, count: int | None) -> tuple[dict[str, Any], list[str]]:
    """The same from a stated standard deviation; without a count there is no interval."""
    if count == 1:
        return {"sample_count": 1}, ["single-repetition"]
    if count is None or spread is None:
        return ({} if count is None else {"sample_count": count}), ["interval-unknown"]
    return {"sample_count": count} | _interval(rate, spread, count), ["within-run-interval"]


def _interval(rate: float, spread: float, count: int) -> dict[str, float]:
    half = _t(count - 1) * spread / math.sqrt(count)
    return {"rate_low": max(rate - half, 0.0), "rate_high": rate + half}
