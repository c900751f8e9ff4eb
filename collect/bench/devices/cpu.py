"""The CPU, through torch. Work is done when a call returns, so there is nothing to synchronise."""

from __future__ import annotations

import gc
from typing import Any

from bench.devices import host
from bench.devices.base import Device, DeviceInfo
from bench.devices.peak import ResidentPeak


class CpuDevice(Device):
    """All the cores this process may use; never more threads than that."""

    kind = "cpu"
    telemetry_source = "cpu"

    def __init__(self, index: int = 0) -> None:
        import torch

        super().__init__(index)
        # torch counts the machine's cores, not the container's share of them: too many threads
        # would then wait for each other.
        if torch.get_num_threads() > host.usable_cores():
            torch.set_num_threads(host.usable_cores())
        self._peak = ResidentPeak()

    @classmethod
    def unavailable_because(cls) -> str | None:
        return None

    @classmethod
    def device_count(cls) -> int:
        return 1

    def synchronize(self) -> None:
        pass

    def free_memory_bytes(self) -> int:
        return host.free_memory_bytes()

    def empty_cache(self) -> None:
        gc.collect()

    def reset_peak_memory(self) -> None:
        self._peak.reset()

    def peak_memory_bytes(self) -> int | None:
        return self._peak.read()

    def supports(self, dtype: str) -> bool:
        return dtype in ("fp32", "bf16", "fp16", "int8")

    def info(self) -> DeviceInfo:
        import torch

        return DeviceInfo(
            kind=self.kind,
            index=0,
            name=host.cpu_name(),
            memory_bytes=host.total_memory_bytes(),
            compute_units=host.physical_cores(),
            software=f"torch {torch.__version__}",
            notes=host.notes(),
            shares_memory=True,
        )

    def own_conditions(self) -> dict[str, Any]:
        import torch

        return {
            "threads": torch.get_num_threads(),
            "interop_threads": torch.get_num_interop_threads(),
            "usable_cores": host.usable_cores(),
            "cpu_capability": torch.backends.cpu.get_cpu_capability(),
            "mkldnn": bool(torch.backends.mkldnn.is_available()),
        }
