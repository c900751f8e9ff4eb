"""What a published architecture is: its sizes, and the arithmetic that follows from them.

Nothing here imports torch. All FLOP counts take a multiply-add as 2 and count matrix products only
(linear layers, attention scores and their weighted sums, the output head), as
``torch.utils.flop_counter`` does: norms, activations, softmax and embedding look-ups are left out; in
the shapes used here they are under 1 % of the arithmetic.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Shape(ABC):
    """A model by its published sizes.

    ``name`` is the published name, ``hub_id`` where the pretrained weights are, ``model_class`` and
    ``config_class`` the transformers classes that build it, ``params`` the count of parameters (tied
    ones once) by formula.
    """

    name: str
    hub_id: str

    model_class: str = ""
    config_class: str = ""

    @property
    @abstractmethod
    def params(self) -> int:
        """Parameters, tied ones counted once."""

    @abstractmethod
    def config(self) -> dict[str, Any]:
        """Keyword arguments of the transformers configuration."""

    def weight_bytes(self, dtype_bytes: float) -> int:
        """Bytes of all weights at ``dtype_bytes`` an element."""
        return round(self.params * dtype_bytes)


def full_pairs(queries: int, keys: int | None = None) -> int:
    """Query-key pairs of attention without a mask, for one head of one sequence."""
    return queries * (queries if keys is None else keys)


def causal_pairs(queries: int, depth: int = 0) -> int:
    """Query-key pairs that a causal mask leaves: query i (from 1) sees ``depth`` + i keys.

    This is the least arithmetic. A kernel that computes masked pairs too does up to twice as much, but
    only this much is needed, so no honest result can be called too fast for it.
    """
    return queries * depth + queries * (queries + 1) // 2


def rows_read(lookups: int, rows: int) -> float:
    """Rows of a table that uniformly drawn ``lookups`` are expected to touch, each row once however often.

    A row is passed over by all of them with probability (1 - 1/rows) ^ lookups.
    """
    return rows * -math.expm1(lookups * math.log1p(-1 / rows))
