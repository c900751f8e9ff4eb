"""Sentences made of figures: each figure keeps its interval and its origin on the way into a page."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass, field

from guide.analysis.ratios import ratio
from guide.charts import Chart
from guide.decide.verdicts import Surprise
from guide.evidence import Evidence
from guide.model import Interval, Ratio, Result
from guide.show import figures
from guide.show.tables import Provenance, Table
from guide.views.origins import page_of


@dataclass(frozen=True)
class Num:
    """A figure in a sentence. ``style`` names a formatter of ``show.figures``; ``interval`` is at 95 %."""

    value: float
    style: str = "number"
    unit: str = ""
    interval: tuple[float, float] | None = None
    origin: Provenance | None = None

    @property
    def text(self) -> str:
        """The figure as it is read: ``1.67 articles/s [1.60–1.70]``."""
        shown = getattr(figures, self.style)(self.value)
        shown += f"{figures.NBSP}{self.unit}" if self.unit else ""
        return shown + (f" [{figures.span(*self.interval)}]" if self.interval else "")


#: What fills a place in a sentence: a figure, text, or several of them.
Words = Num | str | tuple[Num | str, ...]


@dataclass(frozen=True)
class Claim:
    """A sentence: ``parts`` are text and figures in turn. ``why`` is the rest of the thought and holds only
    while the sentence does. ``page`` shows the rows behind it. ``known`` is False where the sentence says
    that something is not known."""

    parts: tuple[str | Num, ...]
    why: str = ""
    page: str = ""
    known: bool = True

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    @property
    def figures(self) -> tuple[Num, ...]:
        """Its figures, in order."""
        return tuple(part for part in self.parts if isinstance(part, Num))


def claim(template: str, *, why: str = "", page: str = "", known: bool = True, **values: object) -> Claim:
    """``template`` with its ``{names}`` filled in: a ``Num`` stays a figure, a tuple is taken part by part,
    all else becomes text."""
    parts: list[str | Num] = []
    for literal, name, _, _ in string.Formatter().parse(template):
        value = values[name] if name is not None else ""
        for part in (literal, *(value if isinstance(value, tuple) else (value,))):
            if isinstance(part, Num):
                parts.append(part)
            elif parts and isinstance(parts[-1], str):
                parts[-1] += str(part)
            else:
                parts.append(str(part))
    return Claim(tuple(part for part in parts if part != ""), why, page, known)


def unknown(sentence: str, why: str = "") -> Claim:
    """A sentence that says what is not known."""
    return Claim((sentence,), why, known=False)


def rate_of(result: Result) -> Num:
    """A result's rate with its interval and origin."""
    assert result.rate is not None
    return Num(
        result.rate, unit=result.unit or "", interval=ends(result.interval), origin=Provenance((result,))
    )


def ratio_of(found: Ratio, first: Result, second: Result, how: str = "ratio") -> Num:
    """The ratio of two results, its interval, and both of them. ``how`` names the rule that it follows."""
    origin = Provenance((first, second), how)
    return Num(found.value, "ratio", interval=ends(found.interval), origin=origin)


def span(low: Num, high: Num) -> Words:
    """Two figures as a range; one of them where they read the same."""
    return low if low.text == high.text else (low, " to ", high)


def ends(interval: Interval | None) -> tuple[float, float] | None:
    """The two ends of an interval, where there is one."""
    return (interval.low, interval.high) if interval else None


def rates_of(found: Surprise, evidence: Evidence) -> Num | None:
    """The ratio of the rates of a finding's two results; None where one has no rate."""
    task = evidence.task(found.task_key)
    first, second = (task.of(key) for key in found.systems)
    rates = ratio(first, second) if first is not None and second is not None else None
    return ratio_of(rates, first, second) if rates and first and second else None


def of_surprise(found: Surprise, evidence: Evidence) -> Claim:
    """A finding of the home page, with the ratio of the rates of its two results."""
    rates = rates_of(found, evidence)
    parts: tuple[str | Num, ...] = (found.sentence,)
    if rates is not None:
        parts = (f"{found.sentence} The ratio of the two rates: ", rates, ".")
    return Claim(parts, found.why, page_of(evidence, evidence.task(found.task_key)))


@dataclass(frozen=True)
class Section:
    """A part of an explanation: a heading, what it is about, sentences, pictures and tables. ``command``
    measures what is missing, ``command_for`` says what. ``links`` are (words, path) of pages that say
    more."""

    heading: str
    anchor: str
    intro: str = ""
    claims: Sequence[Claim] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    command: str = ""
    command_for: str = ""
    links: Sequence[tuple[str, str]] = ()
    note: str = ""


@dataclass(frozen=True)
class Topic:
    """One question: ``answer`` opens the page. ``facts`` are figures of it with what each is of, for the
    picture that a link to the page shows elsewhere."""

    key: str
    path: str
    nav: str
    title: str
    description: str
    answer: Claim
    sections: Sequence[Section] = field(default_factory=tuple)
    facts: Sequence[tuple[str, str]] = ()


def rows_page(evidence: Evidence, result: Result) -> str:
    """The page that shows the result's task."""
    return page_of(evidence, evidence.task(result.rows[0]["task_key"]))
