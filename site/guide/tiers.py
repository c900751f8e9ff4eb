"""When are two results the same? Bands, tiers and ties, and the constants behind them.

A stated interval covers the repetitions of one run. It does not cover another machine of the same kind,
another driver or another build, so every result also has a *band*: its interval, but never narrower than
an allowance for what the interval cannot know. Ties are decided on bands, never on bare figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.schema import Row
from guide.model import Interval

#: Least half-width of a band, as a share of the rate.
MEASURED_ALLOWANCE = 0.02
PUBLISHED_ALLOWANCE = 0.05
INDIRECT_ALLOWANCE = 0.10
UPLOADS_ALLOWANCE = 0.25
#: Figures that nobody timed in full: their allowance is the wide one.
INDIRECT_KINDS = frozenset({"extrapolated", "estimated", "inferred", "derived"})

#: Medians over what strangers uploaded: the same card differs by several times from upload to upload.
UPLOADS_FLAG = "median-of-uploads"
#: Figures that are shown, but on which no conclusion may rest.
UNSAFE_FLAGS = frozenset({"source-anomaly"})


def allowance(row: Row) -> float:
    """The least half-width of the row's band, as a share of its rate."""
    if UPLOADS_FLAG in row["flags"]:
        return UPLOADS_ALLOWANCE
    if row["value_kind"] in INDIRECT_KINDS:
        return INDIRECT_ALLOWANCE
    return MEASURED_ALLOWANCE if row["origin"] == "measured" else PUBLISHED_ALLOWANCE


def interval_of(row: Row) -> Interval | None:
    """The row's own 95 % interval; None when it states none."""
    if row["rate_low"] is None or row["rate_high"] is None:
        return None
    # A stated lower end of 0 would make every ratio's interval infinite; a thousandth says the same.
    return Interval(max(row["rate_low"], row["rate"] / 1000), row["rate"], row["rate_high"])


def band_of(row: Row) -> Interval:
    """The row's interval, widened to its allowance where it is narrower or missing."""
    rate, share = row["rate"], allowance(row)
    stated = interval_of(row) or Interval(rate, rate, rate)
    return Interval(min(stated.low, rate * (1 - share)), rate, max(stated.high, rate * (1 + share)))


def tiers(bands: Sequence[Interval]) -> list[int]:
    """The tier of each band, 1 the best, for bands in any order.

    The best result opens a tier; everything whose band overlaps *that result's* band belongs to it, then
    the best of the rest opens the next one. A tier is anchored at its best and so cannot chain: a result
    that ties with a tier's last member but not with its best is in the next tier.
    """
    order = sorted(range(len(bands)), key=lambda i: (-bands[i].value, i))
    placed = [0] * len(bands)
    tier, anchor = 0, None
    for index in order:
        if anchor is None or not bands[index].overlaps(anchor):
            tier, anchor = tier + 1, bands[index]
        placed[index] = tier
    return placed


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
