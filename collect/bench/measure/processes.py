"""The interval of a cell that several processes measured, with what differs between processes inside it.

Where memory lies, which cores a thread gets, which algorithm a library's search picks: such things are drawn
once a process and shift all its repetitions together. However many repetitions one process takes, they say
nothing of it. So with several processes each one's median counts as a single observation, whose scatter holds
both the spread between processes and what is left of the spread within them; Student's interval of the mean
of their logarithms has P - 1 degrees of freedom (the variance of cluster means: W. G. Cochran, Sampling
Techniques, 3rd edition, chapter 9). It is wide for few processes because few processes know little:
4.3 / sqrt(3) standard deviations to each side for three.

What no process of a cell has met, no interval can hold: see ``all_alike``.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from bench.measure.stats import Interval, median_interval, t_quantile


def split(samples_s: Sequence[float], counts: Sequence[int]) -> list[list[float]]:
    """The samples of each process. ``counts`` as in ``environment.telemetry.process_samples``.

    Raises ``ValueError`` when they do not add up.
    """
    if sum(counts) != len(samples_s) or min(counts, default=0) < 1:
        raise ValueError(f"{list(counts)} are no parts of {len(samples_s)} samples")
    parts, start = [], 0
    for count in counts:
        parts.append(list(samples_s[start : start + count]))
        start += count
    return parts


def centre(parts: Sequence[Sequence[float]]) -> float:
    """The geometric mean of the processes' medians: one process's median when there is one."""
    return math.exp(statistics.fmean(math.log(statistics.median(part)) for part in parts))


def across(parts: Sequence[Sequence[float]], confidence: float = 0.95) -> Interval:
    """Centre and interval of what a further process's median would be drawn around.

    ``effective_count`` is the number of processes. Raises ``ValueError`` without a sample.
    """
    if len(parts) == 1:
        return median_interval(parts[0], confidence)
    logs = [math.log(statistics.median(part)) for part in parts]
    processes = len(logs)
    half = t_quantile((1 + confidence) / 2, processes - 1) * statistics.stdev(logs) / math.sqrt(processes)
    value = centre(parts)
    count = sum(map(len, parts))
    low, high = value * math.exp(-half), value * math.exp(half)
    return Interval(low, value, high, confidence, count, processes, "t-on-process-medians")


def differ(parts: Sequence[Sequence[float]], tolerance: float) -> bool:
    """Whether the fastest and the slowest process are apart by more than ``tolerance``, and beyond the
    intervals that each has from its own repetitions."""
    found = sorted((median_interval(part) for part in parts), key=lambda interval: interval.value)
    fastest, slowest = found[0], found[-1]
    if fastest.high is None or slowest.low is None:
        return False
    return slowest.value > (1 + tolerance) * fastest.value and slowest.low > fastest.high


def all_alike(processes: int) -> float:
    """How often that many processes are of one kind, where processes come in two kinds equally often.

    Nothing in their times then tells of the other kind: no interval and no test of dispersion can. With three
    processes it happens in a quarter of the cells; only more of them make it rarer.
    """
    return 2 * 0.5**processes
