"""Apple GPUs, which share the machine's memory with the CPU."""

from __future__ import annotations

import gc
import platform
import re
import sys
from typing import Any

import psutil

from bench.devices import drivers, host
from bench.devices.base import Device, DeviceInfo


class MpsDevice(Device):
    """The Apple GPU through ``torch.mps``."""

    kind = "mps"
    telemetry_source = "apple"

    @classmethod
    def unavailable_because(cls) -> str | None:
        import torch

        if torch.backends.mps.is_available():
            return None
        return explain(
            apple=drivers.apple_silicon(), built=torch.backends.mps.is_built(), system=platform.mac_ver()[0]
        )

    @classmethod
    def device_count(cls) -> int:
        return 1

    def synchronize(self) -> None:
        import torch

        torch.mps.synchronize()

    def free_memory_bytes(self) -> int:
        import torch

        ours = torch.mps.recommended_max_memory() - torch.mps.current_allocated_memory()
        cached = torch.mps.driver_allocated_memory() - torch.mps.current_allocated_memory()
        return max(0, min(ours, host.free_memory_bytes() + cached))

    def empty_cache(self) -> None:
        import torch

        gc.collect()
        torch.mps.empty_cache()

    def reset_peak_memory(self) -> None:
        self.empty_cache()

    def peak_memory_bytes(self) -> int | None:
        """What the driver holds for torch. There is no high-water mark; torch keeps freed blocks until
        ``empty_cache`` (called at the reset), so this is the peak, block sizes rounded up."""
        import torch

        return torch.mps.driver_allocated_memory()

    def supports(self, dtype: str) -> bool:
        if dtype == "bf16":
            version = platform.mac_ver()[0] or "0"
            return int(version.split(".")[0]) >= 14  # Metal has bfloat16 products from macOS 14 on
        return dtype in ("fp32", "fp16")

    def info(self) -> DeviceInfo:
        import torch

        limit = torch.mps.recommended_max_memory() / 2**30
        return DeviceInfo(
            kind=self.kind,
            index=0,
            name=host.cpu_name(),
            memory_bytes=psutil.virtual_memory().total,
            driver_version=f"macOS {platform.mac_ver()[0]}",
            compute_units=gpu_cores(host.output_of("ioreg", "-rd1", "-c", "AGXAccelerator")),
            software="Metal",
            notes=(f"Unified memory; the system recommends at most {limit:.1f} GiB for the GPU.",),
            shares_memory=True,
        )

    def own_conditions(self) -> dict[str, Any]:
        found: dict[str, Any] = {"macos": platform.mac_ver()[0]}
        low_power = low_power_mode(host.output_of("pmset", "-g") if sys.platform == "darwin" else None)
        return found if low_power is None else found | {"low_power_mode": low_power}


def gpu_cores(listing: str | None) -> int | None:
    """The core count in what ``ioreg`` lists."""
    found = re.search(r'"gpu-core-count"\s*=\s*(\d+)', listing or "")
    return int(found.group(1)) if found else None


def low_power_mode(listing: str | None) -> bool | None:
    """Whether ``pmset -g`` says that low-power mode is on; None when it does not say."""
    found = re.search(r"^\s*(?:lowpowermode|powermode)\s+(\d)", listing or "", re.MULTILINE)
    return found.group(1) == "1" if found else None


def explain(*, apple: bool, built: bool, system: str) -> str:
    """Why torch sees no Apple GPU, and the command that mends it."""
    if not apple:
        return "this is not a Mac with an Apple GPU. Use --device auto to take what is here"
    if not built:
        return (
            "this torch has no Metal support; often it is an Intel build of Python under Rosetta. With a "
            "native (arm64) Python: pip install --force-reinstall torch"
        )
    return f"Metal needs macOS 14 or newer, and this is macOS {system}. Update the system: softwareupdate -ia"
