"""The decision itself: contenders, a reader's numbers, and one rule to rank by. Pure arithmetic.

Everything that a reader can change (budget, hours, years, electricity, prices) enters here and nowhere
earlier, so that flip points and grids only have to decide again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from guide.analysis.tiers import first_tier, tiers
from guide.decide.cost import Assumptions, cost
from guide.decide.scenarios import ROUTES
from guide.model import Cost, Interval, Price, System
from guide.show.figures import usd


@dataclass(frozen=True)
class Contender:
    """A system by one route that passed everything a reader's numbers do not change.

    ``speed`` is the band of its speed over the question's reference. ``price`` is None when there is none
    for this route; it can then only win at a supposed price, taken as one of ``basis``.
    """

    system: System
    route: str
    basis: str
    speed: Interval
    price: Price | None

    @property
    def key(self) -> str:
        """``<system key>:<route>``: what flip points name."""
        return f"{self.system.key}:{self.route}"

    @property
    def price_key(self) -> str:
        """What has one price: the bins and memory sizes of a device are not priced apart."""
        return f"{self.system.device_id or self.system.key}:{self.system.count}:{self.route}"


@dataclass(frozen=True)
class Rule:
    """How to rank: an objective of ``decide.scenarios.OBJECTIVES``; ``reference_rate`` is the rate at speed 1
    in units of work a second."""

    objective: str
    whole_machine: bool
    reference_rate: float


@dataclass(frozen=True)
class Ranked:
    """A contender in the running: ``merit`` is what it is ranked by (more is better), with its band."""

    contender: Contender
    cost: Cost
    merit: Interval
    tier: int = 0


@dataclass(frozen=True)
class Decision:
    """``ranked`` best first; ``out`` maps contender keys to reason codes (``explain`` makes sentences)."""

    ranked: tuple[Ranked, ...]
    out: Mapping[str, str]

    @property
    def winner(self) -> str | None:
        """Key of the pick; None when nothing is left."""
        return self.ranked[0].contender.key if self.ranked else None


def decide(
    contenders: Iterable[Contender],
    rule: Rule,
    given: Assumptions,
    supposed: Mapping[str, float] | None = None,
) -> Decision:
    """Rank the contenders under these assumptions.

    ``supposed`` maps price keys to USD (for the whole system, or an hour of it) to use instead of the known
    prices; a supposed price is never stale. Rank: tier of the merit, then USD a month, then the merit.
    """
    running: list[tuple[Contender, Cost, Interval]] = []
    out: dict[str, str] = {}
    for contender in contenders:
        judged = _judge(contender, rule, given, supposed.get(contender.price_key) if supposed else None)
        if isinstance(judged, str):
            out[contender.key] = judged
        else:
            running.append((contender, *judged))
    places = tiers([merit for *_, merit in running])
    placed = [Ranked(*one, tier) for one, tier in zip(running, places, strict=True)]
    placed.sort(key=lambda r: (r.tier, r.cost.usd_per_month, -r.merit.value, r.contender.key))
    return Decision(tuple(placed), out)


def winner_of(
    contenders: Iterable[Contender],
    rule: Rule,
    given: Assumptions,
    supposed: Mapping[str, float] | None = None,
) -> str | None:
    """The ``winner`` of ``decide``. Flip points ask for nothing else, a thousand times an answer."""
    running = []
    for contender in contenders:
        judged = _judge(contender, rule, given, supposed.get(contender.price_key) if supposed else None)
        if not isinstance(judged, str):
            running.append((contender, *judged))
    best = first_tier([merit for *_, merit in running])
    placed = (running[place] for place in best)
    order = ((cost.usd_per_month, -merit.value, contender.key) for contender, cost, merit in placed)
    return min(order, default=(0.0, 0.0, None))[2]


def _judge(
    contender: Contender, rule: Rule, given: Assumptions, supposed: float | None
) -> tuple[Cost, Interval] | str:
    """What it costs and its merit; the reason code where it is out of the running."""
    price = contender.price
    if supposed is not None:
        price = _at(contender, supposed)
    elif price is None:
        return "price-missing"
    elif not price.fresh:
        return "price-stale"
    system = contender.system
    if rule.objective == "least-energy" and system.power_w is None:
        return "power"
    spent = cost(price, system.count, system.power_w, given, whole_machine=rule.whole_machine)
    if given.budget_usd is not None and spent.total_usd > given.budget_usd:
        return "budget"
    return spent, _merit(contender, rule, spent, given)


def explain(contender: Contender, rule: Rule, given: Assumptions, code: str) -> str:
    """Why a contender fell out, as a sentence with its figures."""
    price, system = contender.price, contender.system
    if price is None:
        return f"No price is known ({ROUTES[contender.route]})."
    if code == "price-stale":
        return f"The newest price, {usd(price.usd)}, is {price.age_days:,} days old: too old to carry a pick."
    if code == "power":
        return "Its rated power is not known."
    return _over(cost(price, system.count, None, given, whole_machine=rule.whole_machine), given)


def _over(spent: Cost, given: Assumptions) -> str:
    what = f"{given.years:g} years of rent" if spent.route == "rent" else "the purchase"
    host = f" (with {usd(spent.host_usd)} for the computer around it)" if spent.host_usd else ""
    return (
        f"Over budget: {what} takes {usd(spent.total_usd)}{host}, the budget is {usd(given.budget_usd or 0)}."
    )


def _merit(contender: Contender, rule: Rule, spent: Cost, given: Assumptions) -> Interval:
    speed = contender.speed
    if rule.objective == "fastest":
        return speed
    if rule.objective == "least-energy":
        factor = rule.reference_rate / (contender.system.power_w or 1.0)
    else:
        seconds = spent.hours_per_month * 3600
        factor = rule.reference_rate * seconds / max(spent.usd_per_month, 1e-9)
    return Interval(speed.low * factor, speed.value * factor, speed.high * factor)


def _at(contender: Contender, amount: float) -> Price:
    known = contender.price
    return Price(
        route=contender.route,
        basis=known.basis if known else contender.basis,
        low_usd=amount,
        usd=amount,
        high_usd=amount,
        observed_on=known.observed_on if known else date.min,
        age_days=0,
        fresh=True,
        n=0,
        sources=(),
        candidates=(),
        note="supposed",
    )
