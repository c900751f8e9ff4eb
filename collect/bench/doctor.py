"""What a machine can measure: a list of checks, each with what was found and what mends it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench import devices
from bench.errors import BenchError
from bench.project import DataDir
from bench.state import state_dir
from bench.text import nbytes, one_path

#: A quick run and its temporary files fit many times over; less than this is asking for trouble.
_LOW_DISK_BYTES = 200_000_000
_INSTALL = "pip install 'hwguide[collect]'"


@dataclass(frozen=True)
class Check:
    """``state`` is ``ok``, ``warning`` (works, but something is lost) or ``missing``."""

    name: str
    state: str
    found: str
    fix: str = ""


@dataclass(frozen=True)
class Findings:
    """All checks; ``can_measure`` when torch and at least one device can be used."""

    checks: tuple[Check, ...]
    can_measure: bool


def examine(data: DataDir) -> Findings:
    """Look at this machine. Changes nothing on it."""
    usable = devices.available()
    checks = [
        Check("python", "ok", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        _torch(),
        *_libraries(),
        *_devices(usable),
        _memory(),
        _store(data),
        _state(),
    ]
    return Findings(tuple(checks), any(reason is None for reason in usable.values()))


def _torch() -> Check:
    version = _version("torch")
    if version is None:
        return Check("torch", "missing", "not installed: nothing can be measured", _INSTALL)
    import torch

    build = f"CUDA {torch.version.cuda}" if torch.version.cuda else ""
    build = f"ROCm {torch.version.hip}" if getattr(torch.version, "hip", None) else build
    return Check("torch", "ok", f"{torch.__version__} ({build or 'no CUDA or ROCm in this build'})")


def _libraries() -> Iterator[Check]:
    for name, loss in (
        ("transformers", "no model can be built"),
        ("datasets", "finetune cannot run"),
        ("accelerate", "finetune cannot run"),
        ("zeus", "energy is not measured"),
    ):
        version = _version(name)
        if version is None:
            yield Check(name, "warning", f"not installed: {loss}", _INSTALL)
        else:
            yield Check(name, "ok", version)


def _version(name: str) -> str | None:
    if importlib.util.find_spec(name) is None:
        return None
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:  # a vendor's build put on the path by hand
        return "version unknown"


def _devices(usable: dict[str, str | None]) -> Iterator[Check]:
    anything = any(reason is None for reason in usable.values())
    for kind, reason in usable.items():
        if reason is not None:
            yield Check(kind, "warning" if anything else "missing", "cannot be used", reason)
            continue
        try:
            device = devices.open_device(kind)
            info = device.info()
        except BenchError as error:
            yield Check(kind, "missing", "cannot be opened", error.message)
            continue
        parts = [info.name, nbytes(info.memory_bytes), f"{nbytes(device.free_memory_bytes())} free"]
        parts += [f"driver {info.driver_version}"] if info.driver_version else []
        parts += [info.software] if info.software else []
        parts += [f"{info.count} devices"] if info.count > 1 else []
        yield Check(kind, "ok", ", ".join([*parts, *info.notes]))
        yield _energy(device)


def _energy(device: devices.Device) -> Check:
    from bench.measure.energy import EnergyMeter

    meter = EnergyMeter.open(device)
    if meter.source is None:
        return Check(f"{device.kind} energy", "warning", f"not measured: {meter.reason}")
    return Check(f"{device.kind} energy", "ok", f"{meter.source} ({meter.scope})")


def _memory() -> Check:
    memory = psutil.virtual_memory()
    return Check("memory", "ok", f"{nbytes(memory.available)} of {nbytes(memory.total)} available")


def _store(data: DataDir) -> Check:
    folder = next(p for p in (data.runs, *data.runs.resolve().parents) if p.exists())
    free = shutil.disk_usage(folder).free
    where = f"{one_path(data.runs)}: {nbytes(free)} free"
    if not os.access(folder, os.W_OK):
        return Check(
            "store", "missing", f"{one_path(data.runs)} cannot be written", "bench collect --out DIR"
        )
    if free < _LOW_DISK_BYTES:
        return Check("store", "warning", where, "free some space, or use another disk with --out DIR")
    return Check("store", "ok", where)


def _state() -> Check:
    folder: Path = state_dir()
    above = next(p for p in (folder, *folder.parents) if p.exists())
    if os.access(above, os.W_OK):
        return Check("state", "ok", "the salt of this machine's host_id can be kept")
    fix = "set HWGUIDE_STATE=DIR" if sys.platform == "win32" else "export HWGUIDE_STATE=DIR"
    return Check("state", "missing", "the folder for this machine's salt cannot be written", fix)
