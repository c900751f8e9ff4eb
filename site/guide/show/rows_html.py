"""The rows of a table as HTML: most of what a page weighs, so it says nothing twice.

A build writes a hundred thousand cells: put together here they take a fifth of what a template takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from guide.show.markup import escape
from guide.show.tables import Blank, Cell, Column, Table, as_cell
from guide.show.traces import Mark, Traces

Link = Callable[[str], Markup]


def rows_html(table: Table, link: Link, traces: Traces | None = None) -> Markup:
    """The ``<tr>`` elements, a line each. ``link`` gives the address of a path as seen from the page;
    ``traces`` collects where the figures come from, and why there is none."""
    names = [_name(column) if table.phone == "cards" else "" for column in table.columns]
    traces = traces or Traces(None)
    lines = []
    for place, row in enumerate(table.rows):
        css = f' class="{escape(table.row_classes[place])}"' if table.row_classes else ""
        anchor = f' id="{escape(table.row_ids[place])}"' if table.row_ids else ""
        task = table.row_tasks[place] if table.row_tasks else ""
        anchor += f' data-task="{escape(task)}"' if task else ""
        lines.append(f"<tr{anchor}{css}>{_row(table, row, names, link, traces)}</tr>\n")
    return Markup("".join(lines))


def _row(table: Table, row: Mapping[str, Any], names: list[str], link: Link, traces: Traces) -> str:
    cells = []
    for column, name in zip(table.columns, names, strict=True):
        cell = as_cell(row[column.key])
        tag = "td" if cells else "th"
        scope = "" if cells else ' scope="row"'
        mark = None
        if isinstance(cell, Blank):
            traces.reasons.add(cell.reason)
        elif cell.provenance:
            mark = traces.mark(cell.provenance)
        key = mark.attributes if mark else ""
        content = _content(table, cell, link, mark)
        cells.append(f"<{tag}{scope}{_attributes(column, cell)}{key}{name}>{content}</{tag}>")
    return "".join(cells)


def _name(column: Column) -> str:
    """What stands before a cell once its row has become a card."""
    unit = f" ({escape(column.unit)})" if column.unit else ""
    return f' data-label="{escape(column.title)}{unit}"'


def _attributes(column: Column, cell: Cell | Blank) -> str:
    css = ["data__number"] if column.kind == "number" else []
    if isinstance(cell, Blank):
        css.append("data__blank")
    elif cell.tone:
        css.append(f"tone--{cell.tone}")
    text = f' class="{" ".join(css)}"' if css else ""
    if isinstance(cell, Blank):
        return text
    key = _sort_key(cell)
    return text if key is None else f'{text} data-sort="{escape(key)}"'


def _sort_key(cell: Cell) -> str | None:
    """What the script sorts by; None where it can take the cell's own text (``tables.js`` does without a
    key)."""
    key = cell.sort_key
    text = f"{key:.10g}" if isinstance(key, float) else str(key)
    if cell.interval or cell.sub or cell.ratio:
        return text
    alike = cell.sort is None or (not isinstance(cell.shown, Markup) and text == str(cell.shown))
    return None if alike else text


def _content(table: Table, cell: Cell | Blank, link: Link, mark: Mark | None) -> str:
    if isinstance(cell, Blank):
        return str(escape(cell.reason))
    text = str(escape(cell.shown))
    if cell.link:
        text = f'<a href="{link(cell.link)}">{text}</a>'
    elif mark:
        text = f'<a href="{mark.href}">{text}</a>'
    if cell.ratio:
        text += f' <span class="data__ratio">({escape(cell.ratio)})</span>'
    if cell.interval:
        text += f' <span class="num__interval">[{escape(cell.interval)}]</span>'
    if cell.sub:
        text += f'<span class="data__sub">{escape(cell.sub)}</span>'
    # A card sets the parts of a cell side by side with its name: they need one box.
    return (
        f"<div>{text}</div>" if table.phone == "cards" and (cell.interval or cell.sub or cell.ratio) else text
    )
