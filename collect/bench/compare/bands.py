"""How far a figure can be trusted beyond its own interval: the band that ties are decided on.

A stated interval covers the repetitions of one run. It does not cover another process, another machine of
the same kind, another driver or another build, so every result also has a *band*: its interval, but never
narrower than an allowance for what the interval cannot know.
"""

from __future__ import annotations

from bench.compare.intervals import Interval
from bench.schema import Row

#: Least half-width of a band, as a share of the rate.
MEASURED_ALLOWANCE = 0.02
PUBLISHED_ALLOWANCE = 0.05
INDIRECT_ALLOWANCE = 0.10
UPLOADS_ALLOWANCE = 0.25
#: Figures that nobody timed in full: their allowance is the wide one.
INDIRECT_KINDS = frozenset({"extrapolated", "estimated", "inferred", "derived"})

#: Medians over what strangers uploaded: the same card differs by several times from upload to upload.
UPLOADS_FLAG = "median-of-uploads"


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


def widened(interval: Interval, share: float) -> Interval:
    """The interval, made as wide as ``share`` of its value on either side where it is narrower."""
    value = interval.value
    return Interval(min(interval.low, value * (1 - share)), value, max(interval.high, value * (1 + share)))


def band_of(row: Row) -> Interval:
    """The row's interval, widened to its allowance where it is narrower or missing."""
    rate = row["rate"]
    return widened(interval_of(row) or Interval(rate, rate, rate), allowance(row))
