"""What llama-bench ran on and was asked for: backends, GPUs or processor, and settings off their defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bench.importers import _llama_text as forms
from bench.importers._llama_markdown import OWN
from bench.importers.base import Named
from bench.importers.fields import Fields, clean

#: Before backends were strings, each was a column of its own.
_OLD_BACKENDS = {
    "cuda": "CUDA", "opencl": "OpenCL", "vulkan": "Vulkan", "kompute": "Kompute", "metal": "Metal",
    "sycl": "SYCL", "rpc": "RPC", "gpu_blas": "GPU BLAS", "blas": "BLAS",
}  # fmt: skip
_NO_GPU = frozenset({"CPU", "BLAS", "RPC", "none", ""})
#: Backends whose GPU every generation prints; where it prints none, there was none.
_ALWAYS_NAMED = ("CUDA", "ROCm", "HIP", "SYCL", "CANN", "MUSA")
#: From about this build on (November 2024) the GPUs of all backends are printed.
_ALL_NAMED_FROM = 4100
_SPLITS = {"0": "none", "1": "layer", "2": "row", "none": "none", "layer": "layer", "row": "row"}
#: More layers than any model has: all of it on the GPU. -1 is the automatic choice of newer builds.
_ALL_LAYERS = 90
#: Columns that are read, or that change no figure: of all builds of llama.cpp and all forms.
_READ = _OLD_BACKENDS.keys() | OWN | {
    "build_commit", "build_number", "cpu_info", "gpu_info", "backends", "model_filename", "model_type",
    "model_size", "model_n_params", "n_batch", "n_ubatch", "n_threads", "cpu_mask", "cpu_strict", "poll",
    "f16_kv", "type_k", "type_v", "n_gpu_layers", "n_cpu_moe", "split_mode", "main_gpu", "mul_mat_q",
    "no_kv_offload", "flash_attn", "devices", "tensor_split", "tensor_buft_overrides", "use_mmap",
    "use_direct_io", "load_mode", "embeddings", "no_op_offload", "no_host", "fit_target", "fit_min_ctx",
    "defrag_thold", "n_prompt", "n_gen", "n_depth", "test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts",
    "samples_ns", "samples_ts",
}  # fmt: skip
_UNSET = ("", "0", "false", "none", "auto", "n/a", "-")
#: Columns of other builds that are taken over, each a word.
_MOST_FOREIGN = 40
#: Columns of other builds that were measured, as avg_ttft_ms or max_itl_us: as settings they would set every
#: run apart from the next.
_MEASURED = re.compile(
    r"(?:avg|stddev|std|samples|mean|median|p\d+)_|(?:min|max)_\w*_(?:ns|us|ms|s|ts|tps)$", re.IGNORECASE
)


def settings_of(
    row: Fields, layers: int | None, device: Named, split: str | None, workload: str
) -> dict[str, Any]:
    """What else was asked for, as far as it differs from the tool's defaults, whose names change."""
    flash = row.values.get("flash_attn")
    automatic = str(flash).strip().lower() in ("-1", "auto")
    settings: dict[str, Any] = {
        "flash_attention": "auto" if automatic else "on" if row.switch("flash_attn") else "off"
    }
    batch, physical = row.count("n_batch", 1) or 2048, row.count("n_ubatch", 1) or 512
    if min(batch, physical) != 512 and workload != "decode":
        settings["tokens_at_once"] = min(batch, physical)
    half = row.switch("f16_kv")
    for name, key in (("cache_k", "type_k"), ("cache_v", "type_v")):
        kind = row.text(key) or ("f32" if half is False else "f16")
        if kind != "f16":
            settings[name] = kind
    if layers is not None and 0 <= layers < _ALL_LAYERS and not device.processor:
        settings["gpu_layers"] = layers
    if row.count("n_cpu_moe", 0):
        settings["experts_on_cpu_layers"] = row.count("n_cpu_moe")
    if (row.text("tensor_buft_overrides") or "none") != "none":
        settings["tensors_placed"] = row.text("tensor_buft_overrides")
    if device.count > 1:
        settings["split"] = split or "layer"
    for name in ("no_kv_offload", "embeddings", "no_op_offload"):
        if row.switch(name):
            settings[name] = True
    if device.processor:
        settings["runs_on"] = "cpu"
    return settings | _foreign(row)


def on_gpu_alone(row: Fields, device: Named, conditions: Mapping[str, Any]) -> bool:
    """Whether all weights are said to be in the memory of the devices that ran."""
    layers = conditions.get("gpu_layers")
    placed = row.count("n_cpu_moe", 0) or (row.text("tensor_buft_overrides") or "none") != "none"
    return not device.processor and not placed and (layers is None or layers < 0 or layers >= _ALL_LAYERS)


def _foreign(row: Fields) -> dict[str, Any]:
    """Settings of another program of this name (ik_llama.cpp) or of a newer build: each is a task apart."""
    found = {
        clean(name, 40): clean(str(value), 60)
        for name, value in row.values.items()
        if name not in _READ and not _MEASURED.match(name) and isinstance(value, str | int | float)
        and str(value).strip().lower() not in _UNSET
    }  # fmt: skip
    return dict(list(found.items())[:_MOST_FOREIGN])


def split_of(row: Fields) -> str | None:
    """How a model is spread over several GPUs, in the words of newer builds."""
    return _SPLITS.get(str(row.values.get("split_mode") or "").lower())


def backends_of(row: Fields) -> str:
    """The backends that the program was built with, joined by commas."""
    stated = row.text("backends")
    if stated is not None:
        return stated
    return ",".join(label for key, label in _OLD_BACKENDS.items() if row.switch(key))


def device_of(row: Fields, backends: str, split: str | None, layers: int | None, flags: list[str]) -> Named:
    """Which device ran: the GPUs that are printed, or the processor where there is none."""
    gpus, cpu = row.text("gpu_info", 1000), row.text("cpu_info")
    names = {part.strip() for part in backends.split(",")}
    gpu_built = bool(names - _NO_GPU)
    if gpus:
        named = _chosen(row, forms.split_names(gpus), split)
        if layers == 0:
            flags.append("partial-offload")
            return Named(forms.processor(cpu), processor=True)
        if layers is not None and 0 < layers < _ALL_LAYERS:
            flags.append("partial-offload")
        return named
    if not gpu_built:
        return Named(forms.processor(cpu), processor=True)
    if any(name.startswith(_ALWAYS_NAMED) for name in names) and cpu:
        flags.append("cpu-ran")
        return Named(forms.processor(cpu), processor=True)
    if names & {"Metal", "MTL"} and "Apple" in (cpu or ""):
        return Named(forms.processor(cpu))  # chip and GPU have one name
    build = row.count("build_number")
    if cpu and build is not None and build >= _ALL_NAMED_FROM:
        flags.append("cpu-ran")
        return Named(forms.processor(cpu), processor=True)
    return Named()


def _chosen(row: Fields, gpus: list[str], split: str | None) -> Named:
    """Of the printed GPUs the ones that ran: all of them, unless the row says which."""
    main = row.count("main_gpu") or 0
    if split == "none" and main < len(gpus):
        gpus = [gpus[main]]
    picked = forms.picked_devices(row.text("devices"))
    if picked and all(index < len(gpus) for index in picked):
        gpus = [gpus[index] for index in picked]
    if len(set(gpus)) == 1:
        return Named(gpus[0], count=len(gpus))
    return Named(" + ".join(gpus)[:160], count=len(gpus), listed=True)
