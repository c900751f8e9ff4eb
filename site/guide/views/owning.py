"""Owning against renting, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guide.decide.cost import Assumptions, break_even, cost
from guide.decide.scenarios import ROUTES, Scenario
from guide.decide.verdicts import Answer
from guide.evidence import Evidence
from guide.model import Price, System
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import device_key, system_cell


@dataclass(frozen=True)
class Pair:
    """One system that can be bought at ``own`` and rented at ``rent``."""

    system: System
    own: Price
    rent: Price

    @property
    def fresh(self) -> bool:
        """Whether both prices are of today."""
        return self.own.fresh and self.rent.fresh


def owning_pairs(evidence: Evidence) -> list[Pair]:
    """One device of each kind by each way of buying it, by name; those with a price of today first."""
    found: list[Pair] = []
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
                found.append(Pair(system, own, rent))
    return sorted(found, key=lambda pair: not pair.fresh)


def answer_pairs(answer: Answer) -> list[Pair]:
    """The systems in the running that can be bought and rented, in the order of their best place."""
    ranked = [c for c in answer.candidates if c.place]
    found: list[Pair] = []
    for system in {c.system.key: c.system for c in ranked}.values():
        prices = {c.route: c.price for c in answer.candidates if c.system.key == system.key and c.price}
        rent = prices.get("rent")
        if rent is not None:
            bought = (prices.get(route) for route in ("buy-new", "buy-used"))
            found += [Pair(system, own, rent) for own in bought if own is not None]
    return found


def owning_table(evidence: Evidence, given: Assumptions) -> Table | None:
    """Owning against renting the same device: a month of each, and from how many hours a day owning wins."""
    return pairs_table(owning_pairs(evidence), given)


def own_or_rent(answer: Answer, scenario: Scenario) -> Table | None:
    """The same for the systems in a scenario's running, under its assumptions."""
    return pairs_table(answer_pairs(answer), scenario.given, whole_machine=scenario.whole_machine)


def columns(given: Assumptions) -> tuple[Column, ...]:
    return (
        Column("system", "Device"),
        Column("own", "Bought", "USD", "number"),
        Column("rent", "Rent", "USD an hour", "number"),
        Column("owned", "Owned", "USD a month", "number"),
        Column("rented", "Rented", f"USD a month, {given.hours_per_day:g} h a day", "number"),
        Column("even", "Owning wins from", "hours a day", "number"),
    )


def pairs_table(pairs: Sequence[Pair], given: Assumptions, *, whole_machine: bool = True) -> Table | None:
    """The table of these pairs in their order; None without any."""
    if not pairs:
        return None
    return Table(
        columns(given),
        [_row(pair, given, whole_machine) for pair in pairs],
        caption="Systems that can be bought and rented",
        caption_hidden=True,
        filterable=len(pairs) > 12,
        fold=True,
        row_classes=["" if pair.fresh else "is-out" for pair in pairs],
    )


def _row(pair: Pair, given: Assumptions, whole_machine: bool) -> dict[str, object]:
    system, own, rent = pair.system, pair.own, pair.rent
    owned = cost(own, system.count, system.power_w, given, whole_machine=whole_machine)
    rented = cost(rent, system.count, None, given)
    even = break_even(system, own, rent, given, whole_machine=whole_machine)
    unknown = system.power_w is None
    return {
        "system": system_cell(system, ROUTES[own.route]),
        "own": price_cell(own),
        "rent": price_cell(rent),
        "owned": Cell(
            figures.usd(owned.usd_per_month),
            sort=owned.usd_per_month,
            sub="without electricity: power not known" if unknown else "",
            provenance=Provenance((own, given, system), "month"),
        ),
        "rented": Cell(
            figures.usd(rented.usd_per_month),
            sort=rented.usd_per_month,
            provenance=Provenance((rent, given), "month"),
        ),
        "even": Cell(
            f"{even.hours_per_day:.1f}",
            sort=even.hours_per_day,
            provenance=Provenance((own, rent, given, system), "break-even"),
        )
        if even.hours_per_day is not None
        else Blank("never: dearer even at 24 hours"),
    }


def price_cell(price: Price) -> Cell:
    """A price with its day beneath; range, sources and notes are its origin."""
    day = figures.day(price.observed_on)
    return Cell(
        figures.usd(price.usd),
        sort=price.usd,
        sub=(day if price.fresh else f"{day}, stale") + (f" · {words.ANY_SIZE}" if price.any_size else ""),
        tone="" if price.fresh else "quiet",
        provenance=words.price_facts(price),
    )
