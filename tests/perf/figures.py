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
    low: float
    high: float
    count: int
    unit: str = "×"
    note: str = ""

    READING: ClassVar[str] = (
        "Both sides of a line run by turns. The figure is the median over the rounds of ours over the "
        "other's (or of their difference, where it has a unit); the interval is the middle 95 % of 2,000 "
        "resamplings of the rounds."
    )


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


def table(figures: Iterable[Figure]) -> str:
    """The figures as a Markdown table."""
    lines = ["| ours | against | figure | 95 % interval | rounds | note |", "|---|---|---|---|---|---|"]
    for f in figures:
        unit = "" if f.unit == "×" else f" {f.unit}"
        sign = "×" if f.unit == "×" else ""
        lines.append(
            f"| {f.what} | {f.against} | {sign}{f.value:.4g}{unit} | {f.low:.4g} to {f.high:.4g} "
            f"| {f.count} | {f.note} |"
        )
    return "\n".join(lines)
