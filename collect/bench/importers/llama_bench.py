"""llama-bench of llama.cpp, in each of its five forms and all generations of its columns.

Columns are read by name: each year added some, renamed some and turned booleans into numbers. A row's figures
are held against each other (tokens over time, repetitions against their mean), so that a damaged number is
found out rather than taken over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from bench.importers import _llama_text as forms
from bench.importers import physics
from bench.importers._llama_model import read_model
from bench.importers._statistics import of_samples, of_spread
from bench.importers.base import Correction, Found, Given, Importer, Least, Named, each
from bench.importers.fields import Fields
from bench.importers.files import Fault, Source

#: Columns that are in no other tool's output and in every generation of this one's.
SIGNATURE = frozenset({"model_type", "n_prompt", "n_gen", "avg_ts"})

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
#: How far figures of one row may differ by rounding.
_ROUNDING = 2e-4


class LlamaBench(Importer):
    name: ClassVar[str] = "llama-bench"
    title: ClassVar[str] = "llama-bench (llama.cpp)"
    forms: ClassVar[tuple[str, ...]] = ("JSON", "JSON lines", "CSV", "Markdown or a log that holds it", "SQL")
    versions: ClassVar[tuple[str, ...]] = (
        "2023-08 to 2024: one column a backend, f16_kv, mul_mat_q, 'pp 512'",
        "2024 to 2025: backends as text, n_ubatch, type_k and type_v, flash_attn true or false",
        "from 2025-04: n_depth",
        "from 2025-09: n_cpu_moe, devices, flash_attn as a number (-1 is automatic), layers -1, backend MTL",
        "2026: load_mode, use_direct_io, fit_target and fit_min_ctx",
    )
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction("Columns change names and order", "read by name, never by position"),
        Correction(
            "A list is left open by a crash", "complete entries are taken, and marked", "file-cut-off"
        ),
        Correction("No GPU was found, yet 99 layers are said to be on it", "the processor ran", "cpu-ran"),
        Correction(
            "All GPUs are listed, whichever ran", "counted where they are alike", "several-devices-listed"
        ),
        Correction("One repetition has a spread of 0", "no interval is given", "single-repetition"),
        Correction(
            "CSV, SQL and Markdown leave out the number of repetitions",
            "no interval is given, unless --set sample_count says it",
            "interval-unknown",
        ),
        Correction("A cold first repetition moves the mean", "marked", "skewed-repetitions"),
        Correction(
            "The weight type is that of the file's label, not of its weights",
            "held against the size in bytes",
            "weights-type-corrected",
        ),
        Correction(
            "'?B' stands for small models", "the size is made from the parameters", "size-from-parameters"
        ),
        Correction(
            "pp+tg tests count both kinds of tokens", "kept apart from prefill and decode", "mixed-tokens"
        ),
        Correction("Model paths name users", "only the file's name is kept"),
    )
    lacks: ClassVar[str] = "power; repetitions in CSV, SQL and Markdown; device and build in a bare table"

    def recognises(self, source: Source) -> bool:
        if source.keys >= SIGNATURE:
            return True
        head = source.head
        return forms.is_csv(head) or forms.is_sql(head) or forms.is_markdown(head)

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        head = source.head.lstrip()
        if head.startswith(("{", "[")) and not forms.is_markdown(source.head):
            entries = source.entries()
        elif forms.is_sql(head):
            entries = forms.read_sql(source)
        elif forms.is_csv(head):
            entries = forms.read_csv(source)
        else:
            yield from each(
                forms.read_markdown(source), lambda e: [_printed(Fields(e.value, e.where), given)]
            )
            return
        yield from each(entries, lambda entry: [_one(Fields(entry.value, entry.where), given)])


def _one(row: Fields, given: Given) -> Found:
    """A row of JSON, CSV or SQL: exact figures under the tool's own column names."""
    n_prompt, n_gen = row.count("n_prompt"), row.count("n_gen")
    if n_prompt is None or n_gen is None or n_prompt + n_gen == 0:
        raise row.fault("n_prompt", "how many tokens were read and generated")
    rate = row.number("avg_ts", 0)
    if rate is None:
        raise row.fault("avg_ts", "a rate in tokens a second")
    common = _common(row, n_prompt, n_gen, row.count("n_depth") or 0)
    params = row.count("model_n_params", 1)
    size = row.count("model_size", 1)
    model = read_model(row.text("model_type"), params, size)
    flags = [*common["flags"], *model.flags]
    columns: dict[str, Any] = common["columns"] | {
        "model": model.name,
        "params": params,
        "active_params": model.active_params,
        "weights_dtype": model.weights_dtype,
        "engine_version": _build(row.text("build_commit"), row.count("build_number")),
    }
    if rate == 0:
        return _found(row, common, columns, flags, None, status="failed", detail="The rate is stated as 0.")
    columns |= _repetitions(row, rate, n_prompt + n_gen, flags, given)
    return _found(row, common, columns, flags, rate, params=params, size=size)


def _repetitions(row: Fields, rate: float, tokens: int, flags: list[str], given: Given) -> dict[str, Any]:
    """Spread and repetitions, once the row's figures agree with each other."""
    mean_ns, spread = row.positive("avg_ns"), row.number("stddev_ts", 0)
    nanoseconds, rates = row.numbers("samples_ns"), row.numbers("samples_ts")
    if mean_ns is None:
        raise row.fault("avg_ns", "the mean time in nanoseconds")
    _agree_on_time(row, rate, tokens, mean_ns, spread or 0.0)
    if nanoseconds and min(nanoseconds) <= 0:
        raise row.fault("samples_ns", "times above 0")
    if nanoseconds:
        exact = [tokens * 1e9 / ns for ns in nanoseconds]
        _same(row, "avg_ns", mean_ns, sum(nanoseconds) / len(nanoseconds))
        _same(row, "avg_ts", rate, sum(exact) / len(exact))
        if rates and (
            len(rates) != len(exact) or any(abs(a - b) > 1e-3 * b for a, b in zip(rates, exact, strict=True))
        ):
            raise row.fault("samples_ts", "the rates that samples_ns gives")
        columns, found = of_samples(rate, exact, [ns / 1e9 for ns in nanoseconds])
        columns["work_per_sample"] = float(tokens)
    else:
        columns, found = of_spread(rate, spread, given.get("sample_count"))
    flags += found
    return columns


def _agree_on_time(row: Fields, rate: float, tokens: int, mean_ns: float, spread: float) -> None:
    """The mean of rates lies above tokens over the mean time, by at most the product of both spreads
    (Cauchy and Schwarz: for t and n/t the covariance is no larger)."""
    excess = rate * mean_ns / 1e9 / tokens - 1
    bound = spread * (row.number("stddev_ns", 0) or 0.0) / 1e9 / tokens
    if not -_ROUNDING <= excess <= bound + _ROUNDING:
        raise Fault(
            f"{row.where}, keys 'avg_ts' and 'avg_ns'",
            f"{rate:.6g} tokens/s and {mean_ns / 1e6:.6g} ms for {tokens} tokens contradict each other",
        )


def _same(row: Fields, key: str, stated: float, computed: float) -> None:
    if abs(stated / computed - 1) > _ROUNDING:
        raise Fault(
            f"{row.where}, key '{key}'", f"{stated:.6g} is not the mean of its repetitions, {computed:.6g}"
        )


def _printed(row: Fields, given: Given) -> Found:
    """A row of a Markdown table: rounded figures, and only the columns that were not at their defaults."""
    n_prompt, n_gen = row.count("n_prompt") or 0, row.count("n_gen") or 0
    rate = row.number("avg_ts", 0)
    common = _common(row, n_prompt, n_gen, row.count("n_depth") or 0)
    params, size = row.count("model_n_params", 1), row.count("model_size", 1)
    model = read_model(row.text("model_type"), params, size)
    flags = [*common["flags"], *model.flags, "rounded-in-source"]
    columns: dict[str, Any] = common["columns"] | {
        "model": model.name,
        "params": params,
        "active_params": model.active_params,
        "weights_dtype": model.weights_dtype,
        "engine_version": _build(row.text("build_commit"), row.count("build_number")),
    }
    if not rate:
        return _found(row, common, columns, flags, None, status="failed", detail="The rate is stated as 0.")
    spread = row.number("stddev_ts", 0)
    # Half a unit of the last printed digit is added: the spread is rounded too.
    wide = None if spread is None else spread + (row.number("rounding", 0) or 0)
    found, more = of_spread(rate, wide, given.get("sample_count"))
    return _found(row, common, columns | found, [*flags, *more], rate, params=params, size=size)


def _common(row: Fields, n_prompt: int, n_gen: int, depth: int) -> dict[str, Any]:
    flags: list[str] = []
    backends = _backends(row)
    split = _SPLITS.get(str(row.values.get("split_mode") or "").lower())
    layers = row.count("n_gpu_layers", -10)
    device = _device(row, backends, split, layers, flags)
    workload = "generate" if n_prompt and n_gen else "prefill" if n_prompt else "decode"
    if workload == "generate":
        flags.append("mixed-tokens")
    settings = _settings(row, layers, device, split, workload)
    conditions = {
        "backend": backends or None,
        "threads": row.count("n_threads", 0),
        "mmap": row.switch("use_mmap"),
        "load_mode": row.text("load_mode"),
        "gpu_layers": layers,
    }
    environment = {"cpu": row.text("cpu_info"), "model_file": row.file_name("model_filename")}
    return {
        "workload": workload,
        "device": device,
        "flags": flags,
        "settings": settings,
        "conditions": _stated(conditions),
        "environment": _stated(environment),
        "columns": {
            "batch": 1,
            "input_tokens": n_prompt or None,
            "output_tokens": n_gen or None,
            "context_depth": depth,
            "weights": "pretrained",
            "engine": "llama.cpp",
        },
        "recorded_at": row.time("test_time"),
        "group": row.text("group") or "",
    }


def _stated(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _settings(
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
    return settings


def _backends(row: Fields) -> str:
    stated = row.text("backends")
    if stated is not None:
        return stated
    return ",".join(label for key, label in _OLD_BACKENDS.items() if row.switch(key))


def _device(row: Fields, backends: str, split: str | None, layers: int | None, flags: list[str]) -> Named:
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


def _build(commit: str | None, number: int | None) -> str | None:
    if commit in (None, "unknown") and not number:
        return None
    return f"b{number} ({commit})" if number and commit else commit or f"b{number}"


def _found(
    row: Fields,
    common: dict[str, Any],
    columns: dict[str, Any],
    flags: list[str],
    rate: float | None,
    *,
    status: str = "ok",
    detail: str | None = None,
    params: int | None = None,
    size: int | None = None,
) -> Found:
    workload = common["workload"]
    return Found(
        where=row.where,
        workload=workload,
        rate=rate,
        rate_unit="input+output tokens/s" if workload == "generate" else "tokens/s",
        device=common["device"],
        columns=columns,
        settings=common["settings"] | _size(columns),
        conditions=common["conditions"],
        environment=common["environment"],
        flags=tuple(flags),
        status=status,
        detail=detail,
        recorded_at=common["recorded_at"],
        complete=columns.get("model") is not None,
        least=_least(common, columns, params, size),
        group=common["group"],
    )


def _size(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters to three digits, which is what every form prints: names like 'llama 8B' fit several."""
    params = columns.get("params")
    return {"parameters": f"{params:.3g}"} if params else {}


def _least(
    common: dict[str, Any], columns: dict[str, Any], params: int | None, size: int | None
) -> Least | None:
    if common["workload"] == "decode":
        sequential = common["settings"].get("split") != "row"
        return physics.of_decoding(columns["model"], params, size, sequential=sequential)
    return physics.of_prompt(columns["model"], params)
