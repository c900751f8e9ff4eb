"""Codes in words: statuses, kinds of value, flags, prices; and the cells of rates and prices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from markupsafe import Markup

from guide.analysis.tasks import disturbed, told_kinds
from guide.model import Price, Ratio, Result, Source, System, Task
from guide.show import figures
from guide.show.blanks import NOT_RUN, STATUS_WORDS, WITHDRAWN
from guide.show.markup import escape
from guide.show.tables import Blank, Cell, Provenance

#: So common that it is said once, under the source's heading.
COMMON_FLAG = "within-run-interval"
#: Units whose figures span too many powers of ten for one column: they take a decimal prefix.
PREFIXED = ("B/s", "FLOP/s")


@cache
def flag_meanings() -> Mapping[str, str]:
    """Flag -> what it means, from the three places that set flags."""
    from importlib.util import find_spec

    from bench.importers.flags import FLAGS as IMPORTED
    from bench.published import FLAGS

    meanings = FLAGS | IMPORTED
    if find_spec("bench.measure.flags"):
        from bench.measure import flags

        meanings |= getattr(flags, "FLAGS", {})
    return meanings


def flag_words(flags: Iterable[str]) -> list[str]:
    """Each flag as a sentence part; one that nobody described is shown as it is."""
    return [flag_meanings().get(flag, flag) for flag in flags]


def status_words(result: Result) -> str:
    """``out of memory``, for a result without a rate."""
    return STATUS_WORDS.get(result.status, result.status)


def kind_words(result: Result) -> str:
    """``inferred``, ``estimated``, … for figures that nobody timed in full; empty for all others."""
    return told_kinds(result)


def source_words(source_ids: Iterable[str], sources: Mapping[str, Source]) -> str:
    """Titles of the sources; rows of this project's collector say so."""
    return "; ".join(sources[s].title if s in sources else s for s in source_ids)


def interval_words(result: Result) -> str:
    """``71.0–73.2``, or empty when the rows state no interval."""
    if result.interval is None:
        return ""
    # The ends in the same prefix as the figure itself.
    size = _prefix(result.rate or 1.0) if result.unit in PREFIXED else 1.0
    low, high = result.interval.low, result.interval.high
    return figures.Span(figures.span(low / size, high / size), low, high)


def _prefix(value: float) -> float:
    return next((size for size in (1e15, 1e12, 1e9, 1e6, 1e3) if value >= size), 1.0)


def rate_words(rate: float, unit: str | None) -> str:
    """The figure alone, as its unit heads the column; units of ``PREFIXED`` stand beside the figure."""
    return figures.si(rate, unit) if unit in PREFIXED else figures.number(rate)


def header_unit(unit: str | None) -> str:
    """What heads a column of rates of that unit."""
    return "" if unit in PREFIXED else unit or ""


def marks(result: Result) -> list[str]:
    """What must stand beside the figure itself: an indirect kind of value, what disturbed its measurement,
    and doubts of the source."""
    found = [part for part in (kind_words(result), disturbed(result)) if part]
    if "source-anomaly" in result.flags:
        found.append("doubtful: the source contradicts it")
    if "source-conflict" in result.flags:
        found.append("the source prints two values")
    if "slow-for-hardware" in result.flags:
        found.append("slow for the hardware")
    return found


def provenance(result: Result, _: object = None) -> Provenance:
    """Where a result's figure comes from: its rows."""
    return Provenance((result,))


def missing(task: Task, system: System) -> Blank:
    """Why a task has nothing of a system: nobody tried, or what was there has been withdrawn."""
    return Blank(WITHDRAWN if system.key in task.withdrawn else NOT_RUN)


def rate_cell(
    result: Result | None, _: object = None, *, sub: str = "", ratio: str = "", anchor: str = ""
) -> Cell | Blank:
    """A result's rate with its interval and origin, ``ratio`` in brackets; a blank with its reason when there
    is none. ``anchor`` is where its row stands on the same page."""
    if result is None:
        return Blank(NOT_RUN)
    if result.rate is None:
        return Blank(status_words(result))
    return Cell(
        rate_words(result.rate, result.unit),
        sort=result.rate,
        sub=" · ".join(part for part in (sub, *marks(result)) if part),
        interval=interval_words(result),
        provenance=Provenance((result,), anchor=anchor),
        ratio=ratio,
    )


def breakable(text: str) -> Markup:
    """An address or a path that may wrap behind its separators."""
    return Markup(re.sub(r"([/@_-])", r"\1<wbr>", str(escape(text))))


def job_words(seconds: float) -> str:
    """A job's time: in seconds up to ten minutes, so that a column of them can be read down."""
    return f"{figures.number(seconds)}{figures.NBSP}s" if seconds < 600 else figures.duration(seconds)


#: Said of a tie whose interval excludes 1 (``Ratio.within_band``), which else would seem to contradict it.
WITHIN_BAND = " (within the band)"


def verdict_words(ratio: Ratio) -> str:
    """The verdict of a ratio for readers."""
    known = {"unknown": "cannot tell"}.get(ratio.verdict, ratio.verdict)
    return known + (WITHIN_BAND if ratio.within_band else "")


#: What a price without a memory size leaves open.
ANY_SIZE = "perhaps with less memory"


def seen_words(price: Price) -> str:
    """``seen 1 Feb 2026``."""
    return f"seen {figures.day(price.observed_on)}"


def price_facts(price: Price) -> Provenance:
    """Where a price comes from: its offers."""
    return Provenance((price,))


def price_cell(prices: Iterable[Price], route: str) -> Cell | Blank:
    """One route's price with its age; a blank when nobody has seen one."""
    price = next((p for p in prices if p.route == route), None)
    if price is None:
        return Blank("no price seen")
    low, high = figures.usd(price.low_usd), figures.usd(price.high_usd)
    parts = [figures.day(price.observed_on)]
    parts += [f"{low}–{high}"] if low != high else []
    parts += [] if price.fresh else ["stale"]
    parts += [ANY_SIZE] if price.any_size else []
    return Cell(
        figures.usd(price.usd), sort=price.usd, sub=" · ".join(parts),
        tone="" if price.fresh else "quiet", provenance=price_facts(price),
    )  # fmt: skip
