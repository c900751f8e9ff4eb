"""Models as published architectures: sizes, parameter counts and arithmetic, without torch.

``bench.models.build`` turns a shape into a model on a device.
"""

from __future__ import annotations

from bench.errors import unknown
from bench.models import decoder, encoder, t5
from bench.models.base import Shape

__all__ = ["SHAPES", "Shape", "shape"]

#: name -> published shape; the ``tiny-`` ones are for tests and for trying things out.
SHAPES: dict[str, Shape] = {s.name: s for s in (*encoder.SHAPES, *decoder.SHAPES, *t5.SHAPES)}


def shape(name: str) -> Shape:
    """The shape of that name. Raises ``UsageError`` with the nearest name when there is none."""
    if name not in SHAPES:
        raise unknown("model", name, SHAPES)
    return SHAPES[name]
