"""What each kind of device tells, against simulated drivers and files of the system."""

import ctypes
from types import SimpleNamespace

import pytest

from bench.devices import amd as devices_amd
from bench.devices import nvml
from bench.telemetry import sources
from bench.telemetry.sample import Sample
from bench.telemetry.sources import amd, apple, cpu, host, jetson, nvidia, open_source, others


class NvmlError(Exception):
    pass


def library(**answers):
    """An NVML with these answers; it has no other calls, as older releases."""
    calls = {name: (lambda *arguments, value=value: value) for name, value in answers.items()}
    names = {"NVMLError": NvmlError, "NVML_TEMPERATURE_GPU": 0, "NVML_CLOCK_SM": 1, "NVML_CLOCK_MEM": 2}
    return SimpleNamespace(**names, **calls)


def test_an_nvidia_card(monkeypatch):
    answers = library(
        nvmlDeviceGetHandleByPciBusId="card",
        nvmlDeviceGetPowerUsage=250_000,
        nvmlDeviceGetTemperature=61,
        nvmlDeviceGetClockInfo=1980,
        nvmlDeviceGetCurrentClocksEventReasons=0x04 | 0x20,
        nvmlDeviceGetMemoryInfo=SimpleNamespace(used=5),
        nvmlDeviceGetComputeRunningProcesses=[SimpleNamespace(pid=10), SimpleNamespace(pid=11)],
    )
    monkeypatch.setattr(nvml, "library", lambda: answers)
    source = nvidia.open_source("00000000:01:00.0", pid=10)
    assert source.fast() == {
        "clock_mhz": 1980,
        "memory_clock_mhz": 1980,
        "temperature_c": 61,
        "power_w": 250,
        "throttle_reasons": ("power limit", "temperature (software)"),
    }
    assert source.slow() == {"memory_used_bytes": 5, "other_processes": 1}


def test_a_machine_without_nvml(monkeypatch):
    monkeypatch.setattr(nvml, "library", lambda: None)
    source = nvidia.open_source("00000000:01:00.0", pid=10)
    assert set((source.fast() | source.slow()).values()) == {None}


@pytest.mark.parametrize(
    ("pids", "below", "expected"),
    [(set(), (), 0), ({5}, (), 0), ({5, 6}, (6,), 0), ({5, 7}, (), 1), ({901}, (), 0), ({901, 902}, (), 1)],
    ids=["none", "own", "own worker", "another", "own by the host's number", "two by the host's numbers"],
)
def test_others_are_those_that_are_not_ours(monkeypatch, pids, below, expected):
    monkeypatch.setattr("bench.telemetry.counters.descendants", lambda pid: frozenset(below))
    assert others(pids, 5) == expected


class AmdError(Exception):
    pass


@pytest.fixture
def amd_card(monkeypatch):
    """Makes a source whose library gives these metrics, one after the other."""

    def make(metrics, processes=(), used="N/A"):
        monkeypatch.setattr(devices_amd, "library", lambda: amd_library(metrics, processes, used))
        return amd.open_source("0000:03:00.0", pid=1)

    return make


def amd_library(metrics, processes, used):
    return SimpleNamespace(
        AmdSmiException=AmdError,
        amdsmi_get_processor_handle_from_bdf=lambda slot: "card",
        amdsmi_get_power_cap_info=lambda card: {"power_cap": 250_000_000, "default_power_cap": 300_000_000},
        amdsmi_get_gpu_metrics_info=lambda card: metrics.pop(0),
        amdsmi_get_gpu_vram_usage=lambda card: {"vram_used": used},
        amdsmi_get_gpu_process_list=lambda card: [{"pid": pid} for pid in processes],
    )


def test_an_amd_card_with_a_status_word(amd_card):
    metrics = {
        "current_gfxclk": 2100,
        "current_gfxclks": ["N/A", "N/A"],
        "current_uclk": 1250,
        "temperature_hotspot": "N/A",
        "temperature_edge": 70,
        "current_socket_power": "N/A",
        "average_socket_power": 300,
        "throttle_status": True,
    }
    source = amd_card([metrics], processes=(1, 2), used=4)
    found = Sample(at_s=0.0, **source.fast())
    assert (found.clock_mhz, found.memory_clock_mhz, found.temperature_c, found.power_w) == (
        2100,
        1250,
        70,
        300,
    )
    assert found.throttle_reasons == (amd.UNTOLD,)
    assert source.slow() == {"memory_used_bytes": 4 * 2**20, "other_processes": 1}


def test_an_amd_card_with_counters_tells_the_cause(amd_card):
    base = dict.fromkeys(amd.RESIDENCIES, 100)
    steps = [base, base | {"ppt_residency_acc": 120}, base | {"ppt_residency_acc": 120}]
    source = amd_card([{**step, "current_gfxclks": [1000, 2000]} for step in steps])
    assert [source.fast()["throttle_reasons"] for _ in steps] == [(), ("power limit",), ()]


def test_an_amd_cards_power_limit(amd_card):
    amd_card([])
    assert devices_amd.power_limits_w("card") == (250, 300)
    assert devices_amd.power_limits_w(None) == (None, None)


def test_an_amd_card_that_refuses(monkeypatch):
    def refuse(card):
        raise AmdError

    names = ("amdsmi_get_gpu_metrics_info", "amdsmi_get_gpu_vram_usage", "amdsmi_get_gpu_process_list")
    refusing = SimpleNamespace(AmdSmiException=AmdError, **dict.fromkeys(names, refuse))
    monkeypatch.setattr(devices_amd, "library", lambda: refusing)
    source = amd.Amd("card", 1)
    assert set((source.fast() | source.slow()).values()) == {None}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def test_a_processor(monkeypatch, tmp_path):
    monkeypatch.setattr(cpu, "SYS", tmp_path)
    for core, khz in enumerate((3_000_000, 4_000_000)):
        write(tmp_path / f"devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq", khz)
    write(tmp_path / "class/hwmon/hwmon0/name", "nvme")
    write(tmp_path / "class/hwmon/hwmon0/temp1_input", 90_000)
    write(tmp_path / "class/hwmon/hwmon1/name", "coretemp")
    write(tmp_path / "class/hwmon/hwmon1/temp1_label", "Package id 0")
    write(tmp_path / "class/hwmon/hwmon1/temp1_input", 55_000)
    write(tmp_path / "class/hwmon/hwmon1/temp2_label", "Core 0")
    write(tmp_path / "class/hwmon/hwmon1/temp2_input", 58_000)
    source = cpu.Cpu(cpu.clock_files([0, 1, 2]), cpu.temperature_files())
    assert source.fast() == {"clock_mhz": 3500}
    assert source.slow() == {"temperature_c": 55}


def test_a_small_boards_thermal_zone(monkeypatch, tmp_path):
    monkeypatch.setattr(cpu, "SYS", tmp_path)
    write(tmp_path / "class/thermal/thermal_zone0/type", "cpu-thermal")
    write(tmp_path / "class/thermal/thermal_zone0/temp", 61_500)
    assert cpu.Cpu([], cpu.temperature_files()).slow() == {"temperature_c": 61.5}


def test_a_virtual_machine_tells_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(cpu, "SYS", tmp_path)
    source = cpu.open_source("", pid=1)
    assert source.fast() | source.slow() == {"clock_mhz": None, "temperature_c": None}


def test_of_many_cores_some_are_read(monkeypatch, tmp_path):
    monkeypatch.setattr(cpu, "SYS", tmp_path)
    for core in range(100):
        write(tmp_path / f"devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq", 1)
    assert 8 <= len(cpu.clock_files(list(range(100)))) <= cpu.MOST_CORES


def test_a_jetson(monkeypatch, tmp_path):
    monkeypatch.setattr(jetson, "SYS", tmp_path)
    write(tmp_path / "class/devfreq/17000000.ga10b/cur_freq", 918_000_000)
    write(tmp_path / "class/thermal/thermal_zone1/type", "GPU-therm")
    write(tmp_path / "class/thermal/thermal_zone1/temp", 48_250)
    monitor = tmp_path / "bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3"
    write(monitor / "in1_label", "VDD_IN")
    write(monitor / "in1_input", 19_000)
    write(monitor / "curr1_input", 1_500)
    found = jetson.open_source("", pid=1).fast()
    assert found == {"clock_mhz": 918, "temperature_c": 48.25, "power_w": 28.5}


def test_a_board_without_these_files(monkeypatch, tmp_path):
    monkeypatch.setattr(jetson, "SYS", tmp_path)
    assert set(jetson.open_source("", pid=1).fast().values()) == {None}


@pytest.mark.parametrize(
    ("level", "reasons"), [(0, ()), (2, ("temperature (heavy)",)), (9, ("temperature",))]
)
def test_a_macs_thermal_pressure(level, reasons):
    def state(token, out):
        ctypes.cast(out, ctypes.POINTER(ctypes.c_uint64))[0] = level
        return 0

    system = SimpleNamespace(notify_register_check=lambda name, token: 0, notify_get_state=state)
    assert apple.Apple(system).fast() == {"throttle_reasons": reasons}


def test_a_mac_without_the_notification():
    refuses = SimpleNamespace(notify_register_check=lambda name, token: 1)
    assert apple.Apple(refuses).fast() == apple.Apple(None).fast() == {}


def test_a_command_is_asked_seldom(monkeypatch):
    asked = []
    monkeypatch.setattr(host, "low_power_mode", lambda: asked.append(1) or True)
    monkeypatch.setattr(host, "power_source", lambda: "battery")
    source = host.Host(is_mac=True)
    values = [source.slow() for _ in range(host.MAC_EVERY_S + 1)]
    assert len(asked) == 2
    assert values[0] == values[-1] == {"power_source": "battery", "low_power": True}


@pytest.mark.parametrize("name", sources.OPENERS)
def test_every_source_opens_on_any_machine_and_reads_fields_of_a_sample(name):
    source = open_source(f"{name}:0000:01:00.0", pid=1)
    assert Sample(at_s=0.0, **source.slow(), **source.fast()).at_s == 0.0


def test_an_unknown_source_is_an_error():
    with pytest.raises(KeyError):
        open_source("nonsense", pid=1)
