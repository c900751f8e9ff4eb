"""The browser counts costs and writes figures as Python does."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from guide.decide import reader
from guide.decide.cost import Assumptions, break_even, cost
from guide.show import figures
from guide.views.owning import owning_pairs
from guide.views.reading_cost import cost_data
from guide.views.work_costs import jobs, work

from .conftest import DRAWS, DRAWS_OF_ALL, as_json, same, value_of

COSTS = """
([data, cases]) => cases.map((numbers) => ({
  work: data.work.map((view) => hwguideAnswer.workRows(data, numbers, view).map((r) => [
    r.row.system, Object.fromEntries(r.choices.map((c) => [c.route, c.value])),
  ])),
  cheapest: data.work.map((view) => hwguideAnswer.cost(data, numbers).parts[`${view.id}-cheapest`].text),
  owning: hwguideAnswer.cost(data, numbers).parts.owning.rows.map((r) => [
    r.cells[0].text, r.figures.owned, r.figures.rented, r.figures.even,
  ]),
}))
"""


@pytest.mark.parametrize("name", ["evidence", "whole"])
def test_the_browser_counts_costs_as_python_does(scripts, request, name) -> None:
    evidence = request.getfixturevalue(name)
    given = evidence.settings.given
    data = cost_data(evidence, [*work(evidence, given), *jobs(evidence, given)])
    draw = random.Random("cost")
    cases = [given]
    for _ in range(DRAWS if name == "evidence" else DRAWS_OF_ALL):
        values = {key: value_of(draw, getattr(given, key), limit) for key, limit in reader.LIMITS.items()}
        cases.append(Assumptions(**(values | {"budget_usd": None})))
    told = [as_json(reader.Numbers(case, (), (0.0,))) for case in cases]
    found = page_result(scripts, data, told)
    for case, seen in zip(cases, found, strict=True):
        views = [*work(evidence, case), *jobs(evidence, case)]
        for view, rows in zip(views, seen["work"], strict=True):
            assert [row[0] for row in rows] == [r.system.key for r, *_ in view.found], case
            for (_, values), (_, _, expected) in zip(rows, view.found, strict=True):
                assert values.keys() == expected.keys()
                assert all(same(values[route], usd) for route, usd in expected.items()), case
        assert seen["cheapest"] == [view.cheapest or "None under your numbers." for view in views]
        pairs = owning_pairs(evidence)
        expected = [
            [
                pair.system.label,
                cost(pair.own, pair.system.count, pair.system.power_w, case).usd_per_month,
                cost(pair.rent, pair.system.count, None, case).usd_per_month,
                break_even(pair.system, pair.own, pair.rent, case).hours_per_day,
            ]
            for pair in pairs
        ]
        assert same(seen["owning"], expected), case


def page_result(page, data: dict[str, Any], told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return page.evaluate(COSTS, [json.loads(json.dumps(data)), told])


def test_figures_are_written_as_python_writes_them(scripts) -> None:
    draw = random.Random(3)
    values = [10 ** draw.uniform(-6, 9) for _ in range(400)]
    values += [n / 8 for n in range(1, 400)] + [
        99.95,
        99.5,
        999.5,
        0.995,
        1e6,
        123456.5,
        0.0001,
        24.0,
        1.0,
        0.5,
    ]
    found = scripts.evaluate(
        """values => values.map((v) => {
          const f = hwguideFigures;
          return [f.usd(v), f.number(v), f.times(v), f.gibibytes(v * 2 ** 30), f.general(v), f.fixed(v, 1)];
        })""",
        values,
    )
    assert found == [
        [
            figures.usd(v),
            figures.number(v),
            figures.ratio(v),
            figures.gibibytes(v * 2**30),
            f"{v:g}",
            f"{v:,.1f}",
        ]
        for v in values
    ]
