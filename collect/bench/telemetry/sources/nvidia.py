"""NVIDIA cards, through NVML. The address is the card's PCI slot or its identifier."""

from __future__ import annotations

from typing import Any

from bench.devices import nvml
from bench.telemetry.sources import Values, others


class Nvidia:
    """One card; every figure is None where the slot holds none."""

    def __init__(self, card: Any | None, pid: int) -> None:
        self._card = card
        self._pid = pid

    def fast(self) -> Values:
        found = nvml.moment(self._card)
        return {
            "clock_mhz": found.clock_mhz,
            "memory_clock_mhz": found.memory_clock_mhz,
            "temperature_c": found.temperature_c,
            "power_w": found.power_w,
            "throttle_reasons": found.throttle_reasons,
        }

    def slow(self) -> Values:
        pids = nvml.process_ids(self._card)
        return {
            "memory_used_bytes": nvml.memory_used_bytes(self._card),
            "other_processes": None if pids is None else others(pids, self._pid),
        }


def open_source(address: str, pid: int) -> Nvidia:
    return Nvidia(nvml.find(address), pid)
