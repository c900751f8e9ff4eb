"""Intervals, the ratio of two of them, and how exact a ratio of two medians is.

The ratio's interval is made by the method of variance estimates recovery ("square and add") on logarithms:
G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general approach",
Statistics in Medicine 27 (2008) 1693-1702. The logarithms of two independent results subtract, and the
distances from each to its own limits add in quadrature, each side on its own, so that skewed intervals stay
skewed: ln high = ln(a/b) + sqrt(ln(a_high/a)^2 + ln(b/b_low)^2), and the same downwards. It needs no shape of
the noise, only limits that hold for each side. ``tests/bench/compare/test_coverage.py`` shows how often the
interval covers the true ratio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A 95 % interval around ``value``, all three in one unit; ``low <= value <= high``."""

    low: float
    value: float
    high: float

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share a point."""
        return self.low <= other.high and other.low <= self.high


def divide(a: Interval, b: Interval) -> Interval:
    """The interval of a/b for independent a and b, all of them positive."""
    value = a.value / b.value
    down = math.hypot(math.log(a.value / a.low), math.log(b.high / b.value))
    up = math.hypot(math.log(a.high / a.value), math.log(b.value / b.low))
    return Interval(value * math.exp(-down), value, value * math.exp(up))


def scaled(interval: Interval, factor: float) -> Interval:
    """The interval with both half-widths, on the scale of logarithms, multiplied by ``factor``."""
    return Interval(
        interval.value * (interval.low / interval.value) ** factor,
        interval.value,
        interval.value * (interval.high / interval.value) ** factor,
    )
