"""When a cell is warm, and when it has been repeated often enough."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.measure.stats import Interval, median_interval


@dataclass(frozen=True)
class StoppingRule:
    """Warm until two windows agree, then repeat until the interval is inside the target or time is up.

    ``target`` is the interval's half-width relative to the median. ``budget_s`` counts everything from
    the first repetition on, warm-up included. Warm-up may take ``warmup_share`` of it. ``min_samples``
    are taken past the budget as long as the next repetition is expected to end within ``overrun`` times
    the budget; after that the cell ends with what there is. ``min_time_s`` is the least counted time
    before the target may end a cell, so that short repetitions see more than one moment of the machine.
    """

    target: float = 0.01
    budget_s: float = 60.0
    min_samples: int = 3
    max_samples: int = 10_000
    window: int = 3
    warmup_share: float = 1 / 3
    overrun: float = 2.0
    min_time_s: float = 0.5

    def is_warm(self, history_s: Sequence[float]) -> bool:
        """Whether the last two windows of warm-up repetitions agree.

        They do when their medians differ by less than the target, or when each median lies within the
        other's range: then the difference is no larger than the noise.
        """
        size = self.window
        if len(history_s) < 2 * size:
            return False
        before, after = history_s[-2 * size : -size], history_s[-size:]
        first, second = statistics.median(before), statistics.median(after)
        if abs(first - second) <= self.target * second:
            return True
        return min(after) <= first <= max(after) and min(before) <= second <= max(before)

    def warmup_is_over(self, elapsed_s: float, last_s: float) -> bool:
        """Whether another warm-up repetition would take more than warm-up's share of the budget."""
        return elapsed_s + last_s > self.warmup_share * self.budget_s

    def out_of_time(self, count: int, elapsed_s: float, last_s: float) -> bool:
        """Whether no further repetition may start."""
        if count >= self.min_samples:
            return elapsed_s >= self.budget_s
        return elapsed_s >= self.budget_s and elapsed_s + last_s > self.overrun * self.budget_s

    def next_look(self, count: int) -> int:
        """The number of samples at which the interval is looked at next.

        Looking after every sample would stop on lucky streaks; a growing step makes looks few.
        """
        return max(self.min_samples, count + 1, math.ceil(count * 1.25))

    def reached(self, samples_s: Sequence[float]) -> bool:
        """Whether the interval of the median is inside the target."""
        if len(samples_s) < self.min_samples or sum(samples_s) < self.min_time_s:
            return False
        return self.interval(samples_s).relative_half_width <= self.target

    def interval(self, samples_s: Sequence[float]) -> Interval:
        """The interval that a result carries."""
        return median_interval(samples_s)

    def flags(self, samples_s: Sequence[float], *, warm: bool) -> list[str]:
        """Codes for what these samples lack (see ``bench.measure.flags``)."""
        found = [] if warm else ["not-warm"]
        if len(samples_s) < self.min_samples:
            found.append("few-samples")
        if samples_s and self.interval(samples_s).relative_half_width > self.target:
            found.append("wide-interval")
        return found
