"""Tables as data: columns with units, cells that sort by their number, blanks that say why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

#: Rows of a folded table that are seen at once; ``.data__table[data-fold]`` in guide.css has the same number.
FOLD_ROWS = 8


@dataclass(frozen=True)
class Blank:
    """A cell without a value, and the reason in a few words: ``Blank("out of memory")``."""

    reason: str


@dataclass(frozen=True)
class Provenance:
    """Where a figure comes from, as short facts: ``Provenance(("measured", "n = 12", "1 Dec 2026"))``.

    ``href`` is a path of the site (with or without ``#fragment``) that says more; ``key`` identifies the row.
    """

    facts: tuple[str, ...]
    href: str = ""
    key: str = ""

    @property
    def text(self) -> str:
        return " · ".join(self.facts)


@dataclass(frozen=True)
class Cell:
    """A cell: ``shown`` is what stands in it, ``sort`` what it sorts by, ``sub`` a second, quieter line.

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

    @property
    def sort_key(self) -> float | str:
        return self.sort if self.sort is not None else str(self.shown)


@dataclass(frozen=True)
class Column:
    """A column: the unit belongs here, not in the cells. ``kind`` sets alignment and the way of sorting."""

    key: str
    title: str
    unit: str = ""
    kind: Literal["text", "number"] = "text"
    help: str = ""


@dataclass(frozen=True)
class Table:
    """``rows`` map column keys to ``Cell``, ``Blank``, text, or a number; a missing key is a fault.

    The first column heads its row. ``phone`` is ``cards`` (each row becomes a card) or ``scroll`` (the first
    column stays while the rest scrolls). ``filterable`` adds a box that hides rows without the typed text.
    ``fold`` shows the first ``FOLD_ROWS`` rows and the others at the press of a button (on paper, and without
    a script, all of them): the most telling rows must stand first.
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

    @property
    def folded(self) -> bool:
        """Whether there is enough to fold."""
        return self.fold and len(self.rows) > FOLD_ROWS + 2

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
        from guide.figures import number

        return Cell(number(value), sort=float(value))
    return Cell(value)
