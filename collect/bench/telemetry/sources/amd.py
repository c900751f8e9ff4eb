"""AMD cards, through AMD SMI. The address is the card's PCI slot."""

from __future__ import annotations

from typing import Any

from bench.devices import amd
from bench.devices.amd import number
from bench.telemetry.sources import Values, others

#: Counters of time spent held down, which data-centre cards have, and the cause of each.
RESIDENCIES = {
    "ppt_residency_acc": "power limit",
    "socket_thm_residency_acc": "temperature",
    "vr_thm_residency_acc": "temperature (voltage regulator)",
    "hbm_thm_residency_acc": "temperature (memory)",
    "prochot_residency_acc": "hardware slowdown",
}
#: Other cards only say that something holds the clocks down.
UNTOLD = "cause not told"


class Amd:
    """One card; every figure is None where the slot holds none. The library writes "N/A" for what a card
    does not tell."""

    def __init__(self, card: Any | None, pid: int) -> None:
        self._card, self._pid = card, pid
        self._residencies: dict[str, float] = {}

    def fast(self) -> Values:
        metrics = amd.call("amdsmi_get_gpu_metrics_info", self._card) or {}

        def first(*names: str) -> float | None:
            return next((v for name in names if (v := number(metrics.get(name))) is not None), None)

        clock = _mean(metrics.get("current_gfxclks"))
        return {
            "clock_mhz": first("current_gfxclk") if clock is None else clock,
            "memory_clock_mhz": first("current_uclk"),
            "temperature_c": first("temperature_hotspot", "temperature_edge"),
            "power_w": first("current_socket_power", "average_socket_power"),
            "throttle_reasons": self._reasons(metrics),
        }

    def slow(self) -> Values:
        memory = amd.call("amdsmi_get_gpu_vram_usage", self._card) or {}
        used_mb = number(memory.get("vram_used"))
        processes = amd.call("amdsmi_get_gpu_process_list", self._card)
        pids = None if processes is None else {process["pid"] for process in processes}
        return {
            "memory_used_bytes": None if used_mb is None else round(used_mb * 2**20),
            "other_processes": None if pids is None else others(pids, self._pid),
        }

    def _reasons(self, metrics: Values) -> tuple[str, ...] | None:
        """From counters that moved since the last sample, else from the card's one status word."""
        now = {name: v for name in RESIDENCIES if (v := number(metrics.get(name))) is not None}
        if now:
            before, self._residencies = self._residencies, now
            return tuple(RESIDENCIES[name] for name in now if name in before and now[name] > before[name])
        status = metrics.get("throttle_status")
        return ((UNTOLD,) if status else ()) if isinstance(status, bool | int) else None


def _mean(values: Any) -> float | None:
    """Of the dies that are there; a card of several lists a clock each."""
    known = [v for v in values if number(v) is not None] if isinstance(values, list) else []
    return sum(known) / len(known) if known else None


def open_source(address: str, pid: int) -> Amd:
    return Amd(amd.find(address), pid)
