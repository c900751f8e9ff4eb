"""Pairs that compete for one budget, chosen by rule from prices and common tasks; they need no script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from guide import paths
from guide.analysis.ratios import ratio, verdict
from guide.decide.cost import host_usd
from guide.evidence import Evidence
from guide.model import Price, Result, System, Task
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.pairs import ROUTES, UPLOADS, rated

#: Two prices within this factor of each other compete for one budget.
PRICE_FACTOR = 1.35
#: Pairs in the static table, how many of them hold unified memory against a card, and how often one system
#: may occur.
MAX_PAIRS, MAX_UNIFIED, MAX_EACH = 12, 4, 3

PAIR_RULE = (
    "Two single devices compete when both have a price of one kind (new before used before rented; a bare "
    "card with a bare card, a computer with a computer) and those lie within "
    f"{figures.percent(PRICE_FACTOR - 1)} of each other; a machine with unified memory competes with cards "
    "that cost about as much together with the computer around them. Prices of today come first, then most "
    "tasks in common that rest on more than uploads, then most of all, then nearness of price. No system "
    f"occurs more than {MAX_EACH} times. The first of a pair is the faster one on the task that is named. "
    "One headline task of each family is counted here; the comparison above counts every task in common."
)


@dataclass(frozen=True)
class Pair:
    """Two systems and the tasks that both have a rate on. ``verdicts`` counts from ``a``'s side; ``prices``
    are of the two, of one kind where there is one."""

    a: System
    b: System
    tasks: tuple[Task, ...]
    verdicts: Counter[str]
    prices: tuple[Price, Price] | None = None

    @property
    def link(self) -> str:
        """The address of this comparison."""
        return f"{paths.COMPARE}#a={self.a.key}&b={self.b.key}"

    @property
    def solid(self) -> tuple[Task, ...]:
        """The common tasks that rest on more than uploads."""
        return tuple(t for t in self.tasks if not any(UPLOADS & set(r.flags) for r in self.results(t)))

    @property
    def widest(self) -> Task | None:
        """The common task that most systems have run, of those on more than uploads if there are any."""
        return max(self.solid or self.tasks, key=lambda t: (len(t.standings), t.label), default=None)

    def results(self, task: Task) -> list[Result]:
        """Those of the two on a task."""
        return [r for s in (self.a, self.b) if (r := task.of(s.key))]


def pair(a: System, b: System, tasks: Iterable[Task], prices: tuple[Price, Price] | None = None) -> Pair:
    """The comparison of two systems over the tasks that both have."""
    common, verdicts = [], Counter()
    for task in tasks:
        first, second = task.rated.get(a.key), task.rated.get(b.key)
        if first and second and first.result.band and second.result.band:
            common.append(task)
            verdicts[verdict(first.result.band, second.result.band)] += 1
    return Pair(a, b, tuple(common), verdicts, prices)


def asked_pairs(evidence: Evidence) -> list[Pair]:
    """The pairs of the static table (``PAIR_RULE``); the first one is what the page opens with."""
    # A family's headline stands for its lengths: otherwise a source with many of them would outvote the rest.
    tasks = [family.headline for family in evidence.families]
    systems = [s for s in rated(evidence) if s.count == 1]
    alike = _best(_priced_alike(systems, evidence), tasks, evidence)
    unified = _best(_unified(rated(evidence), evidence), tasks, evidence)
    kept: list[Pair] = []
    times: Counter[str] = Counter()
    for found, most in ((alike, MAX_PAIRS - MAX_UNIFIED), (unified, MAX_PAIRS), (alike, MAX_PAIRS)):
        for one in found:
            if one not in kept and max(times[one.a.key], times[one.b.key]) < MAX_EACH and len(kept) < most:
                kept.append(one)
                times.update((one.a.key, one.b.key))
    return kept


def _best(pairs: Iterable[tuple[System, System]], tasks: Sequence[Task], evidence: Evidence) -> list[Pair]:
    """The pairs with a price on both sides and a task in common, best first (``PAIR_RULE``)."""
    near = []
    for a, b in pairs:
        prices = _prices(evidence, a, b)
        found = pair(a, b, tasks, prices)
        if prices is not None and found.tasks:
            fresh = all(p.fresh for p in prices)
            order = (not fresh, -len(found.solid), -len(found.tasks), _times(*prices), a.key, b.key)
            near.append((order, _faster_first(found)))
    return [found for _, found in sorted(near, key=lambda entry: entry[0])]


def _prices(evidence: Evidence, a: System, b: System) -> tuple[Price, Price] | None:
    """Prices of the two to hold against each other: of one route and basis, both of today if possible, else
    any that each is bought for; None where one has none."""
    first, second = evidence.prices.get(a.key, ()), evidence.prices.get(b.key, ())
    alike = [(p, q) for p in first for q in second if _alike(p, q)]
    routes = list(ROUTES)

    def order(both: tuple[Price, Price]) -> tuple[object, ...]:
        return not all(p.fresh for p in both), routes.index(both[0].route)

    if alike:
        return min(alike, key=order)
    bought = [[p for p in prices if p.route != "rent"] for prices in (first, second)]
    if not all(bought):
        return None
    mine, other = (min(b, key=lambda p: (not p.fresh, routes.index(p.route))) for b in bought)
    return mine, other


def _alike(first: Price, second: Price) -> bool:
    return (first.route, first.basis) == (second.route, second.basis)


def _times(first: Price, second: Price) -> float:
    return max(first.usd, second.usd) / min(first.usd, second.usd)


def _priced_alike(systems: Sequence[System], evidence: Evidence) -> Iterator[tuple[System, System]]:
    for a, b in combinations(systems, 2):
        prices = _prices(evidence, a, b)
        # Bins and sizes of one device share its price: whether they compete cannot be told.
        if prices and a.device_id != b.device_id and _alike(*prices) and _times(*prices) <= PRICE_FACTOR:
            yield a, b


def _unified(systems: Sequence[System], evidence: Evidence) -> Iterator[tuple[System, System]]:
    """Machines with unified memory and cards whose whole machines cost about as much."""
    for one in systems:
        if one.count > 1 or not one.unified_memory:
            continue
        for cards in systems:
            prices = None if cards.unified_memory else _prices(evidence, one, cards)
            if prices is None or prices[0].route == "rent":
                continue
            both = zip(prices, (one, cards), strict=True)
            first, second = (p.usd + host_usd(p, s.count, evidence.settings.given, True) for p, s in both)
            if max(first, second) <= PRICE_FACTOR * min(first, second):
                yield one, cards


def _faster_first(found: Pair) -> Pair:
    """The pair, turned round if its second is the faster one on the widest task."""
    task = found.widest
    first, second = (task.of(s.key) if task else None for s in (found.a, found.b))
    if first is None or second is None or (first.rate or 0) >= (second.rate or 0):
        return found
    prices = (found.prices[1], found.prices[0]) if found.prices else None
    return pair(found.b, found.a, found.tasks, prices)


def pairs_table(pairs: Sequence[Pair]) -> Table:
    """The static table: prices, and on how many families' headline tasks the first is faster."""
    columns = (
        Column("pair", "Pair"), Column("prices", "Prices", "USD"),
        Column("common", "Headline tasks of families that both ran", kind="number", unsourced="counted"),
        Column("most", "On the task most systems have run"),
    )  # fmt: skip
    rows = [
        {
            "pair": Cell(f"{p.a.label} or {p.b.label}", link=p.link),
            "prices": _both_prices(p),
            "common": Cell(figures.number(len(p.tasks)), sort=len(p.tasks), sub=_verdict_words(p)),
            "most": _most(p),
        }
        for p in pairs
    ]
    return Table(columns, rows, caption="Pairs that compete", caption_hidden=True, phone="cards", fold=True)


def _verdict_words(found: Pair) -> str:
    """``first faster on 9, slower on 3, tied on 2``; what never happens is left out."""
    counts = [(found.verdicts[word], word) for word in ("faster", "slower", "tied")]
    return "first " + ", ".join(f"{word} on {count}" for count, word in counts if count)


def _both_prices(found: Pair) -> Cell | Blank:
    if found.prices is None:
        return Blank("no price")
    first, second = found.prices
    kinds = [_kind(p) for p in found.prices]
    if kinds[0] == kinds[1]:
        shown, sub = f"{figures.usd(first.usd)} or {figures.usd(second.usd)}", kinds[0]
    else:
        shown = " or ".join(f"{figures.usd(p.usd)} ({k})" for p, k in zip(found.prices, kinds, strict=True))
        sub = ""
    both = list(zip(found.prices, (found.a, found.b), strict=True))
    doubts = {"stale": [s.label for p, s in both if not p.fresh]}
    doubts[words.ANY_SIZE] = [s.label for p, s in both if p.any_size]
    told = [f"{doubt}: {', '.join(names)}" for doubt, names in doubts.items() if names]
    sub = "; ".join(part for part in (sub, *told) if part)
    return Cell(shown, sort=first.usd, sub=sub, provenance=Provenance(found.prices, "pair"))


def _kind(price: Price) -> str:
    return "rented, an hour" if price.route == "rent" else f"{price.basis}, {ROUTES[price.route]}"


def _most(found: Pair) -> Cell | Blank:
    task = found.widest
    first, second = (task.of(s.key) if task else None for s in (found.a, found.b))
    both = ratio(first, second) if first and second else None
    if task is None or both is None:
        return Blank("none in common")
    interval = figures.span(both.interval.low, both.interval.high) if both.interval else ""
    shown = f"{figures.ratio(both.value)} {words.verdict_words(both)}"
    origin = Provenance((first, second), "ratio")
    return Cell(shown, sort=both.value, sub=task.short_label, interval=interval, provenance=origin)
