"""The answers on the guide's own data, held against its rows by arithmetic that is not the engine's.

A recommender that promises several times what was measured would pass every test of its inner consistency.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from bench.project import DataDir
from guide.decide.fit import WEIGHT_BYTES, Requirement, known_shape, need_bytes, usable_bytes
from guide.decide.scenarios import Scenario
from guide.decide.verdicts import Answer, Candidate
from guide.evidence import Evidence, load_evidence
from guide.recommend import answers

DATA = DataDir(Path(__file__).parents[3] / "data")


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return load_evidence(DATA)


@pytest.fixture(scope="module")
def found(evidence: Evidence) -> tuple[Answer, ...]:
    return answers(evidence)


@pytest.fixture(scope="module")
def scenarios(evidence: Evidence) -> dict[str, Scenario]:
    return {s.key: s for s in evidence.settings.scenarios}


def rates_of(evidence: Evidence, system_key: str, task_key: str) -> list[float]:
    """The rates of all rows of a system on a task."""
    rows = evidence.rows_by_system[system_key]
    return [r["rate"] for r in rows if r["task_key"] == task_key and r["status"] == "ok"]


def test_every_rate_that_is_told_was_measured(found, evidence: Evidence) -> None:
    told = 0
    for answer in found:
        for c in answer.candidates:
            if c.speed is None:
                continue
            for (_, rate, unit), task in zip(c.rates, answer.tasks, strict=True):
                rows = rates_of(evidence, c.system.key, task.key)
                assert min(rows) <= rate <= max(rows), (answer.scenario_key, c.system.label)
                assert unit == task.unit
                told += 1
    assert told > 50


def test_every_speed_is_the_ratio_of_two_measured_rates(found, evidence: Evidence) -> None:
    for answer in found:
        by_label = {c.system.label: c for c in answer.candidates if c.speed}
        for c in by_label.values():
            if len(answer.tasks) != 1 or answer.reference not in by_label:
                continue
            base = by_label[answer.reference].rates[0][1]
            assert c.speed.value == pytest.approx(c.rates[0][1] / base)


def a_month(c: Candidate, scenario: Scenario) -> float:
    """USD a month, written out once more from the formulas on the Cost page."""
    given, days = scenario.given, 365 / 12
    if c.price.route == "rent":
        return c.price.usd * given.hours_per_day * days
    cards = c.price.basis == "card" and scenario.whole_machine
    host = given.host_usd + given.host_extra_card_usd * (c.system.count - 1) if cards else 0
    around = given.host_power_w if cards else 0
    resting = max(0, given.on_hours_per_day - given.hours_per_day)
    power = c.system.power_w or 0.0
    watt_hours = given.hours_per_day * (power * given.load_share + around)
    watt_hours += resting * (power * given.idle_share + around)
    owned = (c.price.usd + host) * (1 - given.resale_share) / (12 * given.years)
    if c.system.power_w is None:
        return owned
    return owned + days * watt_hours / 1000 * given.usd_per_kwh


def test_every_score_follows_from_a_measured_rate_a_price_and_the_rated_power(found, scenarios) -> None:
    seen = set()
    for answer in found:
        scenario = scenarios[answer.scenario_key]
        for c in (c for c in answer.candidates if c.place):
            rate = c.rates[0][1]
            assert c.cost.usd_per_month == pytest.approx(a_month(c, scenario))
            if scenario.objective == "cheapest-work":
                hours = scenario.given.hours_per_day * 365 / 12
                expected = a_month(c, scenario) / (rate * 3600 * hours) * 1e6
            elif scenario.objective == "least-energy":
                expected = c.system.power_w / rate
            else:
                expected = c.speed.value
            assert c.score == pytest.approx(expected), (answer.scenario_key, c.system.label)
            seen.add(scenario.objective)
    assert len(seen) >= 2


def half_width(row) -> float:
    """The share of its rate that a row may be off by, as the Methodology page states it."""
    least = 0.02 if row["origin"] == "measured" else 0.05
    if row["value_kind"] in ("extrapolated", "estimated", "inferred", "derived"):
        least = 0.10
    if "median-of-uploads" in row["flags"]:
        least = 0.25
    stated = 0.0 if row["rate_low"] is None else 1 - row["rate_low"] / row["rate"]
    return max(least, stated)


def test_the_pick_is_the_cheapest_of_those_that_cannot_be_told_from_the_best(
    found, evidence: Evidence, scenarios
) -> None:
    """For the questions whose systems have one row each: found again from the rows alone."""
    checked = 0
    for answer in found:
        scenario = scenarios[answer.scenario_key]
        running = [c for c in answer.candidates if c.place]
        if not running or len(answer.tasks) != 1:
            continue
        (task,) = answer.tasks
        rows = {}
        for c in running:
            own = [r for r in evidence.rows_by_system[c.system.key] if r["task_key"] == task.key]
            rows[c.system.key] = own[0] if len(own) == 1 else None
        if None in rows.values():
            continue
        merit = {
            c: {
                "fastest": rows[c.system.key]["rate"],
                "cheapest-work": rows[c.system.key]["rate"] / a_month(c, scenario),
                "least-energy": rows[c.system.key]["rate"] / (c.system.power_w or math.inf),
            }[scenario.objective]
            for c in running
        }
        best = max(running, key=lambda c: merit[c])
        bottom = merit[best] * (1 - half_width(rows[best.system.key]))
        high = {}
        for c in running:
            row = rows[c.system.key]
            stated = 0.0 if row["rate_high"] is None else row["rate_high"] / row["rate"] - 1
            high[c] = merit[c] * (1 + max(half_width(row), stated))
        first = [c for c in running if high[c] >= bottom]
        cheapest = min(a_month(c, scenario) for c in first)
        assert a_month(answer.pick, scenario) == pytest.approx(cheapest), answer.scenario_key
        assert answer.pick in first
        checked += 1
    assert checked >= 2


def test_no_decode_rate_that_is_told_needs_more_than_the_memory_can_deliver(
    found, evidence: Evidence
) -> None:
    """One stream reads every weight for every token."""
    checked = 0
    for answer in found:
        for task in answer.tasks:
            shape = known_shape(str(task.model))
            element = WEIGHT_BYTES.get(str(task.columns["weights_dtype"]).lower())
            if task.workload != "decode" or task.columns["batch"] != 1 or shape is None or element is None:
                continue
            for c in (c for c in answer.candidates if c.place):
                device = evidence.catalog.get(c.system.device_id)
                if device is None or device.bandwidth_gb_s is None:
                    continue
                needed = c.rates[0][1] * shape.weight_bytes(element)
                assert needed <= device.bandwidth_gb_s * 1e9 * c.system.count * 1.05, c.system.label
                checked += 1
    assert checked > 10


def test_what_ran_is_not_said_to_need_far_more_than_there_is(evidence: Evidence) -> None:
    """The estimate may be cautious: of all that ran, one in twenty at most may be called too large by it."""
    refused, ran = [], 0
    for key, system in evidence.systems.items():
        usable = usable_bytes(system)
        for row in evidence.rows_by_system[key]:
            if row["status"] != "ok" or not known_shape(row["model"] or "") or usable is None:
                continue
            if row["workload"] not in ("decode", "prefill") or row["weights_dtype"] is None:
                continue
            tokens = sum(row[n] or 0 for n in ("input_tokens", "output_tokens", "context_depth"))
            need = need_bytes(Requirement(row["model"], row["weights_dtype"], tokens, row["batch"] or 1))
            if need is None:
                continue
            ran += 1
            if need > usable:
                refused.append((system.label, row["model"], row["weights_dtype"], tokens))
    assert ran > 500
    assert len(refused) <= ran / 20, sorted(set(refused))


def test_the_estimate_of_memory_is_near_what_was_measured(evidence: Evidence) -> None:
    """Rows that state their peak: the estimate lies within a factor of 1.5 of it, for models of 1 GB on."""
    far, compared = [], 0
    for row in evidence.rows:
        peak = row["peak_memory_bytes"]
        if row["status"] != "ok" or not peak or not known_shape(row["model"] or ""):
            continue
        tokens = sum(row[n] or 0 for n in ("input_tokens", "output_tokens", "context_depth"))
        need = need_bytes(Requirement(row["model"], row["weights_dtype"] or "", tokens, row["batch"] or 1))
        if need is None or need < 1e9:
            continue
        compared += 1
        if not 1 / 1.5 <= need / peak <= 1.5:
            far.append((row["model"], row["weights_dtype"], tokens, row["batch"], need, peak))
    assert far == [], compared
