"""When a cell is warm, and when it has been repeated often enough."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.measure.stats import ORDER_STATISTICS_FROM, Interval, is_drifting, median_interval

#: More repetitions than this in a window would tell nothing more about warmth.
LARGEST_WINDOW = 200


@dataclass(frozen=True)
class StoppingRule:
    """Warm until two windows agree, then repeat until the interval is inside the target or time is up.

    ``budget_s`` counts everything from the first repetition on, warm-up included; warm-up may take
    ``warmup_share`` of it. Time decides at the earliest after ``min_samples``; these are taken past the
    budget as long as the next repetition is expected to end within ``overrun`` times the budget, and after
    that the cell ends with what there is: a repetition of twice the budget runs twice, a longer one once.

    ``job_samples`` is how many repetitions make a job that is to be seen whole: the target does not end the
    cell before them, time does.

    ``target`` (half the interval over the median) decides at the earliest after ``settle_s`` and when the
    samples hold the information of ``settle_samples`` independent ones without drifting. With fewer,
    neighbours that resemble each other are not yet seen, and the interval would be narrow by luck
    (``tests/bench/measure/test_coverage.py``).
    """

    target: float = 0.01
    budget_s: float = 60.0
    min_samples: int = 3
    job_samples: int = 0
    max_samples: int = 10_000
    settle_samples: int = 24
    settle_s: float = 0.5
    window_samples: int = 2
    window_s: float = 0.1
    warmup_share: float = 1 / 3
    overrun: float = 4.0

    def __post_init__(self) -> None:
        if not (
            self.target >= 0 and self.budget_s >= 0 and self.window_samples >= 2 and self.min_samples >= 1
        ):
            raise ValueError(
                "a stopping rule needs a target, a budget, 2 samples a window, 1 sample at least"
            )

    def window_of(self, history_s: Sequence[float]) -> int:
        """How many of the latest repetitions make a window: ``window_s`` of them, within limits."""
        size, total = 0, 0.0
        while size < self.window_samples or (total < self.window_s and size < LARGEST_WINDOW):
            size += 1
            total += history_s[-size] if size <= len(history_s) else math.inf
        return size

    def is_warm(self, history_s: Sequence[float]) -> bool:
        """Whether the last two windows agree.

        They do when their medians differ by less than the target, or when each median lies within the
        other's range: then the difference is no larger than the noise.
        """
        size = self.window_of(history_s)
        if len(history_s) < 2 * size:
            return False
        before, after = history_s[-2 * size : -size], history_s[-size:]
        first, second = statistics.median(before), statistics.median(after)
        if abs(first - second) <= self.target * second:
            return True
        return min(after) <= first <= max(after) and min(before) <= second <= max(before)

    def warmup_must_end(self, elapsed_s: float, last_s: float) -> bool:
        """Whether one more warm-up repetition would take more than warm-up's share of the budget."""
        return elapsed_s + last_s > self.warmup_share * self.budget_s

    def out_of_time(self, count: int, elapsed_s: float, last_s: float) -> bool:
        """Whether no further repetition may start, after ``count`` counted ones."""
        if elapsed_s < self.budget_s:
            return False
        return count >= self.min_samples or elapsed_s + last_s > self.overrun * self.budget_s

    def next_look(self, count: int) -> int:
        """The number of samples at which the target is looked at next, after ``count``.

        Looking after every sample stops on lucky streaks; a growing step makes looks few.
        """
        return max(self.settle_samples, self.min_samples, self.job_samples, math.ceil(count * 1.5))

    def reached(self, samples_s: Sequence[float]) -> bool:
        """Whether the target may end the cell, and does."""
        if (
            len(samples_s) < max(self.settle_samples, self.min_samples, self.job_samples)
            or sum(samples_s) < self.settle_s
        ):
            return False
        found = self.interval(samples_s)
        known = found.effective_count >= self.settle_samples
        return known and found.relative_half_width <= self.target and not self.is_drifting(samples_s)

    def interval(self, samples_s: Sequence[float]) -> Interval:
        """The interval that a result carries."""
        return median_interval(samples_s)

    def is_drifting(self, samples_s: Sequence[float]) -> bool:
        """Whether the samples moved by more than the target, so that their interval says too little."""
        return is_drifting(samples_s, self.target)

    def flags(self, samples_s: Sequence[float], *, warm: bool) -> list[str]:
        """Codes for what these samples lack (see ``bench.measure.flags``); none for no samples at all."""
        if not samples_s:
            return []
        found = [] if warm else ["not-warm"]
        if len(samples_s) < ORDER_STATISTICS_FROM:
            found.append("few-samples")
        if self.interval(samples_s).relative_half_width > self.target:
            found.append("wide-interval")
        return [*found, "drifting"] if self.is_drifting(samples_s) else found
