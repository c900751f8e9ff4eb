"""What the machine is, without saying whose: no names, paths, addresses, serial numbers or UUIDs."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import secrets
import sys
import uuid
from pathlib import Path
from typing import Any

import psutil

from bench.devices import host

SALT_FILE = "host-salt"


def environment() -> dict[str, Any]:
    """Operating system, kernel, CPU, memory, Python, container, virtual machine and power, as plain values.

    What cannot be told is left out.
    """
    found = {
        "os": os_name(),
        "kernel": numeric(platform.release()),
        "machine": platform.machine(),
        "cpu": host.cpu_name(),
        "cores_physical": psutil.cpu_count(logical=False),
        "cores_logical": psutil.cpu_count(),
        "cores_usable": host.usable_cores(),
        "memory_bytes": host.total_memory_bytes(),
        "python": platform.python_version(),
        "python_implementation": platform.python_implementation(),
        "container": container(),
        "virtual_machine": virtual_machine(),
        "wsl": is_wsl() or None,
        "power_source": power_source(),
        "cpu_governor": cpu_governor(),
    }
    return {name: value for name, value in found.items() if value is not None}


def numeric(version: str) -> str | None:
    """The leading number of a version: what follows is free text, which may name a person or a host."""
    found = re.match(r"\d+(\.\d+)*", version)
    return found.group() if found else None


def os_name() -> str:
    """Such as ``Debian GNU/Linux 12``, ``macOS 26.1`` or ``Windows 11``."""
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    if sys.platform == "win32":
        return f"Windows {platform.release()} {platform.version()}"
    with contextlib.suppress(OSError):
        release = platform.freedesktop_os_release()
        return " ".join(p for p in (release.get("NAME"), release.get("VERSION_ID")) if p)
    return platform.system()


def is_wsl() -> bool:
    """Whether this Linux runs inside Windows."""
    return sys.platform == "linux" and "microsoft" in platform.release().lower()


def container() -> str | None:
    """``docker``, ``podman``, ``kubernetes``, another runtime's name, or None outside of one."""
    if "KUBERNETES_SERVICE_HOST" in os.environ:
        return "kubernetes"
    if Path("/run/.containerenv").exists():
        return "podman"
    if Path("/.dockerenv").exists():
        return "docker"
    announced = _text(Path("/run/systemd/container"))
    if announced:
        return announced
    groups = _text(Path("/proc/1/cgroup")) or ""
    return next((word for word in ("docker", "kubepods", "lxc", "containerd") if word in groups), None)


#: Words in the firmware's vendor and product names, and the hypervisor or cloud they stand for.
VIRTUAL = {
    "amazon": "Amazon EC2",
    "google": "Google Compute Engine",
    "microsoft corporation": "Hyper-V",
    "kvm": "KVM",
    "qemu": "QEMU",
    "vmware": "VMware",
    "virtualbox": "VirtualBox",
    "xen": "Xen",
    "openstack": "OpenStack",
    "parallels": "Parallels",
}


def virtual_machine() -> str | None:
    """The hypervisor or cloud, ``unknown hypervisor``, or None on bare metal or where it cannot be told."""
    if sys.platform == "darwin":
        return "unknown hypervisor" if host.output_of("sysctl", "-n", "kern.hv_vmm_present") == "1" else None
    if sys.platform != "linux":
        return None
    cpu = _text(Path("/proc/cpuinfo")) or ""
    if not re.search(r"^flags\s*:.*\bhypervisor\b", cpu, re.MULTILINE):
        return None
    firmware = Path("/sys/class/dmi/id")
    names = " ".join(_text(firmware / part) or "" for part in ("sys_vendor", "product_name")).lower()
    return next((name for word, name in VIRTUAL.items() if word in names), "unknown hypervisor")


def power_source() -> str | None:
    """``battery`` or ``mains``; None where the machine has no battery or does not tell."""
    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    if battery is None or battery.power_plugged is None:
        return None
    return "mains" if battery.power_plugged else "battery"


def cpu_governor() -> str | None:
    """How Linux chooses the first core's clock, such as ``performance`` or ``powersave``."""
    return _text(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))


def low_power_mode() -> bool | None:
    """Whether the system was told to save power; None where it does not say."""
    if sys.platform == "darwin":
        from bench.devices.mps import low_power_mode as from_pmset

        return from_pmset(host.output_of("pmset", "-g"))
    profile = _text(Path("/sys/firmware/acpi/platform_profile"))
    return None if profile is None else profile in ("low-power", "quiet")


def host_id(state_dir: str | os.PathLike[str]) -> str:
    """16 hexadecimal digits that tell this machine from others, and nothing else about it.

    They are a hash of the machine's own identifier with a random salt that is made once, kept in
    ``state_dir`` and stored nowhere else, so they cannot be traced back. Where the folder cannot be
    written, the digits are random and serve one run only: call this once a run.
    """
    salt = _salt(Path(state_dir))
    if salt is None:
        return secrets.token_hex(8)
    return hashlib.sha256(f"{salt}\n{_machine()}".encode()).hexdigest()[:16]


def _salt(folder: Path) -> str | None:
    path = folder / SALT_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            draft = folder / f".{SALT_FILE}-{secrets.token_hex(4)}"
            draft.write_text(secrets.token_hex(16))
            try:
                os.link(draft, path)  # fails where another process was first: then both read its salt
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return path.read_text().strip() or None
    except OSError:
        return None


def _machine() -> str:
    """What tells machines apart that share one home folder. Never stored, only hashed."""
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        found = _text(Path(path))
        if found:
            return found
    node = uuid.getnode()
    is_made_up = bool(node >> 40 & 1)  # the multicast bit marks a number drawn at random
    return host.cpu_name() if is_made_up else f"{node:x}"


def _text(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace").strip() or None
    except OSError:
        return None
