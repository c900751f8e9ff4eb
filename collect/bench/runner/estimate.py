"""How long a plan will take: an estimate from each cell's formulas and the machine's rates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.cells import Need
from bench.runner.parts import processes_of
from bench.runner.plan import Planned, grouped
from bench.suites import Suite
from bench.workloads import WORKLOADS
from bench.workloads.probe import READ, settled, size_bytes

#: Rough rates of an ordinary device of each kind (FLOP/s, B/s), used until a probe of this machine is in
#: the store. They only feed the time that is announced before a run.
ROUGH_RATES: dict[str, tuple[float, float]] = {
    "cpu": (1e11, 2e10),
    "cuda": (2e13, 5e11),
    "mps": (3e12, 1e11),
    "xpu": (1e13, 3e11),
}
#: Share of those rates that an ordinary cell reaches.
_USUAL_EFFICIENCY = 0.5
#: Starting a process, importing torch and opening a device; and building random weights.
_START_S = 6.0
_BUILD_BYTES_PER_S = 5e8
#: Repetitions before counting starts: two windows must agree.
_WARM_UP = 6
#: Usual standard deviation of repetitions over their mean. The interval of a median of n of them is about
#: 1.96 x 1.25 x this / sqrt(n) wide to each side.
_USUAL_NOISE = 0.05


@dataclass(frozen=True)
class Rates:
    """What the machine can do per second, and where that is known from."""

    flops: float
    bytes_per_s: float
    source: str


def known_rates(rows: Iterable[Mapping[str, Any]], host_id: str, device_name: str, kind: str) -> Rates:
    """What a probe of this device on this host found: its fastest product, and its reads of the largest
    working set. A row that did not settle says nothing; without both rates, the rough default."""
    flops, bytes_per_s, largest = 0.0, 0.0, 0
    for row in rows:
        if (row["workload"], row["host_id"], row["device_name"], row["status"]) != (
            "probe",
            host_id,
            device_name,
            "ok",
        ) or not settled(row):
            continue
        if row["rate_unit"] == "FLOP/s" and row["compute_dtype"] in (None, "fp32"):
            flops = max(flops, row["rate"])
        elif row["rate_unit"] == "B/s":
            asked = json.loads(row["settings"] or "{}")
            size = size_bytes(asked["size"]) if asked.get("operation") == READ else 0
            if size > largest:  # the largest working set shows memory's rate; small ones live in a cache
                largest, bytes_per_s = size, row["rate"]
    rough = ROUGH_RATES.get(kind, ROUGH_RATES["cpu"])
    if flops and bytes_per_s:
        return Rates(flops, bytes_per_s, "the probe of this machine in the store")
    return Rates(
        *rough, f"rough rates of an ordinary {kind} device: no probe of this machine is in the store"
    )


def repetition_s(need: Need, rates: Rates) -> float:
    """Roofline time of one repetition at the usual share of the rates, in seconds."""
    return max(need.flops_per_sample / rates.flops, need.bytes_per_sample / rates.bytes_per_s) / (
        _USUAL_EFFICIENCY
    )


def cell_s(
    need: Need,
    rates: Rates,
    suite: Suite,
    *,
    processes: int = 1,
    first_of_group: bool = True,
    most_s: float | None = None,
) -> float:
    """Expected seconds of a cell in all its processes: start and build where it is the first of its group,
    then repetitions until the interval should be inside the target or the budget ends, and at least as many
    as must be; no more than ``most_s`` each, after which some workloads end a cell themselves."""
    once = repetition_s(need, rates)
    count = (1.96 * 1.25 * _USUAL_NOISE / suite.target) ** 2
    wanted = max(1.0, (_WARM_UP + count) * once)
    counted = max(min(suite.cell_budget_s / processes, wanted), suite.min_samples * once)
    if most_s is not None:
        counted = min(counted, most_s)
    build = _START_S + need.memory_bytes / _BUILD_BYTES_PER_S if first_of_group else 0.0
    return processes * (build + counted)


def expected_times(cells: Sequence[Planned], rates: Rates, suite: Suite) -> dict[str, float]:
    """Expected seconds of each cell, by ``cell_id``: an estimate."""
    return {
        item.cell.cell_id: cell_s(
            item.need,
            rates,
            suite,
            processes=processes_of(item.cell, suite),
            first_of_group=i == 0,
            most_s=WORKLOADS[item.cell.workload].most_s,
        )
        for group in grouped(cells)
        for i, item in enumerate(group)
    }
