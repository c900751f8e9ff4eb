"""llama-bench of llama.cpp, in each of its five forms and all generations of its columns.

Columns are read by name: each year added some, renamed some and turned booleans into numbers. A row's figures
are held against each other (tokens over time, repetitions against their mean), so that a damaged number is
found out rather than taken over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from bench.importers import _llama_setup as setup
from bench.importers import _llama_text as forms
from bench.importers import physics
from bench.importers._llama_figures import repetitions
from bench.importers._llama_log import WithoutLog, has_log
from bench.importers._llama_markdown import is_markdown, read_markdown
from bench.importers._llama_model import read_model
from bench.importers._statistics import of_spread
from bench.importers.base import Correction, Found, Given, Importer, Least, each
from bench.importers.fields import Fields
from bench.importers.files import Fault, Source

#: Columns that are in no other tool's output and in every generation of this one's.
SIGNATURE = frozenset({"model_type", "n_prompt", "n_gen", "avg_ts"})

#: In ik_llama.cpp: the prompt is read before the clock starts.
_AFTER_PROMPT = re.compile(r"tg\d+@pp\d+")


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
        Correction(
            "With RPC, machines take part that are not named",
            "unknown where one device cannot hold the weights",
            "does-not-fit",
        ),
        Correction("One repetition has a spread of 0", "no interval is given", "single-repetition"),
        Correction(
            "CSV, SQL and Markdown leave out the number of repetitions",
            "no interval is given, unless --set sample_count says it",
            "interval-unknown",
        ),
        Correction(
            "stddev_ns overflows where a repetition takes seconds", "only the repetitions are held against it"
        ),
        Correction("The log stands among the figures, as a redirect leaves it", "its lines are passed over"),
        Correction(
            "The log stands between a table's rows", "rows are taken up again after it, or a fault names them"
        ),
        Correction("Builds of others add columns", "each is a setting, and so a task of its own"),
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
        plain = WithoutLog(source.path) if has_log(source) else source
        if plain.keys >= SIGNATURE:
            return True
        head = plain.head
        if forms.is_csv(head) or forms.is_sql(head):
            return True
        return not head.lstrip().startswith(("{", "[{")) and is_markdown(source)

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        plain = WithoutLog(source.path) if has_log(source) else source
        head = plain.head.lstrip()
        if plain.keys >= SIGNATURE or (head.startswith(("{", "[")) and not is_markdown(source)):
            entries = plain.entries()
        elif forms.is_sql(head):
            entries = forms.read_sql(plain)
        elif forms.is_csv(head):
            entries = forms.read_csv(plain)
        else:
            yield from each(read_markdown(source), lambda e: [_printed(Fields(e.value, e.where), given)])
            return
        yield from each(entries, lambda entry: [_one(Fields(entry.value, entry.where), given)])
        source.cut_off = plain.cut_off


def _one(row: Fields, given: Given) -> Found:
    """A row of JSON, CSV or SQL: exact figures under the tool's own column names."""
    n_prompt, n_gen, depth = row.count("n_prompt"), row.count("n_gen"), row.count("n_depth") or 0
    if n_prompt and _AFTER_PROMPT.fullmatch(row.text("test") or ""):
        n_prompt, depth = 0, n_prompt
    if n_prompt is None or n_gen is None or n_prompt + n_gen == 0:
        raise row.fault("n_prompt", "how many tokens were read and generated")
    rate = row.number("avg_ts", 0)
    if rate is None:
        raise row.fault("avg_ts", "a rate in tokens a second")
    common = _common(row, n_prompt, n_gen, depth)
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
    columns |= repetitions(row, rate, n_prompt + n_gen, flags, given)
    return _found(row, common, columns, flags, rate, params=params, size=size)


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
    backends = setup.backends_of(row)
    split = setup.split_of(row)
    layers = row.count("n_gpu_layers", -10)
    device = setup.device_of(row, backends, split, layers, flags)
    workload = "generate" if n_prompt and n_gen else "prefill" if n_prompt else "decode"
    if workload == "generate":
        flags.append("mixed-tokens")
    settings = setup.settings_of(row, layers, device, split, workload)
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
        weights_bytes=size if setup.on_gpu_alone(row, common["device"], common["conditions"]) else None,
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
