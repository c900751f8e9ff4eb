"""How many times as fast: ratios of results with their intervals, and verdicts.

The arithmetic is that of ``bench.compare``: ``divide`` makes the interval, ``verdict`` decides on the bands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bench.compare.intervals import Interval, divide
from bench.compare.verdicts import verdict
from guide.model import Ratio, Result

__all__ = ["combine", "divide", "ratio", "rules", "verdict"]


def ratio(a: Result, b: Result) -> Ratio | None:
    """``a`` over ``b``; None when either has no rate.

    The interval is made from the stated intervals; where one is missing, so is the ratio's, and ``reason``
    names the side. The verdict always rests on the bands.
    """
    if a.rate is None or b.rate is None or a.band is None or b.band is None:
        return None
    judged = verdict(a.band, b.band)
    if a is b:
        return Ratio(1.0, Interval(1.0, 1.0, 1.0), "tied")
    missing = [r.system.label for r in (a, b) if r.interval is None]
    if a.interval is None or b.interval is None:
        return Ratio(a.rate / b.rate, None, judged, f"no interval is stated for {' and '.join(missing)}")
    return Ratio(a.rate / b.rate, divide(a.interval, b.interval), judged)


def combine(parts: Sequence[tuple[float, Interval]]) -> Interval:
    """Weighted geometric mean of independent ratios: weights need not sum to 1.

    ln value = sum(w ln r) / sum(w); half-widths add in quadrature with the same weights.
    """
    total = sum(weight for weight, _ in parts)
    shares = [(weight / total, part) for weight, part in parts]
    value = math.exp(sum(w * math.log(p.value) for w, p in shares))
    down = math.sqrt(sum((w * math.log(p.value / p.low)) ** 2 for w, p in shares))
    up = math.sqrt(sum((w * math.log(p.high / p.value)) ** 2 for w, p in shares))
    return Interval(value * math.exp(-down), value, value * math.exp(up))


def rules() -> tuple[str, ...]:
    """The rules above as sentences for the Methodology page."""
    return (
        "A ratio's interval comes from the two stated intervals: the half-widths of their logarithms add in "
        "quadrature. Where one of the two states no interval, the ratio has none, and says so.",
        "Across several tasks ratios are combined by their weighted geometric mean, only for systems that "
        "have every one of the tasks, and only tasks of one kind: never prefill with decode, training with "
        "inference, one stream with batched, or burst with sustained.",
    )
