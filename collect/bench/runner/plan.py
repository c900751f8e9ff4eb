"""The plan: which cells, in which order, and which of them this device cannot hold.

Plain arithmetic: nothing here imports torch or touches a device.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.cells import Cell, Need
from bench.errors import UsageError, unknown
from bench.text import nbytes

if TYPE_CHECKING:
    from bench.workloads.base import Workload

#: Its figures are the ceilings that every other cell is held against: it comes first, asked for or not.
PROBE = "probe"

#: Timed at the start, in the middle and at the end of a run (``bench.runner.anchor``); it has no row.
ANCHOR = Cell(PROBE, settings={"operation": "anchor"})

#: The lengths and sizes along which a larger cell needs more memory than a smaller one.
SIZES = ("batch", "input_tokens", "output_tokens", "context_depth", "beams")


@dataclass(frozen=True)
class Planned:
    """A cell with what one repetition of it takes."""

    cell: Cell
    need: Need


@dataclass(frozen=True)
class Plan:
    """Cells in the order in which they run; those of one group follow each other."""

    suite: str
    device_kind: str
    seed: int
    cells: tuple[Planned, ...]

    def __len__(self) -> int:
        return len(self.cells)


def select(names: Sequence[str], workloads: Mapping[str, Workload]) -> list[Workload]:
    """The workloads of those names (all when none is named), the probe first and always.

    Raises ``UsageError`` with the nearest name for one that does not exist.
    """
    for name in names:
        if name not in workloads:
            raise unknown("workload", name, workloads)
    chosen = set(names or workloads) | {PROBE}
    return [workloads[name] for name in sorted(workloads, key=lambda n: (n != PROBE, n)) if name in chosen]


def make_plan(
    suite: str,
    device_kind: str,
    workloads: Iterable[Workload],
    *,
    seed: int = 0,
    weights: str = "random",
    executions: Sequence[str] = (),
) -> Plan:
    """Every cell of the suite, each once, in a seeded order: the probe first, then whole groups (one
    built model each) shuffled, and the cells of each group shuffled.

    ``weights`` is ``random``, ``pretrained`` or ``both``; ``executions`` are ways to run each cell of the
    workloads that offer them (the others run as they do anyway). Raises ``UsageError`` when none of the
    workloads has a cell in this suite.
    """
    planned: dict[str, Planned] = {}
    names = []
    for workload in workloads:
        names.append(workload.name)
        for asked in workload.cells(suite, device_kind):
            for cell in _variants(asked, workload, weights, executions):
                planned.setdefault(cell.cell_id, Planned(cell, workload.need(cell)))
    if not planned:
        raise UsageError(
            f"Suite '{suite}' has no cells for {', '.join(names) or 'these workloads'} on {device_kind}.",
            hint="'bench list' shows what each suite runs.",
        )
    return Plan(suite, device_kind, seed, tuple(in_order(list(planned.values()), seed)))


def _variants(cell: Cell, workload: Workload, weights: str, executions: Sequence[str]) -> list[Cell]:
    """The cell with each kind of weights and each way of running it that is asked for and offered."""
    kinds = ("random", "pretrained") if weights == "both" else (weights,)
    ways = [way for way in executions if way in workload.executions] or [cell.execution]
    if cell.model is None:
        return [cell]
    return [dataclasses.replace(cell, weights=kind, execution=way) for kind in kinds for way in ways]


def in_order(cells: Sequence[Planned], seed: int) -> list[Planned]:
    """The cells as ``make_plan`` orders them. The same seed gives the same order everywhere."""
    groups: dict[str, list[Planned]] = {}
    for item in sorted(cells, key=lambda p: p.cell.cell_id):
        groups.setdefault(item.cell.group, []).append(item)
    shuffle = random.Random(seed).shuffle
    names = sorted(groups)
    shuffle(names)
    names.sort(key=lambda name: groups[name][0].cell.workload != PROBE)
    for name in names:
        shuffle(groups[name])
    return [item for name in names for item in groups[name]]


def second_half(cells: Sequence[Planned], expected_s: Mapping[str, float]) -> frozenset[str]:
    """The cells, by id, before which at least half of the expected time has passed; never the first."""
    half, passed, late = sum(expected_s.values()) / 2, 0.0, set()
    for number, item in enumerate(cells):
        if number and passed >= half:
            late.add(item.cell.cell_id)
        passed += expected_s.get(item.cell.cell_id, 0.0)
    return frozenset(late)


def grouped(cells: Sequence[Planned]) -> list[list[Planned]]:
    """Runs of neighbouring cells that share a group: each is one child process."""
    groups: list[list[Planned]] = []
    for item in cells:
        if groups and groups[-1][0].cell.group == item.cell.group:
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def safe_margin_bytes(memory_bytes: int, *, shared: bool) -> int:
    """What must stay free: a twentieth of the machine's memory, at least 512 MB, where device and machine
    share it, since running out of it freezes the machine; 256 MB on a card with memory of its own."""
    return max(512_000_000, memory_bytes // 20) if shared else 256_000_000


def refusal(need: Need, device: Mapping[str, Any], free_bytes: int | None = None) -> str | None:
    """Why a cell must not be attempted on this device, with the figures; None when it may.

    ``device`` holds the values of a ``DeviceInfo``. ``free_bytes`` is what a new process may use now, where
    known; else the whole memory is taken as free.
    """
    memory_bytes = device["memory_bytes"]
    margin = safe_margin_bytes(memory_bytes, shared=device["shares_memory"])
    if need.memory_bytes + margin > memory_bytes:
        return (
            f"needs {nbytes(need.memory_bytes)}, the device has {nbytes(memory_bytes)} of which "
            f"{nbytes(margin)} stay free; not attempted"
        )
    if free_bytes is not None and need.memory_bytes + margin > free_bytes:
        return (
            f"needs {nbytes(need.memory_bytes)}, only {nbytes(free_bytes)} of {nbytes(memory_bytes)} are "
            f"free now and {nbytes(margin)} of them stay free; not attempted"
        )
    return None


def family(cell: Cell) -> Cell:
    """The cell without its sizes: cells of one family differ in nothing else."""
    return dataclasses.replace(cell, batch=0, **dict.fromkeys(SIZES[1:]))


def at_least_as_large(cell: Cell, other: Cell) -> bool:
    """Whether ``cell`` is of the family of ``other`` and in no size smaller."""
    if family(cell) != family(other):
        return False
    return all((getattr(cell, name) or 0) >= (getattr(other, name) or 0) for name in SIZES)
