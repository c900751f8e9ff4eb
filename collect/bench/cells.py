"""A cell: one workload with all its settings, the unit that is planned, measured and stored.

Nothing here imports torch: plans, memory needs and digests are plain arithmetic.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from bench import schema

#: Bytes of one element of each type of weights and activations.
DTYPE_BYTES: dict[str, float] = {"fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2, "int8": 1, "int4": 0.5}


@dataclass(frozen=True)
class Cell:
    """What is asked for. Field names are the schema's column names; lengths are in tokens."""

    workload: str
    model: str | None = None
    weights_dtype: str = "fp32"
    compute_dtype: str = "fp32"
    batch: int = 1
    input_tokens: int | None = None
    output_tokens: int | None = None
    context_depth: int | None = None
    beams: int | None = None
    weights: str = "random"
    execution: str = "eager"
    rate_kind: str = "burst"
    device_count: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    def __hash__(self) -> int:
        return hash(self.cell_id)

    def columns(self) -> schema.Row:
        """The cell as columns of a row, with its ``cell_id``, ``protocol`` and ``task_key``."""
        row = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        row["settings"] = schema.to_json(dict(self.settings)) if self.settings else None
        row |= {"protocol": "hwguide", "method_version": schema.METHOD_VERSION}
        row["task_key"] = schema.task_key(row)
        return row | {"cell_id": self.cell_id}

    @property
    def cell_id(self) -> str:
        """Digest of everything asked for, the device count included."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return schema.digest(values | {"settings": dict(self.settings), "method": schema.METHOD_VERSION})

    @property
    def group(self) -> str:
        """Cells of one group share a built model, and so a child process."""
        return "/".join(str(v) for v in (self.model or self.workload, self.weights_dtype, self.weights))

    @property
    def label(self) -> str:
        """A short name for progress lines and tables: ``decode llama-1b bf16 b4 512+64``."""
        parts = [self.workload, self.model, self.compute_dtype]
        if self.model and self.batch:
            parts.append(f"b{self.batch}")
        lengths = "+".join(str(n) for n in (self.input_tokens, self.output_tokens) if n)
        parts.append(lengths)
        parts += [f"@{self.context_depth}" if self.context_depth else "", *self._extras()]
        return " ".join(p for p in parts if p)

    def _extras(self) -> list[str]:
        extras = [self.execution] if self.execution != "eager" else []
        extras += [self.weights] if self.weights != "random" else []
        return extras + [str(self.settings[k]) for k in ("operation", "size") if k in self.settings]

    def as_json(self) -> dict[str, Any]:
        """Plain values for a message to a child process or a plan kept in a run file."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)} | {
            "settings": dict(self.settings)
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Cell:
        """The inverse of ``as_json``."""
        return cls(**value)


@dataclass(frozen=True)
class Need:
    """What one repetition of a cell takes, by formula.

    ``flops_per_sample`` counts a multiply-add as 2; ``bytes_per_sample`` is the least traffic to memory
    (weights once, cache and activations as the formula says); ``work_per_sample`` is in the rate's unit
    of work; ``memory_bytes`` is the most that must be resident; ``working_set_bytes`` is what one
    repetition touches again and again; ``job_samples`` is how many repetitions make the whole job.
    """

    memory_bytes: int
    flops_per_sample: float
    bytes_per_sample: float
    work_per_sample: float
    working_set_bytes: int
    params: int | None = None
    active_params: int | None = None
    job_samples: int | None = None
