"""Codes in words: statuses, kinds of value, flags, and where a figure comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from markupsafe import Markup

from guide import figures
from guide.markup import escape
from guide.model import Price, Result, Source
from guide.tables import Blank, Cell, Provenance
from guide.tasks import told_kinds

#: What stands in a cell without a figure.
STATUS_WORDS = {
    "ok": "measured",
    "oom": "out of memory",
    "timeout": "out of time",
    "unsupported": "cannot run it",
    "skipped": "skipped: a smaller one ran out of memory",
    "failed": "failed",
    "killed": "killed",
    "impossible": "kept back: impossible figure",
    "interrupted": "run was stopped",
}
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


def provenance(result: Result, sources: Mapping[str, Source], brief: bool = False) -> Provenance:
    """Where a result's figure comes from: origin, repetitions, date, engine, conditions, flags.

    ``brief`` is for tables under a source's own heading: it leaves out what the heading says of all rows.
    """
    row = result.rows[-1] if result.rows else {}
    if brief:
        facts = [k for k in result.value_kinds if k != "measured"]
        facts += [figures.plural(result.sample_count, "repetition")] if result.sample_count else []
        facts += [row["engine_version"]] if row.get("engine_version") else []
        facts += [] if result.interval else ["no interval stated"]
        facts += [f"rows differ in {', '.join(result.differs)}"] if result.differs else []
        facts += flag_words(flag for flag in result.flags if flag != COMMON_FLAG)
        facts += [row["source_locator"]] if row.get("source_locator") else []
        return Provenance(tuple(facts), key=str(row.get("cell_id") or ""))
    if result.origins == ("measured",):
        facts = ["measured here"]
    else:
        facts = ["published: " + source_words(result.source_ids, sources)]
        facts += [k for k in result.value_kinds if k != "measured"]
    facts.append(f"{figures.plural(result.n, 'row')}")
    if result.sample_count:
        facts.append(figures.plural(result.sample_count, "repetition"))
    facts.append(figures.day(result.newest))
    engine = " ".join(row[name] for name in ("engine", "engine_version") if row.get(name))
    facts += [engine] if engine else []
    facts += [f"driver {row['driver_version']}"] if row.get("driver_version") else []
    if result.interval is None:
        facts.append("no interval stated")
    else:
        facts.append(f"95 % interval {figures.span(result.interval.low, result.interval.high)}")
    facts += [f"rows differ in {', '.join(result.differs)}"] if result.differs else []
    facts += flag_words(result.flags)
    if row.get("source_locator"):
        facts.append(f"in the source: {row['source_locator']}")
    return Provenance(tuple(facts), key=str(row.get("cell_id") or ""))


def interval_words(result: Result) -> str:
    """``71.0–73.2``, or empty when the rows state no interval."""
    if result.interval is None:
        return ""
    # The ends in the same prefix as the figure itself.
    size = _prefix(result.rate or 1.0) if result.unit in PREFIXED else 1.0
    return figures.span(result.interval.low / size, result.interval.high / size)


def _prefix(value: float) -> float:
    return next((size for size in (1e15, 1e12, 1e9, 1e6, 1e3) if value >= size), 1.0)


def rate_words(rate: float, unit: str | None) -> str:
    """The figure alone, as its unit heads the column; units of ``PREFIXED`` stand beside the figure."""
    return figures.si(rate, unit) if unit in PREFIXED else figures.number(rate)


def header_unit(unit: str | None) -> str:
    """What heads a column of rates of that unit."""
    return "" if unit in PREFIXED else unit or ""


def marks(result: Result) -> list[str]:
    """What must stand beside the figure itself: an indirect kind of value, and doubts of the source."""
    found = [kind_words(result)] if kind_words(result) else []
    if "source-anomaly" in result.flags:
        found.append("doubtful: the source contradicts it")
    if "source-conflict" in result.flags:
        found.append("the source prints two values")
    if "slow-for-hardware" in result.flags:
        found.append("slow for the hardware")
    return found


def rate_cell(
    result: Result | None, sources: Mapping[str, Source], sub: str = "", brief: bool = False
) -> Cell | Blank:
    """A result's rate with its interval and origin; a blank with its reason when there is none."""
    if result is None:
        return Blank("not run")
    if result.rate is None:
        return Blank(status_words(result))
    return Cell(
        rate_words(result.rate, result.unit),
        sort=result.rate,
        sub=" · ".join(part for part in (sub, *marks(result)) if part),
        interval=interval_words(result),
        provenance=provenance(result, sources, brief),
    )


def breakable(text: str) -> Markup:
    """An address or a path that may wrap behind its separators."""
    return Markup(re.sub(r"([/@_-])", r"\1<wbr>", str(escape(text))))


def job_words(seconds: float) -> str:
    """A job's time: in seconds up to ten minutes, so that a column of them can be read down."""
    return f"{figures.number(seconds)}{figures.NBSP}s" if seconds < 600 else figures.duration(seconds)


def verdict_words(verdict: str) -> str:
    """The verdict of a ratio for readers."""
    return {"unknown": "cannot tell"}.get(verdict, verdict)


#: What a price without a memory size leaves open.
ANY_SIZE = "perhaps with less memory"


def seen_words(price: Price) -> str:
    """``seen 1 Feb 2026``."""
    return f"seen {figures.day(price.observed_on)}"


def price_facts(price: Price) -> Provenance:
    """Where a price comes from and how old it is."""
    facts = [
        {"card": "bare card", "system": "whole computer", "rental": "rented hour"}[price.basis],
        seen_words(price),
        figures.plural(price.n, "offer"),
        "; ".join(price.sources),
    ]
    facts += [price.note] if price.note else []
    facts += ["sold with several memory sizes: the price may be of a smaller one"] if price.any_size else []
    facts += [] if price.fresh else ["stale: too old to rest a choice on"]
    return Provenance(tuple(facts))


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
