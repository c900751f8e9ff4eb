"""``vllm bench serve`` (earlier ``benchmark_serving.py``) and InferenceX's client, which descends from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from bench.importers import _serving as serving
from bench.importers.base import Correction, Found, Given, Importer, Named, each
from bench.importers.fields import Fields, clean
from bench.importers.files import Fault, Source

#: Rates and times that the row has no column for.
_ALSO = (
    "request_throughput", "total_token_throughput", "request_goodput", "request_goodput:", "mean_ttft_ms",
    "mean_tpot_ms", "median_tpot_ms", "p99_ttft_ms", "p99_tpot_ms", "median_e2el_ms",
    "spec_decode_acceptance_rate",
)  # fmt: skip
#: Keys of metadata under which people name the device, and how many of them.
_NAMES = ("gpu_name", "gpu", "gpu_type", "gpu_model", "device_name", "accelerator", "hardware")
_COUNTS = ("num_gpus", "gpu_count", "tensor_parallel_size", "tp")
#: Keys of the client's own, and those of figures.
_OWN = frozenset({
    "date", "endpoint_type", "backend", "label", "model_id", "tokenizer_id", "best_of", "num_prompts",
    "request_rate", "burstiness", "max_concurrency", "duration", "completed", "failed", "rtfx",
    "use_beam_search", "request_goodput", "request_goodput:", "good_completed", "vllm_version", "version",
    "ramp_up_strategy", "ramp_up_start_rps", "ramp_up_end_rps", "dataset_name", *_NAMES, *_COUNTS,
})  # fmt: skip
_FIGURE = re.compile(
    r"(?:mean|median|std|p\d[\d.]*|total|max_output|max_concurrent|spec_decode|benchmark_(?:start|end)|peak)_"
    r"|\w+_throughput$"
)
_MOST_METADATA = 20
_ENGINES = {
    "openai": None,
    "openai-chat": None,
    "openai-comp": None,
    "openai-audio": None,
    "vllm-rerank": "vllm",
}


class VllmServe(Importer):
    name: ClassVar[str] = "vllm-serve"
    title: ClassVar[str] = "vLLM bench serve"
    forms: ClassVar[tuple[str, ...]] = ("JSON", "several objects in one file (--append-result)")
    versions: ClassVar[tuple[str, ...]] = (
        "2024: best_of, endpoint_type or backend, 'request_goodput:' with a colon",
        "2025 to 2026: burstiness, max_concurrency, failed, rtfx, --save-detailed lists",
        "InferenceX's client (percentiles such as p99.9)",
    )
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction("Failed requests are left out of the rates", "a run with any is failed, without a rate"),
        Correction(
            "Gaps between tokens are gaps between chunks",
            "time per output token is taken where they differ",
            "itl-is-chunk-gap",
        ),
        Correction("Lengths that were asked for are not those that came", "totals over requests are taken"),
        Correction("A key is written 'request_goodput:'", "read under both names"),
        Correction(
            "A fixed request rate limits the throughput", "marked, and a task of its own", "load-limited"
        ),
        Correction("One or two waves measure filling and draining", "marked", "short-run"),
        Correction("Metadata may overwrite figures", "rates must follow from totals and duration"),
    )
    lacks: ClassVar[str] = "device and their number, unless the metadata tell; vLLM's version"

    def recognises(self, source: Source) -> bool:
        keys = source.keys
        if keys & {"server_info", "total_throughput"}:
            return False
        whole = {"duration", "completed", "output_throughput"} <= keys
        # Without a rate or its totals the file is told what it lacks, as results of embeddings are.
        asked = {"model_id", "num_prompts", "request_rate"} <= keys
        return whole or (asked and bool(keys & {"mean_ttft_ms", "mean_e2el_ms"}))

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        yield from each(source.entries(), lambda entry: [read_serve(Fields(entry.value, entry.where))])


def _device(row: Fields) -> Named:
    """What a person wrote into the metadata (``--metadata gpu=…``); vLLM itself names no device."""
    count = 1
    for key in _COUNTS:
        value = row.values.get(key)
        if isinstance(value, int | str) and not isinstance(value, bool) and str(value).isdecimal():
            count *= min(max(1, int(str(value)[:6])), 100_000)
            break
    for key in _NAMES:
        value = row.values.get(key)
        if isinstance(value, str) and re.search(r"[A-Za-z]\D*\d|\d\D*[A-Za-z]", value):
            several = re.fullmatch(r"(\d{1,5}) ?[x×] ?(.+)", value.strip())
            name = clean(several[2] if several else value)
            return Named(name, max(count, int(several[1])) if several else count)
    return Named(count=count)


def _metadata(row: Fields) -> dict[str, Any]:
    """What a person or a sweep added to the result: words and numbers under other keys than vLLM's."""
    found = {
        clean(key, 40): clean(value, 80) if isinstance(value, str) else value
        for key, value in row.values.items()
        if key not in _OWN and not _FIGURE.match(key) and isinstance(value, str | int) and value != ""
    }
    return dict(list(found.items())[:_MOST_METADATA])


def read_serve(row: Fields) -> Found:
    """One run. Raises ``Fault``."""
    run = serving.run_of(row, row.count("num_prompts", 1), "total_token_throughput")
    tokens, flags = ({}, ()) if run.failed else serving.tokens_of(row)
    offered, concurrency = serving.request_rate(row), row.count("max_concurrency", 1)
    model = row.model_name("model_id")
    backend = row.text("backend") or row.text("endpoint_type")
    return Found(
        where=row.where,
        workload="serve",
        device=_device(row),
        rate=run.rate,
        rate_unit="output tokens/s",
        columns={
            "model": model,
            "engine": _ENGINES.get(backend or "", backend),
            "engine_version": row.text("vllm_version") or row.text("version"),
            **run.columns(tokens, concurrency),
        },
        settings=serving.stated(
            {
                "concurrency": concurrency or "unlimited",
                "requests_per_s": offered,
                "burstiness": row.number("burstiness", 0) if offered else None,
            }
        ),
        conditions=_metadata(row) | serving.stated({"client": backend, "requests": run.asked}),
        also={} if run.failed else serving.also_of(row, _ALSO),
        flags=(*flags, "single-repetition", *serving.load_flags(offered, run.asked, concurrency)),
        status="failed" if run.failed else "ok",
        detail=run.failed,
        recorded_at=serving.local_date(row.text("date")),
        complete=model is not None and run.complete,
        least=serving.least_of(model),
    )
