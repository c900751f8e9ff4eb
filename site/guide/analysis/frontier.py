"""Speed against money: which systems nothing beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guide.decide.cost import Assumptions, host_usd
from guide.decide.verdicts import FrontierPoint
from guide.evidence import Evidence
from guide.model import Interval, Price, Standing, System, Task


@dataclass(frozen=True)
class Offer:
    """A system's speed and what it is had for."""

    price: Price
    standing: Standing
    band: Interval


def frontier(
    task: Task,
    evidence: Evidence,
    route: str,
    *,
    basis: str | None = None,
    host: Assumptions | None = None,
) -> tuple[FrontierPoint, ...]:
    """The systems of a task that have a price by ``route``, cheapest first.

    Cards and whole computers never share an axis: without ``host`` only prices of one ``basis`` (``card``
    when not said) are taken; with ``host`` cards get the host allowance, and whole machines are compared.
    A point is on the frontier when no cheaper (or equally dear) one is faster. Stale prices stay in, marked
    by ``price.fresh``, but never put another off the frontier.
    """
    if task.reference is None or task.reference.result.rate is None:
        return ()
    base = task.reference.result.rate
    chosen: list[Offer] = []
    for standing in task.standings:
        system = standing.result.system
        price = next((p for p in evidence.prices.get(system.key, ()) if p.route == route), None)
        if price is None or standing.result.band is None:
            continue
        if host is None and route != "rent" and price.basis != (basis or "card"):
            continue
        chosen.append(Offer(_whole(price, system, host), standing, standing.result.band))
    found = []
    for offer in sorted(chosen, key=lambda o: (o.price.usd, o.standing.result.system.key)):
        band = offer.band
        found.append(
            FrontierPoint(
                system=offer.standing.result.system,
                price=offer.price,
                speed=Interval(band.low / base, band.value / base, band.high / base),
                speed_interval_known=offer.standing.result.interval is not None,
                on_frontier=offer.price.fresh and not _beaten(offer, chosen),
                tier=offer.standing.tier,
            )
        )
    return tuple(found)


def _whole(price: Price, system: System, host: Assumptions | None) -> Price:
    """The price with the host allowance, where whole machines are compared."""
    if host is None or price.basis != "card":
        return price
    extra = host_usd(price, system.count, host, True)
    return replace(
        price,
        basis="system",
        low_usd=price.low_usd + extra,
        usd=price.usd + extra,
        high_usd=price.high_usd + extra,
    )


def _beaten(offer: Offer, everyone: Sequence[Offer]) -> bool:
    """Whether a fresh price buys more speed for no more money, or as much for less."""
    price, rate = offer.price.usd, offer.band.value
    for other in everyone:
        faster = other.band.value > rate and other.price.usd <= price
        cheaper = other.band.value >= rate and other.price.usd < price
        if other.price.fresh and (faster or cheaper):
            return True
    return False
