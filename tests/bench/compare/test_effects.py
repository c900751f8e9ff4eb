"""One choice at a time: pairs only on equal conditions, and what else differs where there are none."""

from __future__ import annotations

import random

import pytest

from bench.compare.effects import execution_effects, version_effects, weight_effects
from bench.compare.verdicts import FASTER, SLOWER
from bench.schema import to_json


def conditions(torch="2.12", **more):
    return to_json({"torch": torch, "attention": "flash"} | more)


def test_compiled_over_eager_on_one_machine(row):
    [effect] = execution_effects([row(100.0), row(180.0, execution="compiled")])
    assert effect.names == ("eager", "compiled")
    assert effect.ratio == pytest.approx(1.8)
    assert effect.interval.low < 1.8 < effect.interval.high
    assert effect.verdict.word == FASTER
    assert effect.clean


def test_each_way_is_held_against_the_plain_one(row):
    rows = [row(100.0), row(180.0, execution="compiled"), row(90.0, execution="cuda-graph")]
    assert [(e.names[1], e.verdict.word) for e in execution_effects(rows)] == [
        ("compiled", FASTER),
        ("cuda-graph", SLOWER),
    ]


@pytest.mark.parametrize(
    "other",
    [{"device": "card-b"}, {"device_count": 2}, {"batch": 8}, {"host_id": "elsewhere"}, {"model": "x"}],
)
def test_what_is_not_equal_makes_no_pair(row, other):
    assert execution_effects([row(100.0), row(180.0, execution="compiled", **other)]) == ()


def test_what_follows_from_the_choice_is_no_difference(row):
    compiled = row(
        180.0,
        execution="compiled",
        conditions=conditions(compile={"graphs": 2}, attention_kernel="flash"),
        value_kind="extrapolated",
    )
    [effect] = execution_effects([row(100.0), compiled])
    assert effect.clean


def test_another_difference_is_named_and_nothing_may_be_claimed(row):
    newer = row(180.0, execution="compiled", conditions=conditions("2.13"), power_limit_w=300.0)
    [effect] = execution_effects([row(100.0), newer])
    assert not effect.clean
    assert [d.name for d in effect.differs] == ["conditions.torch", "power_limit_w"]


def test_equal_conditions_go_before_newer_rows(row):
    rows = [
        row(100.0),
        row(150.0, execution="compiled", conditions=conditions(compile={"graphs": 2})),
        row(120.0, day=3, conditions=conditions("2.13"), engine_version="2.13"),
    ]
    [effect] = execution_effects(rows)
    assert effect.clean
    assert effect.ratio == pytest.approx(1.5)


def test_of_two_equal_pairs_the_newer_one_counts(row):
    newer = {"day": 3, "conditions": conditions("2.13"), "engine_version": "2.13"}
    rows = [
        row(100.0),
        row(150.0, execution="compiled"),
        row(100.0, **newer),
        row(200.0, execution="compiled", **newer),
    ]
    [effect] = execution_effects(rows)
    assert effect.ratio == pytest.approx(2.0)


def test_a_way_that_did_not_run_keeps_its_outcome(row):
    failed = row(None, execution="cuda-graph", status="unsupported")
    [effect] = execution_effects([row(100.0), failed])
    assert effect.ratio is None
    assert not effect.clean
    assert effect.outcomes == ("ok", "unsupported")


def test_random_over_pretrained_weights(row):
    rows = [row(100.0, weights="random"), row(80.0, weights="pretrained")]
    [effect] = weight_effects(rows)
    assert effect.names == ("pretrained", "random")
    assert effect.ratio == pytest.approx(1.25)


def test_rows_without_the_column_have_no_effect(row):
    assert weight_effects([row(100.0), row(80.0)]) == ()


def test_one_device_over_versions_of_its_software(row):
    rows = [
        row(150.0, day=9, engine_version="2.13", conditions=conditions("2.13"), driver_version="560"),
        row(100.0, driver_version="550"),
        row(110.0, day=4, engine_version="2.12.1", conditions=conditions("2.12.1"), driver_version="550"),
    ]
    [history] = version_effects(rows)
    assert [name for name, _ in history.steps] == ["torch 2.12", "torch 2.12.1", "torch 2.13"]
    assert history.effect.names == ("torch 2.12", "torch 2.13")
    assert history.effect.ratio == pytest.approx(1.5)
    assert history.effect.clean
    assert [d.name for d in history.changed] == ["conditions.torch", "driver_version", "engine_version"]
    assert history.one_host


def test_one_name_of_two_builds_is_told_apart_by_its_day(row):
    [history] = version_effects([row(100.0, driver_version="550"), row(120.0, day=5, driver_version="560")])
    assert history.effect.names == ("torch 2.12, 2026-06-01", "torch 2.12, 2026-06-06")


def test_a_change_that_is_no_software_spoils_the_history(row):
    rows = [row(100.0, power_limit_w=300.0), row(150.0, day=9, engine_version="2.13", power_limit_w=450.0)]
    [history] = version_effects(rows)
    assert not history.effect.clean
    assert [d.name for d in history.effect.differs] == ["power_limit_w"]


def test_two_engines_on_one_machine_are_no_versions_of_each_other(row):
    rows = [row(100.0, conditions=to_json({"software": n}), day=d) for d, n in enumerate(("onnx 1", "tf 2"))]
    assert version_effects(rows) == ()


def test_one_version_other_tasks_and_other_machines_have_no_history(row):
    assert version_effects([row(100.0), row(101.0, day=2)]) == ()
    assert version_effects([row(100.0), row(150.0, batch=8, engine_version="2.13")]) == ()
    assert version_effects([row(100.0), row(150.0, host_id="elsewhere", engine_version="2.13")]) == ()


def test_rows_of_no_known_machine_say_so(row):
    rows = [row(100.0, host_id=None), row(150.0, day=9, engine_version="2.13", host_id=None)]
    [history] = version_effects(rows)
    assert not history.one_host


def test_the_order_of_rows_does_not_matter(row):
    rows = [
        row(rate, device=device, execution=way, day=day)
        for device in ("a", "b")
        for day in (0, 2)
        for way, rate in (("eager", 100.0 + day), ("compiled", 150.0), ("cuda-graph", 170.0))
    ]
    shuffled = rows[:]
    random.Random(3).shuffle(shuffled)
    assert execution_effects(shuffled) == execution_effects(rows)
    assert len(execution_effects(rows)) == 4
