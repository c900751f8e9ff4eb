"""Achieved ÷ possible: how near a result comes to what the device can do, by its rows or the catalog.

A row that this project measured carries its own efficiency (against the machine's probe). For other rows of
language models a floor is worked out from the catalog:
    decode   tokens/s ÷ sequences × bytes of the weights, against memory bandwidth (each step reads them all)
    prefill  tokens/s × 2 × parameters, against the dense peak of the type (Kaplan et al. 2020, section 2.1)
Both leave out the key-value cache and attention, so the true use is a little higher.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from bench.catalog import CatalogDevice
from guide.decide.fit import WEIGHT_BYTES, known_shape
from guide.model import Result, Task
from guide.show import figures
from guide.show.markup import escape

#: Compute types whose dense peak the catalog knows, by the stored type they are used with.
PEAK_OF = {"fp16": "fp16", "f16": "fp16", "bf16": "bf16", "fp32": "fp32", "tf32": "tf32"}


@dataclass(frozen=True)
class Share:
    """``value`` is the fraction of what is possible; ``sentence`` says of what, with both figures."""

    value: float
    sentence: str


def share(task: Task, result: Result, device: CatalogDevice | None) -> Share | None:
    """How much of the possible the result reaches; None where it cannot be told."""
    if result.rate is None:
        return None
    if result.efficiency is not None:
        bound = f", limited by {result.bound}" if result.bound else ""
        return Share(result.efficiency, f"of this machine's own roofline{bound}")
    if device is None or not task.model or task.unit != "tokens/s":
        return None
    if task.workload == "decode":
        return _of_bandwidth(task, result, device)
    if task.workload == "prefill":
        return _of_peak(task, result, device)
    return None


def _of_bandwidth(task: Task, result: Result, device: CatalogDevice) -> Share | None:
    weights = weight_bytes(task)
    if weights is None or device.bandwidth_gb_s is None or result.rate is None:
        return None
    moved = result.rate / (task.columns["batch"] or 1) * weights
    possible = device.bandwidth_gb_s * 1e9 * result.system.count
    of = f"{result.system.count} devices together" if result.system.count > 1 else "memory bandwidth"
    return Share(
        moved / possible,
        f"reads {figures.si(moved, 'B/s')} of weights, of {figures.si(possible, 'B/s')} {of}",
    )


def _of_peak(task: Task, result: Result, device: CatalogDevice) -> Share | None:
    compute = task.columns["compute_dtype"] or task.columns["weights_dtype"]
    shape, dtype = known_shape(task.model or ""), PEAK_OF.get(str(compute).lower())
    peak = device.peak_flops(dtype) if dtype else None
    if shape is None or peak is None or result.rate is None:
        return None
    done = result.rate * 2 * shape.params
    possible = peak * result.system.count
    return Share(
        done / possible, f"{figures.si(done, 'FLOP/s')} of {figures.si(possible, 'FLOP/s')} dense {dtype}"
    )


def weight_bytes(task: Task) -> int | None:
    """Bytes of the task's weights as stored; None when model or type is not known."""
    shape = known_shape(task.model or "")
    element = WEIGHT_BYTES.get(str(task.columns["weights_dtype"]).lower())
    return None if shape is None or element is None else shape.weight_bytes(element)


def meter(fraction: float, shown: str = "") -> Markup:
    """A percentage (or what ``shown`` says) with a small bar before it; the bar repeats the figure."""
    width = max(0.0, min(1.0, fraction)) * 100
    return Markup(
        f'<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="meter__all" width="100" height="10"/>'
        f'<rect class="meter__part" width="{width:.1f}" height="10"/></svg> '
        f"{escape(shown or figures.percent(fraction))}"
    )
