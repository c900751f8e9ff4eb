"""What a page says beside tables, charts and words, as records for its twin: answers, and what moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Any

from guide import paths
from guide.decide.verdicts import Answer, Candidate

if TYPE_CHECKING:
    from guide.context import Context


def records(path: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """What the page at ``path`` tells of answers and movements; ``values`` are those of its template."""
    ctx: Context | None = values.get("ctx")
    if ctx is None or not ctx.evidence.rows:
        return {}
    if path in (paths.HOME, paths.SCENARIOS):
        return {"answers": [answer_record(answer) for answer in ctx.answers]}
    if isinstance(values.get("answer"), Answer):
        return {"answers": [answer_record(values["answer"], fallen=True)]}
    if path == paths.CHANGES:
        return {"movements": [_plain(asdict(movement)) for movement in ctx.movements]}
    return {}


def answer_record(answer: Answer, fallen: bool = False) -> dict[str, Any]:
    """An answer with all that it rests on; with ``fallen``, everyone that fell out and why."""
    found: dict[str, Any] = {
        "scenario": answer.scenario_key,
        "title": answer.title,
        "asked": answer.asked,
        "answered": answer.answered,
        "call": answer.call,
        "headline": answer.headline,
        "notes": answer.notes,
        "pick": _candidate(answer.pick),
        "runner_up": _candidate(answer.runner_up),
        "tied": [_candidate(one) for one in answer.tied],
        "how_many": answer.how_many,
        "objective": answer.objective,
        "confidence": asdict(answer.confidence),
        "flips": [asdict(flip) for flip in answer.flips],
        "shares": [{"choice": name, "share": share} for name, share in answer.grid.shares]
        if answer.grid
        else [],
        "combinations": answer.grid.cells if answer.grid else 0,
        "assumptions": [{"name": name, "value": value} for name, value in answer.assumptions],
        "rests_on": answer.rests_on,
        "gaps": [{n: v for n, v in asdict(gap).items() if n != "about"} for gap in answer.gaps],
        "as_of": answer.as_of,
    }
    if fallen:
        out = (one for one in answer.candidates if not one.place)
        found["fallen"] = [{"system": one.system.label} | _reason(one) for one in out]
    return _plain(found)


def _reason(one: Candidate) -> dict[str, Any]:
    return {"route": one.route, "reason_code": one.reason_code, "reason": one.reason}


def _candidate(one: Candidate | None) -> dict[str, Any] | None:
    """A choice: what, by which route, at which price of which day, how fast, and what it costs a month."""
    if one is None:
        return None
    return {
        "system": one.system.label,
        "key": one.system.key,
        "route": one.route,
        "place": one.place,
        "tier": one.tier,
        "price_usd": one.price.usd if one.price else None,
        "price_seen_on": one.price.observed_on if one.price else None,
        "usd_per_month": one.cost.usd_per_month if one.cost else None,
        "rates": [{"task": task, "rate": rate, "unit": unit} for task, rate, unit in one.rates],
        "score": one.score,
        "score_unit": one.score_unit,
        "reason": one.reason,
    }


def _plain(value: Any) -> Any:
    """``value`` as JSON has it: days as text, tuples as lists; what is None stays, as null."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value
