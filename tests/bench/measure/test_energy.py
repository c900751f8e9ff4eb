"""Energy is a figure with a source, or None with a reason; never 0. Counters are simulated here."""

from types import SimpleNamespace

import pytest

from bench import schema
from bench.measure import energy
from bench.measure.energy import VALIDITY, EnergyMeter


class Monitor:
    """Stands for zeus's monitor: ``end_window`` returns what it was given, or raises it."""

    def __init__(self, outcome):
        self.outcome = outcome

    def begin_window(self, key, *, sync_execution, restart):
        assert not sync_execution

    def end_window(self, key, *, sync_execution):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def reading(outcome, seconds=10.0, read=lambda m: m, source="NVML"):
    times = iter([0.0, seconds])
    meter = EnergyMeter(Monitor(outcome), read, source=source, scope="device", clock=lambda: next(times))
    meter.start()
    return meter.stop()


def test_a_counter_gives_joules_and_mean_watts():
    found = reading(500.0)
    assert (found.energy_j, found.mean_power_w, found.validity) == (500.0, 50.0, "ok")
    assert (found.source, found.scope) == ("NVML", "device")
    assert found.columns().keys() <= schema.BY_NAME.keys()


@pytest.mark.parametrize(
    ("outcome", "seconds", "validity"),
    [
        (5.0, 0.2, "window-too-short"),
        (0.0, 10.0, "counter-error"),
        (-3.0, 10.0, "counter-error"),
        (None, 10.0, "incomplete"),
        (OSError("gone"), 10.0, "counter-error"),
        (PermissionError("Permission denied"), 10.0, "access-denied"),
    ],
)
def test_an_unknown_energy_is_none_with_a_reason(outcome, seconds, validity):
    found = reading(outcome, seconds)
    assert found.energy_j is None
    assert found.mean_power_w is None
    assert found.validity == validity
    assert found.reason
    assert found.validity in VALIDITY


def test_processor_counters_need_less_time():
    assert reading(30.0, 1.0, source="RAPL").validity == "ok"


def test_a_window_must_be_opened_first():
    with pytest.raises(RuntimeError, match="not started"):
        EnergyMeter().stop()


def test_packages_and_their_memory_are_added():
    both = SimpleNamespace(cpu_energy={0: 10.0, 1: 12.0}, dram_energy={0: 1.0, 1: 2.0})
    assert energy._rapl_j(both) == 25.0
    assert energy._rapl_j(SimpleNamespace(cpu_energy={0: 10.0}, dram_energy=None)) == 10.0
    assert energy._rapl_j(SimpleNamespace(cpu_energy=None, dram_energy=None)) is None


def test_an_apple_chip_is_the_sum_of_its_parts():
    parts = SimpleNamespace(cpu_total_mj=1000, gpu_mj=5000, gpu_sram_mj=None, ane_mj=0, dram_mj=500)
    assert energy._apple_j(SimpleNamespace(soc_energy=parts)) == 6.5
    parts.gpu_mj = None
    assert energy._apple_j(SimpleNamespace(soc_energy=parts)) is None
    assert energy._apple_j(SimpleNamespace(soc_energy=None)) is None


def test_a_board_counter_is_taken_whole():
    assert energy._jetson_j(SimpleNamespace(soc_energy=SimpleNamespace(total_energy_mj=2500.0))) == 2.5
    assert energy._jetson_j(SimpleNamespace(soc_energy=SimpleNamespace(total_energy_mj=None))) is None


def test_without_zeus_the_reason_names_the_command(monkeypatch):
    monkeypatch.setattr(energy.importlib.util, "find_spec", lambda name: None)
    meter = EnergyMeter.open(SimpleNamespace(kind="cpu"))
    assert meter.source is None
    assert meter.validity == "not-installed"
    assert "pip install" in meter.reason
    meter.start()
    assert meter.stop().energy_j is None


def test_a_processor_without_counters_says_so(monkeypatch):
    import zeus.device.cpu.rapl as rapl

    monkeypatch.setattr(rapl, "rapl_is_available", lambda: False)
    monkeypatch.setattr(energy.sys, "platform", "linux")
    meter = EnergyMeter.open(SimpleNamespace(kind="cpu"))
    meter.start()
    found = meter.stop()
    assert (found.energy_j, found.source, found.validity) == (None, None, "no-counter")
    assert "RAPL" in found.reason


def test_counters_that_may_not_be_read_are_told_apart(monkeypatch, tmp_path):
    import zeus.device.cpu as cpu
    import zeus.device.cpu.rapl as rapl
    from zeus.device.cpu.common import ZeusCPUNoPermissionError

    def denied():
        raise ZeusCPUNoPermissionError("no")

    monkeypatch.setattr(rapl, "rapl_is_available", lambda: True)
    monkeypatch.setattr("zeus.device.get_cpus", denied)
    monkeypatch.setattr(cpu, "get_cpus", denied)
    monkeypatch.setattr(energy.sys, "platform", "linux")
    meter = EnergyMeter.open(SimpleNamespace(kind="cpu"))
    assert meter.validity == "access-denied"
    assert "chmod" in meter.reason


def test_other_devices_have_no_counter_here():
    assert EnergyMeter.open(SimpleNamespace(kind="xpu")).validity == "no-counter"
