"""A device that does not wait for its work must be caught, and one that does must pass."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from bench.devices import open_device
from bench.measure import selftest
from bench.measure.selftest import Products, check_synchronisation, synchronisation_self_test

pytestmark = pytest.mark.torch


class Queue:
    """A device and its work in simulated time: calls are handed over at once and done one after the other."""

    kind = "simulated"

    def __init__(self, *, waits, product_s=0.001, hand_over_s=1e-5, fixed_s=0.0):
        self.now_ns = 0
        self.free_at_ns = 0
        self.waits = waits
        self.product_s, self.hand_over_s, self.fixed_s = product_s, hand_over_s, fixed_s

    def clock(self):
        return self.now_ns

    def launch(self, multiple, calls):
        for _ in range(calls):
            self.now_ns += round(self.hand_over_s * 1e9)
            work = self.fixed_s or multiple * self.product_s
            self.free_at_ns = max(self.free_at_ns, self.now_ns) + round(work * 1e9)

    def fetch(self):
        self.now_ns = max(self.now_ns, self.free_at_ns) + 1000

    def synchronize(self):
        if self.waits:
            self.now_ns = max(self.now_ns, self.free_at_ns)


def test_a_queue_that_is_waited_for_passes():
    queue = Queue(waits=True)
    found = check_synchronisation(queue, queue, queue.clock)
    assert found.ok, found.detail
    assert found.times_s[1] / found.times_s[0] == pytest.approx(2, rel=0.01)
    assert found.left_over < 0.01


def test_a_synchronize_that_does_nothing_is_caught():
    queue = Queue(waits=False)
    found = check_synchronisation(queue, queue, queue.clock)
    assert not found.ok
    assert found.left_over > 0.9
    assert "before the work was done" in found.detail


def test_time_that_does_not_grow_with_the_work_is_caught():
    queue = Queue(waits=True, fixed_s=0.001)
    found = check_synchronisation(queue, queue, queue.clock)
    assert not found.ok
    assert "about 2 and 4 times" in found.detail


class Busy(Queue):
    """The same on a machine whose processors are taken away now and then, and given back much later: what
    the host does stands still then, and where host and device are one (``shared``), so does the work."""

    def __init__(self, seed, *, load, shared, **settings):
        super().__init__(**settings)
        self._random = random.Random(seed)
        self._load, self._shared = load, shared

    def _host(self, seconds):
        """Host time of some seconds of work: slices of some 4 ms, after each a wait for ``load`` others."""
        taken = seconds
        waits_left = seconds
        while (step := self._random.expovariate(1 / 0.004)) < waits_left:
            waits_left -= step
            taken += self._random.expovariate(1 / (0.004 * self._load))
        return round(taken * 1e9)

    def launch(self, multiple, calls):
        for _ in range(calls):
            self.now_ns += self._host(self.hand_over_s)
            work_s = self.fixed_s or multiple * self.product_s
            work_ns = self._host(work_s) if self._shared else round(work_s * 1e9)
            self.free_at_ns = max(self.free_at_ns, self.now_ns) + work_ns

    def fetch(self):
        self.now_ns = max(self.now_ns, self.free_at_ns) + self._host(2e-5)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("load", [1, 4, 16])
def test_a_busy_machine_is_never_called_a_missing_synchronisation(load, shared):
    outcomes = []
    for seed in range(60):
        queue = Busy(seed, load=load, shared=shared, waits=True)
        outcomes.append(check_synchronisation(queue, queue, queue.clock).outcome)
    assert "failed" not in outcomes
    assert outcomes.count("passed") >= 30


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("load", [1, 4, 16])
@pytest.mark.parametrize("fault", [{"waits": False}, {"waits": True, "fixed_s": 0.001}])
def test_noise_hides_no_missing_synchronisation(load, shared, fault):
    for seed in range(20):
        queue = Busy(seed, load=load, shared=shared, **fault)
        found = check_synchronisation(queue, queue, queue.clock)
        assert found.outcome == "failed" or (queue.waits and found.outcome == "unproven"), f"{seed}: {found}"


def test_this_machines_cpu_is_not_called_faulty():
    """However busy it is while the tests run."""
    found = synchronisation_self_test(open_device("cpu"))
    assert found == "passed" or found.startswith("unproven: ")


def test_real_work_in_a_thread_that_nobody_waits_for_is_caught(monkeypatch):
    device = open_device("cpu")

    class InThread(Products):
        def __init__(self, device):
            super().__init__(device)
            self.pool = ThreadPoolExecutor(1)
            self.pending = []

        def launch(self, multiple, calls):
            self.pending.append(self.pool.submit(super().launch, multiple, calls))

        def fetch(self):
            for job in self.pending:
                job.result()
            self.pending.clear()
            super().fetch()

    monkeypatch.setattr(selftest, "MOST_ROUNDS", 6)
    work = InThread(device)
    with work.pool:
        broken = check_synchronisation(device, work)
        assert not broken.ok, broken
        monkeypatch.setattr(device, "synchronize", work.fetch, raising=False)
        mended = check_synchronisation(device, work)
    assert mended.left_over < selftest.LEFT_OVER
