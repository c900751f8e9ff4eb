"""The machine around the device: CPU name, usable cores and usable memory, containers included."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
from pathlib import Path

import psutil

CGROUP = Path("/sys/fs/cgroup")
CGROUP_OF_SELF = Path("/proc/self/cgroup")
#: cgroup v1 writes "no limit" as a number near 2**63.
NO_LIMIT = 2**60


def cpu_name() -> str:
    """The CPU's model, as the system says it."""
    if sys.platform == "linux":
        found = _cpuinfo_name() or platform.processor() or platform.machine()
    elif sys.platform == "darwin":
        found = output_of("sysctl", "-n", "machdep.cpu.brand_string") or platform.machine()
    elif sys.platform == "win32":
        found = _registry_name() or platform.processor()
    else:
        found = platform.processor() or platform.machine()
    return " ".join(found.split())


def _cpuinfo_name() -> str | None:
    path = Path("/proc/cpuinfo")
    text = path.read_text(errors="replace") if path.is_file() else ""
    for wanted in ("model name", "Model", "cpu model", "Hardware"):  # x86, Raspberry Pi, MIPS, older Arm
        for line in text.splitlines():
            key, _, value = line.partition(":")
            if key.strip() == wanted and value.strip():
                return value.strip()
    listed = output_of("lscpu") or ""  # Arm servers name their cores only by number in cpuinfo
    for line in listed.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "Model name" and value.strip() not in ("", "-"):
            return value.strip()
    return None


def _registry_name() -> str | None:
    if sys.platform != "win32":
        return None
    import winreg

    path = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path) as key:
            return str(winreg.QueryValueEx(key, "ProcessorNameString")[0])
    except OSError:
        return None


def output_of(*command: str, timeout_s: float = 10) -> str | None:
    """What a command prints, stripped; None when it is missing, fails, or hangs."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip() or None


def usable_cores() -> int:
    """Cores this process may use at once: affinity and cgroup quota, at most the physical cores.

    Two hardware threads of one core share its arithmetic units, so a second thread per core gains
    nothing for products; where affinity already leaves fewer, that is the limit.
    """
    limits = [psutil.cpu_count(logical=False) or os.cpu_count() or 1]
    if hasattr(os, "sched_getaffinity"):
        limits.append(len(os.sched_getaffinity(0)))
    quota = _cpu_quota()
    if quota is not None:
        limits.append(max(1, math.floor(quota)))
    return max(1, min(limits))


def physical_cores() -> int:
    """Cores of the machine, hardware threads not counted; logical ones where that is unknown."""
    return psutil.cpu_count(logical=False) or os.cpu_count() or 1


def _cgroup_folders(controller: str) -> list[Path]:
    """This process's group and every one above it, v2 first, then v1's for a controller."""
    listing = CGROUP_OF_SELF
    folders: list[Path] = []
    for line in listing.read_text().splitlines() if listing.is_file() else ():
        _, controllers, name = line.split(":", 2)
        if controllers == "":
            root = CGROUP
        elif controller in controllers.split(","):
            root = CGROUP / controller
        else:
            continue
        own = root / name.lstrip("/")
        folders += [folder for folder in (own, *own.parents) if folder == root or root in folder.parents]
    return folders


def _number(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.lstrip("-").isdigit() else None


def _cpu_quota() -> float | None:
    """CPUs' worth of time that the tightest cgroup grants; None when there is no limit."""
    found = []
    for folder in _cgroup_folders("cpu"):
        try:
            quota, period = (folder / "cpu.max").read_text().split()
        except (OSError, ValueError):
            v1 = _number(folder / "cpu.cfs_quota_us"), _number(folder / "cpu.cfs_period_us")
            if v1[0] and v1[0] > 0 and v1[1]:
                found.append(v1[0] / v1[1])
            continue
        if quota != "max":
            found.append(int(quota) / int(period))
    return min(found, default=None)


def _memory_limits() -> list[tuple[int, int]]:
    """(limit, in use) of every cgroup above this process that has a limit; page cache that the kernel
    would drop is not counted as in use."""
    found = []
    for folder in _cgroup_folders("memory"):
        limit = _number(folder / "memory.max") or _number(folder / "memory.limit_in_bytes")
        used = _number(folder / "memory.current") or _number(folder / "memory.usage_in_bytes")
        if limit and used is not None and limit < NO_LIMIT:
            found.append((limit, max(0, used - _droppable(folder))))
    return found


def _droppable(folder: Path) -> int:
    try:
        lines = (folder / "memory.stat").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))


def total_memory_bytes() -> int:
    """Memory of the machine, or the container's limit where that is lower."""
    return min([psutil.virtual_memory().total, *(limit for limit, _ in _memory_limits())])


def free_memory_bytes() -> int:
    """Memory that can be taken now without swapping and within the container's limit."""
    return min([psutil.virtual_memory().available, *(limit - used for limit, used in _memory_limits())])


def notes() -> tuple[str, ...]:
    """What a reader should know about this host's share of the machine, a sentence each."""
    found = []
    if usable_cores() < physical_cores():
        found.append(f"Only {usable_cores()} of {physical_cores()} cores may be used by this process.")
    if total_memory_bytes() < psutil.virtual_memory().total:
        found.append("A container limits the memory.")
    return tuple(found)
