"""The 95 % interval of a median, without assuming a shape of the noise."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

#: Below this many independent samples even the two extremes miss the median in more than 5 % of cases.
ORDER_STATISTICS_FROM = 6


@dataclass(frozen=True)
class Interval:
    """A median with its interval, in the samples' unit.

    ``low`` and ``high`` are None when one sample cannot tell a spread. ``effective_count`` is how many
    independent samples hold as much information as the ``count`` taken, fewer when neighbours resemble
    each other. ``method`` is ``order-statistics`` or ``t-on-logs``.
    """

    low: float | None
    value: float
    high: float | None
    confidence: float = 0.95
    count: int = 1
    effective_count: float = 1
    method: str = "order-statistics"

    @property
    def relative_half_width(self) -> float:
        """Half the interval over the median; infinite when there is no interval."""
        if self.low is None or self.high is None or self.value == 0:
            return math.inf
        return (self.high - self.low) / 2 / abs(self.value)


def median_interval(samples: Sequence[float], confidence: float = 0.95) -> Interval:
    """The median of positive samples and its interval.

    Raises ``ValueError`` when there is no sample.
    """
    if not samples:
        raise ValueError("an interval needs at least one sample")
    ordered = sorted(samples)
    count = len(ordered)
    value = statistics.median(ordered)
    if count == 1:
        return Interval(None, value, None, confidence, 1, 1, "none")
    if count < ORDER_STATISTICS_FROM:
        low, high = _t_on_logs(ordered, count, confidence)
        return Interval(min(low, value), value, max(high, value), confidence, count, count, "t-on-logs")
    low, high = _order_statistics(ordered, count, confidence)
    return Interval(low, value, high, confidence, count, count, "order-statistics")


def _order_statistics(ordered: Sequence[float], effective: int, confidence: float) -> tuple[float, float]:
    """Ends of the interval, by order statistics of an ``effective`` number of independent samples.

    The binomial distribution gives intervals of certain confidences only; between two of them the ends
    are interpolated after Hettmansperger and Sheather, "Confidence intervals based on interpolated order
    statistics", Statistics & Probability Letters 4 (1986) 75-79.
    """
    rank = _rank(effective, confidence)
    scale = len(ordered) / effective
    position = (rank - 0.5) * scale - 0.5  # from 0; a rank of the effective sample, as one of the whole
    return _at(ordered, position), _at(ordered, len(ordered) - 1 - position)


def _at(ordered: Sequence[float], position: float) -> float:
    position = min(max(position, 0), len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


@functools.lru_cache(maxsize=4096)
def _rank(count: int, confidence: float) -> float:
    """The rank, from 1 and between whole numbers, at which the interval starts."""
    if count > 1000:  # the binomial is close to its normal limit: ranks differ by under 0.1
        z = statistics.NormalDist().inv_cdf((1 + confidence) / 2)
        return (count + 1) / 2 - z * math.sqrt(count) / 2
    tail, d = 0.0, 0  # tail = P(Binomial(count, 1/2) < d); each interval's confidence is 1 - 2 tail
    while True:
        following = tail + math.comb(count, d) / 2**count
        if 1 - 2 * following < confidence:
            break
        tail, d = following, d + 1
    wide, narrow = 1 - 2 * tail, 1 - 2 * following
    share = (wide - confidence) / (wide - narrow)
    return d + (count - d) * share / (d + (count - 2 * d) * share)


def _t_on_logs(ordered: Sequence[float], effective: int, confidence: float) -> tuple[float, float]:
    """Student's interval of the mean logarithm, which is the median's where the noise is log-symmetric."""
    logs = [math.log(x) for x in ordered]
    half = t_quantile((1 + confidence) / 2, effective - 1) * statistics.stdev(logs) / math.sqrt(effective)
    middle = statistics.fmean(logs)
    return math.exp(middle - half), math.exp(middle + half)


@functools.lru_cache(maxsize=256)
def t_quantile(probability: float, freedom: int) -> float:
    """Student's t quantile for a probability above 1/2 and a whole number of degrees of freedom."""
    low, high = 0.0, 1.0
    while _t_cdf(high, freedom) < probability:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_cdf(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _t_cdf(t: float, freedom: int) -> float:
    """Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    term, total = (1.0, 0.0) if freedom % 2 == 0 else (cosine, 0.0)
    first = 2 if freedom % 2 == 0 else 3
    for k in range(first, freedom + 1, 2):
        total += term
        term *= cosine**2 * (k - 1) / k
    inside = sine * total if freedom % 2 == 0 else 2 / math.pi * (angle + sine * total)
    return 0.5 + inside / 2
