"""From counters at both ends of a window, and samples within it, to columns, flags and figures of a row."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.telemetry.counters import Counters
from bench.telemetry.sample import Sample
from bench.telemetry.sources.amd import UNTOLD

#: Processor time taken by others, as a share of all processors, from which a cell counts as contended.
OTHERS_SHARE = 0.10
#: Time that a virtual machine waited for its host, as a share of all processors.
STOLEN_SHARE = 0.02
SWAPPED_BYTES = 16 * 2**20
#: Share of the time in which a cause held the clocks down.
HELD_SHARE = 0.01
#: Counters of processor time step by 10 ms: over less than this they say nothing.
SHORTEST_S = 0.5
#: From so many samples on, their share tells the share of the time.
ENOUGH_SAMPLES = 10
POWER = "power limit"


@dataclass(frozen=True)
class Disturbance:
    """``flags`` are codes of ``bench.measure.flags``, ``detail`` figures (``bench.telemetry.KEYS``).

    ``throttled_fraction`` is the share of the time in which something other than the power limit held the
    clocks down. ``sampled_power_w`` is the mean of the sampled power, over the ``sampled_s`` seconds from its
    first to its last sample. None where it cannot be told.
    """

    flags: tuple[str, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)
    throttled_fraction: float | None = None
    max_temperature_c: float | None = None
    sampled_power_w: float | None = None
    sampled_s: float = 0.0


def summarise(before: Counters, after: Counters, samples: Sequence[Sample], cores: int) -> Disturbance:
    """What went on between two readings on a machine with ``cores`` logical processors."""
    seconds = after.at_s - before.at_s
    flags, detail = _host(before, after, seconds, cores)
    shares = reason_shares(samples)
    held = {name: _share(before, after, f"held_{name}_s", seconds) for name in ("thermal", "power")}
    detail |= {f"held_{name}_share": round(share, 4) for name, share in held.items() if share is not None}
    detail |= _clocks(samples)
    if shares:
        detail["throttle_reasons"] = {reason: round(share, 4) for reason, share in sorted(shares.items())}
    hot = held["thermal"]
    throttled = _throttled_fraction(hot, samples)
    events = _grown(before.thermal_events, after.thermal_events)
    if events or (hot or 0) > HELD_SHARE or _any(shares, lambda reason: reason not in (POWER, UNTOLD)):
        flags.append("throttled")
    if (held["power"] or 0) > HELD_SHARE or _any(shares, lambda reason: reason == POWER):
        flags.append("power-limited")
    if _any(shares, lambda reason: reason == UNTOLD):
        flags.append("clocks-held")
    for value, flag in (("battery", "on-battery"), (True, "low-power-mode")):
        if any(value in (s.power_source, s.low_power) for s in samples):
            flags.append(flag)
    others = _most(s.other_processes for s in samples)
    if others:
        flags.append("device-shared")
    powers = [(s.at_s, s.power_w) for s in samples if s.power_w is not None]
    power_w = mean_over_time(powers)
    detail |= {
        "other_processes": others,
        "memory_used_max_bytes": _most(s.memory_used_bytes for s in samples),
        "power_source": next((s.power_source for s in reversed(samples) if s.power_source), None),
        "low_power": next((s.low_power for s in reversed(samples) if s.low_power is not None), None),
        "sampled_power_w": None if power_w is None else round(power_w, 3),
        "samples": len(samples),
    }
    return Disturbance(
        tuple(flags),
        {name: value for name, value in detail.items() if value is not None},
        throttled,
        _most(s.temperature_c for s in samples),
        power_w,
        0.0 if power_w is None else powers[-1][0] - powers[0][0],
    )


def _throttled_fraction(hot: float | None, samples: Sequence[Sample]) -> float | None:
    """The share by the driver's counter of heat or by the samples, whichever is more: some cards' counter
    stands still, and none counts a brake of the power supply."""
    told = [s for s in samples if s.throttle_reasons is not None]
    if len(told) < ENOUGH_SAMPLES:
        return hot
    seen = sum(bool({*s.throttle_reasons} - {POWER, UNTOLD}) for s in told) / len(told)
    return max(seen, hot or 0.0)


def _host(before: Counters, after: Counters, seconds: float, cores: int) -> tuple[list[str], dict[str, Any]]:
    """Processor time of others, and swapping."""
    flags: list[str] = []
    detail: dict[str, Any] = {}
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
    return flags, detail


def _clocks(samples: Sequence[Sample]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    clocks = sorted(s.clock_mhz for s in samples if s.clock_mhz is not None)
    if clocks:
        found["clock_median_mhz"] = statistics.median(clocks)
        found["clock_p5_mhz"] = clocks[math.ceil(0.05 * len(clocks)) - 1]
    memory = [s.memory_clock_mhz for s in samples if s.memory_clock_mhz is not None]
    if memory:
        found["memory_clock_median_mhz"] = statistics.median(memory)
    return found


def reason_shares(samples: Sequence[Sample]) -> dict[str, float]:
    """Reason for lower clocks -> share of the samples that give it, of those that tell reasons at all."""
    told = [s.throttle_reasons for s in samples if s.throttle_reasons is not None]
    reasons = {reason for found in told for reason in found}
    return {reason: sum(reason in found for found in told) / len(told) for reason in reasons}


def mean_over_time(points: Sequence[tuple[float, float]]) -> float | None:
    """The mean of a sampled quantity over the time from its first to its last sample, by trapezoids; None
    for fewer than two samples."""
    if len(points) < 2 or points[-1][0] <= points[0][0]:
        return None
    area = sum((b - a) * (x + y) / 2 for (a, x), (b, y) in itertools.pairwise(points))
    return area / (points[-1][0] - points[0][0])


def _any(shares: Mapping[str, float], wanted: Any) -> bool:
    return any(share > HELD_SHARE and wanted(reason) for reason, share in shares.items())


def _most(values: Iterable[float | None]) -> Any:
    return max((v for v in values if v is not None), default=None)


def _share(before: Counters, after: Counters, name: str, seconds: float) -> float | None:
    grown = _grown(getattr(before, name), getattr(after, name))
    return None if grown is None or seconds <= 0 else min(1.0, max(0.0, grown / seconds))


def _grown(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before
