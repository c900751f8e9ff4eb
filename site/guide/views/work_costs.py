"""What a unit of work costs, a million tokens or a job, as tables and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guide.analysis.findings import sound
from guide.analysis.ratios import divide
from guide.analysis.tasks import is_cpu
from guide.charts import Chart
from guide.charts.bars import Bar, bars
from guide.decide.cost import Assumptions, cost, usd_per_job, usd_per_million
from guide.decide.scenarios import ROUTES
from guide.evidence import Evidence
from guide.model import Interval, Price, Result, Task
from guide.show import figures
from guide.show.sentences import Sentence
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.costs import best_tasks
from guide.views.devices import system_cell, vendor_key
from guide.views.matchable import on_task

MAX_BARS = 20
#: Units of work.
TOKENS = "USD per million tokens"
JOB = "USD per job"
#: A result with its prices by route, and what a unit of work costs by each.
Found = tuple[Result, dict[str, Price], dict[str, float]]


@dataclass(frozen=True)
class Work:
    """What one unit of work costs on a task: the table, and a picture of the rented ones."""

    task: Task
    unit: str
    table: Table
    chart: Chart | None
    cheapest: str
    routes: tuple[str, ...]
    found: tuple[Found, ...]
    told: Sentence

    @property
    def is_job(self) -> bool:
        """Whether the unit of work is a whole job."""
        return self.unit == JOB

    @property
    def id(self) -> str:
        """What tells it from the page's other tables."""
        return f"{'job' if self.is_job else 'tokens'}-{self.task.slug}"

    @property
    def head(self) -> Column:
        """The column of what was measured."""
        if self.is_job:
            return Column("head", "Time a job", "", "number")
        return Column("head", "Rate", self.task.unit or "", "number")

    def measured(self, result: Result) -> Cell | Blank:
        """What was measured of one system."""
        if not self.is_job:
            return words.rate_cell(result)
        if not result.job_s:
            return Blank("no whole job")
        shown, kind = words.job_words(result.job_s), words.kind_words(result)
        return Cell(shown, sort=result.job_s, sub=kind, provenance=words.provenance(result))


def work(evidence: Evidence, given: Assumptions) -> list[Work]:
    """USD per million tokens of writing, by task: rented, and owned under the assumptions."""
    tasks = [t for t in evidence.tasks if t.unit == "tokens/s" and t.workload == "decode"]
    return [_work(task, evidence, given, TOKENS) for task in best_tasks(tasks, evidence)]


def jobs(evidence: Evidence, given: Assumptions) -> list[Work]:
    """USD per whole job, by task: rented, and owned under the assumptions."""
    tasks = [t for t in evidence.tasks if any(s.result.job_s for s in t.standings)]
    return [_work(task, evidence, given, JOB) for task in best_tasks(tasks, evidence)]


def _work(task: Task, evidence: Evidence, given: Assumptions, unit: str) -> Work:
    found: list[Found] = []
    for result in sound(task):
        prices = {p.route: p for p in evidence.prices.get(result.system.key, ())}
        if is_cpu(result.system) or not prices or (unit == JOB and not result.job_s):
            continue
        usd = {route: _unit_usd(result, price, given, unit) for route, price in prices.items()}
        found.append((result, prices, usd))
    found.sort(key=lambda f: (_cheapest(f[1], f[2]), f[0].system.key))
    routes = tuple(r for r in ("rent", "buy-new", "buy-used") if any(r in prices for _, prices, _ in found))
    empty = Table((), (), caption=f"{unit}: {task.short_label}")
    picture = None if unit == JOB else _rented_bars(task, found, unit)
    cheapest = _cheapest_words(found, routes, given)
    made = Work(task, unit, empty, picture, str(cheapest), routes, tuple(found), cheapest)
    return replace(made, table=_work_table(made, given))


def _work_table(view: Work, given: Assumptions) -> Table:
    titles = {"rent": "Rented", "buy-new": "Owned, new", "buy-used": "Owned, used"}
    columns = (
        Column("system", "System"),
        view.head,
        *(Column(route, titles[route], "USD", "number") for route in view.routes),
    )
    rows = [
        {"system": system_cell(result.system), "head": view.measured(result)}
        | {route: _usd_cell(prices.get(route), usd.get(route), result, given) for route in view.routes}
        for result, prices, usd in view.found
    ]
    stale = ["" if any(p.fresh for p in prices.values()) else "is-out" for _, prices, _ in view.found]
    return replace(
        view.table,
        columns=columns,
        rows=rows,
        row_classes=stale,
        own=on_task(view.task, job=view.is_job),
        filterable=len(rows) > 12,
        fold=True,
    )


def _unit_usd(result: Result, price: Price, given: Assumptions, unit: str) -> float:
    """USD of one unit of work: of the hour that is rented, or of the month of a whole machine."""
    system = result.system
    spent = cost(price, system.count, system.power_w, given, whole_machine=True)
    if unit == JOB:
        return usd_per_job(spent.usd_per_month, result.job_s or 0.0, spent.hours_per_month)
    return usd_per_million(spent.usd_per_month, result.rate or 1.0, spent.hours_per_month)


def _cheapest(prices: dict[str, Price], usd: dict[str, float]) -> tuple[bool, float]:
    fresh = [usd[route] for route, price in prices.items() if price.fresh]
    return (False, min(fresh)) if fresh else (True, min(usd.values()))


def _cheapest_words(found: Sequence[Found], routes: Sequence[str], given: Assumptions) -> Sentence:
    """The cheapest of each way of paying at a price of today."""
    parts, origins = [], {}
    for route in routes:
        fresh = [
            (usd[route], r.system.label, r, prices[route])
            for r, prices, usd in found
            if route in prices and prices[route].fresh
        ]
        if fresh:
            usd, label, result, price = min(fresh, key=lambda one: one[:2])
            parts.append(f"{ROUTES[route]}: {label}, {figures.usd(usd)}")
            origins[figures.usd(usd)] = Provenance((price, result, given, result.system), "per-work")
    return Sentence("; ".join(parts), None, origins)


def _usd_cell(price: Price | None, usd: float | None, result: Result, given: Assumptions) -> Cell | Blank:
    if price is None or usd is None:
        return Blank("no price seen")
    return Cell(
        figures.usd(usd),
        sort=usd,
        sub=offer_words(price),
        tone="" if price.fresh else "quiet",
        provenance=Provenance((price, result, given, result.system), "per-work"),
    )


def offer_words(price: Price) -> str:
    """``at $1.20 an hour, 1 Nov 2026``, and what is doubtful about it."""
    hourly = " an hour" if price.route == "rent" else ""
    told = f"at {figures.usd(price.usd)}{hourly}, {figures.day(price.observed_on)}"
    return (told if price.fresh else f"{told}, stale") + (f" · {words.ANY_SIZE}" if price.any_size else "")


def _rented_bars(task: Task, found: Sequence[Found], unit: str) -> Chart | None:
    """Single rented devices with a price of today, cheapest first."""
    records = []
    for result, prices, usd in found:
        price = prices.get("rent")
        if price is None or not price.fresh or result.system.count != 1 or not result.rate:
            continue
        span = _span(price, result)
        records.append(
            Bar(
                label=result.system.label,
                value=usd["rent"],
                low=span.low if span else None,
                high=span.high if span else None,
                vendor=vendor_key(result.system),
                shown=figures.usd(usd["rent"]),
                origin=Provenance((price, result), "per-work"),
            )
        )
    records.sort(key=lambda r: (r.value or 0, r.label))
    if len(records) < 2:
        return None
    more = len(records) - MAX_BARS
    return bars(
        records[:MAX_BARS],
        title="A million tokens, rented: less is better",
        unit=unit,
        what=task.short_label,
        whiskers="range of prices and 95 % interval",
        caption=f"{task.short_label}. At full use of the hour. Whiskers: the range of prices and the 95 % "
        "interval of the rate, where stated." + (f" The cheapest {MAX_BARS} are drawn." if more > 0 else ""),
    )


def _span(price: Price, result: Result) -> Interval | None:
    if result.interval is None or result.rate is None:
        return None
    found = divide(Interval(price.low_usd, price.usd, price.high_usd), result.interval)
    return Interval(found.low / 3600 * 1e6, found.value / 3600 * 1e6, found.high / 3600 * 1e6)
