"""Owning against renting, as a table."""

from __future__ import annotations

from guide import figures
from guide.cost import Assumptions, break_even, cost
from guide.evidence import Evidence
from guide.model import Price, System
from guide.scenarios import ROUTES
from guide.tables import Blank, Cell, Column, Table
from guide.views import words
from guide.views.devices import device_key, system_cell


def owning_table(evidence: Evidence, given: Assumptions) -> Table | None:
    """Owning against renting the same device: a month of each, and from how many hours a day owning wins."""
    rows, stale = [], []
    seen: set[str] = set()
    for system in sorted(evidence.systems.values(), key=lambda s: (s.label.lower(), s.key)):
        prices = {p.route: p for p in evidence.prices.get(system.key, ())}
        rent = prices.get("rent")
        if system.count != 1 or rent is None or device_key(system) in seen or len(system.candidates) != 1:
            continue
        for route in ("buy-new", "buy-used"):
            own = prices.get(route)
            if own is not None:
                seen.add(device_key(system))
                rows.append(_owning_row(system, own, rent, given))
                stale.append("" if own.fresh and rent.fresh else "is-out")
    if not rows:
        return None
    order = sorted(range(len(rows)), key=lambda i: bool(stale[i]))
    columns = (
        Column("system", "Device"),
        Column("own", "Bought", "USD", "number"),
        Column("rent", "Rent", "USD an hour", "number"),
        Column("owned", "Owned", "USD a month", "number"),
        Column("rented", "Rented", f"USD a month, {given.hours_per_day:g} h a day", "number"),
        Column("even", "Owning wins from", "hours a day", "number"),
    )
    return Table(
        columns,
        [rows[i] for i in order],
        caption="One device of each kind that can be bought and rented",
        caption_hidden=True,
        filterable=len(rows) > 12,
        fold=True,
        row_classes=[stale[i] for i in order],
    )


def _owning_row(system: System, own: Price, rent: Price, given: Assumptions) -> dict[str, object]:
    owned = cost(own, system.count, system.power_w, given)
    rented = cost(rent, system.count, None, given)
    even = break_even(system, own, rent, given)
    unknown = system.power_w is None
    return {
        "system": system_cell(system, ROUTES[own.route]),
        "own": _price_cell(own),
        "rent": _price_cell(rent),
        "owned": Cell(
            figures.usd(owned.usd_per_month),
            sort=owned.usd_per_month,
            sub="without electricity: power not known" if unknown else "",
        ),
        "rented": Cell(figures.usd(rented.usd_per_month), sort=rented.usd_per_month),
        "even": Cell(f"{even.hours_per_day:.1f}", sort=even.hours_per_day)
        if even.hours_per_day is not None
        else Blank("never: dearer even at 24 hours"),
    }


def _price_cell(price: Price) -> Cell:
    """A price with its day beneath; range, sources and notes are its origin."""
    day = figures.day(price.observed_on)
    return Cell(
        figures.usd(price.usd),
        sort=price.usd,
        sub=(day if price.fresh else f"{day}, stale") + (f" · {words.ANY_SIZE}" if price.any_size else ""),
        tone="" if price.fresh else "quiet",
        provenance=words.price_facts(price),
    )
