"""Burst against sustained: does a long cell end as fast as it began?

A cell whose counted repetitions take at least ``LONG_S`` together is cut by time into thirds. The median of
the last third is what the device sustains: ``sustained_rate`` is the row's rate times the cell's median over
that median. Where the last third is slower than the first, and their 95 % intervals do not touch, and the
difference is more than the cell's target, the row is flagged ``not-sustained``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.measure.stats import ORDER_STATISTICS_FROM, Interval, median_interval

#: Small coolers saturate within half a minute; suites with short budgets have no such cells.
LONG_S = 30.0


@dataclass(frozen=True)
class Thirds:
    """The medians of the first and the last third with their intervals, in seconds."""

    first: Interval
    last: Interval

    def slows_down(self, target: float) -> bool:
        """Whether the last third is slower beyond both intervals and by more than ``target`` (a share)."""
        apart = self.last.low > self.first.high
        return apart and self.last.value - self.first.value > target * self.first.value


def thirds(samples_s: Sequence[float]) -> Thirds | None:
    """The thirds of a cell's counted repetitions, in the order in which they ran.

    None for a cell shorter than ``LONG_S``, or with too few repetitions in a third for an interval.
    """
    total = sum(samples_s)
    if total < LONG_S:
        return None
    first: list[float] = []
    last: list[float] = []
    elapsed = 0.0
    for sample in samples_s:
        middle = elapsed + sample / 2
        elapsed += sample
        if middle <= total / 3:
            first.append(sample)
        elif middle >= 2 * total / 3:
            last.append(sample)
    if min(len(first), len(last)) < ORDER_STATISTICS_FROM:
        return None
    return Thirds(median_interval(first), median_interval(last))
