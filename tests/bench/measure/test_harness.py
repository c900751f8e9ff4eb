"""The harness: what counts, in which order things happen, and when it ends. No test looks at real time."""

import gc

import pytest

from bench.measure.harness import Harness
from bench.measure.stopping import StoppingRule


class FakeDevice:
    """Notes when it is asked to synchronise."""

    def __init__(self, log=None):
        self.log = log if log is not None else []

    def synchronize(self):
        self.log.append("sync")


class Clock:
    """Time that moves only when told to."""

    def __init__(self, log=None):
        self.now_ns = 0
        self.log = log

    def __call__(self):
        if self.log is not None:
            self.log.append("clock")
        return self.now_ns

    def forward(self, seconds):
        self.now_ns += round(seconds * 1e9)


def run(rule, seconds, on_sample=None, limit=100_000):
    """A harness driven with repetitions of the given times; the last one repeats for ever."""
    clock = Clock()
    harness = Harness(FakeDevice(), rule, on_sample, clock=clock)
    for i in range(limit):
        if not harness.wants_more():
            return harness
        with harness.sample():
            clock.forward(seconds[min(i, len(seconds) - 1)])
    raise AssertionError("the harness never ended")


def test_the_device_is_synchronised_before_each_clock_reading():
    log = []
    harness = Harness(FakeDevice(log), StoppingRule(), clock=Clock(log))
    with harness.sample():
        log.append("work")
    assert log == ["sync", "clock", "work", "sync", "clock"]


def test_times_are_those_of_the_clock():
    harness = run(StoppingRule(budget_s=100), [0.25])
    assert harness.samples_s == [0.25] * len(harness.samples_s)
    assert harness.interval().value == 0.25
    assert harness.flags() == []
    assert harness.done


def test_slow_first_repetitions_do_not_count():
    harness = run(StoppingRule(budget_s=1000), [9.0, 3.0, 1.2, 1.0])
    assert 9.0 in harness.warmup_s
    assert 9.0 not in harness.samples_s
    assert max(harness.samples_s) < 1.1
    assert harness.warm


def test_every_repetition_is_kept_somewhere():
    times = [3.0, 2.0, 1.5, *[1.0 + 0.001 * (i % 3) for i in range(40)]]
    harness = run(StoppingRule(budget_s=1000), times)
    together = harness.warmup_s + harness.samples_s
    assert together == pytest.approx((times + [times[-1]] * len(together))[: len(together)])


def test_a_repetition_of_more_than_twice_the_budget_runs_once():
    harness = run(StoppingRule(budget_s=10), [21.0])
    assert harness.samples_s == [21.0]
    assert harness.warmup_s == []
    assert harness.flags() == ["not-warm", "few-samples", "wide-interval"]
    assert harness.interval().low is None


def test_a_repetition_of_nearly_twice_the_budget_runs_twice_and_of_once_the_budget_three_times():
    assert run(StoppingRule(budget_s=10), [10.0]).samples_s == [10.0] * 3
    harness = run(StoppingRule(budget_s=10), [19.0])
    assert harness.samples_s == [19.0, 19.0]
    assert "few-samples" in harness.flags()


def test_the_least_number_of_samples_may_overrun_the_budget():
    harness = run(StoppingRule(budget_s=10, min_samples=3), [4.0])
    assert len(harness.samples_s) == 3


def test_warm_up_ends_when_its_share_of_the_budget_is_used():
    falling = [10 * 0.97**i for i in range(200)]
    harness = run(StoppingRule(budget_s=300, warmup_share=1 / 3, target=1e-4), falling)
    assert sum(harness.warmup_s) <= 100
    assert "not-warm" in harness.flags()
    assert "drifting" in harness.flags()


def test_samples_that_show_no_trend_end_the_doubt_about_warmth():
    harness = run(StoppingRule(budget_s=8), [1.0])
    assert harness.warm


def test_a_never_satisfied_cell_ends_with_its_budget():
    times = [1.0, 2.0] * 500
    harness = run(StoppingRule(target=0.0, budget_s=60), times)
    assert 60 <= sum(harness.warmup_s) + sum(harness.samples_s) <= 62
    assert "wide-interval" in harness.flags()


def test_the_largest_number_of_samples_ends_a_cell():
    harness = run(StoppingRule(target=0.0, budget_s=1e9, max_samples=50), [1.0, 1.5] * 40)
    assert len(harness.samples_s) == 50


def test_once_ended_it_stays_ended():
    harness = run(StoppingRule(budget_s=5), [1.0])
    assert not harness.wants_more()
    assert not harness.wants_more()


def test_a_library_may_hand_in_its_own_times():
    clock = Clock()
    harness = Harness(FakeDevice(), StoppingRule(budget_s=100), clock=clock)
    while harness.wants_more():
        clock.forward(0.6)
        harness.record(0.5)
    assert set(harness.samples_s) == {0.5}


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_times_that_cannot_be_are_refused(seconds):
    with pytest.raises(ValueError, match="cannot take"):
        Harness(FakeDevice(), StoppingRule()).record(seconds)


def test_a_failed_repetition_is_not_counted():
    harness = Harness(FakeDevice(), StoppingRule())
    with pytest.raises(RuntimeError), harness.sample():
        raise RuntimeError("no")
    assert harness.warmup_s == harness.samples_s == []


def test_garbage_collection_pauses_only_within_a_repetition():
    harness = Harness(FakeDevice(), StoppingRule())
    assert gc.isenabled()
    with harness.sample():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(RuntimeError), harness.sample():
        raise RuntimeError("no")
    assert gc.isenabled()
    gc.disable()
    try:
        with harness.sample():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_progress_is_reported_at_a_limited_rate():
    seen = []
    harness = run(StoppingRule(target=0.0, budget_s=10), [0.01, 0.02] * 5000, seen.append)
    assert seen[0] is harness
    assert 10 < len(seen) <= 50


def test_an_empty_harness_has_no_interval_and_no_flags():
    harness = Harness(FakeDevice(), StoppingRule())
    assert harness.flags() == []
    with pytest.raises(ValueError, match="at least one"):
        harness.interval()
