"""A share of the possible as a figure in a sentence and as a cell of a table."""

from __future__ import annotations

from bench.measure.gate import SLOW
from guide.explain.claims import Num, Words, span
from guide.explain.work import Share
from guide.model import Result
from guide.show import figures
from guide.show.tables import Blank, Cell, Provenance
from guide.views.physics import meter


def share_num(share: Share, result: Result) -> Words:
    """One percentage; the least and the most where the name may mean several devices."""
    origin = Provenance((result, result.system), "possible")
    return span(*(Num(value, "percent", origin=origin) for value in (share.low, share.high)))


def share_words(share: Share) -> str:
    """``7 %``, or ``2.4 % to 3.9 %``."""
    low, high = figures.percent(share.low), figures.percent(share.high)
    return low if low == high else f"{low} to {high}"


def share_cell(share: Share | None, result: Result, note: str = "") -> Cell | Blank:
    """The share, toned where it is low, with a note beneath; a blank where nobody can tell."""
    if share is None:
        return Blank("not known")
    tone = "warn" if share.high < SLOW else ""
    origin = Provenance((result, result.system), "possible")
    if share.low != share.high:
        sub = note or "by which card it is"
        return Cell(share_words(share), share.low, sub, tone=tone, provenance=origin)
    sub = note or ("of its own probe" if share.measured else "")
    return Cell(meter(share.low), share.low, sub, tone=tone, provenance=origin)
