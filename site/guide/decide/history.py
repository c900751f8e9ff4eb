"""The engine held against what others advised: asked again with what was known on the day of the advice.

Where it differs, the reason comes from the answer itself: what became of each advised device in it, which
question could not be asked, which price would have made it the pick. No sentence is about one device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.catalog import CatalogDevice
from guide.decide import wording
from guide.decide.advice import AdvisedPick
from guide.decide.field import find_field, fitting
from guide.decide.scenarios import Question, Scenario
from guide.decide.verdicts import Answer, Candidate
from guide.evidence import Evidence
from guide.recommend import answer
from guide.show.figures import day, plural, usd

#: How an answer can stand to an advice -> what that means.
VERDICTS = {
    "agrees": "the pick is one of the advised devices",
    "tied": "an advised device cannot be told apart from the pick, which costs less",
    "differs": "another device is the pick",
    "silent": "not enough was known for a pick",
}
#: How far a device that fell out had come: of several systems with it the one that came furthest is told.
_REACHED = (
    "budget", "price-stale", "price-missing", "slow", "no-evidence", "basis", "route", "power", "memory",
)  # fmt: skip
_LAST = len(_REACHED)


@dataclass(frozen=True)
class Held:
    """An answer held against an advice. ``verdict`` is a key of ``VERDICTS``; ``asked`` tells which question
    was asked, ``reasons`` why the answer is not the advised one, a sentence each (empty where it agrees)."""

    advised: AdvisedPick
    title: str
    answer: Answer
    verdict: str
    asked: tuple[str, ...]
    reasons: tuple[str, ...]


def held(advised: AdvisedPick, scenario: Scenario, then: Evidence, now: Evidence) -> Held:
    """The answer with what was known ``then``, held against the advice. ``now`` has the whole catalog."""
    found = answer(scenario, then)
    verdict = _verdict(advised, found)
    return Held(
        advised=advised,
        title=scenario.title,
        answer=found,
        verdict=verdict,
        asked=tuple(_unasked(scenario, found, then)),
        reasons=() if verdict == "agrees" else tuple(_reasons(advised, scenario, found, then, now)),
    )


def _verdict(advised: AdvisedPick, found: Answer) -> str:
    if found.pick is None:
        return "silent"
    if _meant(advised, found.pick):
        return "agrees"
    return "tied" if any(_meant(advised, c) for c in found.tied) else "differs"


def _meant(advised: AdvisedPick, candidate: Candidate) -> bool:
    system = candidate.system
    return system.device_id in advised.devices and (system.count > 1 or not advised.several)


def _unasked(scenario: Scenario, found: Answer, then: Evidence) -> list[str]:
    """The questions that came before the one that was answered, and what they lacked on that day."""
    lines = []
    for question in scenario.questions:
        if question.text == found.answered:
            break
        lines.append(f"Could not be answered then: {question.text} {_lacking(scenario, question, then)}")
    return lines


def _lacking(scenario: Scenario, question: Question, then: Evidence) -> str:
    field = find_field(scenario, question, then)
    tasks = "; ".join(dict.fromkeys(task.label for task in question.tasks))
    needed = f"{plural(question.min_systems, 'system')} {'is' if question.min_systems == 1 else 'are'} needed"
    if field is None:
        return f"No system that comes into question had been measured on: {tasks}; {needed}."
    fits = len(fitting(question, field, then))
    return f"{plural(fits, 'system')} that fit had been measured on: {tasks}; {needed}."


def _reasons(
    advised: AdvisedPick, scenario: Scenario, found: Answer, then: Evidence, now: Evidence
) -> list[str]:
    lines: list[str] = []
    unknown: list[CatalogDevice] = []
    for device_id in advised.devices:
        device = now.catalog.get(device_id)
        standing = _furthest(advised, device_id, found.candidates)
        if standing is not None:
            lines.append(f"{wording.name(standing)}: {standing.reason}")
        elif device is not None and not _measured(device_id, then):
            unknown.append(device)
    if not found.candidates:  # no question could be asked: nobody was judged
        lines += _known(advised, scenario, then)
    if unknown:
        lines.append(f"No result of {_listed([_named(d, then) for d in unknown])} was known.")
    lines += [flip.sentence for flip in found.flips if _leads_to(flip.input, advised, found)][:1]
    return lines


def _known(advised: AdvisedPick, scenario: Scenario, then: Evidence) -> list[str]:
    """What was known of the advised devices where no question could be asked."""
    fields = [find_field(scenario, question, then) for question in scenario.questions]
    on_task = {system.device_id for field in fields if field for system in field.systems}
    known = [d for d in advised.devices if _measured(d, then)]
    had = [then.catalog.devices[d].name for d in known if d in on_task]
    other = [then.catalog.devices[d].name for d in known if d not in on_task]
    lines = [f"{_listed(had)} had been measured on it, but too few others."] if had else []
    return lines + ([f"Results of {_listed(other)} were known, but not on this task."] if other else [])


def _furthest(advised: AdvisedPick, device_id: str, candidates: Sequence[Candidate]) -> Candidate | None:
    """The system with this device that came furthest: a place, else the last thing that it failed on."""

    def order(candidate: Candidate) -> tuple[int, int, int, str]:
        code = candidate.reason_code
        reached = _REACHED.index(code) if code in _REACHED else _LAST
        return (
            candidate.place is None,
            candidate.place or reached,
            candidate.system.count,
            wording.name(candidate),
        )

    own = [c for c in candidates if c.system.device_id == device_id]
    several = [c for c in own if c.system.count > 1] if advised.several else []
    return min(several or own, key=order, default=None)


def _measured(device_id: str, then: Evidence) -> bool:
    return any(system.device_id == device_id for system in then.systems.values())


def _named(device: CatalogDevice, then: Evidence) -> str:
    return device.name if then.catalog.get(device.device_id) else f"{device.name} (not out by then)"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _leads_to(source: str, advised: AdvisedPick, found: Answer) -> bool:
    """Whether a flip is the price of an advised device at which it would win."""
    keys = {f"price:{c.system.key}:{c.route}" for c in found.candidates if _meant(advised, c)}
    return source in keys


def rests_on(found: Answer) -> tuple[str, ...]:
    """What the pick rests on, in sentences: its figures, fit, its price with the day, how sure it is."""
    pick = found.pick
    if pick is None or pick.price is None:
        return found.rests_on
    seller = plural(pick.price.n, "offer or source", "offers or sources")
    price = f"Price: {usd(pick.price.usd)}, seen on {day(pick.price.observed_on)}, {seller}."
    sure = f"{found.confidence.level.capitalize()} confidence: {'; '.join(found.confidence.failed)}."
    fit = [f"{wording.fit_words(pick.fit)}."] if pick.fit else []
    return (*found.rests_on, *fit, price, sure if found.confidence.failed else "High confidence.")
