"""Measure one cell on an open device: build, repeat, and describe the outcome as columns of its row."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.cells import Cell
from bench.workloads.base import Unsupported

if TYPE_CHECKING:
    from bench.devices.base import Device
    from bench.measure.energy import EnergyMeter
    from bench.measure.harness import Harness
    from bench.telemetry.monitor import Telemetry
    from bench.workloads.base import Prepared

#: ``report(count, seconds, low, high)``: repetitions so far, their median and its interval in seconds.
Report = Callable[[int, float, "float | None", "float | None"], None]


@dataclass(frozen=True)
class Limits:
    """How exactly and how long one cell is measured (see ``bench.suites.Suite``)."""

    target: float
    budget_s: float
    min_samples: int
    whole_job: bool = False


def measure(
    cell: Cell,
    limits: Limits,
    device: Device,
    models: dict[str, Any],
    seed: int,
    meter: EnergyMeter,
    telemetry: Telemetry,
    report: Report,
) -> dict[str, Any]:
    """Columns of the finished cell: status, samples, the median's interval in seconds under ``seconds``,
    ``seconds_low``, ``seconds_high`` and ``seconds_sustained`` (the parent turns them into rates), ``need``
    where only the built cell knows it, memory, energy, flags, ``telemetry``, and what the workload adds.

    Raises ``Unsupported``, and whatever the workload's libraries raise.
    """
    from bench.measure.harness import Harness
    from bench.measure.stopping import StoppingRule
    from bench.workloads import WORKLOADS

    if not device.supports(cell.compute_dtype):
        raise Unsupported(f"{device.kind} cannot compute in {cell.compute_dtype}")
    workload = WORKLOADS[cell.workload]
    rule = StoppingRule(
        limits.target,
        limits.budget_s,
        min_samples=limits.min_samples,
        job_samples=(workload.need(cell).job_samples or 0) if limits.whole_job else 0,
    )
    device.seed(seed)
    with device.compute_dtype(cell.compute_dtype):
        prepared = workload.prepare(cell, device, models)
        harness = Harness(device, rule, on_sample=_reporter(report), report_every_s=0.5)
        device.reset_peak_memory()
        seen = _run(prepared, harness, device, meter, telemetry)
        columns = _outcome(harness, limits.target) | {
            "load_s": prepared.load_s or None,
            "peak_memory_bytes": device.peak_memory_bytes(),
        }
        seen["telemetry"] |= columns.pop("telemetry", {})
        own = prepared.columns(harness)
        own["conditions"] = dict(prepared.conditions) | _kernel(prepared, harness)
        columns["flags"] = sorted({*columns.get("flags", ()), *seen.pop("flags", ()), *own.pop("flags", ())})
        if prepared.need is not None:
            columns["need"] = dataclasses.asdict(prepared.need)
        return columns | seen | own


def _run(
    prepared: Prepared, harness: Harness, device: Device, meter: EnergyMeter, telemetry: Telemetry
) -> dict[str, Any]:
    """Repeat until the harness has enough; columns on energy, and on what disturbed the repetitions.

    The energy window opens with the first repetition, warm-up included, since one opened later would miss
    the counter's first step in short cells; the figure is then the counted repetitions' share of the
    window's time: its mean power over their seconds.
    """
    from bench.measure.energy import energy_columns

    watch = telemetry.watch()
    began, clock = time.time(), time.perf_counter()
    meter.start()
    try:
        prepared.run(harness)
    finally:
        energy = meter.stop()
    device.synchronize()
    window_s = time.perf_counter() - clock
    seen = watch.finish()
    share = min(1.0, sum(harness.samples_s) / window_s)
    detail = dict(seen.detail) | {"window_unix_s": [began, began + window_s], "timed_share": share}
    if energy.reason:
        detail["energy_note"] = energy.reason
    scope = telemetry.power_scope if energy.energy_j is None else None
    energy = energy.or_sampled(seen.sampled_power_w, scope, detail["samples"], window_s)
    if energy.energy_j is not None:
        covered = seen.sampled_s / window_s if energy.validity == "sampled" else 1.0
        detail["energy_coverage"] = round(min(1.0, covered), 4)
    return energy_columns(energy, share) | {
        "throttled_fraction": seen.throttled_fraction,
        "max_temperature_c": seen.max_temperature_c,
        "flags": seen.flags,
        "telemetry": detail,
    }


def _kernel(prepared: Prepared, harness: Harness) -> dict[str, Any]:
    """The attention kernel that ran, from one more pass that is not timed; nothing where that takes long."""
    from bench.measure.kernels import LONGEST_S, attention_kernel
    from bench.workloads.base import Prepared

    if type(prepared).one_pass is Prepared.one_pass:  # nothing to look at: spare the profiler's start
        return {}
    if not harness.samples_s or min(harness.samples_s) > LONGEST_S:
        return {}
    looked = []
    kernel = attention_kernel(lambda: looked.append(prepared.one_pass()))
    return {"attention_kernel": kernel or "none fused"} if any(looked) else {}


def _reporter(report: Report) -> Callable[[Harness], None]:
    def on_sample(harness: Harness) -> None:
        if harness.samples_s:
            found = harness.interval()
            report(len(harness.samples_s), found.value, found.low, found.high)

    return on_sample


def _outcome(harness: Harness, target: float) -> dict[str, Any]:
    from bench.measure.sustained import thirds

    if not harness.samples_s:
        return {"status": "failed", "status_detail": "the workload ended without a timed repetition"}
    found = harness.interval()
    columns = {
        "status": "ok",
        "samples_s": list(harness.samples_s),
        "sample_count": len(harness.samples_s),
        "flags": harness.flags(),
        "seconds": found.value,
        "seconds_low": found.low,
        "seconds_high": found.high,
    }
    parts = thirds(harness.samples_s)
    if parts is not None:
        columns["seconds_sustained"] = parts.last.value
        columns["telemetry"] = {"first_third_s": parts.first.value, "last_third_s": parts.last.value}
        columns["flags"] += ["not-sustained"] if parts.slows_down(target) else []
    return columns
