"""Which build of torch suits this machine, found out without torch. Standard library only.

The pinned release is the one whose indexes are named here: CUDA 12.6 and 13.0, ROCm 7.2 and Intel GPUs
(https://github.com/pytorch/pytorch/blob/main/RELEASE.md). Builds from the package index take any release
that pyproject.toml allows.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

TORCH = "2.13.0"
OLDEST_TORCH = (2, 6)  # pyproject.toml says the same
INDEX = "https://download.pytorch.org/whl/"
#: Where CUDA 13 begins: its first driver, and the oldest compute capability that it serves.
CUDA_13_DRIVER, CUDA_13_CAPABILITY = 580, 7.5

BUILDS = {
    "keep": "the torch that this Python already has",
    "cuda": "CUDA 13 (NVIDIA)",
    "cu126": "CUDA 12.6 (NVIDIA, an older driver or card)",
    "rocm": "ROCm 7.2 (AMD, Linux)",
    "xpu": "Intel GPU",
    "cpu": "CPU only",
    "default": "what the package index serves for this system",
}


def output(command):
    """What a command printed, or None when it is missing or failed."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=120,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def torch_of(python):
    """(version, folder that holds it) of the torch that an interpreter imports, or None."""
    code = "import os, torch; print(torch.__version__); print(os.path.dirname(torch.__path__[0]))"
    text = output([python, "-c", code])
    return tuple(text.strip().splitlines()[-2:]) if text else None


def is_old(version):
    """Whether a torch version is older than the project supports; builds such as 2.7.0a0+x count as 2.7."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2]) < OLDEST_TORCH


def detect(python):
    """The key of ``BUILDS`` for this machine; ``python`` is the interpreter that will be built on."""
    if torch_of(python):
        return "keep"
    system = platform.system()
    if system == "Darwin":
        return "default"
    return nvidia() or ((amd() or intel() or "cpu") if system == "Linux" else "default")


def nvidia():
    """``cuda`` or ``cu126`` where an NVIDIA GPU answers, else None."""
    text = output(["nvidia-smi", "--query-gpu=driver_version,compute_cap", "--format=csv,noheader"])
    if not text or not re.match(r"\d", text):
        # A loaded driver without its tool, as in some containers: the newest build is the better guess.
        return "cuda" if Path("/proc/driver/nvidia/version").exists() else None
    driver, capability = (part.strip() for part in text.splitlines()[0].split(",")[:2])
    number = float(capability) if re.match(r"\d+\.\d+$", capability) else None
    if number is not None and number < CUDA_13_CAPABILITY:
        return "cu126"
    # Cards of capability 10 and newer have no build for CUDA 12.6: theirs is the new one at any rate.
    new_enough = int(driver.split(".")[0]) >= CUDA_13_DRIVER or (number or 0) >= 10
    return "cuda" if new_enough else "cu126"


def amd():
    """``rocm`` where the AMD compute driver is loaded or ROCm is installed, else None."""
    return "rocm" if Path("/dev/kfd").exists() or shutil.which("rocminfo") else None


def intel():
    """``xpu`` where an Intel GPU stands beside the Level Zero loader (torch sees none without it)."""
    from ctypes.util import find_library

    vendors = Path("/sys/class/drm").glob("renderD*/device/vendor")
    found = find_library("ze_loader") and any(path.read_text().strip() == "0x8086" for path in vendors)
    return "xpu" if found else None


def attempts(build):
    """What to give to ``pip install``, in order, until one succeeds. Not for ``keep``."""
    pinned = f"torch=={TORCH}"
    if build == "cpu":
        # A CPU build that the configured indexes carry, such as a local wheel, comes before the download.
        return [[f"{pinned}+cpu"], [pinned, "--index-url", INDEX + "cpu"]]
    folders = {"cu126": "cu126", "rocm": "rocm7.2", "xpu": "xpu"}
    if os.name == "nt":  # PyPI has only a CPU build for Windows
        folders["cuda"] = "cu130"
    if build in folders:
        return [[pinned, "--index-url", INDEX + folders[build]]]
    return [["torch>={}.{}".format(*OLDEST_TORCH)]]
