"""AMD cards, through AMD SMI. The address is the card's PCI slot."""

from __future__ import annotations

import contextlib
import io
from typing import Any

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
    """One card. The library writes "N/A" for what a card does not tell."""

    def __init__(self, library: Any, card: Any, pid: int) -> None:
        self._library, self._card, self._pid = library, card, pid
        self._residencies: dict[str, int] = {}

    def fast(self) -> Values:
        metrics = self._call("amdsmi_get_gpu_metrics_info") or {}

        def first(*names: str) -> float | None:
            return next((v for name in names if (v := _number(metrics.get(name))) is not None), None)

        return {
            "clock_mhz": _number(_mean(metrics.get("current_gfxclks"))) or first("current_gfxclk"),
            "memory_clock_mhz": first("current_uclk"),
            "temperature_c": first("temperature_hotspot", "temperature_edge"),
            "power_w": first("current_socket_power", "average_socket_power"),
            "throttle_reasons": self._reasons(metrics),
        }

    def slow(self) -> Values:
        memory = self._call("amdsmi_get_gpu_vram_usage") or {}
        used_mb = _number(memory.get("vram_used"))
        processes = self._call("amdsmi_get_gpu_process_list")
        pids = None if processes is None else {process["pid"] for process in processes}
        return {
            "memory_used_bytes": None if used_mb is None else round(used_mb * 2**20),
            "other_processes": None if pids is None else others(pids, self._pid),
        }

    def _reasons(self, metrics: Values) -> tuple[str, ...] | None:
        """From counters that moved since the last sample, else from the card's one status word."""
        now = {name: v for name in RESIDENCIES if (v := _number(metrics.get(name))) is not None}
        if now:
            before, self._residencies = self._residencies, now
            return tuple(RESIDENCIES[name] for name in now if name in before and now[name] > before[name])
        status = metrics.get("throttle_status")
        return ((UNTOLD,) if status else ()) if isinstance(status, bool | int) else None

    def _call(self, name: str) -> Any | None:
        try:
            return getattr(self._library, name)(self._card)
        except self._library.AmdSmiException:
            return None


class Nothing:
    """Stands for a card that cannot be asked."""

    def fast(self) -> Values:
        return {}

    slow = fast


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _mean(values: Any) -> float | None:
    """Of the dies that are there; a card of several lists a clock each."""
    known = [v for v in values if _number(v) is not None] if isinstance(values, list) else []
    return sum(known) / len(known) if known else None


def open_source(address: str, pid: int) -> Amd | Nothing:
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # it prints where it looked for its library
            import amdsmi
    except (
        ImportError,
        KeyError,
        OSError,
        AttributeError,
    ):  # it has no ROCm to load
        return Nothing()
    try:
        amdsmi.amdsmi_init(amdsmi.AmdSmiInitFlags.INIT_AMD_GPUS)
        return Amd(amdsmi, amdsmi.amdsmi_get_processor_handle_from_bdf(address), pid)
    except amdsmi.AmdSmiException:
        return Nothing()
