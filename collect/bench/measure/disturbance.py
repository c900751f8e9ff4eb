"""What disturbed a cell: counters of the machine, read before and after it, and the flags they mean."""

from __future__ import annotations

import contextlib
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from bench.devices import nvml
from bench.measure.environment import low_power_mode, power_source

if TYPE_CHECKING:
    from bench.devices.base import Device

#: Processor time taken by others, as a share of all processors, from which a cell counts as contended.
OTHERS_SHARE = 0.10
#: Time that a virtual machine waited for its host, as a share of all processors.
STOLEN_SHARE = 0.02
SWAPPED_BYTES = 16 * 2**20
#: Share of the time in which a cause held the clocks down.
HELD_SHARE = 0.01
#: Counters of processor time step by 10 ms: over less than this they say nothing.
SHORTEST_S = 0.5

THERMAL_COUNTS = "/sys/devices/system/cpu"


@dataclass(frozen=True)
class Counters:
    """Readings of one moment; what the machine does not tell is None."""

    at_s: float
    busy_s: float
    stolen_s: float
    own_s: float
    swapped_bytes: int | None = None
    thermal_events: int | None = None
    power_source: str | None = None
    low_power: bool | None = None
    held_thermal_s: float | None = None
    held_power_s: float | None = None
    throttle_reasons: tuple[str, ...] = ()
    other_processes: int | None = None


@dataclass(frozen=True)
class Disturbance:
    """``flags`` are codes of ``bench.measure.flags``; ``detail`` holds the figures behind them;
    ``throttled_fraction`` is the share of the time in which heat held the device's clocks down."""

    flags: tuple[str, ...] = ()
    detail: dict[str, Any] = field(default_factory=dict)
    throttled_fraction: float | None = None


class Watch:
    """Reads the counters when made; ``finish`` reads them again. Two readings take a few milliseconds."""

    def __init__(self, device: Device) -> None:
        self._card = getattr(device, "nvml_handle", None)
        self._before = read_counters(self._card)

    def finish(self) -> Disturbance:
        """What happened since the watch began."""
        return compare(self._before, read_counters(self._card), psutil.cpu_count() or 1)


def read_counters(card: Any | None = None) -> Counters:
    """The counters now; ``card`` is a handle of ``bench.devices.nvml``."""
    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0)
    stolen = getattr(times, "steal", 0.0)
    # Linux counts guests' time within user time already.
    total = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)
    pids, own_s = _own_processes()
    readings = nvml.read(card, pids)
    return Counters(
        at_s=time.monotonic(),
        busy_s=total - idle - stolen,
        stolen_s=stolen,
        own_s=own_s,
        swapped_bytes=_swapped_bytes(),
        thermal_events=_thermal_events(),
        power_source=power_source(),
        low_power=low_power_mode(),
        held_thermal_s=nvml.held_s(card, "thermal"),
        held_power_s=nvml.held_s(card, "power"),
        throttle_reasons=readings.throttle_reasons,
        other_processes=readings.other_processes,
    )


def compare(before: Counters, after: Counters, cores: int) -> Disturbance:
    """The flags and figures between two readings on a machine with ``cores`` logical processors."""
    seconds = after.at_s - before.at_s
    detail: dict[str, Any] = {}
    flags = []
    if seconds >= SHORTEST_S:
        others = max(0.0, (after.busy_s - before.busy_s) - (after.own_s - before.own_s))
        stolen = max(0.0, after.stolen_s - before.stolen_s)
        detail["others_cpu_share"] = round(others / seconds / cores, 4)
        detail["stolen_cpu_share"] = round(stolen / seconds / cores, 4)
        if detail["others_cpu_share"] > OTHERS_SHARE or detail["stolen_cpu_share"] > STOLEN_SHARE:
            flags.append("contended")
    swapped = _grown(before.swapped_bytes, after.swapped_bytes)
    if swapped is not None and swapped > SWAPPED_BYTES:
        flags.append("swapping")
        detail["swapped_bytes"] = swapped
    held = {name: _share(before, after, name, seconds) for name in ("thermal", "power")}
    detail |= {f"held_{name}_share": round(share, 4) for name, share in held.items() if share is not None}
    hot = bool(_grown(before.thermal_events, after.thermal_events)) or (held["thermal"] or 0) > HELD_SHARE
    reasons = {*before.throttle_reasons, *after.throttle_reasons}
    if hot or reasons - {"power limit"}:
        flags.append("throttled")
    if (held["power"] or 0) > HELD_SHARE or "power limit" in reasons:
        flags.append("power-limited")
    if reasons:
        detail["throttle_reasons"] = sorted(reasons)
    if "battery" in (before.power_source, after.power_source):
        flags.append("on-battery")
    if before.low_power or after.low_power:
        flags.append("low-power-mode")
    if before.other_processes or after.other_processes:
        flags.append("device-shared")
        detail["other_processes"] = max(before.other_processes or 0, after.other_processes or 0)
    return Disturbance(tuple(flags), detail, held["thermal"])


def _share(before: Counters, after: Counters, name: str, seconds: float) -> float | None:
    grown = _grown(getattr(before, f"held_{name}_s"), getattr(after, f"held_{name}_s"))
    return None if grown is None or seconds <= 0 else min(1.0, grown / seconds)


def _grown(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _own_processes() -> tuple[frozenset[int], float]:
    """This process and all below it, and the processor time they have used, ended children included."""
    me = psutil.Process()
    pids, total = {me.pid}, 0.0
    for process in (me, *me.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            times = process.cpu_times()
            total += times.user + times.system
            total += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
            pids.add(process.pid)
    return frozenset(pids), total


def _swapped_bytes() -> int | None:
    with warnings.catch_warnings():  # some containers hide the counters; psutil then warns and says 0
        warnings.simplefilter("error", RuntimeWarning)
        try:
            return psutil.swap_memory().sout
        except (RuntimeWarning, OSError):
            return None


def _thermal_events() -> int | None:
    """How often Linux saw the processor slow down from heat, over all cores."""
    found = []
    for path in Path(THERMAL_COUNTS).glob("cpu[0-9]*/thermal_throttle/core_throttle_count"):
        with contextlib.suppress(OSError, ValueError):
            found.append(int(path.read_text()))
    return sum(found) if found else None
