"""Thirds of a long cell."""

import random

import pytest

from bench.measure.sustained import LONG_S, thirds


def noisy(level, seconds, seed=0):
    """Repetitions around ``level`` until they have taken ``seconds``."""
    draw = random.Random(seed)
    found = []
    while sum(found) < seconds:
        found.append(level * draw.uniform(0.98, 1.02))
    return found


def test_a_short_cell_has_no_thirds():
    assert thirds(noisy(0.1, LONG_S - 1)) is None


def test_a_cell_of_few_long_repetitions_has_no_thirds():
    assert thirds([LONG_S / 10] * 12) is None


def test_a_steady_cell_sustains_its_rate():
    found = thirds(noisy(0.1, 60))
    assert found.last.value == pytest.approx(found.first.value, rel=0.02)
    assert not found.slows_down(0.01)


def test_a_cell_that_slows_down_says_so():
    found = thirds([*noisy(0.1, 30), *noisy(0.13, 30, seed=1)])
    assert found.first.value == pytest.approx(0.1, rel=0.02)
    assert found.last.value == pytest.approx(0.13, rel=0.02)
    assert found.slows_down(0.01)
    assert not found.slows_down(0.5), "less than the target does not count"


def test_a_cell_that_speeds_up_is_not_flagged():
    assert not thirds([*noisy(0.13, 30), *noisy(0.1, 30, seed=1)]).slows_down(0.01)


def test_thirds_are_of_time_not_of_repetitions():
    # Half as fast from a third of the time on: by number, the first third would reach into the slow part.
    found = thirds([*noisy(0.05, 20), *noisy(0.2, 40, seed=1)])
    assert found.first.high < 0.06
    assert found.last.low > 0.19
