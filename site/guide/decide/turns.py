"""Along a number that changes: where the pick becomes another, to the digits that are printed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from guide.show.figures import decimals

#: A change is found to this share of the last digit that is printed, or to this much where that is less.
PRECISION = 0.1
LEAST_STEP = 1e-7
#: So small a share of that digit tells "below 2,600" from "at 2,599 and below".
HAIR = 1e-4
STEPS = 24


def _steps(now: float, end: float) -> list[float]:
    """Values from ``now`` to ``end``, each the same factor from the next where both are above 0."""
    if now > 0 and end > 0:
        return [now * (end / now) ** (step / STEPS) for step in range(STEPS + 1)]
    return [now + (end - now) * step / STEPS for step in range(STEPS + 1)]


@dataclass(frozen=True)
class Turn:
    """A value from which on another wins: ``at``, and the last printed value before it where *beyond* that
    one is the plainer way to say it. ``winner`` is a contender's key; None where nothing is left to pick."""

    at: float
    bound: float | None
    winner: str | None


def turns(
    now: float,
    end: float,
    winner: Callable[[float], str | None],
    pick: str | None,
    places: Callable[[float], int],
) -> list[Turn]:
    """Every change of the pick on the way from ``now`` to ``end``, the nearest first: what wins from one on
    need not win all the way."""
    found: list[Turn] = []
    start, before = now, pick
    while (end - start) * (end - now) > 0:
        first = _first(_steps(start, end), lambda value, last=before: winner(value) != last, places)
        if first is None:
            break
        start, bound = first
        before = winner(start)
        found.append(Turn(start, bound, before))
    return found


def _first(
    points: Sequence[float], holds: Callable[[float], bool], places: Callable[[float], int]
) -> tuple[float, float | None] | None:
    """The first value on the way along the points where ``holds`` is true, as ``printable`` gives it; it is
    not true at the first point."""
    for before, after in itertools.pairwise(points):
        if holds(after):
            found = printable(before, after, holds, places)
            if found is not None:
                return found
    return None


def printable(
    outside: float, inside: float, holds: Callable[[float], bool], places: Callable[[float], int]
) -> tuple[float, float | None] | None:
    """The value nearest to ``outside`` at which ``holds`` is true and which is printed as it is; None where
    there is none next to the point where it becomes true. The second is the last printed value at which it is
    not true, where the next best thing beyond it is: *below* that one is then the plainer way to say it.
    """
    at = _bisect(outside, inside, holds, places)
    digits = places(at)
    # Below a power of ten a value is printed with a digit more: what is nearest may stand on either grid.
    for grid in sorted({digits, places(at - 10.0**-digits)}, reverse=True):
        found = _nearest(at, outside, inside < outside, holds, places, grid)
        if found is not None:
            return found
    return None


def _nearest(
    at: float,
    outside: float,
    below: bool,
    holds: Callable[[float], bool],
    places: Callable[[float], int],
    digits: int,
) -> tuple[float, float | None] | None:
    """``printable`` among the values of so many decimal places that are printed with no fewer digits."""
    step = 10.0**-digits
    floor = math.floor(at / step)
    # From the side of ``outside``; one further where the point lies between two printed values.
    order = [floor + 1, floor, floor - 1] if below else [floor, floor + 1, floor + 2]
    before = None
    for whole in order:
        value = float(f"{whole * step:.{digits}f}")
        if float(f"{value:.{places(value)}f}") != value:
            continue
        if value != outside and holds(value):
            near = before is not None and holds(before + (-step if below else step) * HAIR)
            return value, before if near else None
        before = value
    return None


def places_of_usd(value: float) -> int:
    """Decimal places with which ``usd`` prints this amount."""
    return 0 if value >= 100 else 2 if value >= 1 else decimals(value)


def _bisect(
    outside: float, inside: float, holds: Callable[[float], bool], places: Callable[[float], int]
) -> float:
    """A value where ``holds`` is true, nearer to ``outside`` (where it is not) than is printed."""
    while abs(inside - outside) > max(PRECISION * 10.0 ** -places(inside), LEAST_STEP):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside
