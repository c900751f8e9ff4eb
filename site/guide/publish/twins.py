"""A page's machine-readable twin: what its tables and charts show, with the raw figures behind the text.

The twin of ``devices/nvidia-l4/`` is ``devices/nvidia-l4.json``, that of the home page ``index.json``::

    {"format": 1, "title": …, "description": …, "page": "devices/nvidia-l4/", "as_of": "2026-12-01",
     "text": [{"heading": …, "lines": [text]}],   # what it says in words
     "answers": [{…}],                    # of pages that answer a reader: publish.told
     "movements": [{…}],                  # of the page that tells what moved
     "tables": [{"caption": …, "columns": [{"key": …, "title": …, "unit": …, "kind": …}],
                 "rows": [{key: cell}]}],
     "charts": [{"title": …, "description": …, "specification": "assets/charts/….json",
                 "columns": [text], "rows": [[text]]}],
     "figures": [cell],                   # those that stand in the text
     "links": ["devices/", …]}            # the pages that this one leads to

``assets/schema/page.json`` is the JSON Schema of all this, published as ``schema/page.json``.

A cell has ``shown``, its text; ``value``, the raw number, in the column's unit where it has one (else in the
base unit of the text: B/s, FLOP/s, seconds); ``interval``, the two ends of its 95 % interval in the same
unit; ``ratio``, how it compares, as text; ``note``, its second line; ``link``; ``provenance``. What it lacks
it leaves out. A blank has ``missing``, the reason, and nothing else. Addresses count from the site's root, or
are whole. A column that is a column of the store has the store's name.

``provenance`` has ``key``, the figure's key in the records (``show.provenance``), ``rows``, the ``run_id``
and ``cell_id`` of each row in the downloads that it rests on, joined by a slash, and ``facts`` and ``note``
in words.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from guide import paths
from guide.charts import Chart
from guide.model import Result
from guide.show import figures
from guide.show.markup import plain
from guide.show.tables import Blank, Cell, Provenance, Table, as_cell

if TYPE_CHECKING:
    from guide.show.provenance import Ledger, Traced

FORMAT = 1

Trace = Callable[[Provenance], "Traced | None"]

_HREF = re.compile(r'<a [^>]*href="([^"]*)"')
_TAG = re.compile(r"<[^>]*>")
_SPACE = re.compile(r"\s+")


def path(page: str) -> str:
    """Where the twin of a page lies: ``data.md -> data.json``."""
    return f"{page.removesuffix('.md')}.json"


@dataclass
class Shown:
    """What one page shows, in the order in which it does."""

    tables: list[Table] = field(default_factory=list)
    charts: list[tuple[Chart, str]] = field(default_factory=list)
    figures: list[Cell] = field(default_factory=list)
    text: list[dict[str, Any]] = field(default_factory=list)
    records: dict[str, Any] = field(default_factory=dict)

    def twin(
        self,
        page: str,
        *,
        title: str,
        description: str,
        as_of: date | None,
        links: Iterable[str],
        ledger: Ledger | None = None,
    ) -> bytes:
        """The twin's file. Raises ``ValueError`` for a figure that is no number."""
        trace = ledger.trace if ledger else _untraced
        found: dict[str, Any] = {"format": FORMAT, "title": text(title), "description": text(description)}
        found |= {"page": paths.address(page) or "./", "as_of": as_of.isoformat() if as_of else None}
        found["text"] = self.text
        found |= self.records
        found["tables"] = [_table(table, trace) for table in self.tables]
        found["charts"] = [_chart(chart, specification) for chart, specification in self.charts]
        found["figures"] = [_cell(cell, trace) for cell in self.figures]
        found["links"] = sorted({paths.address(target) or "./" for target in links} - {found["page"]})
        return json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def text(value: Any) -> str:
    """``value`` as it reads on the page: without tags, with single spaces."""
    return _untagged(str(value)) if isinstance(value, Markup) else _plain(str(value))


# The same few words stand in most cells of a page, and of a site.
@lru_cache(maxsize=1 << 15)
def _plain(shown: str) -> str:
    return plain(shown).replace("\n", " ").replace("\r", " ")


@lru_cache(maxsize=1 << 15)
def _untagged(shown: str) -> str:
    if "<" not in shown and "&" not in shown:
        return shown
    return _SPACE.sub(" ", html.unescape(_TAG.sub("", shown))).strip()


def _table(table: Table, trace: Trace) -> dict[str, Any]:
    columns = []
    for column in table.columns:
        named = {"key": column.key, "title": text(column.title), "unit": text(column.unit)}
        named |= {"kind": column.kind, "help": text(column.help)}
        columns.append({key: value for key, value in named.items() if value})
    keys = [column.key for column in table.columns]
    rows = [{key: _cell(as_cell(row[key]), trace) for key in keys} for row in table.rows]
    return {"caption": text(table.caption), "columns": columns, "rows": rows}


def _cell(cell: Cell | Blank, trace: Trace) -> dict[str, Any]:
    if isinstance(cell, Blank):
        return {"missing": _plain(cell.reason)}
    shown, value, interval = cell.shown, cell.sort, cell.interval
    found: dict[str, Any] = {"shown": _plain(shown) if type(shown) is str else text(shown)}
    if type(value) is float or type(value) is int:
        found["value"] = value
    if interval:
        known = isinstance(interval, figures.Span)
        found["interval"] = [interval.low, interval.high] if known else text(interval)
    if cell.ratio:
        found["ratio"] = text(cell.ratio)
    if cell.sub:
        found["note"] = text(cell.sub)
    if link := cell.link or (_outward(shown) if type(shown) is Markup else ""):
        found["link"] = _address(link)
    if cell.provenance is not None and (origin := _provenance(cell.provenance, trace)):
        found["provenance"] = origin
    return found


def _outward(shown: Markup) -> str:
    """The address that a cell's own markup leads to."""
    if "<a " not in shown:
        return ""
    found = _HREF.search(shown)
    return html.unescape(found[1]) if found else ""


@lru_cache(maxsize=1 << 12)
def _address(target: str) -> str:
    name, mark, fragment = target.partition("#")
    return f"{paths.address(name)}{mark}{fragment}"


def _provenance(origin: Provenance, trace: Trace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if traced := trace(origin):
        found["key"] = traced.key
    rows, facts = [], []
    for item in origin.of:
        if isinstance(item, Result):
            rows += [f"{row['run_id']}/{row['cell_id']}" for row in item.rows]
        elif isinstance(item, str):
            facts.append(text(item))
    if rows:
        found["rows"] = rows
    if facts:
        found["facts"] = facts
    if origin.note:
        found["note"] = text(origin.note)
    return found


def _untraced(_: Provenance) -> Traced | None:
    return None


def _chart(chart: Chart, specification: str) -> dict[str, Any]:
    return {
        "title": text(chart.title),
        "description": text(chart.alt),
        "specification": specification,
        "columns": [text(header) for header in chart.headers],
        "rows": [[text(value) for value in row] for row in chart.figures],
    }


def figure(
    value: float, shown: str, interval: tuple[float, float] | None, provenance: Provenance | None, unit: str
) -> Cell:
    """A figure of the text as the cell that its twin makes of it."""
    return Cell(
        f"{shown}{figures.NBSP}{unit}" if unit else shown,
        sort=value,
        interval=figures.span(*interval) if interval else "",
        provenance=provenance,
    )
