"""The GPU backends against simulated torch and NVML: what they read, and how they put it together."""

import dataclasses
import json
from types import SimpleNamespace

import pytest
import torch

from bench.devices import drivers, host, nvml
from bench.devices.cuda import CudaDevice
from bench.devices.mps import MpsDevice
from bench.devices.xpu import XpuDevice

pytestmark = pytest.mark.torch

GIB = 2**30


class NvmlError(Exception):
    pass


def fake_nvml(**answers):
    """An NVML that answers what it is given, and refuses everything else as a card without support does."""

    def refuse(*arguments):
        raise NvmlError("not supported")

    calls = (
        "nvmlSystemGetDriverVersion",
        "nvmlDeviceGetHandleByPciBusId",
        "nvmlDeviceGetHandleByUUID",
        "nvmlDeviceGetIndex",
        "nvmlDeviceGetEnforcedPowerLimit",
        "nvmlDeviceGetPowerManagementDefaultLimit",
        "nvmlDeviceGetPowerUsage",
        "nvmlDeviceGetVirtualizationMode",
        "nvmlDeviceGetMemoryInfo",
        "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetCurrentClocksThrottleReasons",
        "nvmlDeviceGetComputeRunningProcesses",
        "nvmlDeviceGetEccMode",
        "nvmlDeviceGetMigMode",
        "nvmlDeviceGetPersistenceMode",
        "nvmlDeviceGetTemperature",
        "nvmlDeviceGetClockInfo",
        "nvmlDeviceGetComputeMode",
        "nvmlDeviceGetViolationStatus",
    )
    library = SimpleNamespace(
        NVMLError=NvmlError,
        NVML_TEMPERATURE_GPU=0,
        NVML_CLOCK_SM=1,
        NVML_CLOCK_MEM=2,
        NVML_PERF_POLICY_POWER=0,
        NVML_PERF_POLICY_THERMAL=1,
        **dict.fromkeys(calls, refuse),
    )
    for name, value in answers.items():
        setattr(library, name, lambda *arguments, value=value: value)
    return library


def test_a_card_that_answers(monkeypatch):
    library = fake_nvml(
        nvmlSystemGetDriverVersion="570.124.06",
        nvmlDeviceGetEnforcedPowerLimit=450_000,
        nvmlDeviceGetPowerManagementDefaultLimit=500_000,
        nvmlDeviceGetVirtualizationMode=2,
        nvmlDeviceGetMemoryInfo=SimpleNamespace(used=7),
        nvmlDeviceGetCurrentClocksThrottleReasons=0x01 | 0x04 | 0x40,
        nvmlDeviceGetComputeRunningProcesses=[SimpleNamespace(pid=1), SimpleNamespace(pid=99)],
        nvmlDeviceGetEccMode=[1, 1],
        nvmlDeviceGetViolationStatus=SimpleNamespace(violationTime=2_500_000_000),
    )
    monkeypatch.setattr(nvml, "library", lambda: library)
    found = nvml.read("card")
    assert found.power_limit_w == 450
    assert found.throttle_reasons == ("power limit", "temperature (hardware)")
    assert found.power_limit_default_w == 500
    assert found.virtualization == "vGPU"
    assert nvml.process_ids("card") == {1, 99}
    assert nvml.memory_used_bytes("card") == 7
    assert found.ecc is True
    assert (found.mig, found.temperature_c, found.power_w) == (None, None, None)
    assert nvml.driver_version() == "570.124.06"
    assert nvml.held_s("card", "thermal") == 2.5


def test_every_call_exists_in_the_real_library():
    import pynvml

    for name in vars(fake_nvml()):
        assert hasattr(pynvml, name), name


def test_an_old_library_without_a_call_is_not_a_crash(monkeypatch):
    library = fake_nvml()
    del library.nvmlDeviceGetMigMode
    monkeypatch.setattr(nvml, "library", lambda: library)
    assert nvml.read("card") == nvml.Readings()


def properties(**values):
    return SimpleNamespace(
        **{
            "name": "NVIDIA Simulated",
            "total_memory": 24 * GIB,
            "major": 8,
            "minor": 9,
            "multi_processor_count": 128,
            "is_integrated": 0,
            "pci_domain_id": 0,
            "pci_bus_id": 1,
            "pci_device_id": 0,
            "gcnArchName": "",
        }
        | values
    )


@pytest.fixture
def gpu(monkeypatch):
    """A function that makes a CUDA device with the given properties, without a GPU."""

    def make(hip=None, **values):
        cuda = torch.cuda
        monkeypatch.setattr(cuda, "set_device", lambda index: None)
        monkeypatch.setattr(cuda, "device_count", lambda: 2)
        monkeypatch.setattr(cuda, "get_device_properties", lambda index: properties(**values))
        monkeypatch.setattr(cuda, "mem_get_info", lambda index: (10 * GIB, 24 * GIB))
        monkeypatch.setattr(cuda, "memory_reserved", lambda index: 5 * GIB)
        monkeypatch.setattr(cuda, "memory_allocated", lambda index: 3 * GIB)
        monkeypatch.setattr(torch.version, "hip", hip)
        monkeypatch.setattr(torch.version, "cuda", None if hip else "12.8")
        library = fake_nvml(
            nvmlSystemGetDriverVersion="570.1",
            nvmlDeviceGetHandleByPciBusId="card",
            nvmlDeviceGetEnforcedPowerLimit=450_000,
        )
        monkeypatch.setattr(nvml, "library", lambda: library)
        return CudaDevice(1)

    return make


def test_an_nvidia_card(gpu):
    info = gpu().info()
    assert info == dataclasses.replace(
        info,
        kind="cuda",
        index=1,
        name="NVIDIA Simulated",
        memory_bytes=24 * GIB,
        driver_version="570.1",
        power_limit_w=450,
        count=2,
        compute_units=128,
        software="CUDA 12.8",
    )
    json.dumps(dataclasses.asdict(info))


def test_what_the_allocator_keeps_unused_is_free(gpu):
    assert gpu().free_memory_bytes() == 12 * GIB


def test_shared_memory_is_no_more_than_the_host_has_left(gpu, monkeypatch):
    monkeypatch.setattr(host, "free_memory_bytes", lambda: 4 * GIB)
    device = gpu(is_integrated=1)
    assert device.free_memory_bytes() == 4 * GIB
    assert any("shares the host's memory" in note for note in device.info().notes)
    assert device.info().shares_memory
    assert not gpu().info().shares_memory


@pytest.mark.parametrize(
    ("capability", "supported"),
    [
        ((6, 1), {"fp32", "fp16"}),
        ((7, 5), {"fp32", "fp16", "int8"}),
        ((8, 9), {"fp32", "fp16", "int8", "bf16", "tf32"}),
    ],
)
def test_types_by_compute_capability(gpu, capability, supported):
    device = gpu(major=capability[0], minor=capability[1])
    every = ("fp32", "tf32", "bf16", "fp16", "int8", "int4")
    assert {dtype for dtype in every if device.supports(dtype)} == supported


def test_an_older_torch_that_names_no_slot(gpu, monkeypatch):
    device = gpu()
    older = properties(uuid="simulated")
    del older.pci_bus_id
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: older)
    monkeypatch.setattr(nvml, "library", lambda: fake_nvml(nvmlDeviceGetHandleByUUID="by uuid"))
    assert device.nvml_handle == "by uuid"


def test_an_amd_card(gpu, monkeypatch):
    monkeypatch.setattr(drivers, "amd_driver", lambda: "6.12.12")
    device = gpu(hip="6.4.1", gcnArchName="gfx942:sramecc+", name="AMD Simulated")
    info = device.info()
    assert (info.software, info.driver_version) == ("ROCm 6.4.1", "6.12.12")
    assert device.nvml_handle is None
    assert device.supports("bf16")
    assert not gpu(hip="6.4.1", gcnArchName="gfx1100").supports("tf32")


def test_conditions_leave_out_what_is_unknown(gpu):
    found = gpu().own_conditions()
    assert found["architecture"] == "sm_89"
    assert None not in found.values()
    json.dumps(found)


def test_a_part_of_a_card_says_so(gpu):
    assert any("MIG" in note for note in gpu(name="NVIDIA H100 MIG 1g.10gb").info().notes)


def test_an_apple_gpu(monkeypatch):
    mps = torch.mps
    monkeypatch.setattr(mps, "recommended_max_memory", lambda: 48 * GIB)
    monkeypatch.setattr(mps, "current_allocated_memory", lambda: 2 * GIB)
    monkeypatch.setattr(mps, "driver_allocated_memory", lambda: 3 * GIB)
    monkeypatch.setattr(host, "free_memory_bytes", lambda: 20 * GIB)
    monkeypatch.setattr("platform.mac_ver", lambda: ("26.1", ("", "", ""), "arm64"))
    device = MpsDevice()
    assert device.free_memory_bytes() == 21 * GIB
    monkeypatch.setattr(host, "free_memory_bytes", lambda: 60 * GIB)
    assert device.free_memory_bytes() == 46 * GIB
    assert device.peak_memory_bytes() == 3 * GIB
    assert [d for d in ("fp32", "tf32", "bf16", "fp16") if device.supports(d)] == ["fp32", "bf16", "fp16"]
    assert "48.0 GiB" in device.info().notes[0]


def test_an_intel_gpu(monkeypatch):
    xpu = torch.xpu
    shape = SimpleNamespace(
        name="Intel Simulated",
        total_memory=16 * GIB,
        driver_version="1.6",
        max_compute_units=512,
        has_fp16=True,
        has_bfloat16_conversions=True,
        has_subgroup_matrix_multiply_accumulate_tensor_float32=False,
        is_integrated_gpu=False,
        platform_name="Intel oneAPI",
    )
    monkeypatch.setattr(xpu, "set_device", lambda index: None)
    monkeypatch.setattr(xpu, "device_count", lambda: 1)
    monkeypatch.setattr(xpu, "get_device_properties", lambda index: shape)
    monkeypatch.setattr(xpu, "memory_reserved", lambda index: 2 * GIB)
    monkeypatch.setattr(xpu, "memory_allocated", lambda index: 1 * GIB)

    def hidden(index):
        raise RuntimeError("the driver does not tell free memory")

    monkeypatch.setattr(xpu, "mem_get_info", hidden)
    device = XpuDevice(0)
    assert device.free_memory_bytes() == 15 * GIB
    assert device.info().compute_units == 512
    assert [d for d in ("fp32", "tf32", "bf16", "fp16", "int8") if device.supports(d)] == [
        "fp32",
        "bf16",
        "fp16",
    ]
