"""Intervals of the median: known values, few samples, resembling neighbours, drift."""

import math
import random

import pytest

from bench.measure import stats


def test_an_interval_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        stats.median_interval([])


def test_one_sample_has_no_interval():
    found = stats.median_interval([2.5])
    assert (found.low, found.value, found.high) == (None, 2.5, None)
    assert found.relative_half_width == math.inf


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042)]
)
def test_students_quantiles_are_those_of_the_printed_tables(freedom, quantile):
    assert stats.t_quantile(0.975, freedom) == pytest.approx(quantile, abs=5e-4)


def test_ranks_are_those_of_the_sign_test():
    # P(Binomial(10, 1/2) <= 1) = 11/1024, so ranks 2 and 9 hold 97.85 %, and ranks 3 and 8 hold 89.06 %
    assert stats._rank(10, 1 - 2 * 11 / 1024) == pytest.approx(2)
    assert stats._rank(10, 1 - 2 * 56 / 1024) == pytest.approx(3)
    assert 2 < stats._rank(10, 0.95) < 3


def test_the_exact_rank_meets_its_limit_for_many_samples():
    assert stats._rank(1000, 0.95) == pytest.approx(stats._rank(1001, 0.95), abs=0.6)


def test_equal_samples_give_a_point():
    found = stats.median_interval([0.25] * 40)
    assert (found.low, found.value, found.high) == (0.25, 0.25, 0.25)
    assert found.effective_count == 40


def test_the_interval_scales_with_the_unit():
    rng = random.Random(4)
    times = [1 + rng.gauss(0, 0.05) for _ in range(30)]
    seconds, milliseconds = stats.median_interval(times), stats.median_interval([1000 * x for x in times])
    assert milliseconds.low == pytest.approx(1000 * seconds.low)
    assert milliseconds.high == pytest.approx(1000 * seconds.high)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 20, 500, 1200])
def test_the_interval_holds_the_median(count):
    rng = random.Random(count)
    found = stats.median_interval([rng.lognormvariate(0, 1) for _ in range(count)])
    assert found.low <= found.value <= found.high
    assert found.count == count


def test_more_samples_give_a_narrower_interval():
    rng = random.Random(1)
    times = [1 + rng.gauss(0, 0.05) for _ in range(1000)]
    widths = [stats.median_interval(times[:n]).relative_half_width for n in (10, 100, 1000)]
    assert widths == sorted(widths, reverse=True)


def test_resembling_neighbours_count_as_fewer():
    rng = random.Random(9)
    value, correlated = 0.0, []
    for _ in range(300):
        value = 0.8 * value + rng.gauss(0, 0.6)
        correlated.append(10 + value)
    shuffled = rng.sample(correlated, k=300)
    assert stats.effective_count(correlated) < 100
    assert stats.effective_count(shuffled) > 200
    assert (
        stats.median_interval(correlated).relative_half_width
        > 1.5 * stats.median_interval(shuffled).relative_half_width
    )


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.8])
def test_the_correlation_time_is_the_sum_of_sign_correlations(correlation):
    terms = sum(2 / math.pi * math.asin(correlation**k) for k in range(1, 200))
    assert stats._correlation_time(correlation) == pytest.approx(1 + 2 * terms, rel=1e-2)


def test_a_clear_trend_is_drift_and_noise_is_not():
    rng = random.Random(3)
    noise = [rng.gauss(0, 0.01) for _ in range(60)]
    assert stats.is_drifting([1 + 0.002 * i + e for i, e in enumerate(noise)], 0.01)
    assert not stats.is_drifting([1 + e for e in noise], 0.01)


def test_a_certain_trend_within_the_tolerance_is_no_drift():
    times = [1 + 1e-6 * i for i in range(100)]
    assert not stats.is_drifting(times, 0.01)


def test_a_slow_wander_is_drift():
    times = [1 + 0.1 * math.cos(math.pi * i / 60) for i in range(60)]
    assert stats.is_drifting(times, 0.01)


def test_five_samples_cannot_tell_a_drift():
    assert not stats.is_drifting([1, 2, 3, 4, 5], 0.01)
