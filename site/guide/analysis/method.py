"""The rules of the analysis as text, generated from the constants that it runs on."""

from __future__ import annotations

from bench.catalog.prices import STALE_AFTER_DAYS, WINDOW_DAYS
from bench.measure.flags import DISTURBED
from bench.verify.checks import PHYSICS
from bench.verify.peaks import HEADROOM_ELSE
from guide.analysis import findings, ratios, tiers
from guide.decide import confidence, fit, flips
from guide.decide.scenarios import OBJECTIVES


def sections() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(heading, sentences) of each part of the Methodology page, in reading order."""
    return (
        ("Several rows of one system", COMBINING),
        ("What is impossible", gate()),
        ("Ties and tiers", tiers.rules()),
        ("Ratios", ratios.rules()),
        ("What fits", fit.rules()),
        ("Prices", prices()),
        ("Costs", COSTS),
        ("How an answer is found", ANSWER + tuple(f"{k}: {v}." for k, v in OBJECTIVES.items())),
        ("What would change an answer", flips.rules()),
        ("How sure an answer is", confidence.rules()),
        ("What counts as a surprise", findings.rules()),
    )


COMBINING = (
    "Results are compared only where exactly the same was asked for (equal task keys); every published "
    "source is a comparison of its own.",
    "On each host only the newest software counts; repeated runs are combined by their median, and hosts by "
    "the median of those. The interval covers all runs that count.",
    f"A row whose measurement was disturbed ({', '.join(DISTURBED.values())}) does not count where an "
    "undisturbed row of the same system and task exists; where none exists, the word stands at the figure.",
    "A figure that broke the physics gate, or that was withdrawn, is never shown.",
    "A speedup is over the device that the source itself compares with, else over the CPU with results in "
    "most tasks, else over the slowest system, and says which.",
)

COSTS = (
    "Owned: (price and computer around it) less resale, spread over the years, and electricity at work and "
    "at rest. Rented: the hours of work at the hourly price.",
    "Power is the rated power of the catalog times a share, unless it says measured.",
    "The price of a card and of a whole computer are never compared as they are: where whole machines are "
    "asked about, cards get an allowance for the computer around them.",
)

ANSWER = (
    "First who falls out: kind of device, rated power, memory, no comparable result, too slow to use, no "
    "fresh price, over budget. Then tiers by the objective. In the first tier the cheapest a month wins.",
)


def gate() -> tuple[str, ...]:
    """What every row is held against before it is shown, from the checks themselves."""
    headroom = f"{HEADROOM_ELSE - 1:.0%}"
    return (
        *(f"{check.what} {check.why}" for check in PHYSICS),
        f"The catalog's figures are dense peaks at reference clocks; boards that are sold faster get "
        f"{headroom} more. Products that may have run in 8 bits are held against the 8-bit peak, and what a "
        "cache may hold does not count as read: a row is only kept back when it is surely wrong.",
        "Kept back rows stay in the store, with the two figures that clash.",
    )


def prices() -> tuple[str, ...]:
    """How old a price may be, from the catalog's constants."""
    limits = ", ".join(f"{name.replace('-', ' ')} {days} days" for name, days in STALE_AFTER_DAYS.items())
    return (
        f"A price rests on the newest observation and those up to {WINDOW_DAYS} days older.",
        f"Older than its limit ({limits}), or undated, it is shown as stale and cannot carry a pick. A "
        "launch price is history and never a price of today.",
        "A name that fits several devices has the range of their prices.",
    )
