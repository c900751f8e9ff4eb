"""Warm-up windows, and what ends a cell."""

import random

import pytest

from bench.measure.harness import Harness
from bench.measure.stopping import LARGEST_WINDOW, StoppingRule


def test_windows_of_short_repetitions_hold_enough_time():
    rule = StoppingRule(window_s=1 / 8, window_samples=2)
    assert rule.window_of([1 / 64] * 50) == 8
    assert rule.window_of([5.0, 5.0]) == 2
    assert rule.window_of([1e-6] * 1000) == LARGEST_WINDOW


def test_falling_times_are_not_warm_and_level_ones_are():
    rule = StoppingRule(target=0.01)
    assert not rule.is_warm([3.0, 2.0, 1.5, 1.2])
    assert rule.is_warm([3.0, 1.2, 1.002, 1.001, 1.0, 1.001])


def test_noise_wider_than_the_target_counts_as_warm():
    rule = StoppingRule(target=0.001)
    assert rule.is_warm([1.0, 1.2, 1.05, 1.15])


def test_too_few_repetitions_cannot_be_warm():
    assert not StoppingRule().is_warm([1.0, 1.0, 1.0])


def test_time_decides_after_the_least_number_of_samples():
    rule = StoppingRule(budget_s=10, min_samples=3, overrun=2)
    assert not rule.out_of_time(100, elapsed_s=9.9, last_s=1)
    assert rule.out_of_time(3, elapsed_s=10, last_s=1)
    assert not rule.out_of_time(2, elapsed_s=12, last_s=4)
    assert rule.out_of_time(2, elapsed_s=18, last_s=4)


def test_looks_grow():
    rule = StoppingRule(settle_samples=24)
    looks = [rule.next_look(0)]
    while looks[-1] < 200:
        looks.append(rule.next_look(looks[-1]))
    assert looks == [24, 36, 54, 81, 122, 183, 275]


def test_the_target_is_not_reached_early_nor_by_drifting_samples():
    rule = StoppingRule(target=0.01, settle_samples=24, settle_s=0.5)
    assert not rule.reached([1.0] * 10)
    assert not rule.reached([1e-4] * 100), "too little time was seen"
    assert rule.reached([1.0] * 24)
    drifting = StoppingRule(target=0.05, settle_s=0)
    assert not drifting.reached([1 + 0.003 * i for i in range(60)])


def test_resembling_neighbours_delay_the_target():
    rng = random.Random(5)
    value, times = 0.0, []
    for _ in range(200):
        value = 0.9 * value + rng.gauss(0, 1e-4)
        times.append(1 + value)
    rule = StoppingRule(target=0.01)
    assert not rule.reached(times[:30])
    assert rule.reached(times * 4)


def test_flags_say_what_the_samples_lack():
    rule = StoppingRule(target=0.01)
    assert rule.flags([], warm=False) == []
    assert rule.flags([1.0] * 30, warm=True) == []
    assert rule.flags([1.0, 1.3, 1.1], warm=False) == ["not-warm", "few-samples", "wide-interval"]
    assert rule.flags([1 + 0.01 * i for i in range(60)], warm=True) == ["wide-interval", "drifting"]


def test_a_rule_without_sense_is_refused():
    with pytest.raises(ValueError, match="stopping rule"):
        StoppingRule(target=-1)


def test_a_whole_job_is_not_ended_by_a_narrow_interval_but_by_its_last_repetition_or_time():
    rule = StoppingRule(target=0.01, budget_s=500, settle_s=0, job_samples=100)
    steady = [1.0, 1.001] * 50
    assert not rule.reached(steady[:99])
    assert rule.reached(steady)
    assert rule.next_look(0) == 100
    assert rule.out_of_time(24, elapsed_s=500, last_s=1)


def test_a_job_counted_in_steps_is_whole_after_as_many_blocks_as_hold_them():
    harness = Harness(_Immediate(), StoppingRule(target=0.5, settle_s=0, job_samples=381))
    harness.count_together(10)
    while harness.wants_more():
        harness.record(0.01)
    assert len(harness.samples_s) == 39


class _Immediate:
    def synchronize(self):
        pass
