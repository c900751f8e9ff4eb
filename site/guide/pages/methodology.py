"""Methodology: how figures are measured, compared and called. Derived from the code that does it."""

from __future__ import annotations

from collections.abc import Iterable

from bench import schema
from guide import paths
from guide.context import Context
from guide.pages.base import Page
from guide.site_files import SiteFile
from guide.tables import Column, Table


class Methodology(Page):
    title = "Methodology"
    order = 80
    needs_rows = False

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        yield from ctx.page(
            paths.METHODOLOGY,
            "methodology.md",
            title=self.title,
            nav=self.title,
            description="How every figure of the guide is measured, compared and called: repetitions, "
            "intervals, tiers, the physics gate, statuses and flags.",
            statuses=_words(schema.STATUSES, "Status", "How a cell can end"),
            value_kinds=_words(schema.VALUE_KINDS, "Kind", "How a figure can have come to be"),
            rate_kinds=_words(schema.RATE_KINDS, "Kind", "Kinds of rate"),
            task_fields=schema.TASK_FIELDS,
            method_version=schema.METHOD_VERSION,
        )


def _words(words: dict[str, str], name: str, caption: str) -> Table:
    return Table(
        columns=(Column("word", name), Column("meaning", "Meaning")),
        rows=[{"word": word, "meaning": meaning} for word, meaning in words.items()],
        caption=caption,
        caption_hidden=True,
        sortable=False,
        search=True,
    )


PAGE = Methodology()
