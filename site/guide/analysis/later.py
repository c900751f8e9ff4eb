"""Rows and prices of days after the day of a build: a wrong clock or a slip. They are left out by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date

from bench.catalog.prices import PriceBook
from bench.schema import Row
from guide.model import LeftOut

REASON = "dated after the day of this build"
#: Lines of the price list that are named one by one.
MOST_NAMED = 10


def not_later(rows: Iterable[Row], latest: date | None) -> tuple[list[Row], Mapping[str, int]]:
    """The rows up to the day ``latest``, and how many are later, by run."""
    kept: list[Row] = []
    later: Counter[str] = Counter()
    for row in rows:
        if latest is not None and row["recorded_at"].date() > latest:
            later[row["run_id"]] += 1
        else:
            kept.append(row)
    return kept, later


def later_rows(later: Mapping[str, int]) -> list[LeftOut]:
    """A line for each run."""
    return [LeftOut(run, REASON, count) for run, count in sorted(later.items())]


def prices_by(book: PriceBook, name: str, latest: date | None) -> tuple[PriceBook, list[LeftOut]]:
    """The prices up to the day ``latest``, and a line about the others of the file ``name``."""
    later = [o for o in book.observations if latest and o.observed_on and o.observed_on > latest]
    if not later:
        return book, []
    lines = ", ".join(str(o.line) for o in later[:MOST_NAMED]) + (", …" if len(later) > MOST_NAMED else "")
    what = f"{name}, line{'s' if len(later) > 1 else ''} {lines}"
    kept = PriceBook(o for o in book.observations if o not in later)
    return kept, [LeftOut(what, REASON)]
