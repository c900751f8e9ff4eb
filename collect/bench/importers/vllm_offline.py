"""``vllm bench latency`` and ``vllm bench throughput``: neither says what ran, nor on what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from bench.importers._serving import EXACT, stated
from bench.importers._statistics import of_samples
from bench.importers.base import Correction, Found, Given, Importer, each
from bench.importers.fields import Fields, agree
from bench.importers.files import Fault, Source


class VllmLatency(Importer):
    name: ClassVar[str] = "vllm-latency"
    title: ClassVar[str] = "vLLM bench latency"
    forms: ClassVar[tuple[str, ...]] = ("JSON",)
    versions: ClassVar[tuple[str, ...]] = ("all (avg_latency, latencies, percentiles)",)
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction(
            "A latency without batch and lengths",
            "its inverse is kept as batches/s; with --set batch and output_tokens it becomes tokens/s",
            "settings-not-stated",
        ),
        Correction(
            "The mean hides slow repetitions", "the interval comes from all of them", "skewed-repetitions"
        ),
    )
    lacks: ClassVar[str] = "device, model, batch, lengths, vLLM's version"

    def recognises(self, source: Source) -> bool:
        return source.keys >= {"avg_latency", "latencies", "percentiles"}

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        yield from each(
            source.entries(), lambda entry: [read_latency(Fields(entry.value, entry.where), given)]
        )


def read_latency(row: Fields, given: Given) -> Found:
    """One run; batch and generated tokens as far as they are given. Raises ``Fault``."""
    mean, values = row.need("avg_latency", 1e6), row.numbers("latencies")
    if not values or min(values) <= 0:
        raise row.fault("latencies", "every repetition's seconds")
    agree(f"{row.where}, key 'avg_latency'", "the mean", mean, sum(values) / len(values), EXACT)
    percentiles = row.under("percentiles")
    middle = percentiles.number("50", 0, 1e6)
    if middle is not None and not min(values) * (1 - 1e-9) <= middle <= max(values) * (1 + 1e-9):
        raise percentiles.fault("50", "a time between the shortest and the longest repetition")
    batch, tokens = given.get("batch"), given.get("output_tokens")
    if batch and tokens:
        work, unit, flags = float(batch * tokens), "output tokens/s", ["includes-prefill"]
    elif batch:
        work, unit, flags = float(batch), "requests/s", []
    else:
        work, unit, flags = 1.0, "batches/s", []
    rate = work / mean
    columns, found = of_samples(rate, [work / s for s in values], values)
    if "rate_low" in columns:  # the mean of rates is not the rate of the mean
        columns["rate_low"], columns["rate_high"] = (
            min(columns["rate_low"], rate),
            max(columns["rate_high"], rate),
        )
    return Found(
        where=row.where,
        workload="generate",
        rate=rate,
        rate_unit=unit,
        columns={**columns, "work_per_sample": work, "value_kind": "derived", "engine": "vllm"},
        also=stated(
            {
                "avg_latency_s": mean,
                **{f"p{p}_latency_s": percentiles.number(p, 0) for p in ("50", "90", "99")},
            }
        ),
        flags=(*flags, *found),
        complete=False,
    )


class VllmThroughput(Importer):
    name: ClassVar[str] = "vllm-throughput"
    title: ClassVar[str] = "vLLM bench throughput"
    forms: ClassVar[tuple[str, ...]] = ("JSON",)
    versions: ClassVar[tuple[str, ...]] = ("all (elapsed_time, num_requests, tokens_per_second)",)
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction(
            "tokens_per_second counts prompt and generated tokens together",
            "kept as such, and never set beside an output rate",
            "mixed-tokens",
        ),
        Correction("One pass without warm-up", "no interval is given", "single-repetition"),
    )
    lacks: ClassVar[str] = "device, model, lengths, vLLM's version"

    def recognises(self, source: Source) -> bool:
        return source.keys >= {"elapsed_time", "num_requests", "tokens_per_second"}

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        yield from each(source.entries(), lambda entry: [read_throughput(Fields(entry.value, entry.where))])


def read_throughput(row: Fields) -> Found:
    """One run. Raises ``Fault``."""
    seconds, requests = row.need("elapsed_time", 1e8), row.count("num_requests", 1)
    rate, total = row.number("tokens_per_second", 0), row.number("total_num_tokens", 0)
    if rate is None or requests is None:
        raise row.fault("tokens_per_second" if rate is None else "num_requests", "a number above 0")
    where = f"{row.where}, key 'tokens_per_second'"
    if total is not None:
        agree(where, "the rate", rate, total / seconds, EXACT)
    per_s = row.number("requests_per_second", 0)
    if per_s is not None:
        agree(f"{row.where}, key 'requests_per_second'", "the rate", per_s, requests / seconds, EXACT)
    columns: dict[str, Any] = {"batch": requests, "engine": "vllm", "sample_count": 1, "samples_s": [seconds]}
    return Found(
        where=row.where,
        workload="serve-offline",
        rate=rate or None,
        rate_unit="input+output tokens/s",
        columns=columns | ({"work_per_sample": total} if total else {}),
        settings={"counts": "input and output tokens"},
        also=stated({"requests_per_s": per_s, "total_tokens": total}),
        flags=("mixed-tokens", "single-repetition"),
        status="ok" if rate else "failed",
        detail=None if rate else "No token was processed.",
        complete=False,
    )
