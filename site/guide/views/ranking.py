"""A scenario's candidates: the ranking, and those that fell out, by reason."""

from __future__ import annotations

from dataclasses import dataclass

from guide.decide.cost import Assumptions
from guide.decide.scenarios import ROUTES
from guide.decide.screen import route_words
from guide.decide.verdicts import Answer, Candidate
from guide.model import Result
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.answers import over_cpu, reference_of, reference_words, result_of
from guide.views.devices import by_name, system_cell

#: Reason codes of those that fell out, in the order in which they are told -> heading.
REASONS = {
    "budget": "Over the budget",
    "price-stale": "The newest price is too old",
    "price-missing": "No price is known",
    "price-size": "The price may be of less memory",
    "slow": "Too slow to use",
    "memory": "Too little memory",
    "power": "Too much power, or not known",
    "no-evidence": "Not measured on this",
    "class": "Another kind of device, or too many of them",
}


def ranking_table(answer: Answer, given: Assumptions | None = None) -> Table:
    """Everyone with a place, best first; ``given`` are the assumptions that the costs rest on."""
    ranked = [c for c in answer.candidates if c.place]
    unit = answer.tasks[0].unit or ""
    scored = any(c.score is not None and not c.score_unit.startswith("times ") for c in ranked)
    over = reference_words(answer) or "the slowest"
    speed = ("Speed", f"× {over}") if over_cpu(answer) else ("Speed", unit)
    columns = [
        Column("device", "Device"),
        Column("tier", "Tier", kind="number", help="Systems of one tier are tied with its best"),
        *([Column("score", *_score_heading(ranked[0]), "number")] if scored else []),
        Column("speed", *speed, "number"),
        Column("price", "Price", "USD", "number"),
        Column("month", "A month", "USD", "number", f"Under the assumptions below; 1× is {over}"),
        Column("power", "Rated", "W", "number"),
        Column("fits", "Fits"),
        Column("evidence", "Rests on"),
    ]
    rows = [_row(c, answer, given) for c in ranked]
    return Table(
        columns,
        rows,
        caption="In the running, best first",
        caption_hidden=True,
        filterable=len(rows) > 12,
        fold=True,
        row_classes=["is-pick" if c.place == 1 else "is-band" if (c.tier or 0) % 2 else "" for c in ranked],
    )


def _score_heading(first: Candidate) -> tuple[str, str]:
    if first.score_unit.startswith("J "):
        return "Energy", first.score_unit.removesuffix(" at rated power").replace(" per ", "/")
    return "Cost", first.score_unit.replace(" per million ", "/M ")


def _row(c: Candidate, answer: Answer, given: Assumptions | None) -> dict[str, object]:
    result = result_of(c, answer)
    first = next((result_of(o, answer) for o in answer.candidates if o.place and o.tier == c.tier), None)
    return {
        "device": system_cell(c.system, ROUTES[c.route or "buy-new"]),
        "tier": Cell(c.tier, sort=float(c.tier or 0), provenance=Provenance((result, first), "tier")),
        "score": _score_cell(c, result, given),
        "speed": speed_cell(c, answer),
        "price": price_cell(c),
        "month": month_cell(c, given),
        "power": Cell(figures.number(c.power_w), sort=c.power_w, provenance=Provenance((c.system,)))
        if c.power_w is not None
        else Blank("not known"),
        "fits": _fit_cell(c),
        "evidence": evidence_cell(c, answer),
    }


def _score_cell(c: Candidate, result: Result | None, given: Assumptions | None) -> Cell | Blank:
    """The objective's figure, and everything that went into it."""
    if c.score is None:
        return Blank("not known")
    of = (result, c.system) if c.score_unit.startswith("J ") else (result, c.price, given, c.system)
    return Cell(figures.number(c.score), sort=c.score, provenance=Provenance(of, "score"))


def speed_cell(c: Candidate, answer: Answer) -> Cell | Blank:
    """The ratio first where it is over a processor, else the rate; the other one beneath."""
    result = result_of(c, answer)
    if c.speed is None or result is None or result.rate is None:
        return Blank("not known")
    ratio, rate = figures.ratio(c.speed.value), f"{figures.number(result.rate)} {result.unit}"
    reference = reference_of(answer)
    base = answer.tasks[0].of(reference.key) if reference else None
    if over_cpu(answer):
        shown, value, sub, known = ratio, c.speed.value, rate, c.speed_stated
    else:
        shown, value, sub, known = figures.number(result.rate), result.rate, ratio, result.interval
    return Cell(
        shown,
        sort=value,
        interval=figures.span(known.low, known.high) if known else "",
        sub=sub if known else f"{sub}, no{figures.NBSP}interval",
        provenance=Provenance((result, base), "ratio")
        if base and over_cpu(answer)
        else Provenance((result,)),
    )


def price_cell(c: Candidate) -> Cell | Blank:
    if c.price is None:
        return Blank("not known")
    return Cell(
        figures.usd(c.price.usd) + ("/h" if c.price.route == "rent" else ""),
        sort=c.price.usd,
        sub=figures.day(c.price.observed_on) + (f" · {words.ANY_SIZE}" if c.price.any_size else ""),
        provenance=words.price_facts(c.price),
    )


def month_cell(c: Candidate, given: Assumptions | None = None) -> Cell | Blank:
    """USD a month, and for each 1x beneath; what it is made of as its origin."""
    spent = c.cost
    if spent is None or c.speed is None:
        return Blank("not known")
    if spent.route == "rent":
        facts = [f"{figures.number(spent.hours_per_month)} hours a month"]
    else:
        facts = [
            f"{figures.usd(spent.capital_usd_per_month)} for the purchase less resale",
            f"{figures.usd(spent.electricity_usd_per_month)} for electricity",
        ]
    if spent.host_usd:
        facts.append(f"with {figures.usd(spent.host_usd)} for the computer around it")
    return Cell(
        figures.usd(spent.usd_per_month),
        sort=spent.usd_per_month,
        sub=f"{figures.usd(spent.usd_per_month / c.speed.value)} per 1×".replace(" ", figures.NBSP),
        provenance=Provenance((c.price, given, c.system), "month", note="; ".join(facts)),
    )


def _fit_cell(c: Candidate) -> Cell | Blank:
    if c.fit is None:
        return Blank("nothing asked")
    shown = {"fits": "fits", "tight": "only just"}.get(c.fit.verdict, "not known")
    tone = "good" if c.fit.verdict == "fits" else "warn"
    return Cell(
        shown, sub=c.fit.basis, tone=tone, provenance=Provenance((c.system,), "fit", note=c.fit.sentence)
    )


def evidence_cell(c: Candidate, answer: Answer) -> Cell | Blank:
    result = result_of(c, answer)
    if result is None:
        return Blank("not known")
    origin = "measured here" if result.origins == ("measured",) else "published"
    kind = words.kind_words(result)
    several = [figures.plural(result.n, "row")] if result.n > 1 else []
    return Cell(
        origin,
        sub=", ".join([*several, *([kind] if kind else [])]),
        provenance=words.provenance(result),
    )


@dataclass(frozen=True)
class Fallen:
    """Those that fell out for one reason: ``rows`` are (names, sentence), ``count`` how many, in words:
    systems, or choices where a system may fall out by one way of paying and not by another."""

    code: str
    title: str
    count: str
    rows: tuple[tuple[str, str], ...]


def fallen_groups(answer: Answer) -> tuple[Fallen, ...]:
    """Everyone without a place, by reason, then by name; those with the same sentence stand together."""
    out = sorted(
        (c for c in answer.candidates if not c.place), key=lambda c: (by_name(c.system), c.route or "")
    )
    found = []
    for code in [*REASONS, *sorted({c.reason_code for c in out} - set(REASONS))]:
        group = [c for c in out if c.reason_code == code]
        by_reason: dict[str, list[str]] = {}
        for c in group:
            by_reason.setdefault(c.reason, []).append(route_words(c))
        if group:
            rows = tuple((", ".join(names), reason) for reason, names in by_reason.items())
            count = figures.plural(len(group), "choice" if any(c.route for c in group) else "system")
            found.append(Fallen(code, REASONS.get(code, code), count, rows))
    return tuple(found)
