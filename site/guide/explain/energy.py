"""Energy of one Apple machine against NVIDIA cards: measured on both sides, else the peak at the wall."""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import median

from guide.evidence import Evidence
from guide.explain.claims import Claim, Num, Section, claim, unknown
from guide.model import Result, System, Task
from guide.show import figures
from guide.show.tables import Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell
from guide.views.origins import page_of

COMMAND = "bench collect --suite standard --workload decode --energy-meter readings.csv"


def is_apple(system: System) -> bool:
    """Whether it is one Apple machine."""
    return system.vendor == "Apple" and system.count == 1 and system.device_class != "cpu"


def is_nvidia(system: System) -> bool:
    """Whether it is made of NVIDIA cards with memories of their own."""
    return system.vendor == "NVIDIA" and not system.unified_memory


def section(evidence: Evidence) -> Section:
    """Joules for a token, where both sides measured them; what the wall showed where a source tells."""
    told = _measured_energy(evidence)
    if not told:
        told.append(
            unknown(
                "We do not know how much less energy it takes: no row of the store measures the energy of an "
                "Apple "
                "machine and of NVIDIA cards on equal work."
            )
        )
    table = _wall(evidence)
    if table is not None:
        told.append(_wall_claim(evidence))
    return Section(
        heading="Energy",
        anchor="energy",
        intro="Rated power is what the maker prints, not what was drawn: with layers spread over several "
        "cards most of them wait most of the time. So only measured figures count here.",
        claims=told,
        tables=[table] if table is not None else [],
        command=COMMAND,
        command_for="Joules for a token, by a meter at the wall, on either machine",
    )


def _measured_energy(evidence: Evidence) -> list[Claim]:
    """Energy for a unit of work of both sides on equal tasks and of one scope, each workload's largest
    contrast."""
    told: dict[str, tuple[float, Claim]] = {}
    for task in evidence.tasks:
        results = [s.result for s in task.standings if s.result.energy_j_per_work]
        for a in (r for r in results if is_apple(r.system)):
            for b in (r for r in results if is_nvidia(r.system) and r.energy_scope == a.energy_scope):
                assert a.energy_j_per_work
                assert b.energy_j_per_work
                times = b.energy_j_per_work / a.energy_j_per_work
                sentence = claim(
                    "{task}: {b} takes {times} the energy of {a} ({scope}).",
                    task=task.short_label, b=b.system.label, a=a.system.label,
                    times=Num(times, "ratio", origin=Provenance((b, a), "energy")),
                    scope=a.energy_scope or "scope not stated", page=page_of(evidence, task),
                )  # fmt: skip
                key = f"{task.workload} {b.system.count > 1}"
                if key not in told or times > told[key][0]:
                    told[key] = times, sentence
    return [sentence for _, sentence in told.values()]


@dataclass(frozen=True)
class Wall:
    """A system's highest power at the wall over its rate: joules for a token at most."""

    task: Task
    result: Result
    watts: float
    joules: float


def walls(evidence: Evidence) -> list[Wall]:
    """Systems of tasks on which both an Apple machine and NVIDIA cards have a peak at the wall, least
    first."""
    found = []
    for task in evidence.tasks:
        if task.unit != "tokens/s":
            continue
        here = [w for s in task.standings if (w := _wall_of(task, s.result)) is not None]
        apple, nvidia = (any(side(w.result.system) for w in here) for side in (is_apple, is_nvidia))
        if apple and nvidia:
            found += [w for w in here if is_apple(w.result.system) or is_nvidia(w.result.system)]
    return sorted(found, key=lambda w: (w.task.label, w.joules, w.result.system.key))


def _wall_of(task: Task, result: Result) -> Wall | None:
    known = []
    for row in result.rows:
        watts = json.loads(row["conditions"] or "{}").get("wall_peak_power_w")
        if isinstance(watts, int | float) and watts > 0 and row["rate"]:
            known.append((watts / row["rate"], float(watts)))
    if not known:
        return None
    return Wall(task, result, median(w for _, w in known), median(j for j, _ in known))


def _wall_claim(evidence: Evidence) -> Claim:
    found = walls(evidence)
    won = lost = 0
    for apple in (w for w in found if is_apple(w.result.system)):
        for other in (w for w in found if w.task is apple.task and is_nvidia(w.result.system)):
            won += apple.joules < other.joules
            lost += apple.joules >= other.joules
    return claim(
        "By the highest power at the wall over the rate, Apple machines stay below a computer with NVIDIA "
        "cards in {won} of {n}.",
        won=won, n=figures.plural(won + lost, "comparison"),
        why="A peak is more than what was drawn on average, so these are upper limits, and no verdict on "
        "energy.",
    )  # fmt: skip


def _wall(evidence: Evidence) -> Table | None:
    found = walls(evidence)
    if not found:
        return None
    rows = [
        {
            "system": system_cell(w.result.system),
            "task": Cell(w.task.short_label, link=page_of(evidence, w.task)),
            "rate": words.rate_cell(w.result),
            "watts": Cell(figures.number(w.watts), sort=w.watts, provenance=Provenance((w.result,))),
            "joules": Cell(
                figures.number(w.joules), sort=w.joules, provenance=Provenance((w.result,), "wall")
            ),
        }
        for w in found
    ]
    columns = [
        Column("system", "System"), Column("task", "Task"), Column("rate", "Rate", "tokens/s", "number"),
        Column("watts", "Highest at the wall", "W", "number", "Of the whole computer, while it ran"),
        Column("joules", "At most", "J/token", "number"),
    ]  # fmt: skip
    return Table(columns, rows, caption="Highest power at the wall over the rate: an upper limit", fold=True)
