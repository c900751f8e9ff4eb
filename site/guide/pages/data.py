"""Data: the dictionary of columns, downloads of the whole store, sources with licences, what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from markupsafe import Markup

from bench import dictionary, schema
from guide import paths
from guide.context import Context
from guide.model import Source
from guide.pages.base import Page
from guide.publish import downloads, feed, pack
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Table
from guide.site_files import SiteFile

#: The rows of the collector have this source.
SOURCE_ID = "hwguide"


class Data(Page):
    title = "Data"
    order = 90
    needs_rows = False

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        yield from ctx.downloads
        yield from ctx.page(
            paths.DATA,
            "data.md",
            title=self.title,
            nav=self.title,
            description="Every figure behind the guide: downloads of the whole store as Parquet and CSV, the "
            "meaning of each column, the sources with their licences.",
            files=[(file, _what(file)) for file in ctx.downloads],
            checksum=downloads.checksum(ctx.downloads),
            pack=pack.PATH if ctx.publication.pack and ctx.downloads else "",
            feed=feed.PATH if ctx.publication.site_url and ctx.movements else "",
            moved=paths.CHANGES if ctx.downloads else "",
            counts=ctx.evidence.counts,
            named=len({row["device_id"] for row in ctx.evidence.rows if row["device_id"]}),
            sources=_sources(ctx),
            told=[(source, facts) for source in ctx.evidence.sources.values() if (facts := told(source))],
            statuses=_statuses(ctx),
            dictionary=[(group, _columns(group)) for group in dict.fromkeys(c.group for c in schema.COLUMNS)],
            json_columns=_json_columns(),
            left_out=_left_out(ctx),
            schema_version=schema.SCHEMA_VERSION,
        )


def _what(file: SiteFile) -> str:
    return downloads.WHAT[file.path.rpartition("/")[2]]


def _columns(group: str) -> Table:
    return Table(
        columns=(
            Column("name", "Column"),
            Column("kind", "Type"),
            Column("unit", "Unit"),
            Column("meaning", "Meaning"),
        ),
        rows=[
            {
                "name": c.name,
                "kind": c.kind,
                "unit": c.unit,
                "meaning": Cell(c.meaning, sub="always present" if c.required else ""),
            }
            for c in schema.COLUMNS
            if c.group == group
        ],
        caption=f"Columns: {group}",
        caption_hidden=True,
        phone="cards",
        sortable=False,
        search=True,
    )


def _json_columns() -> list[tuple[str, Table]]:
    """What each JSON column of a measured row holds: its name with dots into it, and its keys."""
    words = list(dictionary.keys())
    return [
        (
            column,
            Table(
                columns=(Column("key", "Key"), Column("meaning", "Meaning")),
                rows=[{"key": k.name, "meaning": k.meaning} for k in words if k.column == column],
                caption=f"Keys of {column}",
                caption_hidden=True,
                phone="cards",
                sortable=False,
                search=True,
            ),
        )
        for column in dict.fromkeys(key.column for key in words)
    ]


def _sources(ctx: Context) -> Table:
    count = Counter(row["source_id"] for row in ctx.evidence.rows)
    own = {
        "source": Cell("This project's collector", sub=SOURCE_ID),
        "rows": count.get(SOURCE_ID, 0),
        "published": Blank("with every run"),
        "commit": Blank("in every run"),
        "licence": "Apache-2.0, as the project",
    }
    rows = [
        {
            "source": Cell(_outside(source.url, source.title), sort=source.title, sub=source.source_id),
            "rows": count.get(source.source_id, 0),
            "published": _date(source.published),
            "commit": Cell(source.commit[:12]) if source.commit else Blank("no commit"),
            "licence": Cell(source.licence, sub=source.attribution or "")
            if source.licence
            else Blank("not stated"),
        }
        for source in ctx.evidence.sources.values()
    ]
    return Table(
        columns=(
            Column("source", "Source"),
            Column("rows", "Rows", kind="number", unsourced="counted"),
            Column("published", "Published"),
            Column("commit", "Commit", help="Of the source's repository, as read"),
            Column("licence", "Licence"),
        ),
        rows=[own, *rows],
        caption="Sources",
        caption_hidden=True,
        phone="cards",
        search=True,
    )


def told(source: Source) -> tuple[tuple[str, str], ...]:
    """What a reader must know before comparing a source's figures: (heading, text), in that order."""
    found = (
        ("What may be compared", source.comparable),
        ("How the figures came here", source.transcribed),
        ("To know", source.note),
        ("Left out", "; ".join(source.left_out)),
        ("Its own reference", source.reference_device),
        ("Read at commit", source.commit),
        ("Address", source.url),
    )
    return tuple((heading, text) for heading, text in found if text)


def _date(text: str | None) -> Cell | Blank:
    """A source's own date; many give no more than a year."""
    if not text:
        return Blank("not stated")
    return Cell(figures.written_day(text), sort=text)


def _outside(url: str | None, title: str) -> Markup | str:
    """The title as a link to the source, if its address is one of the web."""
    if not url or not url.startswith(("https://", "http://")):
        return title
    return Markup('<a href="{}" rel="noopener">{}</a>').format(url, title)


def _statuses(ctx: Context) -> Table | None:
    if not ctx.evidence.rows:
        return None
    return Table(
        columns=(
            Column("status", "Status"),
            Column("rows", "Rows", kind="number", unsourced="counted"),
            Column("meaning", "Meaning"),
        ),
        rows=[
            {"status": status, "rows": n, "meaning": schema.STATUSES[status]}
            for status, n in ctx.evidence.counts.by_status.items()
        ],
        caption="How the cells ended",
        caption_hidden=True,
        phone="cards",
    )


def _left_out(ctx: Context) -> Table | None:
    if not ctx.evidence.left_out:
        return None
    return Table(
        columns=(
            Column("what", "What"),
            Column("reason", "Why"),
            Column("rows", "Rows", kind="number", unsourced="counted"),
        ),
        rows=[
            {"what": item.what, "reason": item.reason, "rows": item.rows or Blank("whole file")}
            for item in ctx.evidence.left_out
        ],
        caption="What the guide leaves out",
        sortable=False,
    )


PAGE = Data()
