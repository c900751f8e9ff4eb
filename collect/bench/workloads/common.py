"""What several workloads share: number types of a suite, seeded token ids, and the built model of a group."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from bench.cells import Cell
from bench.workloads.base import Unsupported

if TYPE_CHECKING:
    import torch

    from bench.devices.base import Device
    from bench.measure.harness import Harness

#: (weights, compute) of a plain run in 32 bits; the published settings of both articles.
FP32 = ("fp32", "fp32")


def inference_dtypes(suite: str, device_kind: str) -> list[tuple[str, str]]:
    """(weights_dtype, compute_dtype) pairs of a suite, the published one first.

    A CPU gets bf16 but no fp16 (few have arithmetic for it); tf32 exists on CUDA devices only. What a
    device cannot compute in is found out when the cell runs and recorded as ``unsupported``.
    """
    if suite in ("tiny", "quick", "article"):
        return [FP32]
    if device_kind == "cpu":
        return [FP32, ("bf16", "bf16")]
    halves = [("bf16", "bf16"), ("fp16", "fp16")]
    return [FP32, ("fp32", "tf32"), *halves] if device_kind == "cuda" else [FP32, *halves]


def require(device: Device, *dtypes: str) -> None:
    """Raises ``Unsupported`` when the device cannot compute in one of the types."""
    for dtype in dtypes:
        if not device.supports(dtype):
            raise Unsupported(f"this {device.kind} device has no {dtype} arithmetic")


def cell_seed(cell: Cell) -> int:
    """The seed of a cell's inputs: the same on every machine, and no two cells share a prompt, but for those
    that differ in the weights or the way of running alone: their answers can be held against each other."""
    plain = dataclasses.replace(cell, execution="eager", weights="random")
    return int(plain.cell_id[:12], 16)


def token_ids(cell: Cell, vocab: int, rows: int, length: int) -> torch.Tensor:
    """(rows, length) token ids on the CPU, uniform over the vocabulary without its first ids.

    Low ids are padding and control tokens in the vocabularies used here; padding would be masked.
    """
    import torch

    generator = torch.Generator().manual_seed(cell_seed(cell))
    return torch.randint(min(1_000, vocab // 4), vocab, (rows, length), generator=generator)


def built_model(cell: Cell, device: Device, models: dict[str, Any]) -> tuple[Any, float]:
    """(model, seconds it took to build), kept in ``models`` for the other cells of the group.

    Models of another group are dropped first: two would not fit where one does.
    """
    from bench.models.build import build

    if cell.group not in models:
        models.clear()
        device.empty_cache()
        models[cell.group] = build(cell.model, cell.weights_dtype, device, weights=cell.weights)
    built = models[cell.group]
    return built.model, built.load_s


def job_columns(harness: Harness, work_per_sample: float, job_work: float) -> dict[str, Any]:
    """``job_s`` of a job of ``job_work`` at the median rate, and how much of the job was really timed.

    When that is less than all of it, the job's time is scaled up and the row says so.
    """
    fraction = min(1.0, len(harness.samples_s) * work_per_sample / job_work)
    columns: dict[str, Any] = {
        "job_s": harness.interval().value * job_work / work_per_sample,
        "measured_fraction": fraction,
    }
    if fraction < 1:
        columns |= {"value_kind": "extrapolated", "flags": ["extrapolated"]}
    return columns
