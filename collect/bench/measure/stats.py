"""The 95 % interval of a median, without assuming a shape of the noise.

Three things make a textbook interval too narrow here, and each is met:

- few samples: below six, not even the two extremes reach 95 %; Student's interval of the logarithms is
  used, which covered the median in 93 to 97 % of simulated runs for normal, skewed and bimodal noise;
- neighbours that resemble each other: the samples count as fewer (``effective_count``);
- looking again and again until the interval is narrow, which stops on lucky streaks: the interval is
  taken at ``NOMINAL`` confidence, so that 95 % remain under ``bench.measure.stopping``'s rule.

``tests/bench/measure/test_coverage.py`` shows the coverage that is reached. Where an interval cannot say
anything, because the times moved during the cell, ``is_drifting`` says so.
"""

from __future__ import annotations

import functools
import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

#: Below this many independent samples even the two extremes miss the median in more than 5 % of cases.
ORDER_STATISTICS_FROM = 6

#: The confidence at which an interval stated as 95 % is computed; what repeated looks cost (simulated).
NOMINAL = {0.95: 0.955}

#: Neighbours' correlation is never taken to be higher, so that the effective count stays above zero.
MOST_CORRELATION = 0.97


@dataclass(frozen=True)
class Interval:
    """A median with its interval, in the samples' unit.

    ``low`` and ``high`` are None when one sample cannot tell a spread. ``effective_count`` is how many
    independent samples hold as much information as the ``count`` taken, fewer when neighbours resemble
    each other. ``method`` is ``order-statistics``, ``t-on-logs`` or ``none``.
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
    """The median of positive samples, in the order they were taken, and its interval.

    Raises ``ValueError`` when there is no sample.
    """
    if not samples:
        raise ValueError("an interval needs at least one sample")
    ordered = sorted(samples)
    count = len(ordered)
    value = statistics.median(ordered)
    if count == 1:
        return Interval(None, value, None, confidence, 1, 1, "none")
    effective = effective_count(samples)
    nominal = NOMINAL.get(confidence, confidence)
    if effective < ORDER_STATISTICS_FROM:
        low, high = _t_on_logs(ordered, effective, confidence)
        method = "t-on-logs"
    else:
        low, high = _order_statistics(ordered, math.floor(effective), nominal)
        method = "order-statistics"
    return Interval(min(low, value), value, max(high, value), confidence, count, effective, method)


def effective_count(samples: Sequence[float]) -> float:
    """How many independent samples tell as much about the median as these.

    Fewer than six samples cannot tell whether they are independent, and count as they are; more never
    count as fewer than three, below which an interval is too wide to be of use.
    """
    if len(samples) < ORDER_STATISTICS_FROM:
        return float(len(samples))
    return max(3.0, len(samples) / _correlation_time(_neighbour_correlation(samples)))


def _neighbour_correlation(samples: Sequence[float]) -> float:
    """Correlation of the ranks of neighbours, from 0 to ``MOST_CORRELATION``.

    A short series shows too little of it, by about (1 + 3 r) / n (M. G. Kendall, "Note on bias in the
    estimation of autocorrelation", Biometrika 41 (1954) 403-404). That is added twice: once for the bias,
    once because a cell tends to stop when it happens to show little.
    """
    ranks = _centred_ranks(samples)
    spread = math.fsum(r * r for r in ranks)
    if spread == 0:
        return 0.0
    shown = math.fsum(a * b for a, b in itertools.pairwise(ranks)) / spread
    return min(max(shown + 2 * (1 + 3 * shown) / len(samples), 0.0), MOST_CORRELATION)


def _centred_ranks(samples: Sequence[float]) -> list[float]:
    """Ranks around zero; equal samples share their mean rank."""
    order = sorted(range(len(samples)), key=samples.__getitem__)
    ranks = [0.0] * len(samples)
    middle = (len(samples) - 1) / 2
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or samples[order[end]] != samples[order[start]]:
            shared = (start + end - 1) / 2 - middle
            for index in order[start:end]:
                ranks[index] = shared
            start = end
    return ranks


def _correlation_time(correlation: float) -> float:
    """By how much the variance of a median grows when neighbours correlate.

    Sum of the autocorrelations of "above or below the median" for a first-order Gaussian series, in which
    a correlation r of values is one of 2/pi arcsin r of signs (the orthant probability of the bivariate
    normal distribution).
    """
    total, power = 1.0, correlation
    while power > 1e-4:
        total += 4 / math.pi * math.asin(power)
        power *= correlation
    return total


def is_drifting(samples: Sequence[float], tolerance: float) -> bool:
    """Whether the times moved during the cell by more than ``tolerance`` of their median.

    Two signs: time explains the ranks beyond chance (Spearman's correlation, 99 % two-sided, counted with
    the effective number of the samples once the trend is taken out) and the medians of the first and the
    last third differ by more than the tolerance; or a long series wanders so slowly that it holds the
    information of fewer than six samples. Fewer than six samples cannot tell.
    """
    count = len(samples)
    if count < ORDER_STATISTICS_FROM:
        return False
    third = count // 3
    first, last = statistics.median(samples[:third]), statistics.median(samples[-third:])
    moved = abs(last - first) > tolerance * statistics.median(samples)
    slope, correlation = _trend(samples)
    rest = [x - slope * i for i, x in enumerate(samples)]
    certain = abs(correlation) * math.sqrt(effective_count(rest) - 1) > 2.576
    wanders = count >= 5 * ORDER_STATISTICS_FROM and effective_count(samples) < ORDER_STATISTICS_FROM
    return moved and (certain or wanders)


def _trend(samples: Sequence[float]) -> tuple[float, float]:
    """Slope per sample, by least squares, and the correlation of ranks with time."""
    count = len(samples)
    middle = (count - 1) / 2
    times = [i - middle for i in range(count)]
    spread = math.fsum(t * t for t in times)
    slope = math.fsum(t * x for t, x in zip(times, samples, strict=True)) / spread
    ranks = _centred_ranks(samples)
    rank_spread = math.fsum(r * r for r in ranks)
    if rank_spread == 0:
        return 0.0, 0.0
    shared = math.fsum(t * r for t, r in zip(times, ranks, strict=True))
    return slope, shared / math.sqrt(spread * rank_spread)


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
    if d == 0:  # not even the extremes reach it: they are the widest there is
        return 1.0
    wide, narrow = 1 - 2 * tail, 1 - 2 * following
    share = (wide - confidence) / (wide - narrow)
    return d + (count - d) * share / (d + (count - 2 * d) * share)


def _t_on_logs(ordered: Sequence[float], effective: float, confidence: float) -> tuple[float, float]:
    """Student's interval of the mean logarithm, which is the median's where the noise is log-symmetric."""
    logs = [math.log(x) for x in ordered]
    quantile = t_quantile((1 + confidence) / 2, max(1, math.floor(effective) - 1))
    half = quantile * statistics.stdev(logs) / math.sqrt(effective)
    middle = statistics.fmean(logs)
    return math.exp(middle - half), math.exp(middle + half)


@functools.lru_cache(maxsize=256)
def t_quantile(probability: float, freedom: int) -> float:
    """Student's t quantile for a probability above 1/2 and a whole number of degrees of freedom."""
    low, high = 0.0, 1.0
    while _t_cdf(high, freedom) < probability:
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _t_cdf(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _t_cdf(t: float, freedom: int) -> float:
    """Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    even = freedom % 2 == 0
    term, total, square = (1.0 if even else cosine), 0.0, cosine**2
    for k in range(2 if even else 3, freedom + 1, 2):
        total += term
        term *= square * (k - 1) / k
    inside = sine * total if even else 2 / math.pi * (angle + sine * total)
    return 0.5 + inside / 2
