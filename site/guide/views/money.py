"""Speed against money as pictures: a scenario's candidates, all priced systems of a task, who wins where."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from guide.analysis.findings import sound
from guide.analysis.frontier import frontier
from guide.analysis.tasks import called, is_cpu
from guide.charts import Chart
from guide.charts.scatter import Point, scatter
from guide.decide.cost import LABELS, Assumptions, cost
from guide.decide.flips import NOTHING
from guide.decide.scenarios import ROUTES, Scenario
from guide.decide.screen import route_words
from guide.decide.verdicts import Answer, Candidate, FrontierPoint, Grid
from guide.evidence import Evidence
from guide.model import Cost, Interval, Result, Task
from guide.show import figures
from guide.show.tables import Provenance
from guide.views import words
from guide.views.answers import over_cpu, own_speed, reference_of, reference_words, result_of
from guide.views.devices import vendor_key
from guide.views.matchable import together

#: Winners that the map of the grid tells apart by a letter.
MAX_WINNERS = 6
#: Ways of paying, as (route, basis) -> title of the axis.
PAYING = {
    ("buy-new", "card"): "Price of the bare card, new, USD",
    ("buy-used", "card"): "Price of the bare card, used, USD",
    ("buy-new", "system"): "Price of the whole computer, new, USD",
    ("rent", "rental"): "Rent, USD an hour",
}


@dataclass(frozen=True)
class Priced:
    """A task with its priced systems by one way of paying; ``fresh`` counts those with a price of today."""

    task: Task
    route: str
    basis: str
    points: tuple[FrontierPoint, ...]

    @property
    def fresh(self) -> int:
        return sum(p.price.fresh for p in self.points)


def most_priced(evidence: Evidence) -> Priced | None:
    """The task and way of paying with the most fresh prices of single devices; of equals the most points,
    then the name that comes first. Tables that mix tools and contributors do not count. None when fewer than
    two systems of any task have one."""
    found = []
    for task in evidence.tasks:
        good = {r.system.key for r in sound(task) if r.system.count == 1}
        for route, basis in PAYING if good else ():
            points = frontier(task, evidence, route, basis=basis)
            alone = tuple(p for p in points if p.system.key in good)
            found.append(Priced(task, route, basis, alone))
    best = min(
        found,
        key=lambda p: (-p.fresh, -len(p.points), p.task.label, p.route, p.basis, p.task.key),
        default=None,
    )
    return best if best and best.fresh > 1 else None


def price_chart(priced: Priced) -> Chart:
    """Speed against price, a mark a device; stale prices outlined and off the frontier."""
    task = priced.task
    cpu = task.reference is not None and is_cpu(task.reference.result.system)
    over = called(task.reference.result) if task.reference else ""
    stale = len(priced.points) - priced.fresh
    points = []
    for p in priced.points:
        result = task.of(p.system.key)
        shown = None if cpu or result is None else result.interval
        scale = result.rate if result and result.rate else 1.0
        points.append(
            Point(
                label=p.system.label,
                x=p.price.usd,
                y=p.speed.value if cpu else scale,
                low=shown.low if shown else None,
                high=shown.high if shown else None,
                x_low=p.price.low_usd,
                x_high=p.price.high_usd,
                vendor=vendor_key(p.system),
                frontier=p.on_frontier,
                hollow=not p.price.fresh,
                x_origin=words.price_facts(p.price),
                y_origin=_speed_origin(task, result, cpu),
            )
        )
    how = "rented" if priced.route == "rent" else ROUTES[priced.route]
    drawn = scatter(
        points,
        title=f"Speed against price: {task.short_label}",
        x_title=PAYING[priced.route, priced.basis],
        y_title=f"times {over}" if cpu else task.unit or "",
        caption=f"Single devices, {how}. The dashed line joins those that nothing beats on both speed and "
        "price. Bars: 95 % intervals and the range of prices, where known."
        + (f" Outlined: {figures.plural(stale, 'price')} too old to rest on." if stale else ""),
    )
    over_key = task.reference.result.system.key if task.reference else ""
    return replace(drawn, own=together([(1.0, task)], over_key, ratio_first=cpu))


def money_points(answer: Answer, scenario: Scenario) -> list[Point]:
    """The marks of ``money_chart``: those in the running, then those whose price keeps them out."""
    ratios = over_cpu(answer)
    points = [(c, c.cost) for c in answer.candidates if c.place and c.cost]
    out = [
        (c, cost(c.price, c.system.count, c.power_w, scenario.given, whole_machine=scenario.whole_machine))
        for c in answer.candidates
        if c.reason_code in ("budget", "price-stale") and c.price and c.speed
    ]
    return [_point(c, spent, answer, ratios, points, scenario.given) for c, spent in [*points, *out]]


def money_chart(answer: Answer, scenario: Scenario) -> Chart | None:
    """Speed against USD a month: those in the running, and outlined those whose price keeps them out."""
    found = money_points(answer, scenario) if answer.tasks else []
    if len(found) < 2:
        return None
    ratios = over_cpu(answer)
    reference = reference_of(answer)
    unit = answer.tasks[0].unit or ""
    drawn = scatter(
        found,
        title="Speed against money",
        x_title="USD a month",
        y_title=f"times {reference_words(answer)}" if ratios and reference else unit,
        caption=f"{answer.tasks[0].short_label}. Up and to the left is better; the dashed line joins "
        "those that nothing in the running beats on both. "
        + (
            "Outlined: over the budget, or the newest price is too old, so they are not in the running. "
            if any(point.hollow for point in found)
            else ""
        )
        + "Bars: 95 % intervals, where stated.",
    )
    return replace(drawn, own=own_speed(answer, scenario))


def _point(
    c: Candidate,
    spent: Cost,
    answer: Answer,
    ratios: bool,
    running: Sequence[tuple[Candidate, Cost]],
    given: Assumptions,
) -> Point:
    result = result_of(c, answer)
    value, known = speed_on_chart(c, answer)
    speed = c.speed.value if c.speed else 0.0
    beaten = any(
        (other.speed.value > speed and paid.usd_per_month <= spent.usd_per_month)
        or (other.speed.value >= speed and paid.usd_per_month < spent.usd_per_month)
        for other, paid in running
        if other.speed
    )
    return Point(
        label=route_words(c),
        x=spent.usd_per_month,
        y=value,
        low=known.low if known else None,
        high=known.high if known else None,
        vendor=vendor_key(c.system),
        frontier=bool(c.place) and not beaten,
        pick=c is answer.pick,
        hollow=not c.place,
        note="" if c.place else c.reason,
        x_origin=Provenance((c.price, given, c.system), "month"),
        y_origin=_speed_origin(answer.tasks[0], result, ratios),
    )


def speed_on_chart(c: Candidate, answer: Answer) -> tuple[float, Interval | None]:
    """Speed over a processor where the answer's speeds are, else the rate; with its interval if stated."""
    if over_cpu(answer):
        return c.speed.value if c.speed else 0.0, c.speed_stated
    result = result_of(c, answer)
    return (result.rate or 0.0, result.interval) if result else (0.0, None)


def _speed_origin(task: Task, result: Result | None, ratios: bool) -> Provenance:
    if ratios and task.reference:
        return Provenance((result, task.reference.result), "ratio")
    return Provenance((result,))


@dataclass(frozen=True)
class Winner:
    """A winner of the grid: its letter on the map (empty if it has none), its share as text and fraction."""

    letter: str
    name: str
    share: str
    fraction: float


@dataclass(frozen=True)
class Map:
    """Who wins at each pair of two inputs, the others held: ``cells`` are letters, one row for each ``y``."""

    x_label: str
    y_label: str
    xs: tuple[str, ...]
    ys: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    held: str


def winners(found: Grid) -> tuple[Winner, ...]:
    """Everyone who wins somewhere, the most often first."""
    return tuple(
        Winner(
            "ABCDEF"[place] if place < MAX_WINNERS else "",
            "Nothing is left to pick" if name == NOTHING else name,
            figures.percent(share),
            share,
        )
        for place, (name, share) in enumerate(found.shares)
    )


def winner_map(found: Grid) -> Map | None:
    """The two inputs other than the pick's price, at its known price; None unless there are exactly two, or
    where one wins everywhere."""
    names = [name for name, _ in found.axes]
    axes = dict(found.axes)
    shown = [name for name in names if name != "price_factor"]
    if len(shown) != 2 or (len(names) == 3 and 1.0 not in axes.get("price_factor", ())):
        return None
    letters = {name: w.letter or "·" for (name, _), w in zip(found.shares, winners(found), strict=True)}
    at = dict(zip(itertools.product(*axes.values()), found.winners, strict=True))
    x_name, y_name = shown
    cells = []
    for y in axes[y_name]:
        row = []
        for x in axes[x_name]:
            here = {x_name: x, y_name: y, "price_factor": 1.0}
            row.append(letters[at[tuple(here[name] for name in names)]])
        cells.append(tuple(row))
    if len({letter for row in cells for letter in row}) == 1:
        return None
    return Map(
        x_label=_axis(x_name),
        y_label=_axis(y_name),
        xs=tuple(f"{x:g}" for x in axes[x_name]),
        ys=tuple(f"{y:g}" for y in axes[y_name]),
        cells=tuple(cells),
        held="at the pick's known price" if "price_factor" in names else "",
    )


def _axis(name: str) -> str:
    label, unit = LABELS[name]
    return f"{label[0].upper()}{label[1:]}{f', {unit}' if unit else ''}"
