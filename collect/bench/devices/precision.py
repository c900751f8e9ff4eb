"""Whether fp32 products are really fp32: torch may compute them in TF32 unless told otherwise.

Only torch's older switches are used. They exist in every supported torch, set the newer
``fp32_precision`` of each operation with them (seen in 2.13), and can be read back afterwards, whereas
setting ``fp32_precision`` first makes ``torch.get_float32_matmul_precision`` raise, which
``torch.compile`` calls.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def fp32_products(*, tf32: bool) -> Iterator[None]:
    """Within the block, compute fp32 products and convolutions in TF32, or in true fp32."""
    import torch

    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    _set("high" if tf32 else "highest", tf32)
    try:
        yield
    finally:
        _set(*before)


def _set(matmul: str, convolution: bool) -> None:
    import torch

    torch.set_float32_matmul_precision(matmul)
    torch.backends.cudnn.allow_tf32 = convolution


def precision_conditions() -> dict[str, Any]:
    """The settings in force. ``NVIDIA_TF32_OVERRIDE`` beats them, so it is kept when it is set."""
    import torch

    found = {
        "fp32_matmul": torch.get_float32_matmul_precision(),
        "cudnn_tf32": bool(torch.backends.cudnn.allow_tf32),
        "fp16_reduced_reduction": bool(torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction),
        "bf16_reduced_reduction": bool(torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction),
    }
    if "NVIDIA_TF32_OVERRIDE" in os.environ:
        found["nvidia_tf32_override"] = os.environ["NVIDIA_TF32_OVERRIDE"]
    return found
