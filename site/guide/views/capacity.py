"""What several devices hold and cost, beside one machine with unified memory."""

from __future__ import annotations

from collections.abc import Sequence

from guide.analysis.labels import weights_words
from guide.decide.cost import Assumptions
from guide.decide.verdicts import ScalePoint, ScaleView
from guide.evidence import Evidence
from guide.model import Result, System, Task
from guide.show import figures
from guide.show.sentences import Sentence
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell
from guide.views.matchable import on_task, ran
from guide.views.physics import weight_bytes
from guide.views.scaling import Finding, shared_family


def capacity_table(view: ScaleView) -> Table:
    """What ran and what ran out of memory, by system, largest memory first."""
    found = _models(view)
    columns = [Column("system", "System"), Column("usable", "Usable memory", "GiB", "number")]
    columns += [Column(label, label) for label in found]
    rows = []
    for point in view.points:
        row: dict[str, object] = {
            "system": system_cell(point.system),
            "usable": Cell(
                figures.number(point.usable_bytes / figures.GIB),
                sort=point.usable_bytes / figures.GIB,
                provenance=Provenance((point.system, *_tried(point, view.tasks)), "usable"),
            )
            if point.usable_bytes
            else Blank("not known"),
        }
        for label, tasks in found.items():
            row[label] = _ran(point, tasks)
        rows.append(row)
    return Table(
        columns,
        rows,
        caption="What ran, and what ran out of memory",
        filterable=True,
        own=ran(found.items()),
    )


def _tried(point: ScalePoint, tasks: Sequence[Task]) -> list[Result]:
    """The first of the system's results: its rows say how much memory software saw."""
    return [r for t in tasks if (r := t.of(point.system.key))][:1]


def _models(view: ScaleView) -> dict[str, list[Task]]:
    found: dict[str, list[Task]] = {}
    for task in sorted(view.tasks, key=lambda t: (weight_bytes(t) or 0, t.label)):
        if task.model:
            found.setdefault(weights_words(task.columns), []).append(task)
    return found


def _ran(point: ScalePoint, tasks: Sequence[Task]) -> Cell | Blank:
    results = [r for t in tasks if (r := t.of(point.system.key))]
    if not results:
        return Blank("not run")
    good = [r for r in results if r.ok]
    failed = sorted({words.status_words(r) for r in results if not r.ok})
    origin = Provenance(tuple(results), "ends")
    if not good:
        return Cell("; ".join(failed), sort="0", tone="bad", provenance=origin)
    if failed:
        sub = f"{'; '.join(failed)} on {len(results) - len(good)} of {len(results)}"
        return Cell("runs", sort="1", sub=sub, tone="warn", provenance=origin)
    return Cell("runs", sort="2", tone="good", provenance=origin)


def capacity_findings(view: ScaleView, given: Assumptions | None = None) -> list[Finding]:
    """For the largest models: how many systems ran it, the smallest that did, and which did not hold it."""
    found = []
    for label, tasks in reversed(_models(view).items()):
        ran = [p for p in view.points if any(t.standing(p.system.key) for t in tasks)]
        out = [p for p in view.points if p not in ran and any(_is_oom(t, p.system) for t in tasks)]
        if not ran or not out:
            continue
        unified = [p for p in ran if p.system.unified_memory]
        cards = [p for p in ran if not p.system.unified_memory and p.usable_bytes]
        sentence = f"{label} ran on {len(ran)} of {len(ran) + len(out)} systems"
        sentence += (
            f", {len(unified)} of them with unified memory" if unified else ", none with unified memory"
        )
        if cards:
            least = min(cards, key=lambda p: (p.usable_bytes or 0, p.system.key))
            sentence += f"; the smallest in memory among the cards: {least.system.label}"
        # A machine that is sold with several memory sizes counts only at a price that buys the largest.
        priced = [p for p in ran if p.whole_machine_usd and p.price and not p.price.any_size]
        why, because = "", None
        if priced:
            cheap = min(priced, key=lambda p: (p.whole_machine_usd or 0, p.system.key))
            why = (
                "The cheapest whole machine that ran it, of those with a price: "
                f"{cheap.system.label}, {_machine(cheap)}."
            )
            machine = Provenance((cheap.price, given), "machine")
            because = Sentence(why, machine, {})
        found.append(Finding(sentence + ".", why, because=because))
    return found


def _is_oom(task: Task, system: System) -> bool:
    result = task.of(system.key)
    return result is not None and result.status == "oom"


def _machine(point: ScalePoint) -> str:
    price = point.price
    if price is None or point.whole_machine_usd is None:
        return "price not known"
    stale = "" if price.fresh else ", a stale price"
    bought = {"buy-new": "new, ", "buy-used": "used, "}.get(price.route, "")
    return f"{figures.usd(point.whole_machine_usd)} ({bought}{words.seen_words(price)}{stale})"


def cost_table(view: ScaleView, evidence: Evidence) -> Table | None:
    """Price of the devices, of the whole machine, and rate for the money on the shared decode model."""
    family = shared_family(view, "decode")
    if family is None:
        return None
    task = family.headline
    points = [p for p in view.points if task.standing(p.system.key)]
    measured = any((r := task.of(p.system.key)) and r.energy_j_per_work for p in points)
    columns = [
        Column("system", "System"),
        Column(
            "devices",
            "Devices",
            "USD",
            "number",
            "Price of one times their number; the day the price was seen",
        ),
        Column("machine", "Whole machine", "USD", "number", "With the guide's allowance for the host"),
        Column("rent", "Rent", "USD/h", "number"),
        Column("rate", "Decode", task.unit or "", "number", task.short_label),
        Column("each", "Machine per token/s", "USD", "number"),
        Column("power", "Rated power", "W", "number", "What the maker prints, not what was drawn"),
    ]
    columns += [Column("energy", "Measured energy", "J/token", "number")] if measured else []
    rows = [_cost_row(p, task, evidence, measured) for p in sorted(points, key=lambda p: _each(p, task))]
    return Table(
        columns,
        rows,
        caption=f"Money and rated power, for {task.short_label}",
        filterable=len(rows) > 12,
        fold=True,
        own=on_task(task),
    )


def _each(point: ScalePoint, task: Task) -> tuple[bool, float, str]:
    """Least money for the rate first; a stale price, or one of a smaller machine, behind those that count."""
    result, price, machine = task.of(point.system.key), point.price, point.whole_machine_usd
    sure = price is not None and price.fresh and not price.any_size
    rate = result.rate if result else None
    return not sure, machine / rate if machine and rate else float("inf"), point.system.key


def _cost_row(point: ScalePoint, task: Task, evidence: Evidence, measured: bool) -> dict[str, object]:
    prices = evidence.prices.get(point.system.key, ())
    result = task.of(point.system.key)
    rate = result.rate if result else None
    price, machine, given = point.price, point.whole_machine_usd, evidence.settings.given
    doubts = [] if price is None or price.fresh else ["stale price"]
    doubts += [words.ANY_SIZE] if price is not None and price.any_size else []
    stale = ", ".join(doubts)
    row: dict[str, object] = {
        "system": system_cell(point.system),
        "devices": words.price_cell([price], price.route) if price else Blank("no price seen"),
        "machine": Cell(
            figures.usd(machine), sort=machine, sub=stale, provenance=Provenance((price, given), "machine")
        )
        if machine
        else Blank("no price seen"),
        "rent": words.price_cell(prices, "rent"),
        "rate": words.rate_cell(result),
        "each": Cell(
            figures.usd(machine / rate),
            sort=machine / rate,
            sub=stale,
            provenance=Provenance((price, result, given), "machine-per-rate"),
        )
        if machine and rate
        else Blank("no price seen"),
        "power": Cell(
            figures.number(point.system.power_w),
            sort=point.system.power_w,
            provenance=Provenance((point.system,)),
        )
        if point.system.power_w
        else Blank("not known"),
    }
    if measured:
        energy = result.energy_j_per_work if result else None
        row["energy"] = (
            Cell(
                figures.number(energy),
                sort=energy,
                sub=result.energy_scope or "",
                provenance=words.provenance(result),
            )
            if energy and result
            else Blank("not measured")
        )
    return row


def has_energy(view: ScaleView) -> bool:
    """Whether any row of the comparison measured energy."""
    return any(r.energy_j_per_work for p in view.points for r in p.rates.values())
