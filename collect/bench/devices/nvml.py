"""What NVIDIA's management library says. Reads only; everything is None where there is no such driver."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

#: NVML's bits of reasons for lower clocks that cost speed, and a word for each. Idle clocks, clocks set
#: by an application and clocks held in step with another card are no disturbance.
THROTTLE_REASONS = {
    0x04: "power limit",
    0x08: "hardware slowdown",
    0x20: "temperature (software)",
    0x40: "temperature (hardware)",
    0x80: "power brake",
}


@functools.cache
def library() -> Any | None:
    """The started ``pynvml`` module, or None when the package or the driver is missing."""
    try:
        import pynvml
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    return pynvml


def driver_version() -> str | None:
    """Version of the NVIDIA driver."""
    return _text(_read("nvmlSystemGetDriverVersion"))


def cuda_version() -> tuple[int, int] | None:
    """The newest CUDA that the driver supports, such as (12, 8)."""
    number = _read("nvmlSystemGetCudaDriverVersion_v2")
    return None if number is None else (number // 1000, number % 1000 // 10)


@dataclass(frozen=True)
class Readings:
    """State of one card. A figure that this card or driver does not tell is None."""

    power_limit_w: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    clock_mhz: int | None = None
    memory_clock_mhz: int | None = None
    throttle_reasons: tuple[str, ...] = ()
    other_processes: int | None = None
    ecc: bool | None = None
    mig: bool | None = None
    persistence: bool | None = None
    compute_mode: int | None = None


def handle(pci_bus_id: str) -> Any | None:
    """The card in a slot; by slot, because NVML counts cards that the process may not see."""
    return _read("nvmlDeviceGetHandleByPciBusId", pci_bus_id)


def handle_by_uuid(uuid: str) -> Any | None:
    """The card of an identifier, which is used for this look-up only and never kept."""
    return _read("nvmlDeviceGetHandleByUUID", uuid)


def read(card: Any | None, own_pids: frozenset[int] = frozenset()) -> Readings:
    """Everything that may explain a figure; ``own_pids`` are not counted as other processes."""
    nvml = library()
    if nvml is None or card is None:
        return Readings()
    limit = _read("nvmlDeviceGetEnforcedPowerLimit", card)
    power = _read("nvmlDeviceGetPowerUsage", card)
    bits = _read("nvmlDeviceGetCurrentClocksThrottleReasons", card) or 0
    processes = _read("nvmlDeviceGetComputeRunningProcesses", card)
    ecc, mig = _read("nvmlDeviceGetEccMode", card), _read("nvmlDeviceGetMigMode", card)
    persistence = _read("nvmlDeviceGetPersistenceMode", card)
    return Readings(
        power_limit_w=None if limit is None else limit / 1000,
        power_w=None if power is None else power / 1000,
        temperature_c=_read("nvmlDeviceGetTemperature", card, nvml.NVML_TEMPERATURE_GPU),
        clock_mhz=_read("nvmlDeviceGetClockInfo", card, nvml.NVML_CLOCK_SM),
        memory_clock_mhz=_read("nvmlDeviceGetClockInfo", card, nvml.NVML_CLOCK_MEM),
        throttle_reasons=tuple(word for bit, word in THROTTLE_REASONS.items() if bits & bit),
        other_processes=None if processes is None else sum(p.pid not in own_pids for p in processes),
        ecc=None if ecc is None else bool(ecc[0]),
        mig=None if mig is None else bool(mig[0]),
        persistence=None if persistence is None else bool(persistence),
        compute_mode=_read("nvmlDeviceGetComputeMode", card),
    )


def _read(name: str, *arguments: Any) -> Any | None:
    nvml = library()
    call = getattr(nvml, name, None)  # older releases of the package lack some
    if call is None:
        return None
    try:
        return call(*arguments)
    except nvml.NVMLError:  # not supported by this card or driver, or not allowed to this user
        return None


def _text(value: Any) -> str | None:
    return value.decode() if isinstance(value, bytes) else value


def held_s(card: Any | None, cause: str) -> float | None:
    """Seconds since the driver started in which ``power`` or ``thermal`` causes held the clocks down."""
    nvml = library()
    if nvml is None or card is None:
        return None
    policy = {"power": nvml.NVML_PERF_POLICY_POWER, "thermal": nvml.NVML_PERF_POLICY_THERMAL}[cause]
    found = _read("nvmlDeviceGetViolationStatus", card, policy)
    return None if found is None else found.violationTime / 1e9
