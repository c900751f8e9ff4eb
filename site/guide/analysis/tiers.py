"""When are two results the same? Tiers and ties, on the bands of ``bench.compare.bands``.

Ties are decided on bands, never on bare figures: a band is a result's interval, but never narrower than an
allowance for what the interval cannot know (another machine, driver or build).
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.compare.bands import (
    INDIRECT_ALLOWANCE,
    INDIRECT_KINDS,
    MEASURED_ALLOWANCE,
    PUBLISHED_ALLOWANCE,
    UPLOADS_ALLOWANCE,
    UPLOADS_FLAG,
    allowance,
    band_of,
    interval_of,
)
from bench.compare.intervals import Interval

__all__ = [
    "INDIRECT_ALLOWANCE", "INDIRECT_KINDS", "MEASURED_ALLOWANCE", "PUBLISHED_ALLOWANCE", "UNSAFE_FLAGS",
    "UPLOADS_ALLOWANCE", "UPLOADS_FLAG", "allowance", "band_of", "interval_of", "rules", "tiers",
]  # fmt: skip

#: Figures that are shown, but on which no conclusion may rest.
UNSAFE_FLAGS = frozenset({"source-anomaly"})


def tiers(bands: Sequence[Interval]) -> list[int]:
    """The tier of each band, 1 the best, for bands in any order.

    The best result opens a tier; everything whose band overlaps *that result's* band belongs to it, then
    the best of the rest opens the next one. A tier is anchored at its best and so cannot chain: a result
    that ties with a tier's last member but not with its best is in the next tier.
    """
    # Of equal values the surer one is the anchor: the order they are given in must not matter.
    rest = sorted(range(len(bands)), key=lambda i: _order(bands[i]))
    placed = [0] * len(bands)
    tier = 0
    while rest:
        tier += 1
        tied = _tied(bands, rest)
        for index in tied:
            placed[index] = tier
        # A wide band may tie with the best across a narrow one that does not.
        rest = [i for i in rest if i not in tied]
    return placed


def first_tier(bands: Sequence[Interval]) -> set[int]:
    """The places of the bands that ``tiers`` puts into tier 1."""
    if not bands:
        return set()
    places = range(len(bands))
    return _tied(bands, [min(places, key=lambda i: _order(bands[i])), *places])


def _order(band: Interval) -> tuple[float, float, float]:
    return -band.value, -band.low, band.high


def _tied(bands: Sequence[Interval], places: Sequence[int]) -> set[int]:
    """Of these places the first and those whose bands overlap its band."""
    anchor = bands[places[0]]
    return {places[0], *(i for i in places if bands[i].overlaps(anchor))}


def rules() -> tuple[str, ...]:
    """The rules above as sentences for the Methodology page, from the constants."""
    return (
        f"A figure of this project's collector is given a band of at least ±{MEASURED_ALLOWANCE:.0%} around "
        "it: another run on the same machine differs by about that much.",
        f"A published figure is given at least ±{PUBLISHED_ALLOWANCE:.0%}: hosts, drivers and builds differ "
        "from row to row, and its interval, if stated, covers the repetitions of one run only.",
        f"A figure that was not timed in full ({', '.join(sorted(INDIRECT_KINDS))}) is given at least "
        f"±{INDIRECT_ALLOWANCE:.0%}.",
        f"A median over uploads of strangers is given at least ±{UPLOADS_ALLOWANCE:.0%}.",
        "Two results are tied when their bands overlap.",
        "A tier is anchored at its best result: whatever ties with that result shares its tier; the best of "
        "the rest opens the next tier. Within a tier the cheaper one wins.",
    )
