"""The browser's arithmetic on a reader's own figures is Python's."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from guide.analysis.ratios import combine, ratio
from guide.analysis.tasks import combine as combined
from guide.decide.cost import cost_rows
from guide.model import System
from guide.show import figures

OWN = System("own", "own", "own", None, 1)


def test_ratios_over_every_system_of_the_guide(visit, panel, files, mine, evidence) -> None:
    own = panel(visit())
    own.choose(files.parquet(mine))
    expect(own.machine).to_be_visible()
    checked = 0
    for row in mine:
        task, result = evidence.task(row["task_key"]), combined(OWN, [row])
        for standing in task.standings:
            pair = [task.key, standing.result.system.key]
            found = own.page.evaluate("pair => hwguideOwn.over(...pair)", pair)
            wanted = ratio(result, standing.result)
            assert figures.ratio(found["value"]) == figures.ratio(wanted.value)
            assert found["verdict"] == wanted.verdict
            ends = [wanted.interval.low, wanted.interval.high] if wanted.interval else None
            # The index rounds to six digits.
            assert found["interval"] == (pytest.approx(ends, rel=1e-4) if ends else None)
            checked += 1
    assert checked > 3


def test_the_price_of_a_unit_of_speed(visit, evidence, until) -> None:
    page = visit().open("compare/")
    until(page, "window.hwguideFigures")
    checked = 0
    for task in evidence.tasks:
        for line in cost_rows(task, evidence.prices):
            price, speedup = line.price, line.speedup
            ends = [speedup.interval.low, speedup.interval.high] if speedup.interval else None
            found = page.evaluate(
                "([price, value, interval]) => hwguideFigures.perSpeedup(price, { value, interval })",
                [[price.low_usd, price.usd, price.high_usd], speedup.value, ends],
            )
            assert found["value"] == pytest.approx(line.per_speedup_usd, rel=1e-12)
            wanted = [line.interval.low, line.interval.high] if line.interval else None
            assert found["interval"] == (pytest.approx(wanted, rel=1e-9) if wanted else None)
            checked += 1
    assert checked > 10


def test_the_upgrades_of_the_table_are_the_guides_prices_over_the_speedup(
    visit, panel, files, llama, evidence
) -> None:
    own = panel(visit())
    own.choose(files.json([llama()]))
    expect(own.machine).to_be_visible()
    gains = own.page.evaluate(
        """async () => {
          const { gains, costs } = await import(new URL("js/own/panel.js", hwguideOwn.root));
          const matched = hwguideOwn.matched();
          return matched.keys.map((key) => [key, matched.result(key), gains(matched, key).map((gain) => [
            gain.key, gain.ratio, Object.fromEntries(Object.entries(costs(gain)).map(
              ([route, { value }]) => [route, value]))])]);
        }"""
    )
    assert gains
    priced = 0
    for key, mine, systems in gains:
        task = evidence.task(key)
        assert {name for name, _, _ in systems} == {s.result.system.key for s in task.standings}
        for name, found, costs in systems:
            rate = task.of(name).rate
            assert found["value"] == pytest.approx(rate / mine[0], rel=1e-5)
            wanted = {p.route: p.usd / found["value"] for p in evidence.prices[name]}
            assert costs == (pytest.approx(wanted) if found["verdict"] == "faster" else {})
            priced += len(costs)
    assert priced


def test_speeds_over_several_tasks_are_combined(visit, evidence, until) -> None:
    results = [s for t in evidence.tasks for s in t.standings if s.speedup.interval][:6]
    parts = [(1.0 + n, s.speedup.interval) for n, s in enumerate(results)]
    page = visit().open("compare/")
    until(page, "window.hwguideFigures")
    given = [[weight, [i.low, i.value, i.high]] for weight, i in parts]
    found = page.evaluate("parts => hwguideFigures.combine(parts)", given)
    wanted = combine(parts)
    assert found == pytest.approx([wanted.low, wanted.value, wanted.high], rel=1e-12)


def test_rows_of_one_task_are_combined(visit, panel, files, mine) -> None:
    row = mine[0] | {"rate_low": mine[0]["rate"] * 0.99, "rate_high": mine[0]["rate"] * 1.01}

    def another(number: int, factor: float, conditions: str | None) -> dict:
        scaled = {n: row[n] * factor for n in ("rate", "rate_low", "rate_high")}
        return row | scaled | {"cell_id": f"again-{number}", "conditions": conditions}

    rows = [
        another(1, 0.5, '{"threads": 1}'),  # other conditions: it does not count
        another(2, 1.3, row["conditions"]),
        another(3, 1.1, row["conditions"]),
        row | {"recorded_at": row["recorded_at"].replace(year=2027)},
    ]
    own = panel(visit())
    own.choose(files.parquet(rows))
    expect(own.machine).to_be_visible()
    wanted = combined(OWN, rows)
    assert wanted.n == 3
    found = own.page.evaluate("k => hwguideOwn.result(k).slice(0, 5)", row["task_key"])
    interval, band = wanted.interval, wanted.band
    assert found == pytest.approx([wanted.rate, interval.low, interval.high, band.low, band.high], rel=1e-9)


@pytest.mark.parametrize("value", [0.0123456, 1, 9.995, 12.345, 999, 1000, 12345.6, 1e6, 0.5])
def test_figures_read_as_pythons(visit, value) -> None:
    page = visit().open("methodology/")
    found = page.evaluate("v => [hwguideFigures.number(v), hwguideFigures.usd(v)]", value)
    assert found == [figures.number(float(value)), figures.usd(value)]
    assert page.evaluate("v => hwguideFigures.rate(v * 1e9, 'B/s')", value) == figures.si(value * 1e9, "B/s")


def test_disturbed_rows_of_a_file_give_way_as_in_python(visit, panel, files, mine, evidence, until) -> None:
    clean = mine[0]
    busy = files.own_rows([clean], 0.1, run_id="busy", flags=["contended"])[0] | {"host_id": "mine"}
    own = panel(visit())
    for rows, remark in (([clean, busy], ""), ([busy], "contended")):
        own.choose(files.parquet(rows))
        expect(own.machine).to_be_visible()
        shown = "hwguideOwn.machine?.figures[0].values[0] === arg"
        until(own.page, shown, rows[0]["rate"])
        found = own.page.evaluate("key => hwguideOwn.result(key)", clean["task_key"])
        assert found[0] == combined(OWN, rows).rate == rows[0]["rate"]
        assert ("contended" in found[6]) == bool(remark)
