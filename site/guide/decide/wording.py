"""The sentences of an answer, all of them made from its figures: none is about a particular device."""

from __future__ import annotations

from collections.abc import Sequence

from guide.analysis.tasks import is_cpu, told_kinds
from guide.decide import flips as flip
from guide.decide.confidence import FRAGILE_SHARE, ROBUST_SHARE
from guide.decide.field import Field
from guide.decide.judge import Ranked
from guide.decide.scenarios import Scenario
from guide.decide.screen import route_words
from guide.decide.verdicts import Candidate, Flip, Grid
from guide.evidence import Evidence
from guide.model import Fit
from guide.show.figures import day, number, percent, plural, ratio, span, usd, written_day


def standing(ranked: Ranked, first: Ranked, place: int, better: Ranked | None) -> tuple[str, str]:
    monthly = f"{usd(ranked.cost.usd_per_month)} a month"
    if place == 1:
        return "pick", f"The pick: first tier, and the cheapest in it at {monthly}."
    best = flip.name_of(first.contender)
    if ranked.tier == first.tier:
        if ranked.cost.usd_per_month == first.cost.usd_per_month:
            return "tied", f"Tied with {best}, at the same cost: {monthly}."
        return "tied", f"Tied with {best}, but dearer: {monthly} against {usd(first.cost.usd_per_month)}."
    if better is not None:
        return "slower", (
            f"{flip.name_of(better.contender)} is faster and costs no more "
            f"({usd(better.cost.usd_per_month)} against {monthly})."
        )
    if ranked.cost.usd_per_month > first.cost.usd_per_month:
        return "dearer", f"Tier {ranked.tier}, and dearer than {best}: {monthly}."
    return "slower", f"Tier {ranked.tier}: behind {best}, though cheaper at {monthly}."


#: How plainly a pick may be shown -> what stands above it. A pick that loses most of the plausible grid is
#: not shouted: the reader's own numbers decide, and the page says which of them.
CALLS = {
    "clear": "The pick",
    "close": "The pick, but a close call",
    "depends": "It depends",
    "alone": "The only one left, not a choice",
    "none": "Not enough evidence",
}


def call(ranked: Sequence[Candidate], found: Grid | None) -> str:
    """A key of ``CALLS``, from how many devices are in the running and how much of the grid the pick's
    device wins."""
    if not ranked:
        return "none"
    if len({c.system.device_id or c.system.key for c in ranked}) == 1:
        return "alone"
    if found is None or found.device_share >= ROBUST_SHARE:
        return "clear"
    return "close" if found.device_share >= FRAGILE_SHARE else "depends"


def headline(
    scenario: Scenario,
    field: Field,
    ranked: Sequence[Candidate],
    leader: Candidate | None,
    found: Grid | None,
    called: str,
    doubtful: Candidate | None = None,
) -> str:
    """The answer in one sentence. ``ranked``: the pick and everyone behind it; ``called``: its call;
    ``doubtful``: as ``unsure`` gives it, told where nothing is left to pick."""
    if not ranked:
        small = f" {name(doubtful)}: the price may be of a machine with less memory." if doubtful else ""
        return no_pick(leader) + small
    pick = ranked[0]
    what = f"{route_words(pick)} at {price_words(pick)}: {speed_words(pick, field)}"
    if pick.score is not None and scenario.objective != "fastest":
        what = f"{route_words(pick)} at {price_words(pick)}: {score_words(pick)}, {speed_words(pick, field)}"
    if called == "alone":
        if len({c.system.key for c in ranked}) > 1:
            return f"Hardly a choice, only versions of one device are left, first {what}."
        return f"Hardly a choice, the only device left is {what}."
    if called == "close":
        return f"A close call: {what}."
    if called == "depends" and found is not None:
        best, share = found.shares[0]
        often = f"no choice wins in half of {found.cells} plausible combinations"
        if best != name(pick):
            often = f"{best}, wins in {percent(share)} of {found.cells} plausible combinations"
        return f"It depends: {often}; with the numbers assumed here it is {what}."
    return f"{what}."


def notes(
    ranked: Sequence[Candidate],
    tied: Sequence[Candidate],
    found: Grid | None,
    flips: Sequence[Flip],
    called: str,
) -> tuple[str, ...]:
    """What must be said beside the headline, a sentence each: fit, ties, how robust, what decides."""
    if not ranked:
        return ()
    pick = ranked[0]
    lines = [] if pick.fit is None else [f"{fit_words(pick.fit)}."]
    others = sorted({c.system.label for c in tied if c.system.key != pick.system.key})
    if others:
        more = f" and {len(others) - 2} more" if len(others) > 2 else ""
        same = ", the same device in another version" if called == "alone" else ""
        lines.append(f"Tied with {', '.join(others[:2])}{more}{same}.")
    if found is not None:
        lines.append(f"The pick {flip.grid_words(found)}.")
    first = deciding(found, flips)
    if first and called in ("close", "depends"):
        lines.append(f"What decides: {first.sentence[0].lower()}{first.sentence[1:]}")
    return tuple(lines)


def deciding(found: Grid | None, flips: Sequence[Flip]) -> Flip | None:
    """The first flip that leads to whoever wins the grid beside the pick; else the first of all."""
    rivals = [rival for rival, _ in found.shares] if found else []
    named = [f for rival in rivals for f in flips if f.winner == rival]
    return next(iter([*named, *flips]), None)


def name(candidate: Candidate) -> str:
    """The candidate as the grid names it."""
    return route_words(candidate)


def unsure(candidates: Sequence[Candidate]) -> Candidate | None:
    """The fastest that fell out because its price may be of a machine with less memory."""
    return next((c for c in candidates if c.reason_code == "price-size"), None)


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
    """``×200 [190–210] the speed of CPU (508 tokens/s) on <task>``, with its interval or that it has none."""
    task = field.main_task
    result = task.of(candidate.system.key)
    rate = result.rate if result and result.rate else candidate.rates[0][1]
    stated = result.interval if result else None
    absolute = f"{number(rate)} {task.unit}"
    if candidate.speed is None or candidate.system.key == field.reference.key or not is_cpu(field.reference):
        shown = f" [{span(stated.low, stated.high)}]" if stated else ", no interval stated,"
        return f"{absolute}{shown} on {task.short_label}"
    known = candidate.speed_stated
    shown = f"[{span(known.low, known.high)}] " if known else ""
    state = "" if known else ", no interval stated"
    base = task.of(field.reference.key)
    over = f"{ratio(candidate.speed.value)} {shown}the speed of {field.reference.label}"
    if base is not None and told_kinds(base):
        over += f", whose own figure is {told_kinds(base)}"
    return f"{over} ({absolute}{state}) on {task.short_label}"


def score_words(candidate: Candidate) -> str:
    score, unit = candidate.score or 0, candidate.score_unit
    return (
        f"{usd(score)} {unit.removeprefix('USD ')}" if unit.startswith("USD ") else f"{number(score)} {unit}"
    )


def fit_words(fitted: Fit) -> str:
    return ("Fits only just: " if fitted.verdict == "tight" else "Fits: ") + fitted.sentence.rstrip(".")


def rests_on(field: Field, evidence: Evidence) -> tuple[str, ...]:
    """What the comparison rests on, one sentence a source: how many rows, of what, measured by whom."""
    lines = []
    found = [r for system in field.systems for r in field.results(system) if r is not None]
    own = {r["source_id"] for r in evidence.rows if r["origin"] == "measured"}
    for source_id in sorted({s for _, task in field.tasks for s in task.source_ids}):
        source = evidence.sources.get(source_id)
        results = [r for r in found if source_id in r.source_ids]
        rows = [row for r in results for row in r.rows if row["source_id"] == source_id]
        title = source.title if source else source_id
        if source and source.published:
            title += f", {written_day(source.published)}"
        whose = "measured by this project" if source_id in own else "published elsewhere"
        lines.append(
            f"{plural(len(rows), 'row')}, {whose}, on "
            f"{plural(len({r.system.key for r in results}), 'system')}: {title}."
        )
    return tuple(lines)
