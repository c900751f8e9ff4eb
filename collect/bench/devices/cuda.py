"""NVIDIA GPUs, and AMD ones: torch's ROCm build answers to the same names."""

from __future__ import annotations

import os
from typing import Any

from bench.devices import amd, drivers, host, nvml
from bench.devices.base import Device, DeviceInfo
from bench.telemetry.sources import HOST


class CudaDevice(Device):
    """One GPU through ``torch.cuda``."""

    kind = "cuda"

    def __init__(self, index: int = 0) -> None:
        import torch

        super().__init__(index)
        torch.cuda.set_device(index)

    @classmethod
    def unavailable_because(cls) -> str | None:
        import torch

        if torch.cuda.is_available():
            return None
        return explain(
            built_for_cuda=torch.version.cuda,
            built_for_rocm=torch.version.hip,
            nvidia=drivers.nvidia_driver(),
            amd=drivers.amd_driver(),
            visible=os.environ.get("CUDA_VISIBLE_DEVICES"),
        )

    @classmethod
    def device_count(cls) -> int:
        import torch

        return torch.cuda.device_count()

    @property
    def is_rocm(self) -> bool:
        """Whether torch was built for ROCm."""
        import torch

        return torch.version.hip is not None

    @property
    def _properties(self) -> Any:
        import torch

        return torch.cuda.get_device_properties(self.index)

    @property
    def _slot(self) -> str | None:
        """The PCI slot; None where torch does not tell. It is right for a part of a card, too."""
        p = self._properties
        if not hasattr(p, "pci_bus_id"):
            return None
        return f"{p.pci_domain_id:08x}:{p.pci_bus_id:02x}:{p.pci_device_id:02x}.0"

    @property
    def telemetry_source(self) -> str:
        if self.is_rocm:
            return f"amd:{self._slot[4:]}" if self._slot else HOST
        p = self._properties
        address = self._slot or (f"GPU-{p.uuid}" if hasattr(p, "uuid") else "")
        if nvml.find(address) is not None:
            return f"nvidia:{address}"
        return "jetson" if self.is_integrated else HOST

    @property
    def nvml_handle(self) -> Any | None:
        """The card for ``bench.devices.nvml``; None on AMD, or where NVML cannot see it."""
        _, _, address = self.telemetry_source.partition("nvidia:")
        return nvml.find(address)

    @property
    def _amd_limits_w(self) -> tuple[float | None, float | None]:
        """Power limit in force and by default of an AMD card; (None, None) for others."""
        _, _, slot = self.telemetry_source.partition("amd:")
        return amd.power_limits_w(amd.find(slot))

    def synchronize(self) -> None:
        import torch

        torch.cuda.synchronize(self.index)

    def free_memory_bytes(self) -> int:
        import torch

        free, _ = torch.cuda.mem_get_info(self.index)
        # What torch's allocator holds but does not use can be used again.
        free += torch.cuda.memory_reserved(self.index) - torch.cuda.memory_allocated(self.index)
        # An integrated GPU shares the host's memory, and taking the last of it freezes the machine.
        return min(free, host.free_memory_bytes()) if self.is_integrated else free

    @property
    def is_integrated(self) -> bool:
        """Whether the GPU shares the host's memory, as on Jetson and Grace-Blackwell desktops."""
        return bool(getattr(self._properties, "is_integrated", 0))

    def empty_cache(self) -> None:
        import gc

        import torch

        gc.collect()
        torch.cuda.empty_cache()

    def reset_peak_memory(self) -> None:
        import torch

        torch.cuda.reset_peak_memory_stats(self.index)

    def peak_memory_bytes(self) -> int | None:
        import torch

        return torch.cuda.max_memory_allocated(self.index)

    def supports(self, dtype: str) -> bool:
        p = self._properties
        if self.is_rocm:
            cdna3 = p.gcnArchName.startswith(("gfx94", "gfx95"))
            return dtype in ("fp32", "fp16", "bf16") or (cdna3 and dtype in ("tf32", "int8"))
        at_least = {"fp32": (0, 0), "fp16": (5, 3), "int8": (7, 5), "bf16": (8, 0), "tf32": (8, 0)}
        return dtype in at_least and (p.major, p.minor) >= at_least[dtype]

    def info(self) -> DeviceInfo:
        import torch

        p, readings = self._properties, nvml.read(self.nvml_handle)
        notes = []
        if readings.mig or "MIG" in p.name:
            notes.append("MIG is on: this is a part of a card.")
        if self.is_integrated:
            notes.append("Integrated: it shares the host's memory.")
        if os.path.exists("/dev/dxg"):  # noqa: PTH110 - a device node, not a file
            notes.append("Reached through WSL.")
        software = f"ROCm {torch.version.hip}" if self.is_rocm else f"CUDA {torch.version.cuda}"
        return DeviceInfo(
            kind=self.kind,
            index=self.index,
            name=p.name,
            memory_bytes=p.total_memory,
            driver_version=drivers.amd_driver() if self.is_rocm else drivers.nvidia_driver(),
            power_limit_w=readings.power_limit_w or self._amd_limits_w[0],
            count=self.device_count(),
            compute_units=p.multi_processor_count,
            software=software,
            notes=tuple(notes),
            shares_memory=self.is_integrated,
        )

    def own_conditions(self) -> dict[str, Any]:
        import torch

        p, readings = self._properties, nvml.read(self.nvml_handle)
        architecture = getattr(p, "gcnArchName", None) if self.is_rocm else f"sm_{p.major}{p.minor}"
        found = {
            "cuda": torch.version.cuda,
            "rocm": torch.version.hip,
            "cudnn": torch.backends.cudnn.version(),
            "architecture": architecture,
            "compiled_for": " ".join(torch.cuda.get_arch_list()),
            "sdpa_flash": torch.backends.cuda.flash_sdp_enabled(),
            "sdpa_memory_efficient": torch.backends.cuda.mem_efficient_sdp_enabled(),
            "sdpa_cudnn": torch.backends.cuda.cudnn_sdp_enabled(),
            "cublas_preference": str(torch.backends.cuda.preferred_blas_library()),
            "allocator": os.environ.get("PYTORCH_CUDA_ALLOC_CONF"),
            "ecc": readings.ecc,
            "mig": readings.mig,
            "persistence": readings.persistence,
            "compute_mode": readings.compute_mode or None,  # 0 is the ordinary one
            "virtualization": readings.virtualization,
            "power_limit_default_w": readings.power_limit_default_w or self._amd_limits_w[1],
        }
        return {name: value for name, value in found.items() if value is not None}


def explain(
    *,
    built_for_cuda: str | None,
    built_for_rocm: str | None,
    nvidia: str | None,
    amd: str | None,
    visible: str | None = None,
) -> str:
    """Why torch sees no GPU, and the command that mends it. ``nvidia`` and ``amd`` are driver versions."""
    if visible is not None and (not visible.strip() or visible.strip().startswith("-")):
        return "CUDA_VISIBLE_DEVICES hides every GPU. Run: unset CUDA_VISIBLE_DEVICES"
    if built_for_rocm:
        if amd is None:
            return (
                f"torch is built for ROCm {built_for_rocm}, but no AMD GPU driver answers. Install the "
                "amdgpu driver; in a container, start it with: --device /dev/kfd --device /dev/dri"
            )
        return (
            "torch and the AMD driver are there, but no GPU answers. Usually this user may not open it: "
            'sudo usermod -aG render,video "$USER", then log in again'
        )
    if built_for_cuda:
        if nvidia is None:
            return (
                f"torch is built for CUDA {built_for_cuda}, but no NVIDIA driver answers ('nvidia-smi' shows "
                "none). Install the driver; in a container, start it with: docker run --gpus all"
            )
        return (
            f"torch is built for CUDA {built_for_cuda}, and driver {nvidia} is there, but no GPU answers. "
            + _rebuild(nvidia)
        )
    if nvidia is not None:
        return f"this torch is a CPU build, while an NVIDIA driver ({nvidia}) is present. {_rebuild(nvidia)}"
    if amd is not None:
        rocm = drivers.rocm_version() or "7.2"
        build = "rocm" + ".".join(rocm.split(".")[:2])
        return (
            f"this torch is a CPU build, while an AMD driver ({amd}) is present. Install a ROCm build with: "
            + drivers.install_command(build)
        )
    return (
        "no NVIDIA or AMD GPU driver was found, and this torch is a CPU build. On a machine with a GPU, "
        f"install its driver, then: {drivers.install_command('cu130')}"
    )


def _rebuild(driver: str) -> str:
    build = drivers.cuda_build(driver)
    if build is None:
        return f"Driver {driver} is too old for a current torch: install driver 525 or newer."
    return f"Install a build for this driver with: {drivers.install_command(build)}"
