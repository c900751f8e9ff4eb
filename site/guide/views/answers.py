"""A scenario's answer as pages place it: the card on the home page, and the facts of its own page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from guide import paths
from guide.analysis.tasks import called, is_cpu
from guide.decide import wording
from guide.decide.scenarios import ROUTES, Question, Scenario
from guide.decide.screen import route_words
from guide.decide.verdicts import Answer, Candidate
from guide.model import Result, System
from guide.show import figures
from guide.show.sentences import Sentence
from guide.show.tables import Provenance
from guide.views.matchable import together
from guide.views.words import ANY_SIZE

#: Checks that failed which a card names; the others are counted.
CHECKS_SHOWN = 2

#: Why a device that fits and is fast enough has no place by one way of paying: reason code -> words.
WHY_NOT = {
    "budget": "over the budget",
    "price-stale": "with too old a price",
    "price-missing": "without a price",
    "price-size": "with a price that may be of less memory",
    "power": "without a known power",
}


#: What stands above a pick that wins, but rests on little.
THIN = f"{wording.CALLS['clear']}, on thin evidence"


@dataclass(frozen=True)
class Card:
    """An answer in brief. ``options`` are (choice, share of the grid) where it depends; ``narrower`` is the
    question that was answered instead of the reader's own. Without a pick, ``silence`` says why and
    ``settles`` what would give one. ``origins`` say what price and facts rest on, by their label; ``told``
    are its sentences with the origins of their figures (``guide.views.told.told_card``)."""

    reader: str
    href: str
    call: str
    call_words: str
    pick: str
    options: tuple[tuple[str, str], ...]
    price: str
    seen: str
    facts: tuple[tuple[str, str], ...]
    sure: str
    why: str
    flip: str
    narrower: str
    silence: str
    settles: str
    origins: Mapping[str, Provenance]
    told: Mapping[str, Sentence] = field(default_factory=dict)


def card(answer: Answer, scenario: Scenario) -> Card:
    """The card of one reader."""
    pick = answer.pick
    first = wording.deciding(answer.grid, answer.flips) if pick else None
    return Card(
        reader=answer.title,
        href=paths.scenario(answer.scenario_key),
        call=answer.call,
        call_words=call_words(answer),
        pick=route_words(pick) if pick else "Not enough evidence yet",
        options=_options(answer) if answer.call == "depends" else (),
        price=_price(pick) if pick else "",
        seen=_seen(pick) if pick else "",
        facts=tuple(_facts(answer, scenario)),
        sure=answer.confidence.level if pick else "",
        why=checks_words(answer.confidence.failed),
        flip=first.sentence if first else "",
        narrower=answer.answered if pick and answer.answered != answer.asked else "",
        silence="" if pick else answer.headline,
        settles=answer.gaps[0].what if not pick and answer.gaps else "",
        origins=_origins(pick, answer, scenario) if pick else {},
    )


def _origins(pick: Candidate, answer: Answer, scenario: Scenario) -> dict[str, Provenance]:
    """What the card's figures rest on."""
    result = result_of(pick, answer)
    base = base_of(answer) if over_cpu(answer) else None
    return {
        "Price": Provenance((pick.price,)),
        "Speed": Provenance((result, base), "ratio") if base else Provenance((result,)),
        "Cost": Provenance((result, pick.price, scenario.given, pick.system), "score"),
        "Energy": Provenance((result, pick.system), "rated-energy"),
        "Rated power": Provenance((pick.system,)),
    }


def origin(answer: Answer, scenario: Scenario) -> Provenance | None:
    """What the answer's headline rests on; None without a pick."""
    pick = answer.pick
    if pick is None:
        return None
    base = base_of(answer) if over_cpu(answer) else None
    return Provenance((result_of(pick, answer), pick.price, scenario.given, base), "answer")


def base_of(answer: Answer) -> Result | None:
    """The reference's own result on the answer's first task."""
    reference = reference_of(answer)
    return answer.tasks[0].of(reference.key) if reference and answer.tasks else None


def call_words(answer: Answer) -> str:
    """How plainly the pick may be shown; one that wins, but rests on little, says so."""
    words = wording.CALLS[answer.call]
    thin = answer.call == "clear" and answer.confidence.level == "low"
    return THIN if thin else words


def _options(answer: Answer) -> tuple[tuple[str, str], ...]:
    found = answer.grid
    return tuple((name, figures.percent(share)) for name, share in found.shares[:2]) if found else ()


def _price(pick: Candidate) -> str:
    price, spent = pick.price, pick.cost
    if price is None or spent is None:
        return ""
    if price.route == "rent":
        return f"{figures.usd(price.usd)} an hour"
    return figures.usd(price.usd)


def _seen(pick: Candidate) -> str:
    price, spent = pick.price, pick.cost
    if price is None or spent is None:
        return ""
    host = f", with {figures.usd(spent.host_usd)} for the computer around it" if spent.host_usd else ""
    size = f", {ANY_SIZE}" if price.any_size else ""
    return f"seen {figures.day(price.observed_on)}{size}; {figures.usd(spent.usd_per_month)} a month{host}"


def checks_words(failed: Sequence[str]) -> str:
    """The first checks that failed, and how many more did."""
    words = "; ".join(failed[:CHECKS_SHOWN])
    more = len(failed) - CHECKS_SHOWN
    return f"{words}; and {figures.plural(more, 'more doubt')}" if more > 0 else words


def _facts(answer: Answer, scenario: Scenario) -> list[tuple[str, str]]:
    pick = answer.pick
    if pick is None:
        return []
    speed = [("Speed", speed_words(pick, answer))]
    score = [] if scenario.objective == "fastest" else [_score(pick)]
    facts = speed + score if scenario.objective == "fastest" else score + speed
    task = answer.tasks[0]
    facts.append(("On", task.short_label))
    needs = question(answer, scenario).must_fit
    if pick.fit is not None and needs:
        facts.append(("Fits" if pick.fit.verdict == "fits" else "Fits only just", needs[0].label))
    if pick.power_w is not None:
        facts.append(("Rated power", f"{figures.number(pick.power_w)}{figures.NBSP}W"))
    return facts


def _score(pick: Candidate) -> tuple[str, str]:
    unit = pick.score_unit
    name = "Energy" if unit.startswith("J ") else "Cost"
    return name, wording.score_words(pick)


def question(answer: Answer, scenario: Scenario) -> Question:
    """The question that was answered; the reader's own when none could be."""
    return next((q for q in scenario.questions if q.text == answer.answered), scenario.questions[0])


def reference_of(answer: Answer) -> System | None:
    """The system that speeds are over."""
    return next((c.system for c in answer.candidates if c.system.label == answer.reference), None)


def reference_words(answer: Answer) -> str:
    """What speeds are over, and whether its own figure was timed in full."""
    reference = reference_of(answer)
    result = answer.tasks[0].of(reference.key) if reference and answer.tasks else None
    return called(result) if result else answer.reference or ""


def over_cpu(answer: Answer) -> bool:
    """Whether ratios are over a processor: only then are they told before the rate itself."""
    reference = reference_of(answer)
    return reference is not None and is_cpu(reference)


def result_of(candidate: Candidate, answer: Answer) -> Result | None:
    """The candidate's result on the answer's first task."""
    return answer.tasks[0].of(candidate.system.key) if answer.tasks else None


def own_speed(answer: Answer, scenario: Scenario) -> dict[str, Any]:
    """What tells a reader's own machine its place among the answer's speeds (``guide.views.matchable``)."""
    reference = reference_of(answer)
    weights = [selector.weight for selector in question(answer, scenario).tasks]
    if reference is None or len(weights) != len(answer.tasks):
        return {}
    pairs = list(zip(weights, answer.tasks, strict=True))
    return together(pairs, reference.key, ratio_first=over_cpu(answer))


def rate_words(candidate: Candidate, answer: Answer) -> tuple[str, str]:
    """(rate with its unit, interval or that none is stated)."""
    result = result_of(candidate, answer)
    if result is None or result.rate is None:
        return "", ""
    interval = figures.span(result.interval.low, result.interval.high) if result.interval else ""
    return f"{figures.number(result.rate)} {result.unit}", interval


def speed_words(candidate: Candidate, answer: Answer) -> str:
    """``×200 a CPU, no interval stated``, or the rate where the reference is no processor."""
    if over_cpu(answer) and candidate.speed is not None:
        known = candidate.speed_stated
        shown = f" [{figures.span(known.low, known.high)}]" if known else ", no interval stated"
        return f"{figures.ratio(candidate.speed.value)} {reference_words(answer)}{shown}"
    rate, interval = rate_words(candidate, answer)
    return f"{rate} [{interval}]" if interval else f"{rate}, no interval stated"


@dataclass(frozen=True)
class Way:
    """The best by one way of paying, or the reason why there is none."""

    route: str
    words: str
    candidate: Candidate | None
    why_not: str


def ways(answer: Answer, scenario: Scenario) -> tuple[Way, ...]:
    """The best of each way of paying that the scenario allows: never one list for buyers and tenants."""
    found = []
    for route in scenario.routes:
        best = next((c for c in answer.candidates if c.place and c.route == route), None)
        why_not = "" if best else _why_not(answer, route)
        found.append(Way(route, ROUTES[route].capitalize(), best, why_not))
    return tuple(found)


def _why_not(answer: Answer, route: str) -> str:
    """How many fell out by this route for which reason, and what the cheapest over the budget takes."""
    fell = [c for c in answer.candidates if c.route == route and not c.place]
    counts = [(sum(c.reason_code == code for c in fell), words) for code, words in WHY_NOT.items()]
    told = ", ".join(f"{n} {words}" for n, words in counts if n)
    if not told:
        return "No device that fits has a price of this kind."
    near = min(
        (c for c in fell if c.reason_code == "budget" and c.price),
        key=lambda c: (c.price.usd if c.price else 0.0, c.system.key),
        default=None,
    )
    cheapest = f" The cheapest over it, {near.system.label}: {near.reason.split(': ', 1)[-1]}" if near else ""
    return f"Of those that fit: {told}.{cheapest}"
