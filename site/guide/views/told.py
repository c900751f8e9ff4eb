"""The sentences of an answer, each with what its figures rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from guide.decide import wording
from guide.decide.cost import Assumptions
from guide.decide.scenarios import Scenario
from guide.decide.screen import route_words
from guide.decide.verdicts import Answer, Candidate, Flip
from guide.evidence import Evidence
from guide.model import Price, Result, Task
from guide.show import figures
from guide.show.sentences import Sentence
from guide.show.tables import Provenance
from guide.views import words
from guide.views.answers import Card, base_of, card, over_cpu, result_of, speed_words
from guide.views.ranking import fallen_groups


@dataclass(frozen=True)
class Told:
    """An answer's sentences: as they stand in ``Answer``, ``fallen`` as ``views.ranking.fallen_groups``."""

    headline: Sentence
    notes: tuple[Sentence, ...]
    failed: Sentence
    held: Sentence
    flips: tuple[Sentence, ...]


def told(answer: Answer, scenario: Scenario) -> Told:
    """Every sentence of the answer that stands beside its pick."""
    pick, given = answer.pick, scenario.given
    if pick is None:
        plain = Sentence(answer.headline)
        return Told(plain, (), Sentence(""), Sentence(""), ())
    flips = tuple(flip_sentence(flip, answer, given) for flip in answer.flips)
    deciding = wording.deciding(answer.grid, answer.flips)
    grid = Provenance((result_of(pick, answer), pick.price, given), "grid")
    notes = []
    for note in answer.notes:
        if pick.fit is not None and note == f"{wording.fit_words(pick.fit)}.":
            notes.append(Sentence(note, Provenance((pick.system,), "fit", note=pick.fit.sentence)))
        elif deciding is not None and note.endswith(deciding.sentence[1:]):
            of_flip = flips[answer.flips.index(deciding)]
            notes.append(Sentence(note, of_flip.rest, of_flip.figures))
        else:
            notes.append(Sentence(note, grid))
    age = {f"{pick.price.age_days:,}": words.price_facts(pick.price)} if pick.price else {}
    failed, held = answer.confidence.failed, answer.confidence.held
    return Told(
        headline=_headline(answer, pick, given),
        notes=tuple(notes),
        failed=Sentence("; ".join(failed), grid, age),
        held=Sentence("; ".join(held), grid, age),
        flips=flips,
    )


def told_card(answer: Answer, scenario: Scenario) -> Card:
    """The card of one reader, its sentences with what their figures rest on."""
    made, pick, given = card(answer, scenario), answer.pick, scenario.given
    if pick is None:
        return made
    grid = Provenance((result_of(pick, answer), pick.price, given), "grid")
    age = {f"{pick.price.age_days:,}": words.price_facts(pick.price)} if pick.price else {}
    found = {
        "seen": Sentence(made.seen, Provenance((pick.price, given, pick.system), "month")),
        "why": Sentence(made.why, grid, age),
    }
    if made.options:
        found["share"] = Sentence(f"wins in {made.options[0][1]} of plausible prices and uses", grid)
    first = wording.deciding(answer.grid, answer.flips)
    if first is not None:
        found["flip"] = flip_sentence(first, answer, given)
    return replace(made, told=found)


def of_results(text: str, results: Sequence[Result | None]) -> Sentence:
    """A sentence about the figures of one task: each rate is its row's, what else it says their ratio."""
    known = [r for r in results if r is not None and r.rate is not None]
    rates = {figures.number(r.rate or 0): words.provenance(r) for r in known}
    return Sentence(text, Provenance(tuple(known[:2]), "ratio") if len(known) > 1 else None, rates)


def _headline(answer: Answer, pick: Candidate, given: Assumptions) -> Sentence:
    """Price, what the answer is decided by, ratio and rate, each with its own origin."""
    result, base = result_of(pick, answer), base_of(answer)
    found = _price(pick.price)
    if pick.score is not None:
        score = wording.score_words(pick).split(" ")[0]
        of = (
            (result, pick.system)
            if pick.score_unit.startswith("J ")
            else (result, pick.price, given, pick.system)
        )
        found |= {score: Provenance(of, "score")}
    if result is not None and result.rate is not None:
        found |= {figures.number(result.rate): words.provenance(result)}
        if result.interval is not None:
            found |= {figures.span(result.interval.low, result.interval.high): words.provenance(result)}
    if base is not None and over_cpu(answer) and pick.speed is not None:
        ratio = Provenance((result, base), "ratio")
        found |= {figures.ratio(pick.speed.value): ratio}
        if pick.speed_stated is not None:
            found |= {figures.span(pick.speed_stated.low, pick.speed_stated.high): ratio}
    return Sentence(answer.headline, Provenance((result, pick.price, given), "grid"), found)


def _price(price: Price | None) -> dict[str, Provenance]:
    return {figures.usd(price.usd): words.price_facts(price)} if price else {}


def flip_sentence(flip: Flip, answer: Answer, given: Assumptions) -> Sentence:
    """The number at which another wins, and the price that is known."""
    key = flip.input.removeprefix("price:")
    about = next((c for c in answer.candidates if f"{c.system.key}:{c.route}" == key), None)
    found = _price(about.price) if about else {}
    for shown, winner in flip.turns:
        origin = _turn(winner, answer, given)
        # A catalogue takes a unit to the number only where it is a short one: ``5.96 h``.
        for text in (shown, shown.split(" ")[0]):
            found.setdefault(text, origin)
    return Sentence(flip.sentence, None, found)


def _turn(winner: str, answer: Answer, given: Assumptions) -> Provenance:
    pick = answer.pick
    assert pick is not None
    other = next((c for c in answer.candidates if winner and route_words(c) == winner), None)
    then = (result_of(other, answer), other.price) if other else ()
    return Provenance((result_of(pick, answer), pick.price, given, *then), "flip")


def way_sentences(c: Candidate, answer: Answer, given: Assumptions) -> tuple[Sentence, Sentence]:
    """What the best by one way of paying costs, and how fast it is."""
    assert c.cost is not None
    costs = f"{wording.price_words(c)}; {figures.usd(c.cost.usd_per_month)} a month"
    result, base = result_of(c, answer), base_of(answer)
    fast = Provenance((result, base), "ratio") if base and over_cpu(answer) else Provenance((result,))
    month = Provenance((c.price, given, c.system), "month")
    return Sentence(costs, month, _price(c.price)), Sentence(speed_words(c, answer), fast)


def none_sentence(why_not: str, answer: Answer, given: Assumptions) -> Sentence:
    """Why there is nothing by one way of paying: its sums are those of the cheapest over the budget."""
    near = (c for c in answer.candidates if c.reason_code == "budget" and not c.place)
    named = (c for c in near if f"over it, {c.system.label}: {c.reason.split(': ', 1)[-1]}" in why_not)
    c = next(named, None)
    return Sentence(f"Nothing. {why_not}", Provenance((c.price, given), "total") if c else None)


def gap_sentences(
    answer: Answer, evidence: Evidence, prices: Mapping[str, Sequence[Price]], given: Assumptions
) -> list[tuple[Sentence, Sentence]]:
    """What is not known, and what it would be worth; ``prices`` are those of the catalog's devices."""
    found = []
    for gap in answer.gaps:
        device = evidence.catalog.get(gap.about)
        offers = {figures.usd(p.usd): words.price_facts(p) for p in prices.get(gap.about, ())}
        flip = next((f for f in answer.flips if f.input == f"price:{gap.about}"), None)
        worth = _turn(flip.winner, answer, given) if flip else None
        told = Sentence(gap.what, Provenance((device,)) if device else None, offers)
        found.append((told, Sentence(gap.worth, worth)))
    return found


def fallen_sentences(answer: Answer, evidence: Evidence, given: Assumptions) -> Mapping[str, Sentence]:
    """Why others fell out, by the sentence: of several with the same sentence the first one's origins."""
    first: dict[str, Candidate] = {}
    for c in answer.candidates:
        if not c.place:
            first.setdefault(c.reason, c)
    return {
        reason: Sentence(reason, _why(first[reason], given), _too_slow(first[reason], evidence.tasks))
        for group in fallen_groups(answer)
        for _, reason in group.rows
    }


def _why(c: Candidate, given: Assumptions) -> Provenance | None:
    if c.reason_code in ("memory", "price-size"):
        return Provenance((c.system,), "fit")
    if c.reason_code == "budget":
        return Provenance((c.price, given), "total")
    if c.reason_code == "price-stale" and c.price is not None:
        return words.price_facts(c.price)
    return Provenance((c.system,)) if c.reason_code == "power" else None


def _too_slow(c: Candidate, tasks: Sequence[Task]) -> dict[str, Provenance]:
    """The rate that a sentence about the least usable speed begins with."""
    for task in tasks if c.reason_code == "slow" else ():
        result = task.of(c.system.key)
        if result is None or result.rate is None:
            continue
        shown = figures.number(result.rate)
        if c.reason.startswith(f"{shown} {result.unit} on {task.short_label};"):
            return {shown: words.provenance(result)}
    return {}
