"""The answer to a reader's question, by one rule for all readers, from evidence and prices alone.

Fit first, then speed in tiers, then money: ``guide.screen`` decides who is in the running, ``guide.judge``
ranks, ``guide.flips`` asks what would change it, ``guide.confidence`` how sure it is. This module puts the
parts into one ``Answer`` and writes its sentences. No sentence here is about a particular device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from guide import flips as flip
from guide.confidence import confidence, gaps
from guide.cost import Assumptions, assumption_lines, usd_per_million
from guide.evidence import Evidence
from guide.figures import day, number, plural, ratio, usd
from guide.fit import fit_all
from guide.judge import Contender, Decision, Ranked, Rule, decide, explain
from guide.model import Answer, Candidate, Fit, Flip, Grid, System
from guide.scenarios import OBJECTIVES, ROUTES, Question, Scenario
from guide.screen import Field, Screened, fallen, find_field, rates, route_words, screen
from guide.tasks import is_cpu

#: Flip points that are kept in an answer, the nearest first.
FLIPS_KEPT = 8


def answer(scenario: Scenario, evidence: Evidence, given: Assumptions | None = None) -> Answer:
    """The scenario's answer under its own assumptions, or under the reader's (``given``)."""
    given = given or scenario.given
    asked = scenario.questions[0]
    question, field = _answerable(scenario, evidence)
    if field is None:
        return _silent(scenario, evidence, given)
    screened = screen(scenario, question, field, evidence)
    rule = Rule(scenario.objective, scenario.whole_machine, field.reference_rate)
    decision = decide(screened.contenders, rule, given)
    candidates = _candidates(scenario, field, screened, decision, rule, given)
    leader = None if decision.ranked else _leader(scenario, field, screened, rule, given)
    flips = _flips(screened.contenders, rule, given)
    found = flip.grid(screened.contenders, rule, given, scenario.grid)
    pick = candidates[0] if decision.ranked else None
    ranked = [c for c in candidates if c.place]
    tied = tuple(c for c in ranked[1:] if pick and c.tier == pick.tier and c.system != pick.system)
    return Answer(
        scenario_key=scenario.key,
        title=scenario.title,
        reader=scenario.reader,
        asked=asked.text,
        answered=question.text,
        headline=_headline(scenario, field, pick, leader, tied, found),
        pick=pick,
        runner_up=next((c for c in ranked if pick and c.system != pick.system), None),
        leader=leader,
        tied=tied,
        how_many=_how_many(scenario, pick, given) if pick else None,
        candidates=candidates,
        confidence=confidence(pick, field, found, preferred=question is asked),
        flips=flips[:FLIPS_KEPT],
        grid=found,
        gaps=gaps(scenario, asked, question, field, candidates, flips, evidence),
        tasks=tuple(task for _, task in field.tasks),
        reference=field.reference.label,
        objective=OBJECTIVES[scenario.objective],
        assumptions=_assumption_lines(given, evidence),
        rests_on=_rests_on(field, evidence),
        as_of=evidence.as_of or date.min,
    )


def answers(evidence: Evidence) -> tuple[Answer, ...]:
    """The answers to all scenarios, in their order."""
    return tuple(answer(scenario, evidence) for scenario in evidence.settings.scenarios)


def _answerable(scenario: Scenario, evidence: Evidence) -> tuple[Question, Field | None]:
    """The first question with enough comparable systems that also fit; the last one otherwise."""
    for question in scenario.questions:
        field = find_field(scenario, question, evidence)
        if field is None:
            continue
        fitting = [s for s in field.systems if _fits(question, s, evidence)]
        if len(fitting) >= question.min_systems:
            return question, field
    return scenario.questions[-1], None


def _fits(question: Question, system: System, evidence: Evidence) -> bool:
    fitted = fit_all(question.must_fit, system, evidence.rows_by_system[system.key])
    return fitted is None or fitted.ok


def _silent(scenario: Scenario, evidence: Evidence, given: Assumptions) -> Answer:
    """The answer when no question can be answered."""
    asked = scenario.questions[0]
    most = max(q.min_systems for q in scenario.questions)
    return Answer(
        scenario_key=scenario.key,
        title=scenario.title,
        reader=scenario.reader,
        asked=asked.text,
        answered="",
        headline=f"Not enough evidence: fewer than {most} comparable systems have been measured on this.",
        pick=None,
        runner_up=None,
        leader=None,
        tied=(),
        how_many=None,
        candidates=(),
        confidence=confidence(None, None, None, preferred=False),
        flips=(),
        grid=None,
        gaps=gaps(scenario, asked, None, None, (), (), evidence),
        tasks=(),
        reference=None,
        objective=OBJECTIVES[scenario.objective],
        assumptions=_assumption_lines(given, evidence),
        rests_on=(),
        as_of=evidence.as_of or date.min,
    )


def _assumption_lines(given: Assumptions, evidence: Evidence) -> tuple[tuple[str, str], ...]:
    return assumption_lines(given, dict(evidence.settings.assumption_sources), evidence.settings.given)


def _candidates(
    scenario: Scenario,
    field: Field,
    screened: Screened,
    decision: Decision,
    rule: Rule,
    given: Assumptions,
) -> tuple[Candidate, ...]:
    """Everyone, places first; then those that fell out, the faster first, those without a speed last."""
    placed = [
        _placed(scenario, field, screened, decision, place, ranked)
        for place, ranked in enumerate(decision.ranked, start=1)
    ]
    out = [
        replace(
            fallen(
                c.system,
                (decision.out[c.key], explain(c, rule, given, decision.out[c.key])),
                field,
                screened.fits[c.system.key],
                c.route,
            ),
            price=c.price,
        )
        for c in screened.contenders
        if c.key in decision.out
    ]
    out += screened.out
    out.sort(key=lambda c: (-(c.speed.value if c.speed else 0), c.system.key, c.route or ""))
    return (*placed, *out)


def _placed(
    scenario: Scenario,
    field: Field,
    screened: Screened,
    decision: Decision,
    place: int,
    ranked: Ranked,
) -> Candidate:
    contender, first = ranked.contender, decision.ranked[0]
    score, unit = _score(scenario, field, ranked)
    better = _dominating(ranked, decision.ranked)
    code, reason = _standing(ranked, first, place, better)
    return Candidate(
        system=contender.system,
        route=contender.route,
        place=place,
        tier=ranked.tier,
        reason_code=code,
        reason=reason,
        speed=contender.speed,
        speed_interval_known=field.interval_known(contender.system),
        rates=rates(field, contender.system),
        score=score,
        score_unit=unit,
        fit=screened.fits[contender.system.key],
        price=contender.price,
        cost=ranked.cost,
        power_w=contender.system.power_w,
        dominated_by=flip.name_of(better.contender) if better else None,
    )


def _score(scenario: Scenario, field: Field, ranked: Ranked) -> tuple[float, str]:
    """The objective's figure as a reader knows it: a ratio, USD for much work, or joules for a unit."""
    if scenario.objective == "fastest":
        return ranked.merit.value, f"times {field.reference.label}"
    unit = field.main_task.unit or "units/s"
    work = unit.removesuffix("/s")
    if scenario.objective == "least-energy":
        return 1 / ranked.merit.value, f"J per {work.removesuffix('s')}"
    rate = ranked.contender.speed.value * field.reference_rate
    hours = ranked.cost.hours_per_month
    return usd_per_million(ranked.cost.usd_per_month, rate, hours), f"USD per million {work}"


def _dominating(ranked: Ranked, everyone: Sequence[Ranked]) -> Ranked | None:
    """The cheapest other one that is surely faster (its band lies above) and costs no more a month."""
    better = [
        other
        for other in everyone
        if other.contender.speed.low > ranked.contender.speed.high
        and other.cost.usd_per_month <= ranked.cost.usd_per_month
    ]
    return min(better, key=lambda r: (r.cost.usd_per_month, r.contender.key), default=None)


def _standing(ranked: Ranked, first: Ranked, place: int, better: Ranked | None) -> tuple[str, str]:
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


def _leader(
    scenario: Scenario, field: Field, screened: Screened, rule: Rule, given: Assumptions
) -> Candidate | None:
    """Whoever would win if prices that are too old still held; with a note that they may not."""
    supposed = {c.key: c.price.usd for c in screened.contenders if c.price}
    decision = decide(screened.contenders, rule, given, supposed)
    if not decision.ranked:
        return None
    return replace(
        _placed(scenario, field, screened, decision, 1, decision.ranked[0]),
        place=None,
        reason_code="price-stale",
        reason="Would be the pick if its last known price still held.",
    )


def _flips(contenders: Sequence[Contender], rule: Rule, given: Assumptions) -> tuple[Flip, ...]:
    """Inputs first (a reader knows their own), then prices, the nearest first."""
    return flip.input_flips(contenders, rule, given) + flip.price_flips(contenders, rule, given)


def _how_many(scenario: Scenario, pick: Candidate, given: Assumptions) -> int | None:
    """How many of the pick the budget pays for, for work that runs side by side: no scaling is claimed."""
    if not scenario.count_how_many or given.budget_usd is None or pick.cost is None or pick.price is None:
        return None
    if pick.price.basis == "card":
        rest = given.budget_usd - pick.cost.up_front_usd
        return 1 + int(rest // (pick.price.usd + given.host_extra_card_usd * pick.system.count))
    return int(given.budget_usd // pick.cost.total_usd)


def _headline(
    scenario: Scenario,
    field: Field,
    pick: Candidate | None,
    leader: Candidate | None,
    tied: Sequence[Candidate],
    found: Grid | None,
) -> str:
    if pick is None:
        return _no_pick(leader)
    task = field.main_task
    parts = [
        f"{route_words(pick)} at {_price_words(pick)}: {_speed_words(pick, field)} on {task.short_label}"
    ]
    if pick.score is not None and scenario.objective != "fastest":
        parts.append(f"{_score_words(pick)}")
    if pick.fit is not None:
        parts.append(_fit_words(pick.fit))
    if tied:
        names = sorted({c.system.label for c in tied})
        more = f" and {len(names) - 2} more" if len(names) > 2 else ""
        parts.append(f"tied with {', '.join(names[:2])}{more}")
    if found is not None:
        parts.append(flip.grid_words(found))
    return "; ".join(parts) + "."


def _no_pick(leader: Candidate | None) -> str:
    if leader is None:
        return "Not enough evidence: no system that fits and is fast enough has a price inside the budget."
    return (
        "Not enough evidence: every price that matters is missing, too old or over the budget. At its last "
        f"known price it would be {route_words(leader)}: {_price_words(leader)}."
    )


def _price_words(candidate: Candidate) -> str:
    price = candidate.price
    if price is None:
        return "an unknown price"
    return f"{usd(price.usd)}{' an hour' if price.route == 'rent' else ''} ({day(price.observed_on)})"


def _speed_words(candidate: Candidate, field: Field) -> str:
    rate = candidate.rates[0]
    absolute = f"{number(rate[1])} {rate[2]}"
    if candidate.speed is None or candidate.system.key == field.reference.key or not is_cpu(field.reference):
        return absolute
    return f"{ratio(candidate.speed.value)} the speed of {field.reference.label} ({absolute})"


def _score_words(candidate: Candidate) -> str:
    return f"{number(candidate.score or 0)} {candidate.score_unit}"


def _fit_words(fitted: Fit) -> str:
    return ("fits only just: " if fitted.verdict == "tight" else "fits: ") + fitted.sentence.rstrip(".")


def _rests_on(field: Field, evidence: Evidence) -> tuple[str, ...]:
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


def prices_by_route(candidates: Sequence[Candidate]) -> Mapping[str, tuple[Candidate, ...]]:
    """Candidates with a place by route, in their order: routes are shown side by side, not blended."""
    return {
        route: tuple(c for c in candidates if c.place and c.route == route)
        for route in ROUTES
        if any(c.place and c.route == route for c in candidates)
    }
