"""The kinds of device that can be measured. Adding one is one file here and a line in ``KINDS``."""

from __future__ import annotations

import importlib
import importlib.util

from bench.devices.base import Device, DeviceInfo
from bench.errors import BenchError, UsageError, unknown

__all__ = ["KINDS", "PREFERENCE", "Device", "DeviceInfo", "available", "backend", "open_device"]

#: kind -> (module, class); modules are imported when a kind is used.
KINDS: dict[str, tuple[str, str]] = {
    "cuda": ("bench.devices.cuda", "CudaDevice"),
    "xpu": ("bench.devices.xpu", "XpuDevice"),
    "mps": ("bench.devices.mps", "MpsDevice"),
    "cpu": ("bench.devices.cpu", "CpuDevice"),
}

#: The order in which ``auto`` looks.
PREFERENCE = ("cuda", "xpu", "mps", "cpu")

REINSTALL = "Install it again with: pip install --force-reinstall torch"
NO_TORCH = "PyTorch is not installed. Install it with: pip install 'hwguide[collect]'"


def backend(kind: str) -> type[Device]:
    """The class of a kind. Raises ``UsageError`` for an unknown one, with the nearest name."""
    if kind not in KINDS:
        raise unknown("device", kind, [*KINDS, "auto"])
    module, name = KINDS[kind]
    return getattr(importlib.import_module(module), name)


def torch_problem() -> str | None:
    """None when torch can be imported; else why not, and the command that mends it."""
    if importlib.util.find_spec("torch") is None:
        return NO_TORCH
    try:
        importlib.import_module("torch")
    except (ImportError, OSError) as error:  # a library of the system that is missing, or of another build
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return f"PyTorch is installed but does not load ({reason}). {REINSTALL}"
    return None


def available() -> dict[str, str | None]:
    """For each kind: None when it is usable here, else the reason and the command that mends it."""
    problem = torch_problem()
    if problem is not None:
        return dict.fromkeys(KINDS, problem)
    return {kind: backend(kind).unavailable_because() for kind in KINDS}


def resolve_kind(kind: str) -> str:
    """``kind`` itself, or for ``auto`` the first usable one of ``PREFERENCE``."""
    if kind != "auto":
        backend(kind)
        return kind
    found = available()
    return next((k for k in PREFERENCE if found[k] is None), "cpu")


def open_device(kind: str, index: int = 0) -> Device:
    """The device ``kind:index``, ready to use.

    Raises ``UsageError`` for an unknown kind or an index that does not exist, ``BenchError`` with the
    reason and the command that mends it when the kind cannot be used here.
    """
    kind = resolve_kind(kind)
    problem = torch_problem()
    if problem is not None:
        raise BenchError(problem)
    found = backend(kind)
    reason = found.unavailable_because()
    if reason is not None:
        raise BenchError(f"Cannot measure on '{kind}': {reason}")
    count = found.device_count()
    if not 0 <= index < count:
        numbers = "only 0" if count == 1 else f"0 to {count - 1}"
        raise UsageError(f"There is no device {kind}:{index}.", hint=f"This machine has {kind} {numbers}.")
    return found(index)
