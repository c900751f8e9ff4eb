"""Energy of one Apple machine against NVIDIA cards: measured on both sides, else the peak at the wall."""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import median

from guide.analysis.labels import WORDS
from guide.analysis.tiers import PUBLISHED_ALLOWANCE
from guide.evidence import Evidence
from guide.explain.claims import Claim, Num, Section, claim, unknown
from guide.model import Result, System, Task
from guide.show import figures
from guide.show.tables import Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell
from guide.views.origins import page_of

#: Ratios nearer to 1 are called alike. Energies have no interval: each gets the band of a published figure.
APART = (1 + PUBLISHED_ALLOWANCE) / (1 - PUBLISHED_ALLOWANCE)
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
    """Each workload's comparisons of one Apple machine with one card, and with several: how many it takes
    less energy in, and both ends."""
    groups: dict[tuple[str, bool], list[Contrast]] = {}
    for found in contrasts(evidence):
        groups.setdefault((found.task.workload, found.nvidia.system.count > 1), []).append(found)
    return [_told(found, several, evidence) for (_, several), found in groups.items()]


@dataclass(frozen=True)
class Contrast:
    """An Apple machine and NVIDIA cards whose energy for a unit of one task's work has one scope.

    ``times`` is the cards' energy over the machine's."""

    task: Task
    apple: Result
    nvidia: Result
    times: float

    @property
    def less(self) -> bool:
        """Whether the Apple machine takes less, by more than such figures can differ by chance."""
        return self.times > APART

    @property
    def more(self) -> bool:
        """Whether the cards do."""
        return self.times * APART < 1


def contrasts(evidence: Evidence) -> list[Contrast]:
    """All of them, those in which the Apple machine takes least first. What a figure of unknown scope was
    drawn by nobody knows, so it is held against none."""
    found = []
    for task in evidence.tasks:
        known = [s.result for s in task.standings if s.result.energy_j_per_work and s.result.energy_scope]
        for apple in (r for r in known if is_apple(r.system)):
            for other in (r for r in known if is_nvidia(r.system) and r.energy_scope == apple.energy_scope):
                times = (other.energy_j_per_work or 0) / (apple.energy_j_per_work or 1)
                found.append(Contrast(task, apple, other, times))
    return sorted(found, key=lambda c: (-c.times, c.task.key, c.apple.system.key, c.nvidia.system.key))


def _told(found: list[Contrast], several: bool, evidence: Evidence) -> Claim:
    most, least = found[0], found[-1]
    if len(found) == 1:
        return claim(
            "{task}: {b} takes {times} the energy of {a} ({scope}).",
            task=most.task.short_label, b=most.nvidia.system.label, a=most.apple.system.label,
            times=_times(most), scope=most.apple.energy_scope, page=page_of(evidence, most.task),
        )  # fmt: skip
    return claim(
        "{workload}, one Apple machine against {whom}: of {n} it takes less energy in {less} and more in "
        "{more}; the cards take {most} its energy ({most_b} over {most_a}) to {least} ({least_b} over "
        "{least_a}).",
        workload=WORDS.get(most.task.workload, most.task.workload).capitalize(),
        whom="several NVIDIA cards" if several else "one NVIDIA card",
        n=figures.plural(len(found), "comparison"),
        less=sum(c.less for c in found), more=sum(c.more for c in found),
        most=_times(most), most_b=most.nvidia.system.label, most_a=most.apple.system.label,
        least=_times(least), least_b=least.nvidia.system.label, least_a=least.apple.system.label,
        page=page_of(evidence, most.task),
    )  # fmt: skip


def _times(one: Contrast) -> Num:
    return Num(one.times, "ratio", origin=Provenance((one.nvidia, one.apple), "energy"))


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
    ratios = [
        other.joules / apple.joules
        for apple in (w for w in found if is_apple(w.result.system))
        for other in (w for w in found if w.task is apple.task and is_nvidia(w.result.system))
    ]
    won = sum(ratio > APART for ratio in ratios)
    lost = sum(ratio * APART < 1 for ratio in ratios)
    return claim(
        "By the highest power at the wall over the rate, Apple machines stay below a computer with NVIDIA "
        "cards in {won} of {n}, above it in {lost}, and in the others the two are too near to tell apart.",
        won=won, lost=lost, n=figures.plural(len(ratios), "comparison"),
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
