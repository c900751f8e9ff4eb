"""Formats and flags: what ``bench import`` reads and corrects, and every flag of a row in words.

Made from the registries that the collector, the importers and the published tables themselves use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from markupsafe import Markup

from bench import published_flags
from bench.importers import flags as imported_flags
from bench.importers import formats
from bench.measure import flags as measured_flags
from guide import paths
from guide.context import Context
from guide.pages.base import Page
from guide.show.markup import escape, slug
from guide.show.tables import Blank, Cell, Column, Table
from guide.site_files import SiteFile


class Formats(Page):
    title = "Formats and flags"
    order = 85
    needs_rows = False

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        found = formats()
        yield from ctx.page(
            paths.FORMATS,
            "formats.md",
            title=self.title,
            description="Which result files of other tools can be imported, in which versions, what is "
            "corrected in each, and what every flag of a row means and asks for.",
            formats=_formats(found),
            corrections=[(entry, _corrections(entry)) for entry in found],
            measured=_flags(measured_flags.FLAGS, measured_flags.ADVICE, "Flags of measured rows"),
            imported=_flags(imported_flags.FLAGS, imported_flags.ADVICE, "Flags of imported rows"),
            published=_flags(published_flags.FLAGS, published_flags.ADVICE, "Flags of published tables"),
        )


def _formats(found: Iterable[Mapping[str, Any]]) -> Table:
    return Table(
        columns=(
            Column("format", "Tool"),
            Column("forms", "Files"),
            Column("versions", "Versions"),
            Column("corrected", "Corrected", unit="faults", kind="number", unsourced="counted"),
        ),
        rows=[
            {
                "format": Cell(entry["title"], sub=entry["format"], link=_heading(entry["format"])),
                "forms": _lines(entry["forms"]),
                "versions": _lines(entry["versions"]),
                "corrected": len(entry["corrections"]),
            }
            for entry in found
        ],
        caption="Formats",
        caption_hidden=True,
        phone="cards",
        sortable=False,
        search=True,
    )


def _heading(name: str) -> str:
    return f"{paths.FORMATS}#{slug(name)}"


def _lines(texts: Iterable[str]) -> Cell:
    """Several texts in one cell, each on a line of its own, with a semicolon for who hears them."""
    between = Markup('<span class="sr">; </span>')
    items = between.join(Markup('<span class="data__line">{}</span>').format(escape(text)) for text in texts)
    return Cell(Markup("<div>{}</div>").format(items))


def _corrections(entry: Mapping[str, Any]) -> Table:
    return Table(
        columns=(Column("fault", "In the file"), Column("remedy", "What is done"), Column("flag", "Flag")),
        rows=[
            {
                "fault": c["fault"],
                "remedy": c["remedy"],
                "flag": Cell(c["flag"], link=paths.flag(c["flag"])) if c["flag"] else Blank("none needed"),
            }
            for c in entry["corrections"]
        ],
        caption=f"What is corrected: {entry['title']}",
        caption_hidden=True,
        phone="cards",
        sortable=False,
        search=True,
    )


def _flags(meanings: Mapping[str, str], advice: Mapping[str, str], caption: str) -> Table:
    return Table(
        columns=(Column("flag", "Flag"), Column("meaning", "What it means"), Column("advice", "What to do")),
        rows=[
            {
                "flag": Markup('<code id="flag-{}">{}</code>').format(slug(flag), escape(flag)),
                "meaning": f"{meaning[:1].upper()}{meaning[1:]}.",
                "advice": _with_options(advice[flag]),
            }
            for flag, meaning in meanings.items()
        ],
        caption=caption,
        caption_hidden=True,
        phone="cards",
        sortable=False,
        search=True,
    )


def _with_options(text: str) -> Markup:
    """The text with options of commands as code, which is not broken at their hyphens."""
    parts = re.split(r"(?<![\w-])(--?[a-z]+(?:-[a-z]+)*)", text)
    shown = Markup("").join(
        Markup("<code>{}</code>").format(escape(part)) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )
    return Markup("<div>{}</div>").format(shown)  # one box in a card


PAGE = Formats()
