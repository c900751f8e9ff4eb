"""Which device an optimum-benchmark configuration says ran."""

from __future__ import annotations

from typing import Any

from bench.importers.base import Named
from bench.importers.fields import Fields, clean

#: More than this in a field called MB is bytes: no machine has a terabyte of GPU memory for each of its GPUs.
_MOST_MB = 1e7


def device_of(config: Fields | None) -> tuple[Named, tuple[str, ...]]:
    """The device and what was corrected on the way; nothing where there is no configuration."""
    if config is None:
        return Named(), ()
    backend, environment = config.under("backend"), config.under("environment")
    kind = (backend.text("device") or config.text("device") or "").partition(":")[0]
    if kind == "cpu":
        name = (environment.text("cpu") or "").strip() or None
        return Named(name, processor=True), ()
    if kind not in ("cuda", "rocm", "gpu", "xpu", "mps"):
        return Named(), ()
    if kind == "mps":
        return Named((environment.text("cpu") or "").strip() or None), ()
    listed = [name for name in _gpus(environment) if "display" not in name.lower()]
    if not listed:
        return Named(), ()
    picked = _picked(backend)
    flags: list[str] = []
    memory = _memory(environment, listed, flags)
    if len(set(listed)) > 1:
        return Named(" + ".join(dict.fromkeys(listed))[:160], listed=True), tuple(flags)
    if len(listed) > 1 and not picked:
        flags.append("several-devices-listed")
    count = _running(config, backend, picked)
    if count < len(picked):
        flags.append("several-devices-listed")
    return Named(listed[0], count=count, memory_bytes=memory), tuple(dict.fromkeys(flags))


def _gpus(environment: Fields) -> list[str]:
    value: Any = environment.values.get("gpu") or environment.values.get("gpus") or []
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise environment.fault("gpu", "a name or a list of names")
    return [name for name in (clean(name).strip() for name in names) if name]


def _picked(backend: Fields) -> list[str]:
    """``device_ids``: the indices that were asked for; also one number."""
    value = backend.values.get("device_ids")
    if value is None:
        return []
    items = value if isinstance(value, list) else str(value).split(",")
    return [str(item).strip() for item in items if str(item).strip()]


def _running(config: Fields, backend: Fields, picked: list[str]) -> int:
    """How many of the picked devices ran: PyTorch alone computes on the first of them, unless the model is
    spread or trained, or a process is started for each."""
    launcher, scenario = config.under("launcher"), config.under("scenario")
    spread = any(backend.values.get(name) for name in ("device_map", "tp_plan", "deepspeed_inference"))
    trained = "training" in (scenario.text("name") or config.under("benchmark").text("name") or "")
    if backend.text("name") == "pytorch" and not spread and not trained:
        return launcher.count("nproc_per_node", 1, 1000) or 1
    return max(1, len(picked))


def _memory(environment: Fields, listed: list[str], flags: list[str]) -> int | None:
    """Memory of one GPU, where all entries of the list are of one kind (the field is their sum)."""
    total = environment.number("gpu_vram_mb", 0, 1e14)
    count = environment.count("gpu_count", 0, 10_000)
    if not total or count != len(listed) or len(set(listed)) > 1:
        return None
    if total > _MOST_MB:
        flags.append("megabytes-were-bytes")
        return round(total / count)
    return round(total * 1e6 / count)
