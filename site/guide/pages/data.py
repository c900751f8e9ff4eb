"""Data: the dictionary of columns, downloads of the whole store, sources with licences, what was left out."""

from __future__ import annotations

from collections.abc import Iterable

from bench import schema
from guide import downloads, paths
from guide.context import Context
from guide.pages.base import Page
from guide.site_files import SiteFile
from guide.tables import Blank, Cell, Column, Table


class Data(Page):
    title = "Data"
    order = 90
    needs_rows = False

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        files = downloads.files(ctx.evidence.rows) if ctx.evidence.rows else []
        yield from files
        yield from ctx.page(
            paths.DATA,
            "data.md",
            title=self.title,
            nav=self.title,
            description="Every figure behind the guide: downloads of the whole store as Parquet and CSV, the "
            "meaning of each column, the sources with their licences.",
            files=files,
            dictionary=[(group, _columns(group)) for group in dict.fromkeys(c.group for c in schema.COLUMNS)],
            left_out=_left_out(ctx),
            schema_version=schema.SCHEMA_VERSION,
        )


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


def _left_out(ctx: Context) -> Table | None:
    if not ctx.evidence.left_out:
        return None
    return Table(
        columns=(Column("what", "What"), Column("reason", "Why"), Column("rows", "Rows", kind="number")),
        rows=[
            {"what": item.what, "reason": item.reason, "rows": item.rows or Blank("whole file")}
            for item in ctx.evidence.left_out
        ],
        caption="What the guide leaves out",
        sortable=False,
    )


PAGE = Data()
