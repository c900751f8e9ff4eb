"""Why a card of several times the means may be hardly faster: both rooflines, and what was reached of
them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.measure.gate import SLOW
from guide import paths
from guide.analysis.findings import EXPLAINED, ON_PAPER, sound
from guide.evidence import Evidence
from guide.explain import batching, bounds, taken
from guide.explain.cases import Case, cases
from guide.explain.claims import (
    Claim,
    Num,
    Section,
    Topic,
    Words,
    claim,
    of_surprise,
    rate_of,
    ratio_of,
    rows_page,
    span,
    unknown,
)
from guide.explain.shares import share_num
from guide.explain.work import least, members
from guide.show import figures
from guide.show.tables import Provenance
from guide.views.origins import page_of

MAX_OTHERS = 8
#: Cards from which on it is told how their times spread.
FEW = 3


def topic(evidence: Evidence) -> Topic:
    """The page's content."""
    found = cases(evidence)
    lead = found[0] if found and found[0].hidden else None
    sections = [_the_case(lead, found, evidence)] if found else []
    sections += [bounds.section(evidence), batching.section(evidence, lead.task if lead else None)]
    sections += _others(found, lead, evidence)
    return Topic(
        key="close",
        path=paths.WHY_CLOSE,
        nav="Hardly faster",
        title=_title(lead),
        description="Why a card with several times the bandwidth or arithmetic can be hardly faster: "
        "rooflines, what was reached of them, and what batching changes.",
        answer=_answer(lead, found, evidence),
        sections=[s for s in sections if s is not None],
        facts=_facts(lead or found[0]) if found else (),
    )


def _facts(case: Case) -> list[tuple[str, str]]:
    """Practice against paper, both rates, and both shares of what is possible."""
    allowed = _range(figures.ratio, *case.paper)
    sides = ((case.strong, case.shares[0]), (case.weak, case.shares[1]))
    rates = [(result.system.label, rate_of(result).text) for result, _ in sides]
    shares = "; ".join(_range(figures.percent, share.low, share.high) for _, share in sides)
    practice = f"{figures.ratio(case.found.value)}, where the roofline allows {allowed}"
    return [("In practice", practice), *rates, ("Of what is possible", shares)]


def _range(form: Callable[[float], str], low: float, high: float) -> str:
    ends = form(low), form(high)
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _title(lead: Case | None) -> str:
    if lead is None:
        return "Why may a card of twice the means be hardly faster?"
    a, b = lead.strong.system.label, lead.weak.system.label
    if lead.found.verdict == "tied":
        return f"Why is {a} no faster than {b}?"
    return f"Why is {a} only {figures.percent(lead.found.value - 1)} faster than {b}?"


def _answer(lead: Case | None, found: Sequence[Case], evidence: Evidence) -> Claim:
    if not found:
        return unknown(
            "We do not know yet: the store holds no two devices of one maker on one task whose least time "
            "can "
            f"be worked out and differs by {figures.ratio(ON_PAPER)} or more."
        )
    if lead is None:
        values = [case.found.value for case in found]
        return claim(
            "It is not so in the store’s rows: wherever the roofline lets one card be at least "
            f"{figures.ratio(ON_PAPER)} as fast as another of its maker ({{n}}), it shows: {{least}} to "
            "{most} in practice.",
            n=figures.plural(len(found), "comparison"),
            least=_bound_num(min(found, key=lambda c: c.found.value)),
            most=_bound_num(max(found, key=lambda c: c.found.value)),
            why=_rest(values),
        )
    paper = _paper(lead)
    return claim(
        "{verdict} on {task}, where the roofline allows {paper} as fast.",
        verdict=_verdict(lead),
        task=lead.task.short_label,
        paper=paper,
        why=" ".join(part for part in (_reading(lead), _seen(lead, evidence)) if part),
        page=page_of(evidence, lead.task),
    )


def _rest(values: list[float]) -> str:
    slower = sum(value < 1 for value in values)
    if not slower:
        return ""
    return (
        f"In {slower} of them the card with more on paper is the slower one: that is a question of its own."
    )


def _bound_num(case: Case) -> Num:
    return ratio_of(case.found, case.strong, case.weak)


def _verdict(case: Case) -> Words:
    """``A is 15 % faster than B``, or that they are tied."""
    a, b = case.strong.system.label, case.weak.system.label
    if case.found.verdict == "tied":
        return f"{a} and {b} are tied (", ratio_of(case.found, case.strong, case.weak), ")"
    origin = Provenance((case.strong, case.weak), "ratio")
    return f"{a} is ", Num(case.found.value - 1, "percent", origin=origin), f" faster than {b}"


def _paper(case: Case) -> Words:
    """What the roofline allows: ``×2.00``, or the range over what a name may mean."""
    origin = Provenance((case.strong.system, case.weak.system), "least")
    return span(*(Num(value, "ratio", origin=origin) for value in case.paper))


def _unequal(case: Case) -> str:
    a, b = case.shares
    if a.high < b.low:
        return (
            "The lesser card is nearer to its own limit than the larger one is: what the larger one has more "
            "of waits."
        )
    return (
        "How near each comes to its limit does not tell them apart: we do not know what holds the larger one."
    )


def _the_case(lead: Case | None, found: Sequence[Case], evidence: Evidence) -> Section:
    shown = lead or found[0]
    a, b = shown.strong, shown.weak
    told = [
        claim(
            "{a} does {rate_a}, {b} {rate_b}: {ratio}{tied}.",
            a=a.system.label, rate_a=rate_of(a), b=b.system.label, rate_b=rate_of(b),
            ratio=ratio_of(shown.found, a, b),
            tied=", a tie within what such figures can tell" if shown.found.verdict == "tied" else "",
            page=rows_page(evidence, a),
        ),
        _on_paper(shown, evidence),
        claim(
            "Of what is possible {a} reaches {share_a}, {b} {share_b}.",
            a=a.system.label, share_a=share_num(shown.shares[0], a),
            b=b.system.label, share_b=share_num(shown.shares[1], b),
            why=_share_words(shown),
        ),
        *_together(shown, evidence),
    ]  # fmt: skip
    charts = [chart for chart in (taken.times(shown, evidence), taken.picture(shown, evidence)) if chart]
    return Section(
        heading=f"The case: {shown.task.short_label}",
        anchor="case",
        intro="The roofline of a device is the least time that its arithmetic and its memory allow a piece "
        "of work. The work’s size is known by formula; the ceilings are the makers’ dense peaks and "
        "bandwidths.",
        claims=told,
        charts=charts,
        tables=[taken.table(shown.task, shown.work, evidence)],
    )


def _together(case: Case, evidence: Evidence) -> list[Claim]:
    """Whether the times of this maker's cards on the task differ as what they could do differs."""
    known = [
        (result, floor)
        for result in sound(case.task)
        if result.system.vendor == case.strong.system.vendor
        and (floor := least(case.work, result.system, evidence)) is not None
    ]
    if len(known) < FEW or not case.idle:
        return []
    known.sort(key=lambda k: (k[1].low_s, k[0].system.key))
    (quick, fewest), (slow, most) = known[0], known[-1]
    rates = sorted((result for result, _ in known), key=lambda r: (r.rate or 0, r.system.key))
    paper, took = most.low_s / fewest.high_s, (rates[-1].rate or 0) / (rates[0].rate or 1)
    return [
        claim(
            "Over {n} of {maker} the least time differs by {paper} or more, the time taken by {took}.",
            n=figures.plural(len(known), "device"), maker=case.strong.system.vendor,
            paper=Num(paper, "ratio", origin=Provenance((slow.system, quick.system), "least")),
            took=Num(took, "ratio", origin=Provenance((rates[-1], rates[0]), "ratio")),
            why="The time follows little of what a card can do."
            if took * ON_PAPER <= paper
            else "The time follows what a card can do.",
        )
    ]  # fmt: skip


def _share_words(case: Case) -> str:
    if not case.idle:
        return ""
    return f"Below {figures.percent(SLOW)}, as here, neither arithmetic nor memory sets the pace."


def _reading(case: Case) -> str:
    """What the two shares say of the reason."""
    if case.launch_bound:
        return (
            "Neither comes near what it can do: neither arithmetic nor memory sets the pace. In work of many "
            "small steps, one sequence at a time, what is left is launching one small operation after "
            "another, and the program around them, which a larger card does not shorten."
        )
    if case.idle:
        return "Neither comes near what it can do. What holds both, the rows do not say."
    return _unequal(case)


def _seen(case: Case, evidence: Evidence) -> str:
    """Whether cards that were measured here bear out that launching holds such work; or that none was."""
    if not case.launch_bound:
        return ""
    found = bounds.of_cards(evidence, case.task)
    held = [result for result in found if result.bound == "overhead"]
    if not found:
        return "That is a conclusion: no row measures on a graphics card where the time of this work goes."
    names = ", ".join(sorted({result.system.label for result in held or found}))
    if len(held) == len(found):
        return f"Measured here, overhead limits this work on {names}."
    if not held:
        return f"Measured here it is not so: on {names}, memory or arithmetic limits this work."
    cases = figures.plural(len(found), "result")
    return f"Measured here, overhead limits this work on {names}: {len(held)} of {cases} on cards."


def _on_paper(case: Case, evidence: Evidence) -> Claim:
    a, b = (least(case.work, r.system, evidence) for r in (case.strong, case.weak))
    assert a is not None
    assert b is not None
    several = [r.system for r in (case.strong, case.weak) if len(members(r.system, evidence)) > 1]
    which = "".join(
        f" {s.label} may be any of {figures.plural(len(members(s, evidence)), 'card')}: the source does not "
        "say."
        for s in several
    )
    return claim(
        "{unit} takes at least {work}: {time_a} on {a}, {time_b} on {b}, both by their {bound}.{which}",
        unit=taken.UNITS.get(case.task.unit or "", "One unit of work"),
        work=taken.work_words(case.work),
        time_a=taken.least_num(a, case.strong), a=case.strong.system.label,
        time_b=taken.least_num(b, case.weak), b=case.weak.system.label,
        bound=a.bound if a.bound == b.bound else f"limits ({a.bound}; {b.bound})",
        which=which,
        why=f"Arithmetic and traffic {case.work.basis}.",
    )  # fmt: skip


def _others(found: Sequence[Case], lead: Case | None, evidence: Evidence) -> list[Section]:
    """The other workloads' most telling cases, and the findings of the home page that lead here."""
    best: dict[tuple[str, str], Case] = {}
    for case in found:
        if case.hidden and case is not lead:
            best.setdefault((case.task.workload, case.task.source_ids[0]), case)
    told = [
        claim(
            "{verdict} on {task}, where the roofline allows {paper}.",
            verdict=_verdict(case), task=case.task.short_label, paper=_paper(case),
            why=_reading(case), page=page_of(evidence, case.task),
        )
        for case in list(best.values())[:MAX_OTHERS]
    ]  # fmt: skip
    kinds = {kind for kind, path in EXPLAINED.items() if path == paths.WHY_CLOSE}
    told += [of_surprise(s, evidence) for s in evidence.surprises if s.kind in kinds]
    if not told:
        return []
    return [Section("Other cases in the store", "cases", claims=told)]
