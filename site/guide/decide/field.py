"""The comparable set that a question is answered on: which tasks, which systems, over which reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guide.analysis.ratios import combine
from guide.analysis.ratios import ratio as ratio_of
from guide.decide.fit import fit_all
from guide.decide.scenarios import Question, Scenario, Selector
from guide.evidence import Evidence
from guide.model import Interval, Result, System, Task


@dataclass(frozen=True)
class Field:
    """The comparable set that a question is answered on: one task for each of its selectors, all of one
    protocol, and the systems that have every one of them. ``reference`` has them all too."""

    protocol: str
    tasks: tuple[tuple[Selector, Task], ...]
    systems: tuple[System, ...]
    reference: System

    def speed(self, system: System) -> Interval:
        """The band of the system's speed over the reference (whose own figure is taken as exact, being the
        same for all): the weighted geometric mean over the tasks."""
        parts = []
        for selector, task in self.tasks:
            base, result = task.of(self.reference.key), task.of(system.key)
            if base is None or base.rate is None or result is None or result.band is None:
                raise KeyError(system.key)
            parts.append((selector.weight, _scaled(result.band, base.rate)))
        return combine(parts)

    def stated(self, system: System) -> Interval | None:
        """The speed over the reference with the interval that follows from the stated ones; None where a
        figure states none."""
        parts = []
        for selector, task in self.tasks:
            base, result = task.of(self.reference.key), task.of(system.key)
            found = ratio_of(result, base) if result and base else None
            if found is None or found.interval is None:
                return None
            parts.append((selector.weight, found.interval))
        return combine(parts)

    def interval_known(self, system: System) -> bool:
        """Whether every figure behind the speed states its own interval."""
        return all(r is not None and r.interval is not None for r in self.results(system))

    def results(self, system: System) -> list[Result | None]:
        """The system's result on each task."""
        return [task.of(system.key) for _, task in self.tasks]

    @property
    def reference_rate(self) -> float:
        """The reference's rate on the task with the most weight."""
        result = self.main_task.of(self.reference.key)
        return (result.rate if result else None) or 1.0

    @property
    def main_task(self) -> Task:
        """The task with the most weight; the first of equals."""
        return max(self.tasks, key=lambda pair: pair[0].weight)[1]


def _scaled(band: Interval, by: float) -> Interval:
    return Interval(band.low / by, band.value / by, band.high / by)


def admitted(scenario: Scenario, system: System) -> bool:
    """Whether the kind and number of devices come into question."""
    if scenario.max_devices is not None and system.count > scenario.max_devices:
        return False
    return not scenario.classes or system.device_class in scenario.classes


def find_field(scenario: Scenario, question: Question, evidence: Evidence) -> Field | None:
    """The protocol under which most admitted systems have all of the question's tasks and fit (of equals
    the one with more systems, then the one whose name comes first); None when no protocol has a task for
    each selector and a system with all.

    Where several tasks match a selector, the one with results of most systems is meant.
    """
    found: list[Field] = []
    for protocol in sorted({str(t.columns["protocol"]) for t in evidence.tasks}):
        chosen = []
        for selector in question.tasks:
            matching = [
                t
                for t in evidence.tasks
                if t.columns["protocol"] == protocol and t.standings and selector.matches(t.columns)
            ]
            if matching:
                task = min(matching, key=lambda t: (-_admitted_count(scenario, t), t.label, t.key))
                chosen.append((selector, task))
        if len(chosen) == len(question.tasks) and len({t.kind for _, t in chosen}) == 1:
            field = _field(scenario, protocol, chosen)
            if field is not None:
                found.append(field)
    if len(found) < 2:
        return next(iter(found), None)
    return min(found, key=lambda f: (-len(fitting(question, f, evidence)), -len(f.systems), f.protocol))


def fitting(question: Question, field: Field, evidence: Evidence) -> list[System]:
    """The field's systems in whose memory everything fits that the question needs."""
    fits = {s.key: fit_all(question.must_fit, s, evidence.rows_by_system[s.key]) for s in field.systems}
    return [s for s in field.systems if (found := fits[s.key]) is None or found.ok]


def _admitted_count(scenario: Scenario, task: Task) -> int:
    return sum(admitted(scenario, s.result.system) for s in task.standings)


def _field(scenario: Scenario, protocol: str, chosen: Sequence[tuple[Selector, Task]]) -> Field | None:
    everywhere = [
        s.result.system
        for s in chosen[0][1].standings
        if all(t.standing(s.result.system.key) for _, t in chosen)
    ]
    if not everywhere:
        return None
    named = chosen[0][1].reference
    slowest = everywhere[-1]
    by_key = {s.key: s for s in everywhere}
    reference = by_key.get(named.result.system.key, slowest) if named else slowest
    systems = tuple(sorted((s for s in everywhere if admitted(scenario, s)), key=lambda s: s.key))
    return Field(protocol, tuple(chosen), systems, reference)
