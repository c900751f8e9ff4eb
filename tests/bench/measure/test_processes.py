"""Several processes of one cell: the interval holds what differs between them. Simulated, seeded."""

import itertools
import math
import statistics

import numpy as np
import pytest

from bench.measure.processes import across, all_alike, centre, differ, split
from bench.measure.stats import median_interval

RUNS = 1500
SAMPLES = 24
WITHIN = 0.01
#: Spread between processes as multiples of that between repetitions.
BETWEEN = (0, 0.1, 0.5, 1, 3)


def normal(rng, shape):
    return rng.standard_normal(shape)


def skewed(rng, shape):
    """A floor with an exponential tail; median zero."""
    return rng.exponential(1, shape) - math.log(2)


def two_speeds(rng, shape):
    """Processes of two kinds, as where luck decides which algorithm or which memory they get."""
    return rng.choice([-1.0, 1.0], shape)


def simulated(rng, processes, between, effect, noise):
    shifts = between * WITHIN * effect(rng, processes)
    return [list((1 + shift) * (1 + WITHIN * noise(rng, SAMPLES))) for shift in shifts]


def cells(processes, between, effect=normal, noise=normal, runs=RUNS):
    rng = np.random.default_rng([processes, round(10 * between), len(noise.__name__)])
    return (simulated(rng, processes, between, effect, noise) for _ in range(runs))


def covers(found):
    """The true value of every simulated cell is 1."""
    return found.low <= 1 <= found.high


@pytest.mark.parametrize("noise", [normal, skewed])
@pytest.mark.parametrize("processes", [2, 3, 5])
def test_stated_95_percent_cover_93_to_97_percent_whatever_differs_between_processes(processes, noise):
    shares = {b: np.mean([covers(across(c)) for c in cells(processes, b, noise=noise)]) for b in BETWEEN}
    print(f"\n{processes} processes, {noise.__name__}: {shares}")
    assert all(0.93 <= share <= 0.97 for share in shares.values()), shares


def test_one_process_alone_would_claim_too_much():
    alone = np.mean([covers(median_interval(first)) for first, _ in cells(2, 3, runs=300)])
    assert alone < 0.3


@pytest.mark.parametrize("processes", [2, 3, 5])
def test_where_processes_are_of_two_kinds_only_those_cells_mislead_that_met_one_kind(processes):
    found = [(covers(across(c)) or differ(c, 0.01)) for c in cells(processes, 5, two_speeds, runs=1000)]
    assert np.mean(found) == pytest.approx(1 - all_alike(processes), abs=0.05)


def test_one_process_keeps_its_own_interval():
    samples = [1.0, 1.1, 0.9, 1.05, 0.95, 1.2, 1.0]
    assert across([samples]) == median_interval(samples)
    assert centre([samples]) == pytest.approx(statistics.median(samples))


def test_parts_come_back_out_of_the_samples():
    assert split([1, 2, 3, 4, 5], [2, 3]) == [[1, 2], [3, 4, 5]]
    for counts in ([2, 2], [5, 0], []):
        with pytest.raises(ValueError, match="no parts"):
            split([1, 2, 3, 4, 5], counts)


def test_processes_differ_only_beyond_their_own_noise():
    wide = [[1 + 0.05 * math.sin(7 * i) for i in range(20)] for _ in range(2)]
    assert not differ(wide, 0.01)
    apart = [[x * (1 + 0.5 * i) for x in wide[0]] for i in range(2)]
    assert differ(apart, 0.01)
    assert not differ(apart, 0.6)
    assert not differ([[1.0], [2.0]], 0.01)
    assert [round(a.value, 2) for a, b in itertools.pairwise([across(apart), across(wide)])] == [
        round(centre(apart), 2)
    ]
