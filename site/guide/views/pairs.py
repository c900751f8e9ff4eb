"""Any two systems side by side: the data that the browser compares, and the pairs shown without a script."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from guide import figures, paths
from guide.evidence import Evidence
from guide.model import Interval, Price, Result, System, Task
from guide.ratios import ratio
from guide.tables import Blank, Cell, Column, Table
from guide.views import words
from guide.views.devices import device_page
from guide.views.families import families, is_own, results

#: Two purchases within this factor of each other compete for one budget.
PRICE_FACTOR = 1.35
#: Pairs in the static table, and how often one system may occur in it.
MAX_PAIRS, MAX_EACH = 12, 3

PAIR_RULE = (
    f"Pairs whose prices new lie within {PRICE_FACTOR - 1:.0%} of each other (a bare card with a bare card, "
    "a computer with a computer), those with most tasks in common first; and each machine with unified "
    "memory beside the card nearest to it on the task that most systems have run. "
    f"No system occurs more than {MAX_EACH} times."
)
ROUTES = {"buy-new": "new", "buy-used": "used", "rent": "rented, an hour"}


def rated(evidence: Evidence) -> list[System]:
    """Systems with a rate on some task, by label."""
    found = {s.result.system.key: s.result.system for t in evidence.tasks for s in t.standings}
    return sorted(found.values(), key=lambda s: (s.label.lower(), s.key))


def data(evidence: Evidence) -> bytes:
    """What ``compare.js`` reads: systems with their facts, tasks, and each system's results by task number.

    A result is ``[rate, low, high, band low, band high, figure in words, remark]`` with ``null`` for an
    interval that is not stated, or ``[null, reason]``. Figures have six significant digits.
    """
    systems = rated(evidence)
    known = {s.key for s in systems}
    tasks = [t for f in families(evidence.tasks) for t in f.tasks if t.standings]
    tasks.sort(key=lambda t: t.workload)
    by_system: dict[str, dict[str, list[object]]] = {key: {} for key in known}
    for number, task in enumerate(tasks):
        for result in results(task):
            if result.system.key in known:
                by_system[result.system.key][str(number)] = _result(result)
    content = {
        "systems": [_system(evidence, system) for system in systems],
        "tasks": [_task(evidence, task) for task in tasks],
        "results": by_system,
    }
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _system(evidence: Evidence, system: System) -> dict[str, object]:
    facts = [
        ["Memory", figures.gigabytes(system.sold_gib * figures.GIB) if system.sold_gib else "not known"],
        ["Rated power", f"{figures.number(system.power_w)} W" if system.power_w else "not known"],
        ["Released", system.released or "not known"],
    ]
    prices = evidence.prices.get(system.key, ())
    for route, name in ROUTES.items():
        price = next((p for p in prices if p.route == route), None)
        facts.append([f"Price {name}", _price(price) if price else "no price seen"])
    return {
        "key": system.key,
        "label": system.label,
        "vendor": system.vendor or "Other",
        "page": paths.address(device_page(system)),
        "facts": facts,
    }


def _price(price: Price) -> str:
    basis = {"card": "bare card", "system": "whole computer", "rental": "host included"}[price.basis]
    stale = "" if price.fresh else ", stale"
    return f"{figures.usd(price.usd)} ({basis}, {words.seen_words(price)}{stale})"


def _task(evidence: Evidence, task: Task) -> dict[str, object]:
    origin = "measured here" if is_own(task) else words.source_words(task.source_ids, evidence.sources)
    return {"label": task.short_label, "unit": task.unit or "", "origin": origin, "kind": task.kind}


def _result(result: Result) -> list[object]:
    if result.rate is None or result.band is None:
        return [None, words.status_words(result)]
    interval = result.interval
    shown = words.rate_words(result.rate, result.unit)
    if interval:
        shown += f" [{words.interval_words(result)}]"
    return [
        _round(result.rate),
        _round(interval.low) if interval else None,
        _round(interval.high) if interval else None,
        _round(result.band.low),
        _round(result.band.high),
        shown,
        "; ".join(words.marks(result)),
    ]


def _round(value: float) -> float:
    return float(f"{value:.6g}")


@dataclass(frozen=True)
class Pair:
    """Two systems and the tasks that both have a rate on. ``verdicts`` counts from ``a``'s side."""

    a: System
    b: System
    tasks: tuple[Task, ...]
    verdicts: Counter[str]

    @property
    def link(self) -> str:
        """The address of this comparison."""
        return f"{paths.COMPARE}#a={self.a.key}&b={self.b.key}"


def pair(a: System, b: System, tasks: Iterable[Task]) -> Pair:
    """The comparison of two systems over the tasks that both have."""
    common, verdicts = [], Counter()
    for task in tasks:
        first, second = task.standing(a.key), task.standing(b.key)
        if first and second and (found := ratio(first.result, second.result)):
            common.append(task)
            verdicts[found.verdict] += 1
    return Pair(a, b, tuple(common), verdicts)


def asked_pairs(evidence: Evidence) -> list[Pair]:
    """The pairs of the static table (``PAIR_RULE``)."""
    # A family's headline stands for its lengths: otherwise a source with many of them would outvote the rest.
    tasks = [family.headline for family in families(evidence.tasks)]
    systems = [s for s in rated(evidence) if s.count == 1]
    near = []
    for a, b in combinations(systems, 2):
        apart = _price_apart(evidence, a, b)
        if apart is not None and apart <= PRICE_FACTOR:
            found = pair(a, b, tasks)
            if found.tasks:
                near.append((-len(found.tasks), apart, found.a.key, found.b.key, found))
    ordered = [entry[-1] for entry in sorted(near, key=lambda e: e[:-1])]
    unified = list(_unified_pairs(systems, tasks))
    kept: list[Pair] = []
    times: Counter[str] = Counter()
    for found in [*unified, *ordered]:
        if max(times[found.a.key], times[found.b.key]) < MAX_EACH and len(kept) < MAX_PAIRS:
            kept.append(found)
            times.update((found.a.key, found.b.key))
    return kept


def _price_apart(evidence: Evidence, a: System, b: System) -> float | None:
    first, second = (
        next((p for p in evidence.prices.get(s.key, ()) if p.route == "buy-new"), None) for s in (a, b)
    )
    if first is None or second is None or first.basis != second.basis:
        return None
    return max(first.usd, second.usd) / min(first.usd, second.usd)


def _unified_pairs(systems: Sequence[System], tasks: Sequence[Task]) -> Iterable[Pair]:
    """Each unified-memory machine with the card nearest to it on the task with most systems."""
    for system in systems:
        if not system.unified_memory:
            continue
        ran = [t for t in tasks if t.standing(system.key)]
        if not ran:
            continue
        widest = max(ran, key=lambda t: (len(t.standings), t.label))
        mine = widest.standing(system.key)
        cards = [
            s
            for s in widest.standings
            if s.result.system.count == 1
            and not s.result.system.unified_memory
            and s.result.system in systems
        ]
        if mine is None or not cards:
            continue
        nearest = min(cards, key=lambda s: (_apart(s.result.band, mine.result.band), s.result.system.key))
        yield pair(system, nearest.result.system, tasks)


def _apart(a: Interval | None, b: Interval | None) -> float:
    if a is None or b is None:
        return float("inf")
    return max(a.value, b.value) / min(a.value, b.value)


def pairs_table(evidence: Evidence, pairs: Sequence[Pair]) -> Table:
    """The static table: prices, and on how many families' headline tasks the first is faster."""
    columns = (
        Column("pair", "Pair"), Column("prices", "Prices new", "USD"),
        Column("common", "Tasks in common", kind="number", help="Headline tasks of families that both ran"),
        Column("faster", "First faster", kind="number"), Column("slower", "First slower", kind="number"),
        Column("tied", "Tied", kind="number"), Column("most", "On the task most systems have run"),
    )  # fmt: skip
    rows = [
        {
            "pair": Cell(f"{p.a.label} or {p.b.label}", link=p.link),
            "prices": f"{_bought(evidence, p.a)} or {_bought(evidence, p.b)}",
            "common": len(p.tasks),
            "faster": p.verdicts["faster"],
            "slower": p.verdicts["slower"],
            "tied": p.verdicts["tied"],
            "most": _most(p),
        }
        for p in pairs
    ]
    return Table(columns, rows, caption="Pairs that compete", caption_hidden=True, phone="cards")


def _bought(evidence: Evidence, system: System) -> str:
    price = next((p for p in evidence.prices.get(system.key, ()) if p.route == "buy-new"), None)
    if price is None:
        return "no price"
    computer = " (computer)" if price.basis == "system" else ""
    return f"{figures.usd(price.usd)}{computer}{'' if price.fresh else ', stale'}"


def _most(found: Pair) -> Cell | Blank:
    if not found.tasks:
        return Blank("none in common")
    task = max(found.tasks, key=lambda t: (len(t.standings), t.label))
    first, second = task.of(found.a.key), task.of(found.b.key)
    both = ratio(first, second) if first and second else None
    if both is None:
        return Blank("none in common")
    interval = figures.span(both.interval.low, both.interval.high) if both.interval else ""
    shown = f"{figures.ratio(both.value)} {words.verdict_words(both.verdict)}"
    return Cell(shown, sort=both.value, sub=task.short_label, interval=interval)
