"""Numbers of a reader, drawn at random, and what Python says of them."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from bench.project import DataDir
from guide import recommend
from guide.charts.theme import VENDORS
from guide.decide import reader, wording
from guide.decide.cost import Assumptions, break_even
from guide.decide.fit import Requirement
from guide.decide.scenarios import Scenario
from guide.decide.verdicts import Answer, Candidate
from guide.evidence import Evidence, load_evidence
from guide.recommend import answer
from guide.views.answers import ways
from guide.views.money import money_points
from guide.views.ranking import fallen_groups
from guide.views.reading import SCRIPTS
from guide.views.reading_scenario import scenario_data

ROOT = Path(__file__).parents[3]
DRAWS = 200
#: The whole data has some hundred systems: fewer draws of more contenders.
DRAWS_OF_ALL = 15
CONTEXTS = (1, 512, 2048, 4096, 8192, 32_768, 131_072, 1_000_000)


DECIDE = """
([data, cases]) => cases.map((numbers) => {
  const decision = hwguideDecide.decide(data, numbers);
  const { ranked, out } = decision;
  const told = ({ fit }) => fit && [fit.verdict, fit.basis, fit.sentence];
  return {
    ranked: ranked.map((r) => [
      r.key, r.tier, told(r), r.scoreUnit, hwguideAnswer.standing(data, r, ranked[0], ranked),
    ]),
    figures: ranked.map((r) => [
      r.cost.upFront, r.cost.host, r.cost.total, r.cost.month, r.cost.capital, r.cost.energy, r.cost.hours,
      r.score,
    ]),
    out: out.map((o) => [o.system.key, o.route, o.code, o.reason, told(o)]),
    headline: hwguideAnswer.headline(data, numbers, ranked, out),
    notes: hwguideAnswer.notes(data, numbers, ranked),
    even: hwguideAnswer.scenarioPairs(ranked).map(({ system, own, rent }) => [
      system.key, own.route,
      hwguideDecide.breakEven(system, own.price, rent.price, numbers.given, data.wholeMachine),
    ]),
    many: hwguideAnswer.howMany(data, numbers, ranked),
    ways: hwguideAnswer.ways(data, numbers, ranked, out).map(
      (w) => [w.title, w.name ?? null, w.none ?? null],
    ),
    fallen: hwguideAnswer.fallen(data, out).map((group) => [group.title, group.count, group.rows]),
    points: hwguideAnswer.points(data, decision, numbers).map((p) => [
      p.label, p.x, p.y, p.low ?? null, p.high ?? null, p.vendor, p.frontier, p.hollow, p.note,
    ]),
    again: hwguideDecide.read(data, hwguideDecide.write(data, numbers)),
  };
})
"""


FLIPS = """
([data, cases]) => cases.map((numbers) => {
  const decision = hwguideDecide.decide(data, numbers);
  const found = hwguideFlips.flips(data, decision, numbers);
  const { verdict } = hwguideAnswer.scenario(data, numbers).later();
  return found && {
    call: verdict.call,
    headline: verdict.headline,
    sure: [verdict.sure.level, verdict.sure.held, verdict.sure.failed],
    flips: found.flips.map((f) => [f.input, f.now, f.at, f.sentence]),
    cells: found.grid.cells,
    shares: found.grid.shares,
  };
})
"""


@pytest.fixture(scope="module")
def evidence(example_data: DataDir) -> Evidence:
    return load_evidence(example_data)


@pytest.fixture(scope="module")
def whole() -> Evidence:
    """The project's own data."""
    return load_evidence(DataDir(ROOT / "data"))


def deciding(window, path: str):
    """That page with the scripts that decide."""
    page = window.open(path)
    for name in SCRIPTS:
        page.add_script_tag(url=window.base + name)
    return page


@pytest.fixture
def scripts(visit):
    """A page with the scripts that decide, and nothing else."""
    return deciding(visit(), "methodology/")


#: A scenario, what a reader may ask of it, the guide's answer, what the browser is handed, and numbers.
Asking = tuple[Scenario, reader.Asked, Answer, dict[str, Any], list[reader.Numbers]]


def askings(evidence: Evidence, draws: int, seed: str) -> Iterator[Asking]:
    """Each scenario that a reader can put numbers to, with the guide's own and so many drawn at random."""
    for scenario in evidence.settings.scenarios:
        asked = reader.ask(scenario, evidence)
        if asked is None:
            continue
        own = answer(scenario, evidence)
        data = scenario_data(own, scenario, evidence)
        assert data is not None
        draw = random.Random(f"{seed} of {scenario.key}")
        numbers = [asked.numbers, *(drawn(draw, asked, data) for _ in range(draws))]
        yield scenario, asked, own, json.loads(json.dumps(data)), numbers


def drawn(draw: random.Random, asked: reader.Asked, data: dict[str, Any]) -> reader.Numbers:
    """Numbers of a reader: each is the guide's own, a bound, or anything between."""
    given = {
        name: value_of(draw, getattr(asked.numbers.given, name), reader.LIMITS[name])
        for name in reader.LIMITS
    }
    needs = []
    for need in asked.numbers.needs:
        if draw.random() < 0.6:
            need = Requirement(
                draw.choice(data["models"])["name"],
                draw.choice(data["dtypes"])["name"],
                draw.choice(CONTEXTS),
                need.batch,
            )
        needs.append(need)
    floors = []
    for place, least in enumerate(asked.numbers.floors):
        rates = [s["floors"][place][0] for s in data["systems"] if s.get("floors") and s["floors"][place]]
        rate = draw.choice(rates or [1.0])
        floors.append(draw.choice([least, least, 0.0, rate, rate * 1.01]))
    numbers = reader.Numbers(Assumptions(**given), tuple(needs), tuple(floors))
    # A budget that just buys something: the comparison has to hold to the last digit.
    bounds = reader.LIMITS["budget_usd"]
    costs = [c.cost.total_usd for c in reader.candidates(asked, numbers) if c.cost]
    costs = [total for total in costs if bounds.low <= total <= bounds.high]
    if costs and draw.random() < 0.3:
        numbers = replace(numbers, given=numbers.given.using(budget_usd=draw.choice(costs)))
    return numbers


def value_of(draw: random.Random, own: float | None, limit: reader.Limit) -> float | None:
    kind = draw.random()
    if kind < 0.4:
        return own
    if kind < 0.45:
        return float(limit.low)
    if kind < 0.5:
        return float(limit.high)
    least = max(limit.low, 1e-3 * limit.high)
    plausible = least if own is None else max(least, own / 4)
    most = min(limit.high, 20_000.0 if own is None else own * 4 or limit.high)
    return round(math.exp(draw.uniform(math.log(min(plausible, most)), math.log(most))), draw.choice([2, 9]))


def as_json(numbers: reader.Numbers) -> dict[str, Any]:
    needs = [asdict(need) for need in numbers.needs]
    blank = {"model": "", "dtype": "q4_k_m", "context": 8192, "batch": 1}
    return {"given": asdict(numbers.given), "needs": needs or [blank], "floors": list(numbers.floors)}


def wanted(asked: reader.Asked, own: Answer, numbers: reader.Numbers) -> dict[str, Any]:
    """What Python says of the same numbers; ``own`` is the answer under the guide's."""
    found = reader.candidates(asked, numbers)
    told = replace(own, candidates=found)
    points = money_points(told, replace(asked.scenario, given=numbers.given))
    ranked = [c for c in found if c.place]
    scenario = asked.scenario
    called = wording.call(ranked, None)
    even = []
    for system in {c.system.key: c.system for c in ranked}.values():
        prices = {c.route: c.price for c in found if c.system == system and c.price}
        for route in ("buy-new", "buy-used"):
            if route in prices and "rent" in prices:
                at = break_even(
                    system, prices[route], prices["rent"], numbers.given, whole_machine=scenario.whole_machine
                )
                even.append([system.key, route, at.hours_per_day])
    return {
        "ranked": [[f"{c.system.key}:{c.route}", c.tier, _fit(c), c.score_unit, c.reason] for c in ranked],
        "figures": [_figures(c) for c in ranked],
        "out": [[c.system.key, c.route, c.reason_code, c.reason, _fit(c)] for c in found if not c.place],
        "headline": wording.headline(
            scenario,
            asked.field,
            ranked,
            None if ranked else _leader(asked, numbers),
            None,
            called,
            wording.unsure(found),
        ),
        "notes": list(wording.notes(ranked, _tied(ranked), None, (), called)),
        "even": even,
        "many": recommend._how_many(scenario, ranked[0], numbers.given) if ranked else None,
        "ways": [
            [
                way.words,
                way.candidate.system.label if way.candidate else None,
                None if way.candidate else f"Nothing. {way.why_not}",
            ]
            for way in ways(told, scenario)
        ],
        "fallen": [
            [group.title, group.count, [list(row) for row in group.rows]] for group in fallen_groups(told)
        ],
        "points": [
            [p.label, p.x, p.y, p.low, p.high, VENDORS[p.vendor], p.frontier, p.hollow, p.note]
            for p in points
        ],
        "again": as_json(numbers),
    }


def _figures(c: Candidate) -> list[float | None]:
    spent = c.cost
    assert spent is not None
    return [
        spent.up_front_usd,
        spent.host_usd,
        spent.total_usd,
        spent.usd_per_month,
        spent.capital_usd_per_month,
        spent.electricity_usd_per_month,
        spent.hours_per_month,
        c.score,
    ]


def _fit(c: Candidate) -> list[str] | None:
    return [c.fit.verdict, c.fit.basis, c.fit.sentence] if c.fit else None


def _tied(ranked: list[Candidate]) -> tuple[Candidate, ...]:
    return tuple(c for c in ranked[1:] if c.tier == ranked[0].tier and c.system != ranked[0].system)


def _leader(asked: reader.Asked, numbers: reader.Numbers) -> Candidate | None:
    """Whoever would win if prices that are too old still held: the same decision with all prices fresh."""
    evidence = asked.evidence
    fresh = {key: tuple(replace(p, fresh=True) for p in prices) for key, prices in evidence.prices.items()}
    found = reader.candidates(replace(asked, evidence=replace(evidence, prices=fresh)), numbers)
    return found[0] if found and found[0].place else None


def same(found: Any, expected: Any) -> bool:
    """Equal, numbers to 1e-9 of themselves."""
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, float):
        return found is not None and math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)
    return found == expected
