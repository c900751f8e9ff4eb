"""What stands around a LoadGen summary: the system's description, and the folders' names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from bench.importers.base import Named
from bench.importers.fields import Fields, basename
from bench.importers.files import Source, read_json

SYSTEM_KEYS = frozenset({"accelerator_model_name", "accelerators_per_node", "host_processor_model_name"})

#: The benchmarks of the closed and open divisions, as their folders are called.
MODELS: tuple[str, ...] = (
    "llama2-70b-interactive-99.9", "llama2-70b-interactive-99", "llama2-70b-99.9", "llama2-70b-99",
    "llama3.1-405b-interactive", "llama3.1-405b", "llama3.1-8b-edge", "llama3.1-8b-interactive",
    "llama3.1-8b", "llama3_1-405b", "llama3_1-8b", "mixtral-8x7b", "deepseek-r1", "gpt-oss-120b",
    "stable-diffusion-xl", "gptj-99.9", "gptj-99", "bert-99.9", "bert-99", "dlrm-v2-99.9", "dlrm-v2-99",
    "dlrm-v3", "dlrm-99.9", "dlrm-99", "3d-unet-99.9", "3d-unet-99", "ssd-mobilenet", "ssd-small",
    "ssd-resnet34", "ssd-large", "mobilenet", "resnet50", "resnet", "retinanet", "rnnt", "rgat", "whisper",
    "pointpainting", "gnmt", "yolo-95", "yolo-99", "wan-2.2-t2v-a14b", "qwen3-vl-235b-a22b",
)  # fmt: skip

_LAYOUT = frozenset({"results", "compliance", "audit"})
_SCENARIO = "(?:offline|server|interactive|single-?stream|multi-?stream)"
_AUDIT = re.compile(r"TEST\d\d(-[A-Z])?")
#: Of systems with several kinds of accelerator: ``(8,4)``.
_SEVERAL = re.compile(r"\(\d{1,5}(?:, ?\d{1,5})+\)")


def _text(system: Fields, name: str) -> str:
    """The words at a key; people type these files, so that a number may stand there. Empty without any."""
    value = system.values.get(name)
    return str(value) if isinstance(value, int | float) else system.text(name) or ""


def described_by(system: Fields | None) -> dict[str, Any]:
    """What the description says of system, submitter and software; empty without one."""
    if system is None:
        return {}
    found = {
        "system": _text(system, "system_name"),
        "submitter": _text(system, "submitter"),
        "division": _text(system, "division").lower(),
        "availability": _text(system, "status"),
        "software": _text(system, "framework"),
        "suite": ",".join(sorted(part.strip() for part in _text(system, "system_type").split(","))),
        "accelerator_memory": _text(system, "accelerator_memory_capacity"),
        "nodes": system.count("number_of_nodes", 1, 1_000_000),
    }
    return {name: value for name, value in found.items() if value}


def device_of(system: Fields | None) -> Named:
    """The accelerators, or the processors where there are none."""
    if system is None:
        return Named()
    nodes = system.count("number_of_nodes", 1, 1_000_000) or 1
    name = _text(system, "accelerator_model_name")
    per_node = system.values.get("accelerators_per_node")
    if isinstance(per_node, str) and _SEVERAL.fullmatch(per_node):
        counts = sum(int(count) for count in re.findall(r"\d+", per_node))
        return Named(name, max(1, counts) * nodes, listed=True)
    count = 0 if per_node in (None, "", "N/A") else system.count("accelerators_per_node", 0, 100_000) or 0
    if name and name.upper() != "N/A" and count:
        size = _bytes(system)
        return Named(name, count * nodes, memory_bytes=size)
    sockets = system.count("host_processors_per_node", 1, 1000) or 1
    return Named(_text(system, "host_processor_model_name") or None, sockets * nodes, processor=True)


def _bytes(system: Fields) -> int | None:
    """The memory of one accelerator; of one that shares it, the host's."""
    stated = _text(system, "accelerator_memory_capacity")
    if "shared with host" in stated.lower():
        stated = _text(system, "host_memory_capacity")
    memory = re.fullmatch(r"(\d+(?:\.\d+)?)\s?(GB|GiB)", stated)
    return round(float(memory[1]) * 2**30) if memory else None


def environment_of(system: Fields | None) -> dict[str, Any]:
    """The processor beside the accelerators."""
    cpu = _text(system, "host_processor_model_name") if system else ""
    return {"cpu": cpu} if cpu else {}


def find_system(source: Source) -> tuple[Path | None, Fields | None]:
    """The description: beside the summary, named with it, or in a ``systems`` folder above, where the name of
    the file is a folder of the summary's path. None when there is not exactly one."""
    found = [(p, v) for p in source.beside("*.json") if (v := read_json(p)) and set(v) >= SYSTEM_KEYS]
    if not found:
        folders = source.path.resolve().parts
        for above in list(source.path.resolve().parents)[:8]:
            named = [p for p in sorted(above.glob("systems/*.json")) if p.stem in folders]
            found = [(p, v) for p in named if (v := read_json(p)) and set(v) >= SYSTEM_KEYS]
            if found:
                break
    if len(found) != 1:
        return None, None
    path, values = found[0]
    return path, Fields(values, path.name)


def model_of(path: Path) -> str | None:
    """The benchmark: in a submission the folder between system and scenario, whatever its name (the open
    division has variants of models); elsewhere what a folder above names, the nearest first."""
    parts = path.resolve().parts[:-1]
    for place, model, scenario in zip(parts, parts[2:], parts[3:], strict=False):
        if place.lower() in _LAYOUT and re.fullmatch(_SCENARIO, scenario.lower()):
            return model.lower() if model.lower() in MODELS else basename(model)
    for part in reversed(parts):
        for name in MODELS:
            # A hyphen after it makes it another model: mobilenet-v1-0.25-128.
            if re.search(rf"(?<![a-z0-9.]){re.escape(name)}(?=$|[^a-z0-9.-]|-{_SCENARIO})", part.lower()):
                return name
    return None


def round_of(path: Path) -> str | None:
    """``v4.1``, where a folder says so."""
    for part in reversed(path.resolve().parts[:-1]):
        found = re.search(r"(?<![a-z0-9])v(\d\.\d)(?![.\d])", part.lower())
        if found:
            return f"v{found[1]}"
    return None


def audit_of(path: Path) -> str | None:
    """``TEST04``, where a folder says that the run checks a result; its load is not that of a result."""
    return next((part for part in path.resolve().parts[:-1] if _AUDIT.fullmatch(part)), None)
