"""Tables as data: columns with units, cells that sort by their number, blanks that say why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from bench.catalog import CatalogDevice
    from guide.decide.cost import Assumptions
    from guide.model import Price, Result, System

#: Rows of a folded table that are seen at once; ``.data__table[data-fold]`` in guide.css has the same number.
FOLD_ROWS = 8
#: Tables of fewer rows are read, not worked with.
TOOL_ROWS = 4


#: Why a figure may stand without provenance: code -> reason. There is no other.
UNSOURCED = {
    "counted": "counts rows, tasks or devices of the store itself",
    "named": "each row of the table names its own source",
    "own": "a setting of this project, stated on this page",
    "moved": "what moved between two publishings; today's figure stands on the linked page with its source",
}


@dataclass(frozen=True)
class Blank:
    """A cell without a value, and the reason in a few words: ``Blank("out of memory")``. What the common
    reasons mean stands in ``guide.show.blanks``, and in the legend of each page that has them."""

    reason: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a figure rests on: ``Provenance((result,))``, ``Provenance((result, reference), "ratio")``.

    ``of`` holds results, prices, devices of the catalog (or systems of it) and assumptions. Without ``how``
    the figure is the first one's own; else ``how`` names the rule (``show.derivations``) by which it follows
    from them. ``note`` says what only this figure needs; ``anchor`` is the place on the same page where its
    row stands. None among ``of`` is passed over: a figure may rest on something that is not known. A text
    is a fact by itself, without rows that could be shown.
    """

    of: tuple[Result | Price | System | CatalogDevice | Assumptions | str | None, ...]
    how: str = ""
    note: str = ""
    anchor: str = ""

    @property
    def key(self) -> str:
        """The ``cell_id`` of the newest row behind the figure; empty where no row is."""
        from guide.show.row_facts import newest

        row = newest(self)
        return row["cell_id"] if row else ""

    @property
    def facts(self) -> tuple[str, ...]:
        """The provenance in short facts, without headings."""
        from guide.show.row_facts import brief

        return brief(self)

    @property
    def text(self) -> str:
        """The facts in one line."""
        return " · ".join(self.facts)


@dataclass(frozen=True)
class Cell:
    """A cell: ``shown`` is what stands in it, ``sort`` what it sorts by, ``sub`` a second, quieter line.
    ``ratio`` stands in brackets behind the figure: ``1.23 s (×1.10)``.

    ``link`` is a path of the site. ``interval`` is shown after the figure. ``tone`` is one of the
    stylesheet's tones (``good``, ``warn``, ``bad``, ``quiet``) and must repeat what the text says.
    """

    shown: Any
    sort: float | str | None = None
    sub: str = ""
    link: str = ""
    interval: str = ""
    tone: str = ""
    provenance: Provenance | None = None
    ratio: str = ""

    @property
    def sort_key(self) -> float | str:
        return self.sort if self.sort is not None else str(self.shown)


@dataclass(frozen=True)
class Column:
    """A column: the unit belongs here, not in the cells. ``kind`` sets alignment and the way of sorting.
    ``task`` is the key of the task that the whole column is about, where a reader's own machine may enter.
    ``unsourced`` says why its figures have no provenance (a code of ``UNSOURCED``)."""

    key: str
    title: str
    unit: str = ""
    kind: Literal["text", "number"] = "text"
    help: str = ""
    task: str = ""
    unsourced: str = ""


@dataclass(frozen=True)
class Table:
    """``rows`` map column keys to ``Cell``, ``Blank``, text, or a number; a missing key is a fault.

    The first column heads its row. ``phone`` is ``cards`` (each row becomes a card) or ``scroll`` (the first
    column stays while the rest scrolls). ``filterable`` adds a box that hides rows without the typed text.
    ``fold`` shows the first ``FOLD_ROWS`` rows and the others at the press of a button (on paper, and without
    a script, all of them): the most telling rows must stand first. ``row_ids`` are the rows' anchors.
    ``own`` and ``row_tasks`` (the task of each row) say where a reader's own machine may enter
    (``guide.views.matchable``). ``unsourced`` says why no figure of this table has provenance (a code of
    ``UNSOURCED``); a test lets no other figure be without.
    """

    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]
    caption: str
    phone: Literal["cards", "scroll"] = "scroll"
    sortable: bool = True
    filterable: bool = False
    caption_hidden: bool = False
    search: bool = False
    fold: bool = False
    row_classes: Sequence[str] = field(default_factory=tuple)
    row_ids: Sequence[str] = field(default_factory=tuple)
    row_tasks: Sequence[str] = field(default_factory=tuple)
    own: Mapping[str, Any] = field(default_factory=dict)
    unsourced: str = ""

    @property
    def tools(self) -> bool:
        """Whether there is enough to work with: rows to find, columns to choose, figures to copy."""
        return self.filterable or (self.sortable and len(self.rows) >= TOOL_ROWS)

    @property
    def folded(self) -> bool:
        """Whether there is enough to fold."""
        return self.fold and len(self.rows) > FOLD_ROWS + 2

    @property
    def takes_own(self) -> bool:
        """Whether a reader's own machine may enter."""
        return bool(self.own) or any(self.row_tasks) or any(column.task for column in self.columns)

    def cells(self, row: Mapping[str, Any]) -> list[tuple[Column, Cell | Blank]]:
        """The row's cells in column order; plain numbers are shown with three significant digits."""
        return [(column, as_cell(row[column.key])) for column in self.columns]


def as_cell(value: Any) -> Cell | Blank:
    """A ``Cell`` for plain text or a number; ``Cell`` and ``Blank`` pass. Raises ``ValueError`` for None."""
    if isinstance(value, Cell | Blank):
        return value
    if value is None:
        raise ValueError("None reached a table: use Blank(reason)")
    if isinstance(value, int | float) and not isinstance(value, bool):
        from guide.show.figures import number

        return Cell(number(value), sort=float(value))
    return Cell(value)
