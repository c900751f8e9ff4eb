"""Faster, slower, tied, or not to be told: and how many more repetitions would tell.

Two results differ when their bands do not overlap. When they do, they are tied if both are known to within
their allowances (more repetitions would not part them); else the repetitions do not tell yet.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bench.compare.bands import widened
from bench.compare.figure import Figure
from bench.compare.intervals import Interval, scaled

FASTER, SLOWER, TIED, CANNOT_TELL = "faster", "slower", "tied", "cannot tell"


@dataclass(frozen=True)
class Verdict:
    """``word`` is about the first against the second. ``more`` is what each would need beside what it has,
    in ``units`` (repetitions, or processes), where the word is ``cannot tell``; ``reason`` is a sentence, or
    None."""

    word: str
    reason: str | None = None
    more: tuple[int, int] | None = None
    units: tuple[str, str] = ("repetitions", "repetitions")


def verdict(a: Interval, b: Interval) -> str:
    """``faster``, ``slower`` or ``tied`` (their bands overlap)."""
    if a.overlaps(b):
        return TIED
    return FASTER if a.value > b.value else SLOWER


def judge(a: Figure, b: Figure, names: tuple[str, str] = ("the first", "the second")) -> Verdict:
    """What may be said of ``a`` against ``b``; ``names`` are what the reason calls them."""
    single = [name for figure, name in zip((a, b), names, strict=True) if _without_spread(figure)]
    if single:
        missing = tuple(max(0, 3 - (f.sample_count or 0)) if _without_spread(f) else 0 for f in (a, b))
        return Verdict(
            CANNOT_TELL, f"Too few repetitions of {' and '.join(single)} for an interval.", missing
        )
    word = verdict(a.band, b.band)
    if word != TIED:
        return Verdict(word)
    if a.interval is None or b.interval is None:
        return Verdict(TIED, "No interval is stated: the allowance for other machines and builds decides.")
    if _settled(a, b, 1.0):
        return Verdict(TIED)
    factor = _needed_factor(a, b)
    more, units = (_more(a, factor), _more(b, factor)), (a.observations[1], b.observations[1])
    told = [f"{n} {unit} of {name}" for n, unit, name in zip(more, units, names, strict=True) if n]
    reason = f"More would tell: about {' and '.join(told)}." if told else _NO_COUNT
    return Verdict(CANNOT_TELL, reason, more, units)


_NO_COUNT = "The number of repetitions behind the figures is not stated."


def _without_spread(figure: Figure) -> bool:
    """Whether it was measured here, so seldom that nothing is known of its spread."""
    return figure.interval is None and all(row["origin"] == "measured" for row in figure.rows)


def _settled(a: Figure, b: Figure, factor: float) -> bool:
    """Whether intervals of ``factor`` times their width settle it: apart, or both within their allowances."""
    first, second = (scaled(f.interval, factor) for f in (a, b) if f.interval is not None)
    if not widened(first, a.allowance).overlaps(widened(second, b.allowance)):
        return True
    return _within(first, a.allowance) and _within(second, b.allowance)


def _within(interval: Interval, share: float) -> bool:
    return interval.low >= interval.value * (1 - share) and interval.high <= interval.value * (1 + share)


def _needed_factor(a: Figure, b: Figure) -> float:
    """The largest share of their widths at which the intervals settle it (they shrink monotonically)."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _settled(a, b, middle) else (low, middle)
    return low


def _more(figure: Figure, factor: float) -> int:
    """Observations beside those there are: an interval's width falls with the root of their number.

    For a handful of them Student's quantile makes it fall faster, so this errs on the safe side. An
    interval within its allowance already needs none.
    """
    count, _ = figure.observations
    if count is None or factor <= 0 or figure.interval is None or _within(figure.interval, figure.allowance):
        return 0
    return math.ceil(count / factor**2) - count
