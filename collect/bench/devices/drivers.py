"""Which GPU drivers this machine has, found without torch, and which torch build would use them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from bench.devices import nvml
from bench.devices.host import output_of

INDEX = "https://download.pytorch.org/whl"
PROC_NVIDIA = Path("/proc/driver/nvidia/version")


def install_command(build: str) -> str:
    """The command that replaces torch by another build, such as ``cu130``, ``rocm7.2`` or ``xpu``."""
    return f"pip install --force-reinstall torch --index-url {INDEX}/{build}"


def nvidia_driver() -> str | None:
    """Version of the NVIDIA driver, or None without one."""
    version = nvml.driver_version()
    if version is not None:
        return version
    listed = output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    if listed and re.match(r"\d+\.\d+", listed):
        return listed.splitlines()[0].strip()
    text = PROC_NVIDIA.read_text() if PROC_NVIDIA.is_file() else ""
    found = re.search(r"Kernel Module.*?\s(\d+\.\d+(?:\.\d+)?)\s", text)
    return found.group(1) if found else None


def cuda_build(driver: str) -> str | None:
    """The newest torch build that a driver can run; None when it is too old for any current one.

    CUDA 13 needs driver 580; builds for CUDA 12.6 run from 525 on (NVIDIA, "CUDA Compatibility", minor
    version compatibility). Current releases of torch come for these two.
    """
    major = int(driver.split(".")[0])
    return next((build for least, build in ((580, "cu130"), (525, "cu126")) if major >= least), None)


def amd_driver() -> str | None:
    """Version of AMD's compute driver, "unknown version", or None without one."""
    if not Path("/dev/kfd").exists():
        return None
    version = Path("/sys/module/amdgpu/version")  # only the driver from AMD's own packages has it
    return version.read_text().strip() if version.is_file() else "unknown version"


def rocm_version() -> str | None:
    """Version of an installed ROCm, such as ``6.4.1``."""
    path = Path("/opt/rocm/.info/version")
    return path.read_text().strip().split("-")[0] if path.is_file() else None


def intel_gpu() -> bool:
    """Whether Linux drives an Intel GPU (many are too small to be measured by torch)."""
    drivers = Path("/sys/class/drm").glob("card*/device/driver")
    return any(path.resolve().name in ("xe", "i915") for path in drivers)


def apple_silicon() -> bool:
    """Whether this is a Mac with an Apple GPU."""
    import platform

    return sys.platform == "darwin" and platform.machine() == "arm64"
