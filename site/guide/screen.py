"""From a question to contenders: which tasks answer it, and who falls out before money is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guide.evidence import Evidence
from guide.figures import NBSP, number
from guide.fit import fit_all
from guide.judge import Contender
from guide.model import Fit, Interval, Result, System, Task
from guide.ratios import combine
from guide.ratios import ratio as ratio_of
from guide.scenarios import ROUTES, Question, Scenario, Selector
from guide.tiers import UNSAFE_FLAGS
from guide.verdicts import Candidate

#: The catalog's classes of devices in words.
CLASS_WORDS = {
    "consumer": "consumer cards",
    "workstation": "workstations",
    "datacenter": "data-centre devices",
    "laptop": "laptops",
    "edge": "edge boards",
    "mobile": "phones and tablets",
    "cpu": "processors",
}


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
    """The protocol under which most admitted systems have all of the question's tasks (of equals the one
    whose name comes first); None when no protocol has a task for each selector and a system with all.

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
    return min(found, key=lambda f: (-len(f.systems), f.protocol), default=None)


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


@dataclass(frozen=True)
class Screened:
    """``contenders`` go on to the decision; ``out`` fell out for what no price can change."""

    contenders: tuple[Contender, ...]
    out: tuple[Candidate, ...]
    fits: dict[str, Fit | None]


def screen(scenario: Scenario, question: Question, field: Field, evidence: Evidence) -> Screened:
    """Every system of the evidence, judged in this order: kind of device, power, fit, evidence, least
    usable speed, way of getting it."""
    contenders: list[Contender] = []
    out: list[Candidate] = []
    fits: dict[str, Fit | None] = {}
    for system in evidence.systems.values():
        verdict = by_kind(scenario, system)
        fitted = None
        if verdict is None:
            fitted = fit_all(question.must_fit, system, evidence.rows_by_system[system.key])
            verdict = (
                _by_fit(fitted) or by_evidence(field, system) or _by_floor(question, field, system, evidence)
            )
        fits[system.key] = fitted
        if verdict is not None:
            out.append(fallen(system, verdict, field, fitted))
            continue
        routes = ways_of(scenario, field, system, evidence)
        contenders += routes
        if not routes:
            reason = ("price-missing", "Not in the catalog, so it has no price here.")
            out.append(fallen(system, reason, field, fitted))
    return Screened(tuple(contenders), tuple(out), fits)


def fallen(
    system: System, verdict: tuple[str, str], field: Field, fitted: Fit | None, route: str | None = None
) -> Candidate:
    """A candidate without a place, with what is known of its speed."""
    measured = all(r is not None and r.ok for r in field.results(system))
    base = Candidate(system, route, None, None, verdict[0], verdict[1], fit=fitted, power_w=system.power_w)
    if not measured:
        return base
    return replace(
        base,
        speed=field.speed(system),
        speed_interval_known=field.interval_known(system),
        speed_stated=field.stated(system),
        rates=rates(field, system),
    )


def rates(field: Field, system: System) -> tuple[tuple[str, float, str], ...]:
    """(task, rate, unit) of the system on each of the field's tasks."""
    return tuple(
        (task.short_label, result.rate, result.unit or "")
        for (_, task), result in zip(field.tasks, field.results(system), strict=True)
        if result is not None and result.rate is not None
    )


def by_kind(scenario: Scenario, system: System) -> tuple[str, str] | None:
    """Why the kind, number or power of the devices does not come into question, as (code, sentence)."""
    if scenario.max_devices is not None and system.count > scenario.max_devices:
        return "class", f"{system.count} devices; at most {scenario.max_devices} come into question."
    if scenario.classes and system.device_class not in scenario.classes:
        kinds = ", ".join(CLASS_WORDS.get(c, c) for c in scenario.classes)
        if system.device_class is None:
            return "class", f"The catalog does not say what kind of device it is; asked about: {kinds}."
        what = CLASS_WORDS.get(system.device_class, system.device_class)
        return "class", f"Another kind of device ({what}); asked about: {kinds}."
    if scenario.max_power_w is not None:
        if system.power_w is None:
            return "power", f"Its rated power is not known; the limit is {scenario.max_power_w:g}{NBSP}W."
        if system.power_w > scenario.max_power_w:
            return "power", (
                f"Rated at {system.power_w:g}{NBSP}W; the limit is {scenario.max_power_w:g}{NBSP}W."
            )
    return None


def _by_fit(fitted: Fit | None) -> tuple[str, str] | None:
    if fitted is None or fitted.ok:
        return None
    code = "memory" if fitted.verdict == "no" else "no-evidence"
    words = "Too little memory" if fitted.verdict == "no" else "Not known to fit"
    return code, f"{words}: {fitted.sentence}"


def by_evidence(field: Field, system: System) -> tuple[str, str] | None:
    """Why the evidence says too little of the system, as (code, sentence)."""
    missing = []
    for (_, task), result in zip(field.tasks, field.results(system), strict=True):
        if result is None:
            missing.append(task.short_label)
        elif UNSAFE_FLAGS & set(result.flags):
            return "no-evidence", f"Its figure on {task.short_label} contradicts its own source."
        elif result.rate is None:
            detail = f" ({result.detail})" if result.detail else ""
            code = "memory" if result.status == "oom" else "no-evidence"
            words = "Ran out of memory" if result.status == "oom" else f"No figure ({result.status})"
            return code, f"{words} on {task.short_label}{detail}."
    if missing:
        return "no-evidence", f"Not measured in this comparison: {'; '.join(missing)}."
    return None


def floor_figure(
    floor: Selector, field: Field, system: System, evidence: Evidence
) -> tuple[Result, str] | None:
    """The system's best result on a task that the floor means, with the task's short label; None without."""
    results = [
        (result, task.short_label)
        for task in evidence.tasks
        if task.columns["protocol"] == field.protocol and floor.matches(task.columns)
        if (result := task.of(system.key)) is not None and result.rate is not None
    ]
    return max(results, key=lambda pair: pair[0].rate or 0, default=None)


def _by_floor(question: Question, field: Field, system: System, evidence: Evidence) -> tuple[str, str] | None:
    for floor in question.floors:
        found = floor_figure(floor, field, system, evidence)
        if found is None:
            return "no-evidence", f"No figure for {floor.label}, which must reach {floor.min_rate:g}."
        best, on = found
        if (best.rate or 0) < (floor.min_rate or 0):
            why = f" ({floor.because})" if floor.because else ""
            return "slow", (
                f"{number(best.rate or 0)} {best.unit} on {on}; at least {floor.min_rate:g} are needed{why}."
            )
    return None


def ways_of(scenario: Scenario, field: Field, system: System, evidence: Evidence) -> list[Contender]:
    """The system by each way of getting it that the scenario allows and the device is sold in."""
    if not system.candidates:
        return []
    known = {price.route: price for price in evidence.prices.get(system.key, ())}
    basis = "system" if system.form in ("soc", "laptop") else "card"
    found = []
    for route in scenario.routes:
        price = known.get(route)
        if not scenario.whole_machine and price is not None and price.basis == "system":
            continue
        if price is None and (route != "buy-new" or known):
            continue
        found.append(
            Contender(system, route, "rental" if route == "rent" else basis, field.speed(system), price)
        )
    return found


def route_words(candidate: Candidate) -> str:
    """``GeForce RTX 4090, rented``, or the system alone where no route applies."""
    if candidate.route is None:
        return candidate.system.label
    return f"{candidate.system.label}, {ROUTES[candidate.route]}"
