"""What a unit of speed costs, as tables. Of a unit of work: :mod:`guide.views.work_costs`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from guide.analysis.findings import sound
from guide.analysis.labels import WORDS
from guide.analysis.tasks import called, is_cpu
from guide.decide.cost import cost_rows
from guide.evidence import Evidence
from guide.model import CostRow, Price, System, Task
from guide.show import figures
from guide.show.sentences import Sentence
from guide.show.tables import Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell
from guide.views.matchable import on_task

#: Headings of the tables that must never be ranked across: (route, basis) -> heading.
APART = {
    ("buy-new", "card"): "Bare cards, new",
    ("buy-used", "card"): "Bare cards, used",
    ("buy-new", "system"): "Whole computers, new",
    ("buy-used", "system"): "Whole computers, used",
    ("rent", "rental"): "Rented by the hour",
}


@dataclass(frozen=True)
class Speedups:
    """One task's cost of a unit of speed: a table for each way of paying, and the cheapest in words."""

    task: Task
    reference: str
    tables: tuple[tuple[str, Table], ...]
    cheapest: tuple[str, ...]
    told: tuple[Sentence, ...]


def fresh_systems(task: Task, evidence: Evidence) -> int:
    """How many systems with a sound figure have a price of today."""
    return sum(any(p.fresh for p in evidence.prices.get(r.system.key, ())) for r in sound(task))


def best_tasks(tasks: Iterable[Task], evidence: Evidence) -> list[Task]:
    """Of each workload and kind the task with the most systems that have a price of today; of equals the
    one whose name comes first. Tasks with fewer than two such systems are left out, and so are workloads
    that the collector does not know: nobody could add to them."""
    best: dict[str, Task] = {}
    counted = [(fresh_systems(task, evidence), task) for task in tasks if task.workload in WORDS]
    for fresh, task in sorted(counted, key=lambda one: (-one[0], one[1].label, one[1].key)):
        if fresh > 1:
            best.setdefault(task.kind, task)
    order = list(WORDS)
    return sorted(best.values(), key=lambda t: (order.index(t.workload), t.label, t.key))


def speedups(evidence: Evidence) -> list[Speedups]:
    """USD per 1x over the reference processor, for one task of each kind that has one."""
    tasks = [t for t in evidence.tasks if t.reference and is_cpu(t.reference.result.system)]
    return [_speedups(task, evidence) for task in best_tasks(tasks, evidence)]


def _speedups(task: Task, evidence: Evidence) -> Speedups:
    good = {r.system.key for r in sound(task)}
    rows = [r for r in cost_rows(task, evidence.prices) if r.system.key in good and not is_cpu(r.system)]
    tables, cheapest, told = [], [], []
    for (route, basis), heading in APART.items():
        these = [r for r in rows if (r.price.route, r.price.basis) == (route, basis)]
        if not these:
            continue
        these.sort(key=lambda r: (not r.price.fresh, r.per_speedup_usd, r.system.key))
        tables.append((heading, _speedup_table(these, task, heading)))
        if these[0].price.fresh:
            hourly = " an hour" if route == "rent" else ""
            usd = figures.usd(these[0].per_speedup_usd)
            cheapest.append(f"{heading}: {these[0].system.label}, {usd}{hourly}")
            told.append(Sentence(cheapest[-1], _per_speedup(these[0], task)))
    label = called(task.reference.result) if task.reference else ""
    return Speedups(task, label, tuple(tables), tuple(cheapest), tuple(told))


def _speedup_table(rows: Sequence[CostRow], task: Task, heading: str) -> Table:
    hour = "USD an hour" if rows[0].price.route == "rent" else "USD"
    base = task.reference.result if task.reference else None
    columns = (
        Column("system", "System"),
        Column("per", "Per 1×", hour, "number", help="Price over speedup"),
        Column(
            "speedup", "Speedup", f"× {called(task.reference.result)}" if task.reference else "×", "number"
        ),
        Column("price", "Price", hour, "number"),
    )
    return Table(
        columns,
        [
            {
                "system": system_cell(r.system),
                "per": Cell(
                    figures.usd(r.per_speedup_usd),
                    sort=r.per_speedup_usd,
                    interval=figures.span(r.interval.low, r.interval.high) if r.interval else "",
                    sub="" if r.interval else f"no{figures.NBSP}interval",
                    provenance=_per_speedup(r, task),
                ),
                "speedup": Cell(
                    figures.ratio(r.speedup.value),
                    sort=r.speedup.value,
                    interval=figures.span(r.speedup.interval.low, r.speedup.interval.high)
                    if r.speedup.interval
                    else "",
                    sub=_doubts(task, r.system),
                    provenance=Provenance((task.of(r.system.key), base), "ratio"),
                ),
                "price": words.price_cell([r.price], r.price.route),
            }
            for r in rows
        ],
        caption=heading,
        own=on_task(task),
        fold=True,
        row_classes=[_stale(r.price) for r in rows],
    )


def _per_speedup(row: CostRow, task: Task) -> Provenance:
    base = task.reference.result if task.reference else None
    return Provenance((row.price, task.of(row.system.key), base), "per-speedup")


def _doubts(task: Task, system: System) -> str:
    result = task.of(system.key)
    return ", ".join(words.marks(result)) if result else ""


def _stale(price: Price | None) -> str:
    return "is-out" if price is None or not price.fresh else ""
