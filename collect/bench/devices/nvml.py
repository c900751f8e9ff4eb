"""What NVIDIA's management library says. Reads only; everything is None where there is no such driver."""

from __future__ import annotations

import dataclasses
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

#: How a card reaches a virtual machine; bare metal is not worth a word.
VIRTUALIZATION = {1: "passthrough", 2: "vGPU", 3: "vGPU host", 4: "vSGA host"}


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


@dataclass(frozen=True)
class Readings:
    """State of one card. A figure that this card or driver does not tell is None."""

    power_limit_w: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    clock_mhz: int | None = None
    memory_clock_mhz: int | None = None
    throttle_reasons: tuple[str, ...] | None = None
    power_limit_default_w: float | None = None
    virtualization: str | None = None
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


def find(address: str) -> Any | None:
    """The card of a PCI slot, or of an identifier that begins with ``GPU-``; None for no or no such one."""
    if not address:
        return None
    return handle_by_uuid(address) if address.startswith("GPU-") else handle(address)


def index(card: Any | None) -> int | None:
    """The card's number among all of the machine, in the order of their slots."""
    return _read("nvmlDeviceGetIndex", card)


def read(card: Any | None) -> Readings:
    """The state of a card and what it is set to."""
    ecc, mig = _read("nvmlDeviceGetEccMode", card), _read("nvmlDeviceGetMigMode", card)
    persistence = _read("nvmlDeviceGetPersistenceMode", card)
    virtual = _read("nvmlDeviceGetVirtualizationMode", card)
    return dataclasses.replace(
        moment(card),
        power_limit_w=_watts(_read("nvmlDeviceGetEnforcedPowerLimit", card)),
        power_limit_default_w=_watts(_read("nvmlDeviceGetPowerManagementDefaultLimit", card)),
        ecc=None if ecc is None else bool(ecc[0]),
        mig=None if mig is None else bool(mig[0]),
        persistence=None if persistence is None else bool(persistence),
        compute_mode=_read("nvmlDeviceGetComputeMode", card),
        virtualization=VIRTUALIZATION.get(virtual),
    )


def moment(card: Any | None) -> Readings:
    """What changes from one moment to the next, and costs little to read."""
    nvml = library()
    if nvml is None or card is None:
        return Readings()
    bits = _read("nvmlDeviceGetCurrentClocksThrottleReasons", card)
    if bits is None:
        bits = _read("nvmlDeviceGetCurrentClocksEventReasons", card)
    known = {word for bit, word in THROTTLE_REASONS.items() if bits is not None and bits & bit}
    return Readings(
        power_w=_watts(_read("nvmlDeviceGetPowerUsage", card)),
        temperature_c=_read("nvmlDeviceGetTemperature", card, nvml.NVML_TEMPERATURE_GPU),
        clock_mhz=_read("nvmlDeviceGetClockInfo", card, nvml.NVML_CLOCK_SM),
        memory_clock_mhz=_read("nvmlDeviceGetClockInfo", card, nvml.NVML_CLOCK_MEM),
        throttle_reasons=None if bits is None else tuple(w for w in THROTTLE_REASONS.values() if w in known),
    )


def process_ids(card: Any | None) -> set[int] | None:
    """The processes that compute on a card, as the driver numbers them; None where it does not tell."""
    found = _read("nvmlDeviceGetComputeRunningProcesses", card)
    return None if found is None else {process.pid for process in found}


def memory_used_bytes(card: Any | None) -> int | None:
    """Memory in use on a card, by all programs."""
    found = _read("nvmlDeviceGetMemoryInfo", card)
    return None if found is None else found.used


def _watts(milliwatts: int | None) -> float | None:
    return None if milliwatts is None else milliwatts / 1000


def _read(name: str, *arguments: Any) -> Any | None:
    nvml = library()
    call = getattr(nvml, name, None)  # older releases of the package lack some
    if call is None or None in arguments:  # None: there is no such card
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
