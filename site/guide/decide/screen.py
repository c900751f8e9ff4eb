"""From a question to contenders: which tasks answer it, and who falls out before money is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guide.analysis.tiers import UNSAFE_FLAGS
from guide.decide.field import Field
from guide.decide.fit import fit_all, fit_least, least_system
from guide.decide.judge import Contender
from guide.decide.scenarios import ROUTES, Question, Scenario, Selector
from guide.decide.verdicts import Candidate
from guide.evidence import Evidence
from guide.model import Fit, Result, System, Task
from guide.show.figures import NBSP, number

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
class Screened:
    """``contenders`` go on to the decision; ``out`` fell out for what no price can change."""

    contenders: tuple[Contender, ...]
    out: tuple[Candidate, ...]
    fits: dict[str, Fit | None]

    def fit_of(self, contender: Contender) -> Fit | None:
        """What is known of the fit by this way of getting the system."""
        return self.fits[contender.key]


def screen(scenario: Scenario, question: Question, field: Field, evidence: Evidence) -> Screened:
    """Every system of the evidence, judged in this order: kind of device, power, fit, evidence, least
    usable speed, way of getting it."""
    contenders: list[Contender] = []
    out: list[Candidate] = []
    fits: dict[str, Fit | None] = {}
    floors = [(floor, floor_tasks(floor, field, evidence)) for floor in question.floors]
    for system in evidence.systems.values():
        verdict = by_kind(scenario, system)
        fitted = None
        if verdict is None:
            fitted = fit_all(question.must_fit, system, evidence.rows_by_system[system.key])
            verdict = _by_fit(fitted) or by_evidence(field, system) or _by_floor(floors, system)
        fits[system.key] = fitted
        if verdict is not None:
            out.append(fallen(system, verdict, field, fitted))
            continue
        routes = ways_of(scenario, field, system, evidence)
        for contender in routes:
            unsure, sized = _by_size(question, contender, fitted)
            fits[contender.key] = sized
            if unsure is None:
                contenders.append(contender)
            else:
                out.append(
                    replace(fallen(system, unsure, field, sized, contender.route), price=contender.price)
                )
        if not routes:
            out.append(fallen(system, no_way(scenario, system, evidence), field, fitted))
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


#: What is said of a price that may not buy the memory that is counted with.
LESS_MEMORY = "The price may be of a machine with less memory"


def _by_size(
    question: Question, contender: Contender, fitted: Fit | None
) -> tuple[tuple[str, str] | None, Fit | None]:
    """Why the price may buy too small a machine, as (code, sentence), and the fit of what it surely buys."""
    least = least_system(contender.system, contender.price) if fitted is not None else None
    if least is None:
        return None, fitted
    if least.memory_bytes is None:
        return ("price-size", f"{LESS_MEMORY}; how much less is not known."), fitted
    sized = fit_least(question.must_fit, least)
    if sized is not None and not sized.ok:
        return ("price-size", f"{LESS_MEMORY}: {sized.sentence}"), sized
    return None, sized


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


def floor_tasks(floor: Selector, field: Field, evidence: Evidence) -> list[Task]:
    """The tasks of the same comparison that a floor means."""
    return [
        task
        for task in evidence.tasks
        if task.columns["protocol"] == field.protocol and floor.matches(task.columns)
    ]


def floor_figure(tasks: Sequence[Task], system: System) -> tuple[Result, str] | None:
    """The system's best result on these tasks with the task's short label; None where it has none."""
    results = [
        (result, task.short_label)
        for task in tasks
        if (result := task.of(system.key)) is not None and result.rate is not None
    ]
    return max(results, key=lambda pair: pair[0].rate or 0, default=None)


def _by_floor(floors: Sequence[tuple[Selector, Sequence[Task]]], system: System) -> tuple[str, str] | None:
    for floor, tasks in floors:
        found = floor_figure(tasks, system)
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


def no_way(scenario: Scenario, system: System, evidence: Evidence) -> tuple[str, str]:
    """Why a system can be had by none of the ways asked about (``ways_of`` is empty), as (code, sentence)."""
    if not system.candidates:
        return "price-missing", "Not in the catalog, so it has no price here."
    asked = [p for p in evidence.prices.get(system.key, ()) if p.route in scenario.routes]
    if asked:
        return "basis", "Its price is that of a whole computer; asked about are cards alone."
    ways = " or ".join(ROUTES[route] for route in scenario.routes)
    return "route", f"It has no price by the ways asked about: {ways}."


def route_words(candidate: Candidate) -> str:
    """``GeForce RTX 4090, rented``, or the system alone where no route applies."""
    if candidate.route is None:
        return candidate.system.label
    return f"{candidate.system.label}, {ROUTES[candidate.route]}"
