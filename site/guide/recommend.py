"""The answer to a reader's question, by one rule for all readers, from evidence and prices alone.

Fit first, then speed in tiers, then money: ``decide.screen`` decides who is in the running, ``decide.judge``
ranks, ``decide.flips`` asks what would change it, ``decide.confidence`` how sure it is. This module puts the
parts into one ``Answer`` and writes its sentences. No sentence here is about a particular device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from guide.decide import flips as flip
from guide.decide import wording
from guide.decide.confidence import confidence
from guide.decide.cost import Assumptions, assumption_lines, usd_per_million
from guide.decide.field import Field, find_field, fitting
from guide.decide.gaps import gaps
from guide.decide.judge import Contender, Decision, Ranked, Rule, decide, explain
from guide.decide.scenarios import OBJECTIVES, Question, Scenario
from guide.decide.screen import Screened, fallen, rates, screen
from guide.decide.verdicts import Answer, Candidate, Flip
from guide.evidence import Evidence

#: Flip points that a page shows at once, the nearest first; the others are folded.
FLIPS_SHOWN = 8


def answer(scenario: Scenario, evidence: Evidence, given: Assumptions | None = None) -> Answer:
    """The scenario's answer under its own assumptions, or under the reader's (``given``)."""
    given = given or scenario.given
    asked = scenario.questions[0]
    question, field = answerable(scenario, evidence)
    if field is None:
        return _silent(scenario, evidence, given)
    screened = screen(scenario, question, field, evidence)
    rule = Rule(scenario.objective, scenario.whole_machine, field.reference_rate)
    decision = decide(screened.contenders, rule, given)
    candidates = judged(scenario, field, screened, decision, rule, given)
    leader = None if decision.ranked else _leader(scenario, field, screened, rule, given)
    flips = _flips(screened.contenders, rule, given)
    found = flip.grid(screened.contenders, rule, given, scenario.grid)
    pick = candidates[0] if decision.ranked else None
    ranked = [c for c in candidates if c.place]
    call = wording.call(ranked, found)
    tied = tuple(c for c in ranked[1:] if pick and c.tier == pick.tier and c.system != pick.system)
    return Answer(
        scenario_key=scenario.key,
        title=scenario.title,
        reader=scenario.reader,
        asked=asked.text,
        answered=question.text,
        call=call,
        headline=wording.headline(scenario, field, ranked, leader, found, call, wording.unsure(candidates)),
        notes=wording.notes(ranked, tied, found, flips, call),
        pick=pick,
        runner_up=next((c for c in ranked if pick and c.system != pick.system), None),
        leader=leader,
        tied=tied,
        how_many=_how_many(scenario, pick, given) if pick else None,
        candidates=candidates,
        confidence=confidence(ranked, field, found, preferred=question is asked),
        flips=flips,
        grid=found,
        gaps=gaps(scenario, asked, question, field, candidates, flips, leader, evidence),
        tasks=tuple(task for _, task in field.tasks),
        reference=field.reference.label,
        objective=OBJECTIVES[scenario.objective],
        assumptions=_assumption_lines(given, evidence),
        rests_on=wording.rests_on(field, evidence),
        as_of=evidence.as_of or date.min,
    )


def answers(evidence: Evidence) -> tuple[Answer, ...]:
    """The answers to all scenarios, in their order."""
    return tuple(answer(scenario, evidence) for scenario in evidence.settings.scenarios)


def answerable(scenario: Scenario, evidence: Evidence) -> tuple[Question, Field | None]:
    """The first question with enough comparable systems that also fit; the last one otherwise."""
    for question in scenario.questions:
        field = find_field(scenario, question, evidence)
        if field is None:
            continue
        if len(fitting(question, field, evidence)) >= question.min_systems:
            return question, field
    return scenario.questions[-1], None


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
        call="none",
        headline=f"Not enough evidence: fewer than {most} comparable systems have been measured on this.",
        notes=(),
        pick=None,
        runner_up=None,
        leader=None,
        tied=(),
        how_many=None,
        candidates=(),
        confidence=confidence((), None, None, preferred=False),
        flips=(),
        grid=None,
        gaps=gaps(scenario, asked, None, None, (), (), None, evidence),
        tasks=(),
        reference=None,
        objective=OBJECTIVES[scenario.objective],
        assumptions=_assumption_lines(given, evidence),
        rests_on=(),
        as_of=evidence.as_of or date.min,
    )


def _assumption_lines(given: Assumptions, evidence: Evidence) -> tuple[tuple[str, str], ...]:
    return assumption_lines(given, dict(evidence.settings.assumption_sources), evidence.settings.given)


def judged(
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
                screened.fit_of(c),
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
    code, reason = wording.standing(ranked, first, place, better)
    return Candidate(
        system=contender.system,
        route=contender.route,
        place=place,
        tier=ranked.tier,
        reason_code=code,
        reason=reason,
        speed=contender.speed,
        speed_interval_known=field.interval_known(contender.system),
        speed_stated=field.stated(contender.system),
        rates=rates(field, contender.system),
        score=score,
        score_unit=unit,
        fit=screened.fit_of(contender),
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
        return 1 / ranked.merit.value, f"J per {work.removesuffix('s')} at rated power"
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


def _leader(
    scenario: Scenario, field: Field, screened: Screened, rule: Rule, given: Assumptions
) -> Candidate | None:
    """Whoever would win if prices that are too old still held; with a note that they may not."""
    supposed = {c.price_key: c.price.usd for c in screened.contenders if c.price}
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
