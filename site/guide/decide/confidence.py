"""How sure an answer is, by checks that are named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.measure.flags import DISTURBED, disturbances
from guide.analysis.tiers import INDIRECT_KINDS
from guide.decide.field import Field
from guide.decide.verdicts import Candidate, Confidence, Grid
from guide.model import Price, Result
from guide.show.figures import percent, plural

#: A price not older than this counts as recent.
RECENT_DAYS = 90
#: A pick that wins at least this share of the plausible grid counts as robust.
ROBUST_SHARE = 0.75
#: Fewer devices in the running than this are hardly a choice.
ENOUGH_DEVICES = 3
#: One that wins less than this share is never more than a low-confidence pick.
FRAGILE_SHARE = 0.5
#: More failed checks than this make an answer's confidence low; none make it high.
MEDIUM_FAILURES = 3


@dataclass(frozen=True)
class Checks:
    """What speaks for and against a figure or a price, whatever a reader's numbers; ``disturbed``: nothing
    surer than low rests on it."""

    held: tuple[str, ...]
    failed: tuple[str, ...]
    disturbed: bool = False


def of_results(results: Sequence[Result]) -> Checks:
    """The checks of a system's figures."""
    return _sorted(_evidence_checks(results), bool(_disturbed(results)))


def of_price(price: Price | None) -> Checks:
    """The checks of a price."""
    return _sorted(_price_checks(price))


def _sorted(checks: Sequence[tuple[bool, str, str]], disturbed: bool = False) -> Checks:
    held = tuple(words for good, words, _ in checks if good)
    return Checks(held, tuple(bad for good, _, bad in checks if not good), disturbed)


def confidence(
    ranked: Sequence[Candidate], field: Field | None, found: Grid | None, *, preferred: bool
) -> Confidence:
    """The level and the checks behind it. ``ranked``: the pick and everyone behind it; ``preferred``: the
    scenario's best question was answered."""
    if not ranked or field is None:
        return Confidence("low", (), ("nothing could be picked",))
    pick = ranked[0]
    results = [r for r in field.results(pick.system) if r is not None]
    devices = len({c.system.device_id or c.system.key for c in ranked})
    running = f"{plural(devices, 'device')} with a fresh price in the running"
    checks = [*_evidence_checks(results), *_price_checks(pick.price), *_grid_checks(found)]
    checks.append((devices >= ENOUGH_DEVICES, running, f"only {running}"))
    checks.append(
        (preferred, "the question is the one the reader asks", "a better question could not be answered")
    )
    told = _sorted(checks)
    fragile = found is not None and found.device_share < FRAGILE_SHARE
    alone = devices == 1
    low = fragile or alone or bool(_disturbed(results)) or len(told.failed) > MEDIUM_FAILURES
    level = "low" if low else "medium" if told.failed else "high"
    return Confidence(level, told.held, told.failed)


def _disturbed(results: Sequence[Result]) -> tuple[str, ...]:
    """Why figures are not the machine's own: nothing surer than low rests on them."""
    return disturbances({flag for r in results for flag in r.flags})


def _evidence_checks(results: Sequence[Result]) -> list[tuple[bool, str, str]]:
    indirect = sorted({k for r in results for k in r.value_kinds if k in INDIRECT_KINDS})
    words = _disturbed(results)
    several = all(r.n > 1 for r in results) or len({s for r in results for s in r.source_ids}) > 1
    return [
        (
            all(r.interval is not None for r in results),
            "its figures state an interval",
            "its figures state no interval",
        ),
        (several, "several runs or sources agree on it", "one run of one source is all there is"),
        (
            all("measured" in r.origins for r in results),
            "measured by this project",
            "published elsewhere, not measured by this project",
        ),
        (not indirect, "its figures were timed in full", f"its figures are {' and '.join(indirect)}"),
        # Nobody knows of published figures whether anything disturbed them: only a disturbance is told.
        *([(False, "", f"its measurement was disturbed: {', '.join(words)}")] if words else []),
    ]


def _price_checks(price: Price | None) -> list[tuple[bool, str, str]]:
    if price is None:
        return [(False, "", "no price is known")]
    smaller = "the price may be of a machine with less memory"
    return [
        (
            price.age_days <= RECENT_DAYS,
            f"the price is at most {RECENT_DAYS} days old",
            f"the price is {price.age_days:,} days old",
        ),
        (price.n > 1, f"{price.n} offers or sources of the price", "one offer or source of the price"),
        *([(False, "", smaller)] if price.any_size else []),
    ]


def _grid_checks(found: Grid | None) -> list[tuple[bool, str, str]]:
    if found is None:
        return []
    share = percent(found.device_share)
    words = f"the device, however it is paid for, wins in {share} of the plausible prices and uses"
    return [(found.device_share >= ROBUST_SHARE, words, words)]


def rules() -> tuple[str, ...]:
    """How sure an answer is, as sentences for the Methodology page, from the constants."""
    return (
        "An answer is checked for: a stated interval, more than one run or source, measured by this project, "
        f"timed in full, a price of at most {RECENT_DAYS} days that buys the memory counted with, more than "
        "one offer or source of it, at least "
        f"{ENOUGH_DEVICES} devices in the running, winning at "
        f"least {percent(ROBUST_SHARE)} of the plausible grid, and answering the reader's best question.",
        f"High: every check holds. Medium: at most {MEDIUM_FAILURES} fail. Low: more fail, the pick wins "
        f"less than {percent(FRAGILE_SHARE)} of the grid, it is the only device in the running, or its "
        f"measurement was disturbed ({', '.join(DISTURBED.values())}).",
        "The grid is won by a device, however it is paid for: whether to buy or to rent it is told beside.",
    )
