"""Which attention kernel really ran: shapes, types and builds decide, and it changes speed by factors."""

from __future__ import annotations

from collections.abc import Callable, Iterable

#: How torch names the kernels of its fused attention, and what they are called here. The fallback's own
#: operator is called by the public one, so the particular names come first.
KERNELS = {
    "aten::_scaled_dot_product_flash_attention_for_cpu": "flash (CPU)",
    "aten::_scaled_dot_product_flash_attention": "flash",
    "aten::_scaled_dot_product_efficient_attention": "memory-efficient",
    "aten::_scaled_dot_product_cudnn_attention": "cuDNN",
    "aten::_scaled_dot_product_fused_attention_overrideable": "fused (vendor)",
    "aten::_scaled_dot_product_attention_math_for_mps": "math (MPS)",
    "aten::_scaled_dot_product_attention_math": "math",
}
#: Longer passes are not run once more only to be looked at.
LONGEST_S = 10.0


def attention_kernel(run: Callable[[], None]) -> str | None:
    """The attention kernels of one untimed ``run``, joined by ``+``; None when no fused attention was called.

    Read from torch's profiler, so it holds for compiled models too.
    """
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU]) as seen:
        run()
    return told({event.name for event in seen.events()})


def told(names: Iterable[str]) -> str | None:
    """The kernels among the names of operators."""
    seen = set(names)
    return " + ".join(words for name, words in KERNELS.items() if name in seen) or None
