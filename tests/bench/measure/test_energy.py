"""Energy is a figure with a source, or None with a reason; never 0. Counters are simulated here."""

from types import SimpleNamespace

import pytest

from bench import schema
from bench.devices import nvml
from bench.measure import energy, zeus_counters
from bench.measure.energy import VALIDITY, EnergyMeter, energy_columns, net_energy_j, rest


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
    assert zeus_counters._rapl_j(both) == 25.0
    assert zeus_counters._rapl_j(SimpleNamespace(cpu_energy={0: 10.0}, dram_energy=None)) == 10.0
    assert zeus_counters._rapl_j(SimpleNamespace(cpu_energy=None, dram_energy=None)) is None


def test_an_apple_chip_is_the_sum_of_its_parts():
    parts = SimpleNamespace(cpu_total_mj=1000, gpu_mj=5000, gpu_sram_mj=None, ane_mj=0, dram_mj=500)
    assert zeus_counters._apple_j(SimpleNamespace(soc_energy=parts)) == 6.5
    parts.gpu_mj = None
    assert zeus_counters._apple_j(SimpleNamespace(soc_energy=parts)) is None
    assert zeus_counters._apple_j(SimpleNamespace(soc_energy=None)) is None


def test_a_board_counter_is_taken_whole():
    assert zeus_counters._jetson_j(SimpleNamespace(soc_energy=SimpleNamespace(total_energy_mj=2500.0))) == 2.5
    assert zeus_counters._jetson_j(SimpleNamespace(soc_energy=SimpleNamespace(total_energy_mj=None))) is None


def test_without_zeus_the_reason_names_the_command(monkeypatch):
    monkeypatch.setattr(zeus_counters.importlib.util, "find_spec", lambda name: None)
    meter = EnergyMeter.open(SimpleNamespace(kind="cpu"))
    assert meter.source is None
    assert meter.validity == "not-installed"
    assert "pip install" in meter.reason
    meter.start()
    assert meter.stop().energy_j is None


def test_a_processor_without_counters_says_so(monkeypatch):
    import zeus.device.cpu.rapl as rapl

    monkeypatch.setattr(rapl, "rapl_is_available", lambda: False)
    monkeypatch.setattr(zeus_counters.sys, "platform", "linux")
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
    monkeypatch.setattr(zeus_counters.sys, "platform", "linux")
    meter = EnergyMeter.open(SimpleNamespace(kind="cpu"))
    assert meter.validity == "access-denied"
    assert "chmod" in meter.reason


class Cards:
    """Stands for zeus's list of cards, which counts as NVML does."""

    def __init__(self, *numbers):
        self.gpus = [SimpleNamespace(gpu_index=number) for number in numbers]

    def supports_get_total_energy_consumption(self, index):
        return index < len(self.gpus)


@pytest.fixture
def opened(monkeypatch):
    """The meter of the CUDA device 0, whose card NVML knows by ``number``, where zeus lists ``listed``."""

    def make(number, *listed, is_rocm=False):
        monkeypatch.setattr("zeus.device.get_gpus", lambda: Cards(*listed))
        monkeypatch.setattr(
            "zeus.monitor.ZeusMonitor", lambda gpu_indices, cpu_indices: SimpleNamespace(watched=gpu_indices)
        )
        monkeypatch.setattr(nvml, "index", lambda card: number)
        device = SimpleNamespace(kind="cuda", index=0, is_rocm=is_rocm, nvml_handle=None)
        return EnergyMeter.open(device)

    return make


def test_the_counter_is_the_cards_own_however_cuda_counts(opened):
    """CUDA's first card is the fastest, which may sit in any slot; zeus counts by slot."""
    found = opened(2, 0, 1, 2)
    assert found._monitor.watched == [2]
    assert found._read(SimpleNamespace(gpu_energy={0: 1.0, 2: 7.0})) == 7.0
    assert opened(2, 2, 0)._monitor.watched == [0], "of the cards that it may see, in that order"
    assert opened(2, 0, 1, 2, is_rocm=True)._monitor.watched == [0], "AMD's zeus counts as torch does"


def test_a_card_that_zeus_does_not_list_has_no_counter_rather_than_anothers(opened):
    hidden = opened(2, 0)
    assert (hidden.source, hidden.validity) == (None, "no-counter")
    assert "CUDA_DEVICE_ORDER" in hidden.reason
    assert opened(None, 0, 1).source is None, "which of the two it is, nobody tells"
    assert opened(None, 0)._monitor.watched == [0]


def test_a_card_that_is_named_by_its_identifier_is_said(monkeypatch):
    def refuses():
        raise ValueError("invalid literal for int() with base 10: 'GPU-5c9'")

    monkeypatch.setattr("zeus.device.get_gpus", refuses)
    found = EnergyMeter.open(SimpleNamespace(kind="cuda", index=0, nvml_handle=None))
    assert (found.source, found.validity) == (None, "no-counter")
    assert "CUDA_VISIBLE_DEVICES" in found.reason


def test_other_devices_have_no_counter_here():
    assert EnergyMeter.open(SimpleNamespace(kind="xpu")).validity == "no-counter"


def test_the_timed_part_of_a_window_is_what_a_row_carries():
    columns = energy_columns(reading(500.0), 0.8)
    assert (columns["energy_j"], columns["mean_power_w"]) == (400.0, 50.0)
    assert energy_columns(reading(None), 0.8)["energy_j"] is None


def test_idle_is_subtracted_over_the_same_time():
    row = {"energy_j": 500.0, "idle_power_w": 20.0, "samples_s": [5.0, 5.0]}
    assert net_energy_j(row) == 300.0
    assert net_energy_j(row | {"idle_power_w": None}) is None


def test_sampled_power_stands_in_only_for_a_counter_that_is_not_there():
    missing = EnergyMeter(validity="no-counter", reason="none")
    missing.start()
    lacking = missing.stop()
    found = lacking.or_sampled(30.0, "device", 60, 12.0)
    assert (found.energy_j, found.scope, found.validity, found.mean_power_w) == (360, "device", "sampled", 30)
    assert found.validity in VALIDITY
    assert lacking.or_sampled(None, "device", 60, 12.0) is lacking
    assert lacking.or_sampled(30.0, None, 60, 12.0) is lacking
    few = lacking.or_sampled(30.0, "device", 3, 12.0)
    assert (few.energy_j, few.mean_power_w, few.validity) == (None, 30.0, "no-counter")
    counted = reading(500.0)
    assert counted.or_sampled(30.0, "device", 60, 12.0) is counted
    broken = reading(-1.0).or_sampled(30.0, "device", 60, 12.0)
    assert (broken.energy_j, broken.validity) == (None, "counter-error")


class Watched:
    """Telemetry whose samples say 25 W."""

    def __init__(self, power_scope):
        self.power_scope = power_scope

    def watch(self):
        return SimpleNamespace(finish=lambda: SimpleNamespace(sampled_power_w=25.0))


def test_rest_is_measured_by_the_counter_or_else_as_sampled():
    slept = []
    times = iter([0.0, 5.5])
    meter = EnergyMeter(Monitor(110.0), lambda m: m, source="NVML", scope="device", clock=lambda: next(times))
    found = rest(meter, Watched("device"), always=False, sleep=slept.append)
    assert found["power_w"] == 20
    assert slept == [energy.SHORTEST_DEVICE_S + energy.IDLE_MARGIN_S]
    begin, end = found["window_unix_s"]
    assert end >= begin
    none = EnergyMeter(validity="no-counter", reason="none")
    assert rest(none, Watched("device"), always=False, sleep=slept.append)["power_w"] == 25


def test_nobody_rests_where_nothing_could_tell():
    none = EnergyMeter(validity="no-counter", reason="none")
    slept = []
    assert rest(none, Watched(None), always=False, sleep=slept.append) == {}
    assert slept == []
    found = rest(none, Watched(None), always=True, sleep=slept.append)
    assert found["power_w"] is None
    assert len(found["window_unix_s"]) == 2
