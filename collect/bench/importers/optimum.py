"""optimum-benchmark: ``benchmark.json``, a report with its configuration beside it, and the CSV of 2023.

Rates are computed anew from latencies and the configuration; where the file states one too, both must agree,
except where the tool is known to be wrong.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bench.importers import physics
from bench.importers._optimum_device import device_of
from bench.importers._statistics import of_samples
from bench.importers.base import Correction, Found, Given, Importer, Least
from bench.importers.fields import Fields, agree
from bench.importers.files import Fault, Source, read_json

REPORTS = ("benchmark_report.json",)
CONFIGS = ("benchmark_config.json",)
HYDRA = ("hydra_config.yaml", ".hydra/config.yaml", "config.yaml")

_TARGETS = frozenset({
    "load", "load_model", "first_generate", "generate", "prefill", "decode", "per_token", "first_forward",
    "forward", "first_call", "call", "per_step", "overall", "warmup", "train", "training",
})  # fmt: skip
_MEASURE_KEYS = frozenset({"latency", "throughput", "memory", "energy"})
#: How far a stated rate may be from the one that latency and configuration give.
_TOLERANCE = 0.005
_CSV_MARK = ".throughput("
_MEBI = 2**20


class OptimumBenchmark(Importer):
    name: ClassVar[str] = "optimum-benchmark"
    title: ClassVar[str] = "optimum-benchmark (Hugging Face)"
    forms: ClassVar[tuple[str, ...]] = (
        "benchmark.json",
        "benchmark_report.json beside benchmark_config.json",
        "inference_results.csv or training_results.csv beside hydra_config.yaml or .hydra/config.yaml",
    )
    versions: ClassVar[tuple[str, ...]] = (
        "0.0.x of 2023 (CSV)",
        "0.2 to 0.4 (reports)",
        "0.5 and 0.6 (reports)",
    )
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction(
            "Per-token latencies pile up over repetitions", "left out where they do", "per-token-cumulative"
        ),
        Correction(
            "The training rate counts all steps over one step's time",
            "computed from the mean time of a step",
            "training-throughput-corrected",
        ),
        Correction(
            "The rate of 'generate' is labelled samples/s but counts tokens on some backends",
            "computed from latency, batch and new tokens",
            "unit-corrected",
        ),
        Correction("Prefill is in samples/s", "batch times length over the mean latency, in tokens/s"),
        Correction("gpu_vram_mb holds bytes", "read as bytes", "megabytes-were-bytes"),
        Correction("GPUs are listed although the CPU ran", "the backend's device counts"),
        Correction("Display adapters are among the GPUs", "left out"),
        Correction("'first_' targets are the second call, not the first", "left out"),
        Correction("Energy covers processor and memory too, in kWh", "left out", "energy-left-out"),
        Correction("Processor names begin with a blank", "removed"),
    )
    lacks: ClassVar[str] = "device, model and shapes, where a report comes without its configuration"

    def recognises(self, source: Source) -> bool:
        if {"config", "report"} <= source.keys or _is_report(source.first):
            return True
        return _CSV_MARK in source.head.partition("\n")[0]

    def is_companion(self, source: Source) -> bool:
        if source.path.suffix in (".yaml", ".yml"):
            return "optimum_benchmark." in source.head
        return {"backend", "scenario", "environment"} <= source.keys

    def related(self, source: Source) -> list[Any]:
        return [_digest(path) for path in _config_paths(source)[:1]]

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        if _CSV_MARK in source.head.partition("\n")[0]:
            yield from _read_csv(source)
            return
        try:
            entries = list(source.entries())
        except Fault as fault:
            yield fault
            return
        if len(entries) != 1 or not isinstance(entries[0].value, dict):
            yield Fault("the file", "expected one JSON object")
            return
        document = entries[0].value
        whole = "report" in document and "config" in document
        report = document["report"] if whole else document
        config = document["config"] if whole else _beside(source)
        yield from _report(report, config, "key 'report', " if whole else "", given)


def _is_report(value: Any) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    known = [v for k, v in value.items() if k in _TARGETS]
    return bool(known) and all(isinstance(v, dict) and set(v) >= _MEASURE_KEYS for v in known)


def _config_paths(source: Source) -> list[Path]:
    return source.beside(*(HYDRA if source.path.suffix == ".csv" else CONFIGS))


def _beside(source: Source) -> dict[str, Any] | None:
    for path in _config_paths(source):
        if config := read_json(path):
            return config
    return None


def _digest(path: Path) -> str:
    return Source(path).digest


@dataclass(frozen=True)
class _Job:
    """What the configuration says about the run."""

    columns: Mapping[str, Any]
    settings: Mapping[str, Any]
    conditions: Mapping[str, Any]
    environment: Mapping[str, Any]
    batch: int | None
    length: int | None
    new_tokens: int | None
    step_samples: int | None
    iterations: int | None


def _job(config: dict[str, Any] | None) -> tuple[_Job, Fields | None]:
    if config is None:
        return _Job({}, {}, {}, {}, None, None, None, None, None), None
    root = Fields(config, "the configuration")
    backend, scenario = root.under("backend"), root.under("scenario" if "scenario" in config else "benchmark")
    environment = root.under("environment")
    shapes, generate = scenario.under("input_shapes"), scenario.under("generate_kwargs")
    training, data = scenario.under("training_arguments"), scenario.under("dataset_shapes")
    model = backend.text("model") or root.text("model")
    dtype = backend.text("torch_dtype") or backend.text("dtype")
    quantised = backend.text("quantization_scheme") or backend.text("quantization_strategy")
    per_device = training.count("per_device_train_batch_size", 1)
    steps = training.count("gradient_accumulation_steps", 1) or 1
    engine, version = backend.text("name"), backend.text("version")
    tool = environment.text("optimum_benchmark_version")
    settings = {
        "attention": backend.text("attn_implementation"),
        "quantisation": quantised,
        "adapter": backend.text("peft_type") or backend.text("peft_strategy"),
        "task": backend.text("task") or root.text("task"),
        "cache": backend.text("cache_implementation"),
        "better_transformer": backend.switch("to_bettertransformer") or None,
        "autocast": backend.text("autocast_dtype") if backend.switch("autocast_enabled") else None,
    }
    compiled = backend.switch("torch_compile")
    columns = {
        "model": None if model is None else root_model(model),
        "weights_dtype": _dtype(backend, quantised, dtype, model),
        "compute_dtype": {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}.get(dtype or ""),
        "weights": "random" if backend.switch("no_weights") else "pretrained",
        "engine": f"{engine} (optimum-benchmark)" if engine else "optimum-benchmark",
        "engine_version": version,
        "execution": "compiled" if compiled else "eager" if engine == "pytorch" else None,
        "beams": generate.count("num_beams", 1),
    }
    conditions = {
        "transformers": environment.text("transformers_version"),
        "optimum_benchmark": tool,
        "threads": backend.count("intra_op_num_threads", 1),
    }
    surroundings = {
        "cpu": (environment.text("cpu") or "").strip() or None,
        "system": environment.text("system"),
        "python": environment.text("python_version"),
    }
    stated = lambda values: {k: v for k, v in values.items() if v is not None}  # noqa: E731
    return (
        _Job(
            columns=stated(columns),
            settings=stated(settings),
            conditions=stated(conditions),
            environment=stated(surroundings),
            batch=shapes.count("batch_size", 1),
            length=shapes.count("sequence_length", 1) or data.count("sequence_length", 1),
            new_tokens=generate.count("max_new_tokens", 1) or scenario.count("new_tokens", 1),
            step_samples=None if per_device is None else per_device * steps,
            iterations=scenario.count("iterations", 1),
        ),
        root,
    )


def root_model(model: str) -> str:
    """A model's public name, ``owner/name``; of a local path its last part."""
    from bench.importers.fields import basename

    return model if model.count("/") == 1 and not model.startswith((".", "/", "~", "…")) else basename(model)


def _dtype(backend: Fields, quantised: str | None, dtype: str | None, model: str | None) -> str | None:
    if quantised:
        config = backend.under("quantization_config")
        bits = config.count("bits", 1, 32) or (4 if config.switch("load_in_4bit") else None)
        return f"{quantised}-int{bits}" if bits else quantised
    for kind in ("awq", "gptq"):  # the scheme is null where the model brings its own
        if kind in (model or "").lower():
            return f"{kind}-int4"
    return {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}.get(dtype or "", dtype)


def _report(report: Any, config: dict[str, Any] | None, prefix: str, given: Given) -> Iterator[Found | Fault]:
    try:
        job, root = _job(config)
        device, flags = device_of(root)
        targets = Fields(report, f"{prefix.rstrip(', ') or 'the report'}")
        load_s = _load(targets)
    except Fault as fault:
        yield fault
        return
    for target in report:
        maker = _MAKERS.get(target)
        if maker is None or not isinstance(report[target], dict) or not report[target].get("latency"):
            continue  # a target that was not timed, or none that is taken over
        try:
            one = Fields(report[target], f"{prefix}key '{target}'")
            found = maker(one, job, given, targets)
        except Fault as fault:
            yield fault
            continue
        if found is None:
            continue
        extra = {"load_s": load_s, "peak_memory_bytes": _memory(one)}
        energy = ("energy-left-out",) if one.has("energy") else ()
        yield _complete(found, job, device, {k: v for k, v in extra.items() if v}, (*flags, *energy))


def _complete(
    found: Found, job: _Job, device: Any, extra: Mapping[str, Any], flags: tuple[str, ...]
) -> Found:
    from dataclasses import replace

    columns = {**job.columns, **extra, **found.columns}
    return replace(
        found,
        device=device,
        columns=columns,
        settings={**job.settings, **found.settings},
        conditions=job.conditions,
        environment=job.environment,
        flags=(*found.flags, *flags),
        complete=bool(columns.get("model") and columns.get("batch")),
    )


def _load(targets: Fields) -> float | None:
    for name in ("load_model", "load"):
        latency = targets.under(name).under("latency")
        if latency.has("mean"):
            return latency.need("mean", 1e6)
    return None


def _memory(one: Fields) -> int | None:
    memory = one.under("memory")
    if memory.text("unit") not in (None, "MB"):
        raise memory.fault("unit", "MB")
    value = memory.number("max_allocated", 0, 1e8)
    return None if not value else round(value * 1e6)


@dataclass(frozen=True)
class _Timed:
    """A target's latency: mean seconds, and every repetition."""

    mean: float
    values: list[float]


def _timed(one: Fields) -> _Timed:
    latency = one.under("latency")
    if latency.text("unit") not in (None, "s"):
        raise latency.fault("unit", "s")
    mean, values, count = latency.number("mean", -1e7, 1e7), latency.numbers("values"), latency.count("count")
    if mean is None:
        raise latency.fault("mean", "the mean latency in seconds")
    if values:
        agree(latency.where, "the mean", mean, sum(values) / len(values), 1e-6)
        if count not in (None, len(values)):
            raise latency.fault("count", f"{len(values)}, the number of values")
    elif (total := latency.number("total", 0)) and count:
        agree(latency.where, "the mean", mean, total / count, 1e-6)
    return _Timed(mean, values)


def _stated(one: Fields, units: tuple[str, ...]) -> float | None:
    throughput = one.under("throughput")
    if not throughput.has("value"):
        return None
    if throughput.text("unit") not in units:
        raise throughput.fault("unit", " or ".join(units))
    return throughput.number("value")


def _rated(
    one: Fields,
    timed: _Timed,
    workload: str,
    work: float,
    unit: str,
    columns: Mapping[str, Any],
    *,
    flags: tuple[str, ...] = (),
    also: Mapping[str, Any] | None = None,
    value_kind: str = "stated",
    least: Least | None = None,
    status: str = "ok",
    detail: str | None = None,
) -> Found:
    """Work over the mean latency; every target's repetitions give the interval."""
    if timed.mean <= 0:
        status, detail = "failed", f"The mean latency is stated as {timed.mean:g} s, which cannot be."
        return Found(one.where, workload, None, unit, columns=columns, status=status, detail=detail)
    rate, more, found = work / timed.mean, {}, []
    if timed.values and min(timed.values) > 0:
        more, found = of_samples(rate, [work / s for s in timed.values], timed.values)
        # The rate is work over the mean time, so it lies in the interval only as far as they agree.
        if "rate_low" in more:
            more["rate_low"] = min(more["rate_low"], rate)
            more["rate_high"] = max(more["rate_high"], rate)
        more["work_per_sample"] = float(work)
    else:
        found = ["interval-unknown"]
    return Found(
        one.where,
        workload,
        rate,
        unit,
        columns={**columns, **more, "value_kind": value_kind},
        flags=(*flags, *found),
        also=also or {},
        least=least,
    )


def _forward(one: Fields, job: _Job, given: Given, targets: Fields) -> Found | None:
    timed, stated = _timed(one), _stated(one, ("samples/s", "images/s"))
    batch = job.batch or given.get("batch")
    columns = {"batch": batch, "input_tokens": job.length}
    if batch is None:
        return _without_batch(one, timed, stated, "forward", columns)
    if stated is not None and timed.mean > 0:
        agree(one.where, "the rate", stated, batch / timed.mean, _TOLERANCE)
    return _rated(one, timed, "forward", batch, "samples/s", columns, also={"mean_latency_s": timed.mean})


def _without_batch(
    one: Fields, timed: _Timed, stated: float | None, workload: str, columns: Mapping[str, Any]
) -> Found | None:
    """A report alone does not say how much work one repetition did; its own rate over its latency does."""
    if not stated or timed.mean <= 0:
        return None
    return _rated(one, timed, workload, stated * timed.mean, "samples/s", columns)


def _prefill(one: Fields, job: _Job, given: Given, targets: Fields) -> Found | None:
    timed, stated = _timed(one), _stated(one, ("samples/s",))
    batch = job.batch or given.get("batch")
    length = job.length or given.get("input_tokens")
    columns = {"batch": batch, "input_tokens": length, "context_depth": 0}
    if batch is None or length is None:
        return _without_batch(one, timed, stated, "prefill", columns)
    if stated is not None and timed.mean > 0:
        agree(one.where, "the rate", stated, batch / timed.mean, _TOLERANCE)
    model = job.columns.get("model")
    return _rated(
        one,
        timed,
        "prefill",
        batch * length,
        "tokens/s",
        columns | {"first_token_ms": timed.mean * 1e3},
        also={"samples_per_s": stated, "mean_latency_s": timed.mean},
        value_kind="derived",
        least=physics.of_prompt(model, physics.params_in(model)),
    )


def _decode(one: Fields, job: _Job, given: Given, targets: Fields) -> Found | None:
    timed, stated = _timed(one), _stated(one, ("tokens/s",))
    batch = job.batch or given.get("batch")
    new = job.new_tokens or given.get("output_tokens")
    columns: dict[str, Any] = {"batch": batch, "output_tokens": new, "input_tokens": job.length}
    if batch is None or new is None:
        if not stated or stated < 0 or timed.mean <= 0:
            return None
        return _rated(one, timed, "decode", stated * timed.mean, "tokens/s", columns)
    if new < 2:
        raise Fault(one.where, f"{new} new token is none to decode")
    work = batch * (new - 1)
    if stated is not None and timed.mean > 0:
        agree(one.where, "the rate", stated, work / timed.mean, _TOLERANCE)
    tokens, flags = _per_token(targets, job, new)
    model = job.columns.get("model")
    return _rated(
        one,
        timed,
        "decode",
        work,
        "tokens/s",
        columns | tokens,
        flags=flags,
        also={"mean_latency_s": timed.mean},
        least=physics.of_decoding(model, physics.params_in(model), None),
    )


def _per_token(targets: Fields, job: _Job, new: int) -> tuple[dict[str, float], tuple[str, ...]]:
    """Percentiles of the time between tokens, where the tool did not pile them up over repetitions."""
    latency = targets.under("per_token").under("latency")
    count, repetitions = latency.count("count"), targets.under("decode").under("latency").count("count")
    if count is None:
        return {}, ()
    if repetitions is None or count != repetitions * (new - 1):
        return {}, ("per-token-cumulative",)
    names = {"p50": "inter_token_p50_ms", "p95": "inter_token_p95_ms", "p99": "inter_token_p99_ms"}
    return {column: latency.need(name, 1e6) * 1e3 for name, column in names.items() if latency.has(name)}, ()


def _generate(one: Fields, job: _Job, given: Given, targets: Fields) -> Found | None:
    timed, stated = _timed(one), _stated(one, ("samples/s", "tokens/s"))
    batch = job.batch or given.get("batch")
    new = job.new_tokens or given.get("output_tokens")
    columns = {"batch": batch, "output_tokens": new, "input_tokens": job.length}
    if batch is None or new is None:
        return None  # the printed rate counts tokens or samples: without the shape nobody can tell
    flags = ["includes-prefill"]
    if stated is not None and timed.mean > 0:
        rate = batch * new / timed.mean
        known = (batch / timed.mean, rate, batch * (new - 1) / timed.mean)
        if not any(abs(stated / value - 1) <= _TOLERANCE for value in known):
            agree(one.where, "the rate", stated, rate, _TOLERANCE)
        if abs(stated / rate - 1) > _TOLERANCE or one.under("throughput").text("unit") != "tokens/s":
            flags.append("unit-corrected")
    return _rated(
        one,
        timed,
        "generate",
        batch * new,
        "output tokens/s",
        columns,
        flags=tuple(flags),
        value_kind="derived",
        also={"mean_latency_s": timed.mean},
    )


def _train(one: Fields, job: _Job, given: Given, targets: Fields) -> Found | None:
    timed, stated = _timed(one), _stated(one, ("samples/s",))
    samples = job.step_samples or given.get("batch")
    columns = {"batch": samples, "input_tokens": job.length}
    if samples is None:
        return None  # the printed rate is known to be wrong, and nothing else gives one
    rate = samples / timed.mean if timed.mean > 0 else None
    flags = ()
    if stated and rate and abs(stated / rate - 1) > _TOLERANCE:
        flags = ("training-throughput-corrected",)
    return _rated(
        one,
        timed,
        "train",
        samples,
        "samples/s",
        columns,
        flags=flags,
        value_kind="derived" if flags else "stated",
    )


_MAKERS = {
    "forward": _forward,
    "call": _forward,
    "prefill": _prefill,
    "decode": _decode,
    "generate": _generate,
    "train": _train,
}


def _read_csv(source: Source) -> Iterator[Found | Fault]:
    """The CSV of 2023: one line of figures with their units in the header, and a Hydra file beside it."""
    try:
        lines = list(csv.reader(io.StringIO(source.text(1 << 20)), strict=True))
        config = _hydra(source)
        job, root = _job(config)
        device, flags = device_of(root)
    except csv.Error as error:
        yield Fault("the file", f"not CSV ({error})")
        return
    except Fault as fault:
        yield fault
        return
    header, rows = lines[0], [line for line in lines[1:] if any(line)]
    for number, line in enumerate(rows, 2):
        if len(line) != len(header):
            yield Fault(f"line {number}", f"{len(line)} values, but the header has {len(header)} columns")
            continue
        row = Fields(dict(zip(header, line, strict=True)), f"line {number}")
        for prefix in dict.fromkeys(name.partition(".")[0] for name in header if "." in name):
            try:
                found = _printed(row, prefix, job)
            except Fault as fault:
                yield fault
                continue
            if found is not None:
                yield _complete(found, job, device, {}, flags)


def _hydra(source: Source) -> dict[str, Any] | None:
    import yaml

    for path in source.beside(*HYDRA):
        if path.stat().st_size > _MEBI:
            continue
        try:
            config = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
            raise Fault(path.name, f"not YAML ({str(error).splitlines()[0]})") from error
        if isinstance(config, dict) and {"backend", "benchmark"} <= set(config):
            return config
    return None


def _printed(row: Fields, prefix: str, job: _Job) -> Found | None:
    """One group of columns, such as ``generate.latency(s)`` and ``generate.throughput(tokens/s)``."""
    names = {name.partition("(")[0]: name for name in row.values if name.startswith(f"{prefix}.")}
    rate_key = names.get(f"{prefix}.throughput")
    if prefix not in ("forward", "generate", "prefill", "decode", "training") or rate_key is None:
        return None  # warm-up, and an 'overall' that leaves the warm-up's samples out of its own rate
    rate = row.need(rate_key)
    unit = rate_key.partition("(")[2].rstrip(")").replace("samles", "samples")
    latency_key = names.get(f"{prefix}.latency")
    seconds = row.need(latency_key, 1e7) if latency_key else None
    columns: dict[str, Any] = {
        "batch": job.step_samples if prefix == "training" else job.batch,
        "input_tokens": job.length,
        "output_tokens": job.new_tokens if prefix in ("generate", "decode") else None,
    }
    flags = ["interval-unknown", "rounded-in-source"]
    if prefix == "generate":
        flags.append("includes-prefill")
    work = _work(prefix, unit, columns)
    runtime = row.number(names.get(f"{prefix}.runtime", ""), 0)
    if runtime:  # whole batches were trained on
        samples = rate * runtime
        agree(row.where, f"'{rate_key}'", rate, round(samples) / runtime, 1e-6)
    if seconds and work:
        agree(row.where, f"'{rate_key}'", rate, work / seconds, 0.02)  # three printed digits each
    if memory := row.number(names.get(f"{prefix}.peak_memory", ""), 0, 1e7):
        columns["peak_memory_bytes"] = round(memory * 1e6)
    return Found(
        f"{row.where}, column '{rate_key}'",
        {"training": "train"}.get(prefix, prefix),
        rate,
        "output tokens/s" if prefix == "generate" and unit == "tokens/s" else unit,
        columns=columns,
        flags=tuple(flags),
        also={"latency_s": seconds, "runtime_s": runtime},
    )


def _work(prefix: str, unit: str, columns: Mapping[str, Any]) -> int | None:
    batch, new = columns["batch"], columns["output_tokens"]
    if unit == "samples/s" and prefix != "training":
        return batch
    return batch * new if prefix == "generate" and batch and new else None
