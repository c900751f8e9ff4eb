"""The figures of one page and where they come from: the marks beside them, and the list that ends the page.

A figure is a link to the entry of its origin in that list, so that its source is one step away without a
script and on paper; with one, the link opens a card (``assets/js/provenance.js``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from markupsafe import Markup

from guide import paths
from guide.model import Source
from guide.show import blanks, figures
from guide.show.markup import escape
from guide.show.provenance import CATALOG, GIVEN, PRICES, Ledger
from guide.show.row_facts import OWN_SOURCE, brief, source_title
from guide.show.tables import Provenance
from guide.translate.versions import Version

Link = Callable[[str], Markup]


class Mark(NamedTuple):
    """What stands beside a figure: attributes of its element, and the address that the figure leads to. Both
    are finished HTML."""

    attributes: str
    href: str


class Keys:
    """The keys of figures that a script draws, and the files that hold their records."""

    def __init__(self, ledger: Ledger | None) -> None:
        self.ledger = ledger
        self.files: set[str] = set()

    def of(self, provenance: Provenance | None) -> str:
        """A figure's key; empty where nothing is known of it."""
        traced = self.ledger.trace(provenance) if self.ledger and provenance else None
        if traced is None:
            return ""
        self.files.update(traced.files)
        return traced.key


class Traces:
    """Collects the marks of one page. Without a ledger (a page by itself, in a test) no figure has one."""

    def __init__(self, ledger: Ledger | None, version: Version | None = None) -> None:
        self.ledger = ledger
        self._told = ledger.told(version) if ledger else {}
        self.numbers: dict[str, int] = {}
        self.counts: Counter[str] = Counter()
        self.files: set[str] = set()
        self.reasons: set[str] = set()
        self.notes: list[tuple[int, str, tuple[str, ...]]] = []
        self.seen: set[int] = set()

    def begin_table(self) -> None:
        """Forget which origins have been seen."""
        self.seen.clear()

    @property
    def one_origin(self) -> str:
        """The number of the origin of all figures since ``begin_table``; empty where they have several."""
        return str(next(iter(self.seen))) if len(self.seen) == 1 else ""

    def mark(self, provenance: Provenance | None) -> Mark | None:
        """The mark of a figure; None where nothing is known of it."""
        traced = self.ledger.trace(provenance) if self.ledger and provenance else None
        if traced is None or provenance is None:
            return None
        key, origin, files = traced
        number = self.numbers.setdefault(origin, len(self.numbers) + 1)
        self.counts[origin] += 1
        self.files.update(files)
        self.seen.add(number)
        note = f' data-note="{escape(provenance.note)}"' if provenance.note else ""
        return Mark(f' data-key="{key}"{note}', provenance.anchor or f"#s{number}")

    def mark_up(self, provenance: Provenance | None) -> Mark | None:
        """The same for a template, which would escape plain text."""
        found = self.mark(provenance)
        return None if found is None else Mark(*map(Markup, found))

    def headline(self, shown: str | Markup, provenance: Provenance | None) -> Markup:
        """A figure of the text, linked to its origin; on paper it has a numbered note of its own facts."""
        mark = self.mark(provenance)
        text = escape(shown)
        if mark is None or provenance is None:
            return text
        number = len(self.notes) + 1
        self.notes.append((number, str(text), brief(provenance)))
        return Markup(
            f'<span class="traced"{mark.attributes}><a href="{mark.href}">{text}</a>'
            f'<sup class="traced__note">{number}</sup></span>'
        )

    def drawn(self, files: Iterable[str]) -> Markup:
        """Note that a script of the page draws figures whose records lie in these files."""
        self.files.update(files)
        return Markup("")

    def records(self) -> dict[str, bytes]:
        """The files that the page's keys lead to, by path."""
        if self.ledger is None or not self.files:
            return {}
        return dict(self._told[name] for name in {*self.files, "how"})

    def section(self, link: Link) -> Markup:
        """What ends the page: the origins of its figures, notes on the headline ones, what blanks mean."""
        meanings = [(reason, blanks.MEANINGS[reason]) for reason in blanks.MEANINGS if reason in self.reasons]
        if not self.numbers and not meanings:
            return Markup("")
        lines = []
        if self.numbers and self.ledger:
            named = sorted({*self.files, "how"}, key=lambda name: (name.rjust(4), name))
            files = " ".join(self._told[name][0].rpartition("/")[2] for name in named)
            folder = link(self._told["how"][0]).rpartition("/")[0]
            lines += [
                f'<section class="origins" id="figures-from" data-folder="{folder}/" data-files="{files}" '
                'data-search-exclude aria-labelledby="figures-from-title">',
                '<h2 id="figures-from-title">Where the figures come from</h2>',
                '<ol class="origins__list">',
                *(self._entry(origin, number, link) for origin, number in self.numbers.items()),
                "</ol>",
                *self._notes(),
            ]
        else:
            lines.append('<section class="origins" data-search-exclude aria-label="Blanks">')
        if meanings:
            lines.append('<h3>What the blanks mean</h3>\n<dl class="origins__blanks">')
            lines += [f"<div><dt>{escape(r)}</dt><dd>{escape(m)}</dd></div>" for r, m in meanings]
            lines.append("</dl>")
        return Markup("\n".join([*lines, "</section>"]))

    def _notes(self) -> list[str]:
        if not self.notes:
            return []
        return [
            '<ol class="origins__notes">',
            *(
                f"<li><strong>{text}</strong> {escape('; '.join(facts))}</li>"
                for _, text, facts in self.notes
            ),
            "</ol>",
        ]

    def _entry(self, origin: str, number: int, link: Link) -> str:
        assert self.ledger is not None
        count = figures.plural(self.counts[origin], "figure")
        if origin == PRICES:
            told = (
                "Prices: dated offers, each with its seller or report. "
                f'<a href="{link(paths.DEVICES)}">Every device’s page</a> has its own.'
            )
        elif origin == CATALOG:
            told = f'What makers state: the <a href="{link(paths.CATALOG)}">catalog</a> of devices.'
        elif origin == GIVEN:
            told = f'Assumptions: <a href="{link(paths.COST + "#formulas")}">formulas and values</a>.'
        else:
            told = self._source(origin, self.ledger.evidence.sources.get(origin), link)
        return f'<li id="s{number}">{told} <span class="quiet">{count} here.</span></li>'

    def _source(self, origin: str, source: Source | None, link: Link) -> str:
        title = escape(source_title(origin, self.ledger.evidence.sources if self.ledger else {}))
        rows = f'<a href="{link(paths.DATA)}">All rows</a>.'
        if origin == OWN_SOURCE:
            return f"{title}: <code>bench collect</code>; a figure’s own command is in its card. {rows}"
        if source is None:
            return f"{title}: brought in by <code>bench import</code>. {rows}"
        if source.url and source.url.startswith(("https://", "http://")):
            title = Markup('<a href="{}" rel="noopener">{}</a>').format(source.url, title)
        parts = [str(title)]
        if source.published:
            parts.append(f"published {escape(figures.written_day(source.published))}")
        if source.licence:
            parts.append(f"licence: {escape(source.licence)}")
        return f"{', '.join(parts)}. {rows}"
