"""One line of the table, and how two things are timed side by side."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Figure:
    """A ratio, or another number, with its 95 % interval."""

    what: str
    against: str
    value: float
    low: float | None
    high: float | None
    count: int
    unit: str = "×"
    note: str = ""
    #: Show the sign, of a deviation.
    signed: bool = False

    READING: ClassVar[str] = (
        "Both sides of a line run by turns. The figure is the median over the rounds of ours over the "
        "other's (or of their difference, where it has a unit); the interval is the middle 95 % of 2,000 "
        "resamplings of the rounds. A figure with a sign is a bias, in per cent; its interval is that of "
        "bench.measure.stats, which widens it where neighbouring rounds resemble each other."
    )

    def cells(self) -> list[str]:
        """The figure as cells of the table."""
        unit = "" if self.unit == "×" else f" {self.unit}"
        sign = "×" if self.unit == "×" else ""
        form = "+.3g" if self.signed else ".4g"
        known = self.low is not None and self.high is not None
        interval = f"{self.low:{form}} to {self.high:{form}}" if known else "–"
        figure = f"{sign}{self.value:{form}}{unit}"
        return [self.what, self.against, figure, interval, str(self.count), self.note]


@dataclass(frozen=True)
class Missing:
    """A line of the table for what could not be measured, with the reason."""

    what: str
    against: str
    reason: str

    def cells(self) -> list[str]:
        """The reason as cells of the table."""
        return [self.what, self.against, "not measured", "–", "0", self.reason]


def by_turns(ours: Callable[[], float], other: Callable[[], float], rounds: int) -> list[tuple[float, float]]:
    """(ours, other) of each round, in seconds; who goes first changes from round to round.

    Both calls return what counts as their time. One round before is thrown away.
    """
    pairs = []
    for round_ in range(rounds + 1):
        if round_ % 2:
            first = ours()
            pairs.append((first, other()))
        else:
            first = other()
            pairs.append((ours(), first))
    return pairs[1:]


def median_of(values: Sequence[float]) -> tuple[float, float, float]:
    """Low end of the 95 % interval, median, high end, by resampling."""
    generator = random.Random(0)
    seen = sorted(statistics.median(generator.choices(values, k=len(values))) for _ in range(2000))
    return seen[50], statistics.median(values), seen[1949]


def compared(what: str, against: str, pairs: Sequence[tuple[float, float]], note: str = "") -> Figure:
    """The figure of a comparison by turns: what disturbed both of a round cancels in its ratio."""
    low, value, high = median_of([ours / other for ours, other in pairs])
    return Figure(what, against, value, low, high, len(pairs), note=note)


def added(what: str, against: str, pairs: Sequence[tuple[float, float]], note: str = "") -> Figure:
    """How much longer ours takes, in microseconds."""
    low, value, high = median_of([(ours - other) * 1e6 for ours, other in pairs])
    return Figure(what, against, value, low, high, len(pairs), unit="µs", note=note)


def seconds(call: Callable[[], object]) -> float:
    """How long a call took."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def bias(
    what: str, against: str, ratios: Sequence[float], note: str = "", goal_percent: float | None = None
) -> Figure:
    """How far off a time is, in per cent, from ratios of it to the true one, in the order they were taken.

    The note says whether a bias is seen at all; with a goal, whether the interval lies inside it, outside, or
    is too wide to say.
    """
    from bench.measure.stats import median_interval

    found = median_interval(ratios)
    low, high = (None if end is None else 100 * (end - 1) for end in (found.low, found.high))
    note = "; ".join(filter(None, (verdict(low, high, goal_percent), note)))
    return Figure(what, against, 100 * (found.value - 1), low, high, len(ratios), "%", note, signed=True)


def verdict(low: float | None, high: float | None, goal: float | None) -> str:
    """What an interval says about a deviation: is there one, or is it at most ``goal`` either way."""
    if low is None or high is None:
        return "one round tells no interval"
    if goal is None:
        return "no bias seen: 0 is inside" if low <= 0 <= high else "a bias: 0 is outside"
    if -goal <= low and high <= goal:
        return f"inside ±{goal:g} %"
    if low > goal or high < -goal:
        return f"outside ±{goal:g} %"
    return f"too wide to say whether inside ±{goal:g} %: take more rounds on a quieter machine"


def table(figures: Iterable[Figure | Missing]) -> str:
    """The figures as a Markdown table."""
    lines = ["| ours | against | figure | 95 % interval | rounds | note |", "|---|---|---|---|---|---|"]
    return "\n".join([*lines, *map(line, figures)])


def line(figure: Figure | Missing) -> str:
    """One line of that table."""
    return f"| {' | '.join(figure.cells())} |"
