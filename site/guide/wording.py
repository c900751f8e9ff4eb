"""The sentences of an answer, all of them made from its figures: none is about a particular device."""

from __future__ import annotations

from collections.abc import Sequence

from guide import flips as flip
from guide.evidence import Evidence
from guide.figures import day, number, plural, ratio, usd
from guide.judge import Ranked
from guide.model import Fit
from guide.scenarios import Scenario
from guide.screen import Field, route_words
from guide.tasks import is_cpu
from guide.verdicts import Candidate, Grid


def standing(ranked: Ranked, first: Ranked, place: int, better: Ranked | None) -> tuple[str, str]:
    monthly = f"{usd(ranked.cost.usd_per_month)} a month"
    if place == 1:
        return "pick", f"The pick: first tier, and the cheapest in it at {monthly}."
    best = flip.name_of(first.contender)
    if ranked.tier == first.tier:
        return "tied", (
            f"Tied with {best}, but costs {monthly} against {usd(first.cost.usd_per_month)} a month."
        )
    if better is not None:
        return "slower", (
            f"{flip.name_of(better.contender)} is faster and costs no more "
            f"({usd(better.cost.usd_per_month)} against {monthly})."
        )
    if ranked.cost.usd_per_month > first.cost.usd_per_month:
        return "dearer", f"Tier {ranked.tier}, and dearer than {best}: {monthly}."
    return "slower", f"Tier {ranked.tier}: behind {best}, though cheaper at {monthly}."


def headline(
    scenario: Scenario,
    field: Field,
    ranked: Sequence[Candidate],
    leader: Candidate | None,
    tied: Sequence[Candidate],
    found: Grid | None,
) -> str:
    """The answer in one sentence. ``ranked``: the pick and everyone behind it."""
    if not ranked:
        return no_pick(leader)
    pick = ranked[0]
    task = field.main_task
    parts = [f"{route_words(pick)} at {price_words(pick)}: {speed_words(pick, field)} on {task.short_label}"]
    if pick.score is not None and scenario.objective != "fastest":
        parts.append(f"{score_words(pick)}")
    if pick.fit is not None:
        parts.append(fit_words(pick.fit))
    if tied:
        names = sorted({c.system.label for c in tied})
        more = f" and {len(names) - 2} more" if len(names) > 2 else ""
        parts.append(f"tied with {', '.join(names[:2])}{more}")
    if len({c.system.device_id or c.system.key for c in ranked}) == 1:
        parts.append("the only device left: all others fell out")
    if found is not None:
        parts.append(flip.grid_words(found))
    return "; ".join(parts) + "."


def no_pick(leader: Candidate | None) -> str:
    if leader is None:
        return "Not enough evidence: no system that fits and is fast enough has a price inside the budget."
    return (
        "Not enough evidence: every price that matters is missing, too old or over the budget. At its last "
        f"known price it would be {route_words(leader)}: {price_words(leader)}."
    )


def price_words(candidate: Candidate) -> str:
    price = candidate.price
    if price is None:
        return "an unknown price"
    return f"{usd(price.usd)}{' an hour' if price.route == 'rent' else ''} ({day(price.observed_on)})"


def speed_words(candidate: Candidate, field: Field) -> str:
    rate = candidate.rates[0]
    absolute = f"{number(rate[1])} {rate[2]}"
    if candidate.speed is None or candidate.system.key == field.reference.key or not is_cpu(field.reference):
        return absolute
    return f"{ratio(candidate.speed.value)} the speed of {field.reference.label} ({absolute})"


def score_words(candidate: Candidate) -> str:
    return f"{number(candidate.score or 0)} {candidate.score_unit}"


def fit_words(fitted: Fit) -> str:
    return ("fits only just: " if fitted.verdict == "tight" else "fits: ") + fitted.sentence.rstrip(".")


def rests_on(field: Field, evidence: Evidence) -> tuple[str, ...]:
    """What the comparison rests on, one sentence a source."""
    lines = []
    sources = sorted({s for _, task in field.tasks for s in task.source_ids})
    for source_id in sources:
        source = evidence.sources.get(source_id)
        rows = sum(
            r is not None and source_id in r.source_ids
            for system in field.systems
            for r in field.results(system)
        )
        title = f"{source.title}, {source.published}" if source else source_id
        lines.append(f"{plural(rows, 'result')} of {plural(len(field.systems), 'system')}: {title}.")
    return tuple(lines)
