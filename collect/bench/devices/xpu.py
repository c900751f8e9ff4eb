"""Intel GPUs."""

from __future__ import annotations

import gc
from typing import Any

from bench.devices import drivers, host
from bench.devices.base import Device, DeviceInfo


class XpuDevice(Device):
    """One GPU through ``torch.xpu``."""

    kind = "xpu"

    def __init__(self, index: int = 0) -> None:
        import torch

        super().__init__(index)
        torch.xpu.set_device(index)

    @classmethod
    def unavailable_because(cls) -> str | None:
        import torch

        if torch.xpu.is_available():
            return None
        return explain(built_for_xpu=torch.xpu._is_compiled(), intel_gpu=drivers.intel_gpu())

    @classmethod
    def device_count(cls) -> int:
        import torch

        return torch.xpu.device_count()

    @property
    def _properties(self) -> Any:
        import torch

        return torch.xpu.get_device_properties(self.index)

    def synchronize(self) -> None:
        import torch

        torch.xpu.synchronize(self.index)

    def free_memory_bytes(self) -> int:
        import torch

        reserved, used = torch.xpu.memory_reserved(self.index), torch.xpu.memory_allocated(self.index)
        try:
            free, _ = torch.xpu.mem_get_info(self.index)
        except RuntimeError:  # drivers without the extension that tells free memory
            free = self._properties.total_memory - reserved
        free += reserved - used
        return min(free, host.free_memory_bytes()) if self.is_integrated else free

    @property
    def is_integrated(self) -> bool:
        """Whether the GPU shares the host's memory."""
        return bool(getattr(self._properties, "is_integrated_gpu", False))

    def empty_cache(self) -> None:
        import torch

        gc.collect()
        torch.xpu.empty_cache()

    def reset_peak_memory(self) -> None:
        import torch

        torch.xpu.reset_peak_memory_stats(self.index)

    def peak_memory_bytes(self) -> int | None:
        import torch

        return torch.xpu.max_memory_allocated(self.index)

    def supports(self, dtype: str) -> bool:
        p = self._properties
        matrix_units = bool(getattr(p, "has_subgroup_matrix_multiply_accumulate", False))
        tf32 = bool(getattr(p, "has_subgroup_matrix_multiply_accumulate_tensor_float32", False))
        return {
            "fp32": True,
            "fp16": bool(p.has_fp16),
            "bf16": bool(getattr(p, "has_bfloat16_conversions", matrix_units)),
            "tf32": tf32,
        }.get(dtype, False)

    def info(self) -> DeviceInfo:
        import torch

        p = self._properties
        notes = ("Integrated: it shares the host's memory.",) if self.is_integrated else ()
        return DeviceInfo(
            kind=self.kind,
            index=self.index,
            name=p.name,
            memory_bytes=p.total_memory,
            driver_version=p.driver_version,
            count=self.device_count(),
            compute_units=p.max_compute_units,
            software=f"XPU {torch.version.xpu}" if getattr(torch.version, "xpu", None) else "XPU",
            notes=notes,
            shares_memory=self.is_integrated,
        )

    def own_conditions(self) -> dict[str, Any]:
        p = self._properties
        return {"architecture": str(getattr(p, "architecture", "unknown")), "platform": p.platform_name}


def explain(*, built_for_xpu: bool, intel_gpu: bool) -> str:
    """Why torch sees no Intel GPU, and the command that mends it."""
    install = drivers.install_command("xpu")
    if built_for_xpu:
        return (
            "torch is built for Intel GPUs, but none answers. Install Intel's compute driver (intel-opencl-"
            'icd and libze-intel-gpu1) and let this user open it: sudo usermod -aG render "$USER"'
        )
    if intel_gpu:
        return (
            f"this torch has no Intel GPU support, while an Intel GPU is present. Install it with: {install}"
        )
    return f"no Intel GPU was found, and this torch has no support for one. With such a GPU: {install}"
