"""SGLang's ``bench_serving``: JSON lines, with the server's whole configuration beside the figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from bench.importers import _serving as serving
from bench.importers.base import Correction, Found, Given, Importer, Named, each
from bench.importers.fields import Fields, public_model
from bench.importers.files import Fault, Source

_ALSO = (
    "request_throughput", "input_throughput", "total_throughput", "mean_ttft_ms", "mean_tpot_ms",
    "median_tpot_ms", "p99_ttft_ms", "p99_tpot_ms", "median_e2e_latency_ms", "concurrency", "accept_length",
)  # fmt: skip


class SglangServing(Importer):
    name: ClassVar[str] = "sglang-serving"
    title: ClassVar[str] = "SGLang bench_serving"
    forms: ClassVar[tuple[str, ...]] = ("JSON lines",)
    versions: ClassVar[tuple[str, ...]] = (
        "0.3 to 0.4 (without server_info)",
        "0.5 (with server_info and errors)",
    )
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction("Infinity is written as a bare word, which is no JSON", "read as 'all at once'"),
        Correction("total_throughput is what vLLM calls total_token_throughput", "told apart by format"),
        Correction(
            "Lengths are drawn from 1 to the printed length", "totals over requests are taken instead"
        ),
        Correction("Failed requests are left out of the rates", "a run with any is failed, without a rate"),
        Correction(
            "Servers that read and servers that generate are listed apart", "their devices are added up"
        ),
        Correction("Model paths name users and folders", "only the last part is kept"),
        Correction("Gaps between tokens are gaps between chunks", "as for vLLM", "itl-is-chunk-gap"),
        Correction("One or two waves measure filling and draining", "marked", "short-run"),
    )
    lacks: ClassVar[str] = "device; their number before server_info"

    def recognises(self, source: Source) -> bool:
        keys = source.keys
        return {"duration", "completed", "output_throughput"} <= keys and bool(
            keys & {"server_info", "total_throughput", "random_input_len"}
        )

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        yield from each(source.entries(), lambda entry: [_one(Fields(entry.value, entry.where))])


def _one(row: Fields) -> Found:
    asked = row.count("num_prompts", 1)
    if asked is None and isinstance(row.values.get("errors"), list):
        asked = len(row.values["errors"])
    run = serving.run_of(row, asked, "total_throughput")
    servers = _servers(row)
    server = servers[-1]
    versions = dict.fromkeys(version for one in servers if (version := one.text("version")))
    tokens, flags = ({}, ()) if run.failed else serving.tokens_of(row)
    sent = asked or run.completed
    offered, concurrency = serving.request_rate(row), row.count("max_concurrency", 1)
    path = server.values.get("model_path") or row.values.get("model") or row.values.get("model_id")
    model = public_model(path) if isinstance(path, str) else None
    return Found(
        where=row.where,
        workload="serve",
        rate=run.rate,
        rate_unit="output tokens/s",
        device=Named(count=sum(map(_devices, servers))),
        columns={
            "model": model,
            "weights_dtype": server.text("quantization"),
            "engine": row.text("backend") or "sglang",
            "engine_version": " + ".join(versions) or None,
            **run.columns(tokens, concurrency),
        },
        settings=serving.stated(
            {
                "concurrency": concurrency or "unlimited",
                "requests_per_s": offered,
                "dataset": row.text("dataset_name"),
                "speculative": server.text("speculative_algorithm"),
                "separate_prefill": len(servers) > 1 or None,
            }
        ),
        conditions=serving.stated(
            {
                "dtype": server.text("dtype"),
                "kind": server.text("device"),
                "prefix_cache": None
                if not server.has("disable_radix_cache")
                else not server.switch("disable_radix_cache"),
            }
        ),
        also={} if run.failed else serving.also_of(row, _ALSO),
        flags=(
            *flags,
            "single-repetition",
            *serving.load_flags(offered, sent, concurrency),
        ),
        status="failed" if run.failed else "ok",
        detail=run.failed,
        complete=model is not None and run.complete,
        least=serving.least_of(model),
    )


def _servers(row: Fields) -> list[Fields]:
    """The configuration of each server: one, or those that read prompts and then those that generate."""
    info = row.under("server_info")
    parts = [
        Fields(value, f"{info.where}, key '{name}'")
        for name in ("prefill", "decode")
        for value in (info.values.get(name) or [])
        if isinstance(info.values.get(name), list)
    ]
    return parts if parts and not info.has("model_path") else [info]


def _devices(server: Fields) -> int:
    """Tensor times pipeline parallel, times replicas unless attention alone is replicated."""
    count = 1
    for name in ("tp_size", "pp_size"):
        count *= server.count(name, 1, 100_000) or 1
    replicas = server.count("dp_size", 1, 100_000) or 1
    return count if server.switch("enable_dp_attention") else count * replicas
