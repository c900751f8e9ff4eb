"""The promise of the 95 % interval, held against simulated noise under the rule that really stops a cell.

Sequential stopping and resembling neighbours both make intervals too narrow; a fixed number of
independent samples would not show it. Run with ``-s`` to see the table. Seeded, so it never flickers.
"""

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest

from bench.measure.harness import Harness
from bench.measure.stopping import StoppingRule

RUNS = 300
TARGET = 0.01
#: Standard deviations of the noise as multiples of the target: from "the first look is enough" to "the
#: budget ends first".
LEVELS = (0.5, 1, 2, 4)
#: Budgets in repetitions.
BUDGETS = (6, 15, 40, 300)
#: With fewer repetitions than these, a series does not show how far its neighbours resemble each other.
LEAST_BUDGET = {"autocorrelated 0.3": 15, "autocorrelated 0.5": 40}


class Instant:
    """A device whose work is done at once."""

    def synchronize(self):
        pass


def normal(rng, count):
    return rng.standard_normal(count)


def skewed(rng, count):
    """A floor with an exponential tail, as times disturbed by others look."""
    return rng.exponential(1, count) - math.log(2)


def lognormal(rng, count):
    return np.exp(0.8 * rng.standard_normal(count)) - 1


def heavy(rng, count):
    """Student's t with two degrees of freedom: rare, very slow repetitions."""
    return rng.standard_t(2, count)


def bimodal(rng, count):
    """Two speeds, as a core that sometimes boosts has."""
    slow = rng.random(count) < 0.3
    mode = np.where(slow, 3, 0) + 0.3 * rng.standard_normal(count)
    return mode - 0.3 * NormalDist().inv_cdf(0.5 / 0.7)


def autocorrelated(correlation):
    def noise(rng, count):
        steps = rng.standard_normal(count) * math.sqrt(1 - correlation**2)
        values = itertools.accumulate(
            steps[1:], lambda value, step: correlation * value + step, initial=rng.standard_normal()
        )
        return np.fromiter(values, float, count)

    return noise


#: Each has a median of zero.
NOISES = {
    "normal": normal,
    "skewed": skewed,
    "lognormal": lognormal,
    "heavy": heavy,
    "bimodal": bimodal,
    "autocorrelated 0.3": autocorrelated(0.3),
    "autocorrelated 0.5": autocorrelated(0.5),
}


def measure(rule, times_s):
    """A harness that has seen the given times; its clock moves by nothing else."""
    now_ns, given = [0], iter(times_s)
    harness = Harness(Instant(), rule, clock=lambda: now_ns[0])
    while harness.wants_more():
        seconds = float(next(given))
        now_ns[0] += round(seconds * 1e9)
        harness.record(seconds)
    return harness


def outcomes(noise, budget, level, seed):
    """For each simulated cell: whether the interval holds the true median 1, and whether it is flagged."""
    rng = np.random.default_rng(seed)
    rule = StoppingRule(target=TARGET, budget_s=budget)
    for _ in range(RUNS):
        times = (1 + TARGET * level * noise(rng, 3 * budget + 20)).clip(0.3)
        harness = measure(rule, times)
        found = harness.interval()
        yield found.low <= 1 <= found.high, "drifting" in harness.flags(), found.count


@pytest.mark.parametrize("name", NOISES)
def test_stated_95_percent_cover_93_to_97_percent(name):
    covered, rows = [], []
    budgets = [b for b in BUDGETS if b >= LEAST_BUDGET.get(name, 0)]
    for budget, level in itertools.product(budgets, LEVELS):
        cell = list(outcomes(NOISES[name], budget, level, seed=[budget, round(10 * level), len(name)]))
        honest = [hit for hit, flagged, _ in cell if not flagged]
        assert len(honest) >= 0.9 * RUNS, "noise without a trend is rarely called a drift"
        assert np.mean(honest) >= 0.9, f"budget {budget}, noise {level} times the target"
        covered += honest
        rows.append(f"{100 * np.mean(honest):5.1f} (n {np.mean([n for *_, n in cell]):3.0f})")
    share = np.mean(covered)
    print(f"\n{name:20} {100 * share:5.2f} % | {' '.join(rows)}")
    assert 0.93 <= share <= 0.97


def strong(rng, count):
    return autocorrelated(0.8)(rng, count)


def test_strongly_resembling_neighbours_are_covered_where_the_samples_suffice():
    cell = list(outcomes(strong, 400, 4, seed=1))
    assert 0.92 <= np.mean([hit or flagged for hit, flagged, _ in cell]) <= 0.98


@pytest.mark.parametrize("shape", ["linear", "exponential"])
@pytest.mark.parametrize("total", [0.005, 0.05, 0.2])
def test_a_drifting_cell_is_covered_or_flagged(shape, total):
    rng = np.random.default_rng([round(1000 * total), len(shape)])
    rule = StoppingRule(target=TARGET, budget_s=120)
    honest = flagged = 0
    runs = 150
    for _ in range(runs):
        at = np.arange(400) / 120
        path = 1 + total * (at if shape == "linear" else np.exp(-3 * at))
        harness = measure(rule, path * (1 + 0.02 * rng.standard_normal(400)))
        found, first = harness.interval(), len(harness.warmup_s)
        truth = np.median(path[first : first + found.count])
        is_flagged = "drifting" in harness.flags()
        flagged += is_flagged
        honest += is_flagged or found.low <= truth <= found.high
    print(f"\n{shape} {total:.1%}: flagged {flagged / runs:.0%}, covered or flagged {honest / runs:.1%}")
    assert honest >= 0.93 * runs
    if total >= 0.2:
        assert flagged >= 0.9 * runs
