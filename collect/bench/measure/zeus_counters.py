"""Which energy counter a device has, of those that the ``zeus`` library reads: NVML, AMD SMI, RAPL, Apple's,
Jetson's."""

from __future__ import annotations

import importlib.util
import logging
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bench.devices import nvml
from bench.measure.energy import VALIDITY, EnergyMeter, is_denied, zeus_errors

if TYPE_CHECKING:
    from bench.devices.base import Device

INSTALL = "pip install 'hwguide[collect]'"


def open_meter(device: Device) -> EnergyMeter:
    """The best counter for a device. Without one it does not fail, but reads None with the reason."""
    if importlib.util.find_spec("zeus") is None:
        return EnergyMeter(validity="not-installed", reason=f"zeus is not installed: {INSTALL}")
    logging.getLogger("zeus").setLevel(logging.ERROR)
    return {"cuda": _open_gpu, "mps": _open_soc, "cpu": _open_cpu}.get(device.kind, _open_nothing)(device)


def _open_nothing(device: Device) -> EnergyMeter:
    return EnergyMeter(validity="no-counter", reason=f"zeus reads no counter of {device.kind} devices")


def _open_gpu(device: Device) -> EnergyMeter:
    if getattr(device, "is_integrated", False):  # Jetson and its like: one counter for the board
        return _open_soc(device)
    source = "AMD SMI" if getattr(device, "is_rocm", False) else "NVML"
    if nvml.read(getattr(device, "nvml_handle", None)).mig:
        return EnergyMeter(validity="no-counter", reason="the counter is the whole card's, and MIG splits it")
    try:
        from zeus.device import get_gpus
        from zeus.monitor import ZeusMonitor

        gpus = get_gpus()
        index = device.index if source == "AMD SMI" else _zeus_index(device, gpus.gpus)
        if index is None:
            return EnergyMeter(
                validity="no-counter",
                reason="zeus does not list this card under CUDA's numbers: set CUDA_DEVICE_ORDER=PCI_BUS_ID",
            )
        # Without a counter zeus would sample power from a process of its own, at a cost to the cell.
        if not gpus.supports_get_total_energy_consumption(index):
            return EnergyMeter(validity="no-counter", reason=f"this card has no energy counter in {source}")
        monitor = ZeusMonitor(gpu_indices=[index], cpu_indices=[])
    except ValueError:  # it makes a number of each word of the variable
        return EnergyMeter(
            validity="no-counter",
            reason="zeus understands numbers alone in CUDA_VISIBLE_DEVICES: name the card by its number",
        )
    except zeus_errors() as error:
        return _unavailable(error, f"{source} cannot be reached")
    return EnergyMeter(monitor, lambda m: m.gpu_energy.get(index), source=source, scope="device")


def _zeus_index(device: Device, gpus: Sequence[Any]) -> int | None:
    """Where zeus keeps the NVIDIA card of a device; None where it does not, or where that cannot be told.

    Zeus counts as NVML does, by slot; CUDA puts the fastest card first unless told otherwise, so that on a
    machine with cards of several kinds the same number may be another card. AMD's it counts as torch does.
    """
    number = nvml.index(getattr(device, "nvml_handle", None))
    if number is None:
        return 0 if len(gpus) == 1 else None
    return next((i for i, gpu in enumerate(gpus) if gpu.gpu_index == number), None)


def _open_cpu(device: Device) -> EnergyMeter:
    if sys.platform == "darwin":
        return _open_soc(device)
    from zeus.device.cpu.rapl import rapl_is_available

    if not rapl_is_available():
        return EnergyMeter(
            validity="no-counter", reason="RAPL is not there: the CPU or the virtual machine has none to read"
        )
    try:
        from zeus.device import get_cpus
        from zeus.monitor import ZeusMonitor

        # Asked first, because ZeusMonitor goes on in silence without counters that it may not read. Zones
        # other than the packages (psys) count the same energy once more.
        cpus = get_cpus().cpus
        packages = [i for i, cpu in enumerate(cpus) if cpu.rapl_file.name.startswith("package")]
        monitor = ZeusMonitor(gpu_indices=[], cpu_indices=packages)
    except zeus_errors() as error:
        return _unavailable(error, "let this user read it: sudo chmod -R a+r /sys/class/powercap/intel-rapl")
    return EnergyMeter(monitor, _rapl_j, source="RAPL", scope="package")


def _rapl_j(measurement: Any) -> float | None:
    """Packages and their memory, where it has a counter. A package that is missing makes it incomplete."""
    if not measurement.cpu_energy:
        return None
    return sum(measurement.cpu_energy.values()) + sum((measurement.dram_energy or {}).values())


def _open_soc(device: Device) -> EnergyMeter:
    try:
        from zeus.device import get_soc
        from zeus.monitor import ZeusMonitor

        get_soc()
        monitor = ZeusMonitor(gpu_indices=[], cpu_indices=[])
    except zeus_errors() as error:
        return _unavailable(error, "on a Mac it needs: pip install 'zeus[apple]'")
    if sys.platform == "darwin":
        return EnergyMeter(monitor, _apple_j, source="Apple IOReport", scope="package")
    return EnergyMeter(monitor, _jetson_j, source="Jetson INA3221", scope="board")


def _apple_j(measurement: Any) -> float | None:
    """CPU, GPU, neural engine and memory of the chip; the CPU and the GPU must be there."""
    soc = measurement.soc_energy
    if soc is None or soc.cpu_total_mj is None or soc.gpu_mj is None:
        return None
    return (
        soc.cpu_total_mj + soc.gpu_mj + sum(v or 0 for v in (soc.gpu_sram_mj, soc.ane_mj, soc.dram_mj))
    ) / 1e3


def _jetson_j(measurement: Any) -> float | None:
    soc = measurement.soc_energy
    total = None if soc is None else soc.total_energy_mj
    return None if total is None else total / 1e3


def _unavailable(error: BaseException, advice: str) -> EnergyMeter:
    code = "access-denied" if is_denied(error) else "no-counter"
    return EnergyMeter(validity=code, reason=f"{VALIDITY[code]}; {advice}")
