"""The engine's answers of an earlier day beside what others advised, for the Methodology page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from guide.decide.advice import Advice
from guide.decide.history import VERDICTS, Held, held, rests_on
from guide.evidence import Evidence
from guide.show.figures import plural

#: Key of ``VERDICTS`` -> what stands beside the reader's name.
SHORT = {"agrees": "agrees", "tied": "tied with it", "differs": "differs", "silent": "no pick"}
#: The same, counted: ``4 answers: 1 as advised, 3 …``.
COUNTED = {
    "agrees": "as advised",
    "tied": "tied with what was advised",
    "differs": "another than advised",
    "silent": "without a pick",
}


@dataclass(frozen=True)
class Told:
    """One reader: ``verdict`` in two words and as a sentence, what was advised and what the engine says."""

    title: str
    short: str
    verdict: str
    advised: str
    says: str
    rests_on: tuple[str, ...]
    reasons: tuple[str, ...]
    settle: str


@dataclass(frozen=True)
class Past:
    """One advice and the answers of its day. ``known``: how much was known then; ``summary`` counts the
    verdicts."""

    advice: Advice
    known: str
    summary: str
    told: tuple[Told, ...]


def pasts(evidence: Evidence) -> tuple[Past, ...]:
    """Each advice of the evidence, held against the answers of its day; none where nothing was measured."""
    return () if not evidence.rows else tuple(_past(advice, evidence) for advice in evidence.advice)


def _past(advice: Advice, evidence: Evidence) -> Past:
    then = evidence.known_by(advice.day)
    scenarios = {s.key: s for s in evidence.settings.scenarios}
    found = [held(pick, scenarios[pick.scenario], then, evidence) for pick in advice.picks]
    priced = [key for key, prices in then.prices.items() if any(price.fresh for price in prices)]
    counts = Counter(one.verdict for one in found)
    parts = [f"{counts[key]} {words}" for key, words in COUNTED.items() if counts[key]]
    return Past(
        advice=advice,
        known=f"{plural(len(then.rows), 'row')} on {plural(len(then.systems), 'system')}, "
        f"{len(priced)} of them with a price that was fresh enough to carry a pick",
        summary=f"{plural(len(found), 'answer')}: {', '.join(parts)}.",
        told=tuple(map(_told, found)),
    )


def _told(one: Held) -> Told:
    gaps = one.answer.gaps
    settle = f"{gaps[0].what} {gaps[0].worth}" if gaps and one.verdict == "silent" else ""
    return Told(
        title=one.title,
        short=SHORT[one.verdict],
        verdict=f"{VERDICTS[one.verdict][0].upper()}{VERDICTS[one.verdict][1:]}.",
        advised=one.advised.words,
        says=one.answer.headline,
        rests_on=rests_on(one.answer),
        reasons=(*one.asked, *one.reasons),
        settle=settle,
    )
