"""What a piece of work takes at least, and how near a result comes to it: the roofline from the catalog.

    least time = max(arithmetic / peak rate of products, traffic / memory rate)
    share      = least time x rate

after Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for multicore
architectures", Communications of the ACM 52(4) (2009) 65-76. The work's arithmetic and traffic come, in turn,
from its own rows, from the collector's formulas for the same job, or (language models) from the least that
any engine must do: two operations a parameter and token, and each weight read once a step. Where a source
names only a family of cards (``NVIDIA H100``), the answer is a range over its members.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from bench.catalog import CatalogDevice
from bench.cells import Cell, Need
from guide.decide.fit import WEIGHT_BYTES
from guide.evidence import Evidence
from guide.model import Result, System, Task

#: Lengths of a task; a source that states none of them is taken to have run the published job.
LENGTHS = ("input_tokens", "output_tokens", "context_depth", "beams")
#: What a cell and a task must share to be the same job.
SAME = ("model", "weights_dtype", "compute_dtype", "batch")
#: Compute types whose dense peak the catalog knows, by the names that rows use.
PEAKS = {"f16": "fp16", "f32": "fp32"}


@dataclass(frozen=True)
class Work:
    """What one unit of a task's work takes at least: FLOP, bytes, the type of its products, and how that is
    known. ``flops`` or ``traffic`` is None where it plays no part or is not known."""

    flops: float | None
    traffic: float | None
    dtype: str
    basis: str

    @property
    def intensity(self) -> float | None:
        """Arithmetic intensity in FLOP/B."""
        return self.flops / self.traffic if self.flops and self.traffic else None


@dataclass(frozen=True)
class Least:
    """The least seconds that a unit of work takes on a system, over the devices that its name may mean.

    ``bound`` is what sets it: ``compute``, ``memory``, or both where the members differ."""

    low_s: float
    high_s: float
    bound: str

    @property
    def one(self) -> bool:
        """Whether the device is known."""
        return self.low_s == self.high_s


@dataclass(frozen=True)
class Share:
    """The part of what is possible that a result reaches: ``low`` to ``high`` over what its name may mean.

    ``measured`` is True where it is held against the machine's own probe, not against the catalog."""

    low: float
    high: float
    bound: str
    measured: bool = False


def work_of(task: Task) -> Work | None:
    """What one unit of the task's work takes at least; None where nobody can say."""
    return _of_rows(task) or _of_cells(task) or _floor(task)


def _dtype(task: Task) -> str:
    dtype = str(task.columns["compute_dtype"] or task.columns["weights_dtype"] or "").lower()
    return PEAKS.get(dtype, dtype)


def _of_rows(task: Task) -> Work | None:
    rows = [row for s in task.standings for row in s.result.rows if row["flops_per_sample"]]
    rows = [row for row in rows if row["work_per_sample"]]
    if not rows:
        return None
    row = min(rows, key=lambda r: (r["run_id"], r["cell_id"]))
    done = row["work_per_sample"]
    traffic = row["bytes_per_sample"] / done if row["bytes_per_sample"] else None
    basis = "by the collector’s formulas, in its rows"
    return Work(row["flops_per_sample"] / done, traffic, _dtype(task), basis)


def _of_cells(task: Task) -> Work | None:
    """The collector's own cell for the same job, where a source ran it: same model, types and batch."""
    stated = [name for name in LENGTHS if task.columns[name] is not None]
    if not stated and task.workload in ("prefill", "decode"):
        return None  # these have no published lengths of their own
    same = _cells(task.workload).get(tuple(task.columns[name] for name in SAME), ())
    for cell in same:
        if any(getattr(cell, name) != task.columns[name] for name in stated):
            continue
        need = _need(cell)
        done = need.work_per_sample
        assumed = "" if stated else "; lengths as the published job has them, since the source states none"
        basis = f"by the collector’s formulas for the same job{assumed}"
        return Work(need.flops_per_sample / done, need.bytes_per_sample / done, _dtype(task), basis)
    return None


@cache
def _cells(workload: str) -> Mapping[tuple[object, ...], list[Cell]]:
    """The workload's cells by model, types and batch."""
    from bench.workloads import WORKLOADS

    found: dict[tuple[object, ...], list[Cell]] = {}
    for suite in ("article", "standard", "full") if workload in WORKLOADS else ():
        for cell in WORKLOADS[workload].cells(suite, "cuda"):
            found.setdefault(tuple(getattr(cell, name) for name in SAME), []).append(cell)
    return found


@cache
def _need(cell: Cell) -> Need:
    from bench.workloads import WORKLOADS

    return WORKLOADS[cell.workload].need(cell)


def _floor(task: Task) -> Work | None:
    """The least a language model needs, by its parameters (Kaplan et al. 2020, arXiv:2001.08361, 2.1)."""
    if task.workload not in ("prefill", "decode") or task.unit != "tokens/s":
        return None
    params = _params(task)
    element = WEIGHT_BYTES.get(str(task.columns["weights_dtype"]).lower())
    if params is None:
        return None
    batch = task.columns["batch"] or 1
    if task.workload == "decode":
        if element is None:
            return None
        return Work(None, params * element / batch, _dtype(task), "each weight read once for each step")
    return Work(2 * params, None, _dtype(task), "two operations for each parameter and token")


def _params(task: Task) -> int | None:
    """Parameters used for one token, as the rows state them."""
    found = {
        row["active_params"] or row["params"]
        for s in task.standings
        for row in s.result.rows
        if row["active_params"] or row["params"]
    }
    return found.pop() if len(found) == 1 else None


def members(system: System, evidence: Evidence) -> tuple[CatalogDevice, ...]:
    """The catalog's devices that the system's name may mean; none for a part or a smaller bin of one, and
    none that software counts as several."""
    if system.partition is not None:
        return ()
    found = [d for d in map(evidence.catalog.get, system.candidates) if d is not None]
    if system.variant and not all(
        d.compute_units and str(max(d.compute_units)) in system.variant for d in found
    ):
        return ()
    return tuple(found) if all(d.software_devices == 1 and not d.generic for d in found) else ()


def least(work: Work, system: System, evidence: Evidence) -> Least | None:
    """The least time of a unit of work on one such device; None where a ceiling is not in the catalog."""
    times: list[tuple[float, str]] = []
    for device in members(system, evidence):
        known = _least(work, device)
        if known is None:
            return None
        times.append(known)
    if not times or system.count != 1:
        return None
    bounds = sorted({bound for _, bound in times})
    seconds = [s for s, _ in times]
    return Least(min(seconds), max(seconds), " or ".join(bounds))


def _least(work: Work, device: CatalogDevice) -> tuple[float, str] | None:
    limits = []
    if work.flops:
        peak = device.peak_flops(work.dtype)
        if peak is None:
            return None
        limits.append((work.flops / peak, "compute"))
    if work.traffic:
        if device.bandwidth_gb_s is None:
            return None
        limits.append((work.traffic / (device.bandwidth_gb_s * 1e9), "memory"))
    return max(limits, default=None)


def share_of(task: Task, result: Result, evidence: Evidence, work: Work | None = None) -> Share | None:
    """How much of the possible a result reaches; None where it cannot be told. ``work`` is the task's, for
    those who know it already."""
    if result.rate is None:
        return None
    if result.efficiency is not None:
        return Share(result.efficiency, result.efficiency, result.bound or "", measured=True)
    if task.workload == "probe":
        return _of_peak(task, result, evidence)
    work = work or work_of(task)
    found = least(work, result.system, evidence) if work else None
    if found is None:
        return None
    return Share(found.low_s * result.rate, found.high_s * result.rate, found.bound)


def _of_peak(task: Task, result: Result, evidence: Evidence) -> Share | None:
    """A matrix product's rate over the dense peak of its type."""
    devices = members(result.system, evidence)
    peaks = [d.peak_flops(_dtype(task)) for d in devices]
    if task.unit != "FLOP/s" or not peaks or None in peaks or result.system.count != 1 or not result.rate:
        return None
    known = [peak for peak in peaks if peak]
    return Share(result.rate / max(known), result.rate / min(known), "compute")


def paper_ratio(first: Least, second: Least) -> tuple[float, float]:
    """How many times as fast the roofline lets the first be as the second: least and most."""
    return second.low_s / first.high_s, second.high_s / first.low_s
