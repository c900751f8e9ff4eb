"""optimum-benchmark: ``benchmark.json``, a report with its configuration beside it, and the CSV of 2023.

Rates are computed anew from latencies and the configuration; where the file states one too, both must agree,
except where the tool is known to be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from bench.importers._optimum_config import job_of
from bench.importers._optimum_csv import HYDRA, read_csv
from bench.importers._optimum_device import device_of
from bench.importers._optimum_targets import MAKERS, complete, load_seconds, peak_memory
from bench.importers.base import Correction, Found, Given, Importer
from bench.importers.fields import Fields
from bench.importers.files import Fault, Source, read_json

CONFIGS = ("benchmark_config.json",)

_TARGETS = frozenset({
    "load", "load_model", "first_generate", "generate", "prefill", "decode", "per_token", "first_forward",
    "forward", "first_call", "call", "per_step", "overall", "warmup", "train", "training",
})  # fmt: skip
_MEASURE_KEYS = frozenset({"latency", "throughput", "memory", "energy"})
_CSV_MARK = ".throughput("


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
            yield from read_csv(source)
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


def _report(report: Any, config: dict[str, Any] | None, prefix: str, given: Given) -> Iterator[Found | Fault]:
    try:
        job, root = job_of(config)
        device, flags = device_of(root)
        targets = Fields(report, f"{prefix.rstrip(', ') or 'the report'}")
        load_s = load_seconds(targets)
    except Fault as fault:
        yield fault
        return
    for target in report:
        maker = MAKERS.get(target)
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
        extra = {"load_s": load_s, "peak_memory_bytes": peak_memory(one)}
        energy = ("energy-left-out",) if one.has("energy") else ()
        yield complete(found, job, device, {k: v for k, v in extra.items() if v}, (*flags, *energy))
