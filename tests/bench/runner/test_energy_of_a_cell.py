"""How much of a window's energy is the counted repetitions', when much else happens in the window."""

from types import SimpleNamespace

import pytest

from bench.measure.energy import EnergyMeter
from bench.runner import one_cell


class Clock:
    """Stands for the ``time`` module; only what is run moves it."""

    def __init__(self):
        self.now = 0.0

    def time(self):
        return 1.7e9 + self.now

    def perf_counter(self):
        return self.now


class Monitor:
    """A counter of a device that takes 100 W whatever it does."""

    def __init__(self, clock):
        self.clock, self.began = clock, 0.0

    def begin_window(self, key, **_):
        self.began = self.clock.now

    def end_window(self, key, **_):
        return 100 * (self.clock.now - self.began)


class Telemetry:
    power_scope = "device"

    def __init__(self, power_w=None, sampled_s=0.0):
        self.seen = SimpleNamespace(
            detail={"samples": 60}, sampled_power_w=power_w, sampled_s=sampled_s, throttled_fraction=None,
            max_temperature_c=None, flags=(),
        )  # fmt: skip

    def watch(self):
        return SimpleNamespace(finish=lambda: self.seen)


def run(clock, meter, telemetry):
    """10 s of setting up and of gaps, 2 s of warm-up, 8 s that count."""
    harness = SimpleNamespace(warmup_s=[1.0] * 2, samples_s=[1.0] * 8)
    prepared = SimpleNamespace(run=lambda _: setattr(clock, "now", clock.now + 20))
    device = SimpleNamespace(synchronize=lambda: None)
    return one_cell._run(prepared, harness, device, meter, telemetry)


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(one_cell, "time", made)
    return made


def counter(clock):
    return EnergyMeter(Monitor(clock), lambda m: m, source="NVML", scope="device", clock=lambda: clock.now)


def test_a_repetition_pays_for_its_own_seconds_only(clock):
    found = run(clock, counter(clock), Telemetry())
    assert (found["energy_j"], found["mean_power_w"]) == (pytest.approx(800), pytest.approx(100))
    assert found["telemetry"]["timed_share"] == pytest.approx(0.4)
    assert found["telemetry"]["window_unix_s"] == [pytest.approx(1.7e9), pytest.approx(1.7e9 + 20)]
    assert found["telemetry"]["energy_coverage"] == 1


def test_sampled_power_says_how_much_of_the_window_it_saw(clock):
    none = EnergyMeter(validity="no-counter", reason="none", clock=lambda: clock.now)
    found = run(clock, none, Telemetry(power_w=50.0, sampled_s=19.0))
    assert (found["energy_j"], found["energy_validity"]) == (pytest.approx(400), "sampled")
    assert found["telemetry"]["energy_coverage"] == pytest.approx(0.95)


def test_no_energy_has_no_coverage(clock):
    none = EnergyMeter(validity="no-counter", reason="none", clock=lambda: clock.now)
    found = run(clock, none, Telemetry())
    assert found["energy_j"] is None
    assert "energy_coverage" not in found["telemetry"]
