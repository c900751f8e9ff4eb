"""vLLM's results in PyTorch's benchmark form (``NAME.pytorch.json``): a record a metric, each with what ran.

Its dashboards read this form. All records of a run repeat the run's arguments and totals, so that the plain
form is put together from them and read as such; the arguments tell what the plain form leaves out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from bench.importers import _serving as serving
from bench.importers.base import Correction, Found, Given, Importer, Named
from bench.importers.fields import Fields
from bench.importers.files import Fault, Source
from bench.importers.vllm_offline import read_latency, read_throughput
from bench.importers.vllm_serve import read_serve

_RECORD = frozenset({"benchmark", "model", "metric"})
_NAME = "vLLM benchmark"


class VllmPytorch(Importer):
    name: ClassVar[str] = "vllm-pytorch"
    title: ClassVar[str] = "vLLM results in PyTorch's benchmark form"
    forms: ClassVar[tuple[str, ...]] = (
        "JSON list of records (NAME.pytorch.json) of serve, latency, throughput",
    )
    versions: ClassVar[tuple[str, ...]] = ("2025 to 2026",)
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction("Each metric is a record of its own", "put together to one result a run"),
        Correction("A run's single figures stand without their totals", "held against them as in plain form"),
    )
    lacks: ClassVar[str] = "device, vLLM's version"

    def recognises(self, source: Source) -> bool:
        if not source.keys >= _RECORD or not isinstance(source.first, dict):
            return False
        benchmark = source.first["benchmark"]
        return isinstance(benchmark, dict) and benchmark.get("name") == _NAME

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        for where, args, row in _runs(source):
            try:
                yield _one(where, args, row, given)
            except Fault as fault:
                yield fault


def _runs(source: Source) -> Iterator[tuple[str, Fields, dict[str, Any]]]:
    """Runs in order: where each begins, its arguments, and its figures in the plain form."""
    run: tuple[str, Fields, dict[str, Any]] | None = None
    key: Any = None
    for entry in source.entries():
        record = Fields(entry.value, entry.where)
        metric = record.under("metric")
        extra = metric.under("extra_info")
        args = record.under("benchmark").under("extra_info").under("args")
        name, values = metric.text("name"), metric.values.get("benchmark_values")
        if name is None or not isinstance(values, list) or not values:
            raise metric.fault("benchmark_values", "a metric and its figures")
        figures = {"latencies": values} if name == "latency" else {name: values[0]}
        if name != "latency" and len(values) != 1:
            raise metric.fault("benchmark_values", "one figure")
        if (
            run is not None
            and (dict(args.values), dict(extra.values)) == key
            and not figures.keys() & run[2].keys()
        ):
            run[2].update(figures)
            continue
        if run is not None:
            yield run
        key = dict(args.values), dict(extra.values)
        run = entry.where, args, dict(extra.values) | figures
    if run is not None:
        yield run


def _one(where: str, args: Fields, figures: Mapping[str, Any], given: Given) -> Found:
    row = Fields(figures, where)
    model = args.model_name("model")
    count = (args.count("tensor_parallel_size", 1, 100_000) or 1) * (
        args.count("pipeline_parallel_size", 1, 100_000) or 1
    )
    dtype = args.text("quantization")
    asked = {"model": model, "weights_dtype": dtype}
    if "latencies" in figures:
        asked |= {
            "batch": args.count("batch_size", 1),
            "input_tokens": args.count("input_len", 1),
            "output_tokens": args.count("output_len", 1),
        }
        for name in ("batch_size", "output_len"):
            if not args.count(name, 1):
                raise args.fault(name, "what a repetition generated")
        found = read_latency(row, dict(given) | serving.stated(asked))
    elif "elapsed_time" in figures:
        asked |= {"input_tokens": args.count("input_len", 1), "output_tokens": args.count("output_len", 1)}
        found = read_throughput(row)
    else:
        found = read_serve(row)
        return (
            found if found.device.name else replace(found, device=Named(count=max(count, found.device.count)))
        )
    settings = {
        "dtype": args.text("dtype"),
        "dataset": args.text("dataset_name"),
        "sequences_each": (args.count("n", 1) or 1) if (args.count("n", 1) or 1) > 1 else None,
        "beam_search": args.switch("use_beam_search") or None,
    }
    columns = {**found.columns, **serving.stated(asked)}
    return replace(
        found,
        device=Named(count=count),
        columns=columns,
        settings={**found.settings, **serving.stated(settings)},
        complete=all(columns.get(name) for name in ("model", "batch", "input_tokens", "output_tokens")),
    )
