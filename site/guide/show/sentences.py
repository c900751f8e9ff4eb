"""A sentence whose figures each lead to what they rest on.

Sentences are made as plain text, for pages, twins and feeds alike. Here a page finds the figures in one: an
amount, a ratio, a share, a number with a unit or in the brackets of an interval. Names (``RTX 4090``), days
and what was asked for (``1,024 tokens``) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

from guide.show.markup import escape
from guide.show.tables import Provenance
from guide.show.traces import Traces
from guide.translate.patterns import figures_in

#: What stands behind a number that is a figure, where its unit is not part of it already.
_FOLLOWED = re.compile(
    r"[\u00a0 ](?:\S+/s\b|USD\b|J per |years?\b|hours?\b|days? old\b|prompt\+generated )|\]| \[|, no interval"
    r"| \([\d.,]+[\u00a0 ]% more\)"
)
_UNITED = re.compile(r"[\u00a0 ](?!(?:GB|TB)$)[^\d\s]+$")


@dataclass(frozen=True)
class Sentence:
    """``figures`` say what those rest on that are shown like this; ``rest`` is what all others rest on."""

    text: str
    rest: Provenance | None = None
    figures: Mapping[str, Provenance] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


def traced(sentence: Sentence, traces: Traces) -> Markup:
    """The sentence as HTML, each of its figures a link to its origin."""
    parts, position = [], 0
    for start, end in _figures(sentence.text):
        shown = sentence.text[start:end]
        mark = traces.mark(sentence.figures.get(shown, sentence.rest))
        if mark is None:
            continue
        parts.append(escape(sentence.text[position:start]))
        inside = f'<a href="{mark.href}">{escape(shown)}</a>'
        parts.append(Markup(f'<span class="traced traced--in"{mark.attributes}>{inside}</span>'))
        position = end
    return Markup("").join([*parts, escape(sentence.text[position:])])


def _figures(text: str) -> Iterator[tuple[int, int]]:
    for start, end in figures_in(text):
        shown = text[start:end]
        if shown[0] in "×$" or _UNITED.search(shown) or _FOLLOWED.match(text, end):
            yield start, end
