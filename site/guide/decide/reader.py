"""A reader's own numbers: what may be set, the answer under them, and what a browser needs for it too.

``assets/js/decide.js`` repeats ``screen``, ``fit``, ``cost``, ``tiers`` and ``judge`` over the records of
``handout``; ``candidates`` is the same in Python. ``tests/browser/reader/test_parity.py`` draws numbers and
holds the two against each other. Speeds are never worked out for another model: only the fit is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from guide.analysis.labels import dtype_words, model_words
from guide.decide import fit, flips, turns
from guide.decide.cost import LABELS, Assumptions
from guide.decide.field import Field
from guide.decide.fit import Requirement, Run
from guide.decide.judge import Contender, Rule, decide
from guide.decide.limits import CONTEXT, FLOOR, LIMITS
from guide.decide.scenarios import ROUTES, Question, Scenario
from guide.decide.screen import (
    Screened,
    by_evidence,
    by_kind,
    floor_figure,
    floor_tasks,
    no_way,
    screen,
    ways_of,
)
from guide.decide.verdicts import Candidate
from guide.evidence import Evidence
from guide.model import Price, System, Task
from guide.recommend import FLIPS_SHOWN, answerable, judged
from guide.show.figures import gigabytes

#: Types of stored weights that a page offers; other spellings of the same size are left out.
DTYPES = tuple(name for name in fit.WEIGHT_BYTES if name not in ("tf32", "f32", "f16"))


@dataclass(frozen=True)
class Numbers:
    """One reader's numbers: ``needs`` and ``floors`` (least rates) in the order of the question's own."""

    given: Assumptions
    needs: tuple[Requirement, ...]
    floors: tuple[float, ...]


@dataclass(frozen=True)
class Asked:
    """What a reader's numbers are about: the scenario's question that the guide answers, with a least speed
    for the task that decides (0 where the question states none), and the comparison it is answered on."""

    scenario: Scenario
    question: Question
    field: Field
    evidence: Evidence

    @property
    def rule(self) -> Rule:
        """What the scenario ranks by."""
        scenario = self.scenario
        return Rule(scenario.objective, scenario.whole_machine, self.field.reference_rate)

    @property
    def numbers(self) -> Numbers:
        """The guide's own numbers."""
        floors = tuple(floor.min_rate or 0.0 for floor in self.question.floors)
        return Numbers(self.scenario.given, self.question.must_fit, floors)


def ask(scenario: Scenario, evidence: Evidence) -> Asked | None:
    """What the scenario asks; None where no question can be answered."""
    question, field = answerable(scenario, evidence)
    if field is None:
        return None
    main = max(field.tasks, key=lambda pair: pair[0].weight)[0]
    if all(floor.columns != main.columns for floor in question.floors):
        question = replace(question, floors=(replace(main, min_rate=0.0), *question.floors))
    return Asked(scenario, question, field, evidence)


def screened(asked: Asked, numbers: Numbers) -> Screened:
    """Who is in the running under these numbers before money is looked at, and who fell out."""
    floors = zip(asked.question.floors, numbers.floors, strict=True)
    question = replace(
        asked.question,
        must_fit=numbers.needs,
        floors=tuple(replace(floor, min_rate=least) for floor, least in floors),
    )
    return screen(asked.scenario, question, asked.field, asked.evidence)


def candidates(asked: Asked, numbers: Numbers) -> tuple[Candidate, ...]:
    """Everyone under these numbers, places first: what the browser has to find as well."""
    found = screened(asked, numbers)
    decision = decide(found.contenders, asked.rule, numbers.given)
    return judged(asked.scenario, asked.field, found, decision, asked.rule, numbers.given)


def handout(asked: Asked) -> dict[str, Any]:
    """Everything that a decision rests on and a reader's numbers do not change, as JSON. Money in USD, memory
    in bytes, power in watts, rates in the task's unit."""
    scenario, question, field, evidence = asked.scenario, asked.question, asked.field, asked.evidence
    floors = [(floor, floor_tasks(floor, field, evidence)) for floor in question.floors]
    main = field.main_task
    reasons: dict[tuple[str, str], int] = {}
    systems = [_system(s, asked, [tasks for _, tasks in floors], reasons) for s in evidence.systems.values()]
    return {
        "kind": "scenario",
        "objective": scenario.objective,
        "wholeMachine": scenario.whole_machine,
        "countHowMany": scenario.count_how_many,
        "referenceRate": field.reference_rate,
        "reference": field.reference.label,
        "unit": main.unit or "units/s",
        "task": main.short_label,
        "routes": ROUTES,
        "ways": list(scenario.routes),
        "given": dataclasses.asdict(scenario.given),
        "limits": limits(),
        "needs": [dataclasses.asdict(need) for need in question.must_fit],
        "floors": [
            {
                "label": floor.label,
                "unit": next((t.unit for t in tasks if t.unit), main.unit) or "",
                "least": floor.min_rate or 0.0,
                "because": floor.because,
            }
            for floor, tasks in floors
        ],
        "timed": sorted({_timed(task.columns) for _, task in field.tasks if task.columns["model"]}),
        "systems": systems,
        "reasons": [list(reason) for reason in reasons],
        "flips": {
            "precision": turns.PRECISION,
            "leastStep": turns.LEAST_STEP,
            "hair": turns.HAIR,
            "ranges": flips.RANGES,
            "budgetSpan": flips.BUDGET_SPAN,
            "steps": turns.STEPS,
            "mostDearer": flips.MOST_DEARER,
            "mostUsd": flips.MOST_USD,
            "leastPrice": flips.LEAST_PRICE,
            "shown": FLIPS_SHOWN,
            "labels": LABELS,
            "grid": scenario.grid,
        },
        **sizes(question.must_fit),
    }


def limits() -> dict[str, list[Any]]:
    """Name -> letter, least and greatest value, as ``decide.js`` reads an address."""
    every = LIMITS | {"context": CONTEXT, "floor": FLOOR}
    return {name: [limit.letter, limit.low, limit.high] for name, limit in every.items()}


def sizes(needs: tuple[Requirement, ...]) -> dict[str, Any]:
    """What a browser needs to work out memory: constants of ``guide.decide.fit``, shapes, bytes of each type.

    A model that the guide asks about keeps the name by which it asks.
    """
    named = {fit.same_model(need.model): need.model for need in needs}
    shapes = [s for s in fit.DECODERS.values() if not s.name.startswith("tiny-")]
    return {
        "fit": {"tight": fit.TIGHT, "passTokens": fit.PASS_TOKENS, "cacheBytes": fit.CACHE_BYTES},
        "models": [
            {
                "name": named.get(shape.name, shape.name),
                "shape": shape.name,
                "words": model_words(named.get(shape.name, shape.name)),
                "params": shape.params,
                "layers": shape.layers,
                "heads": shape.heads,
                "kvHeads": shape.kv_heads,
                "headDim": shape.head_dim,
                "hidden": shape.hidden,
                "intermediate": shape.intermediate,
                "vocab": shape.vocab,
            }
            for shape in sorted(shapes, key=lambda s: s.params)
        ],
        "dtypes": [
            {
                "name": name,
                "same": fit.same_dtype(name),
                "words": dtype_words(name),
                "bytes": fit.WEIGHT_BYTES[name],
            }
            for name in offered(needs)
        ],
    }


def offered(needs: tuple[Requirement, ...]) -> list[str]:
    """The types to choose from, widest first; one that the guide asks about is among them."""
    own = [need.dtype.lower() for need in needs if need.dtype.lower() not in DTYPES]
    return sorted({*DTYPES, *own}, key=lambda name: (-fit.WEIGHT_BYTES[name], name))


def _timed(columns: Mapping[str, Any]) -> tuple[str, str]:
    """Model and type that a task was timed with, each by one name for all its spellings."""
    return fit.same_model(str(columns["model"])), fit.same_dtype(str(columns["weights_dtype"] or ""))


def _system(
    system: System, asked: Asked, floors: list[list[Task]], reasons: dict[tuple[str, str], int]
) -> dict[str, Any]:
    """One system. ``out``: why it falls out whatever the numbers; ``gap``: what the evidence lacks, which is
    only told of what fits; ``none``: why it can be had by no way. All are places in the list of reasons."""
    scenario, field, evidence = asked.scenario, asked.field, asked.evidence
    timed = all(r is not None and r.ok for r in field.results(system))
    found: dict[str, Any] = {"key": system.key, "label": system.label, "count": system.count}
    if timed:
        speed = field.speed(system)
        found["speed"] = [speed.low, speed.value, speed.high]
    out = by_kind(scenario, system)
    if out is not None:
        return found | {"out": reasons.setdefault(out, len(reasons))}
    found |= {
        "device": system.device_id or system.key,
        "power": system.power_w,
        "usable": fit.usable_bytes(system),
        "assumed": fit.assumed_words(system).strip(),
        "runs": ran(system, evidence),
    }
    gap = by_evidence(field, system)
    if gap is not None:
        return found | {"gap": reasons.setdefault(gap, len(reasons))}
    figures = [floor_figure(tasks, system) for tasks in floors]
    offers = [_offer(contender) for contender in ways_of(scenario, field, system, evidence)]
    found |= {
        "floors": [[f[0].rate, f[0].unit or "", f[1]] if f else None for f in figures],
        "offers": offers,
    }
    if not offers:
        none = no_way(scenario, system, evidence)
        found["none"] = reasons.setdefault(none, len(reasons))
    return found


def ran(system: System, evidence: Evidence) -> dict[str, list[list[Any]]]:
    """``<model>|<type>`` -> [tokens, sequences, ran] of the runs that can still settle something, oldest
    first: one that a later run settles everything of is left out."""
    kept: dict[str, list[Run]] = {}
    for run in fit.runs(evidence.rows_by_system[system.key]):
        if run.model in fit.DECODERS and (run.ran or run.tokens):
            before = kept.setdefault(f"{run.model}|{run.dtype}", [])
            before[:] = [*(b for b in before if not _covers(run, b)), run]
    return {name: [[r.tokens, r.batch, r.ran] for r in runs] for name, runs in sorted(kept.items())}


def _covers(later: Run, earlier: Run) -> bool:
    """Whether the later run settles every need that the earlier one does, the same way."""
    if later.ran != earlier.ran:
        return False
    if later.ran:
        return later.tokens >= earlier.tokens and later.batch >= earlier.batch
    return later.tokens <= earlier.tokens and later.batch <= earlier.batch


def _offer(contender: Contender) -> dict[str, Any]:
    return {
        "route": contender.route,
        "basis": contender.basis,
        "price": offered_price(contender.price),
        "least": _least(contender),
    }


def _least(contender: Contender) -> dict[str, Any] | None:
    """The smallest machine that the price may buy: its usable bytes (None where not known) and its size in
    words; None where the price surely buys the system."""
    least = fit.least_system(contender.system, contender.price)
    if least is None:
        return None
    size = least.memory_bytes
    return {"usable": fit.usable_bytes(least), "words": gigabytes(size) if size else ""}


def offered_price(price: Price | None) -> dict[str, Any] | None:
    """What a decision takes from a price."""
    if price is None:
        return None
    return {
        "route": price.route,
        "basis": price.basis,
        "usd": price.usd,
        "fresh": price.fresh,
        "age": price.age_days,
    }
