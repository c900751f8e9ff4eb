"""Counters of the machine that only grow: what they grew by between two readings is exact, however often
the device was sampled in between."""

from __future__ import annotations

import contextlib
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from bench.devices import nvml

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
    held_thermal_s: float | None = None
    held_power_s: float | None = None


def read_counters(card: Any | None = None, *, of_cpu: bool = False) -> Counters:
    """The counters now, within some milliseconds; ``card`` is a handle of ``bench.devices.nvml``. ``of_cpu``:
    the processor is what is measured, so its heat is what held the device's clocks."""
    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0)
    stolen = getattr(times, "steal", 0.0)
    # Linux counts guests' time within user time already.
    total = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)
    return Counters(
        at_s=time.monotonic(),
        busy_s=total - idle - stolen,
        stolen_s=stolen,
        own_s=_own_s(),
        swapped_bytes=_swapped_bytes(),
        thermal_events=_thermal_events(),
        held_thermal_s=_cores_held_s() if of_cpu else nvml.held_s(card, "thermal"),
        held_power_s=nvml.held_s(card, "power"),
    )


def descendants(pid: int) -> frozenset[int]:
    """The processes below one; none where it is gone."""
    with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        return frozenset(child.pid for child in psutil.Process(pid).children(recursive=True))
    return frozenset()


def _own_s() -> float:
    """Processor time that this process and all below it have used, ended children included."""
    me, total = psutil.Process(), 0.0
    for process in (me, *me.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            times = process.cpu_times()
            total += times.user + times.system
            total += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
    return total


def _swapped_bytes() -> int | None:
    with warnings.catch_warnings():  # some containers hide the counters; psutil then warns and says 0
        warnings.simplefilter("error", RuntimeWarning)
        try:
            return psutil.swap_memory().sout
        except (RuntimeWarning, OSError):
            return None


def _thermal_events() -> int | None:
    """How often Linux saw the processor slow down from heat, over all cores."""
    found = _of_cores("core_throttle_count")
    return sum(found) if found else None


def _cores_held_s() -> float | None:
    """Seconds for which heat held a core's clock down, the mean over all cores; None before Linux 5.5."""
    found = _of_cores("core_throttle_total_time_ms")
    return sum(found) / len(found) / 1e3 if found else None


def _of_cores(name: str) -> list[int]:
    found = []
    for path in Path(THERMAL_COUNTS).glob(f"cpu[0-9]*/thermal_throttle/{name}"):
        with contextlib.suppress(OSError, ValueError):
            found.append(int(path.read_text()))
    return found
