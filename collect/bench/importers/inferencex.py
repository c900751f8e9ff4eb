"""InferenceX (earlier InferenceMAX): the list of flat rows that its runs are gathered in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from bench.importers import _serving as serving
from bench.importers.base import Correction, Found, Given, Importer, Named, each
from bench.importers.fields import Fields, clean, moment
from bench.importers.files import Fault, Source

#: By Little's law, concurrency times tokens over the end-to-end time bounds the output rate; means and the
#: spread of lengths move it a little.
_LITTLE = 1.1
_ALSO = (
    "tput_per_gpu", "input_tput_per_gpu", "mean_ttft", "median_tpot", "mean_tpot", "mean_e2el", "p99_ttft",
    "p99_tpot", "median_intvty",
)  # fmt: skip


class InferenceX(Importer):
    name: ClassVar[str] = "inferencex"
    title: ClassVar[str] = "InferenceX aggregate (agg_bmk.json)"
    forms: ClassVar[tuple[str, ...]] = ("JSON list of rows, or one row",)
    versions: ClassVar[tuple[str, ...]] = (
        "2025 (tp, ep)",
        "2026 (num_prefill_gpu, num_decode_gpu)",
        "rows of vLLM's nightly evaluation ('device' for 'hw')",
    )
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction("Latencies are in seconds, while its client writes milliseconds", "converted"),
        Correction(
            "num_prefill_gpu and num_decode_gpu count the same GPUs twice unless they are separate",
            "added only where prefill is disaggregated",
        ),
        Correction(
            "Some rows count the generation phase alone",
            "held against concurrency and end-to-end latency (Little's law); a task of their own",
            "generation-phase-only",
        ),
        Correction("tput_per_gpu counts input and output in some rows", "output_tput_per_gpu is the rate"),
        Correction("Images of containers carry '#' for '/'", "put back"),
    )
    lacks: ClassVar[str] = "form and memory of the device where 'hw' is short; date"

    def recognises(self, source: Source) -> bool:
        keys = source.keys
        named, rated = keys & {"hw", "device"}, keys & {"tput_per_gpu", "output_tput_per_gpu"}
        return keys >= {"conc", "isl", "osl"} and bool(named and rated)

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        yield from each(source.entries(), lambda entry: [_one(Fields(entry.value, entry.where))])


def _one(row: Fields) -> Found:
    hardware, concurrency = row.text("hw") or row.text("device"), row.count("conc", 1)
    length_in, length_out = row.count("isl", 1), row.count("osl", 1)
    if hardware is None or concurrency is None or length_out is None:
        raise row.fault("hw" if hardware is None else "conc", "what ran, and with how many streams")
    rate = row.number("output_tput_per_gpu", 0)
    if rate is None:
        raise row.fault("output_tput_per_gpu", "generated tokens a second for each GPU")
    both = row.number("tput_per_gpu", 0)
    if both is not None and both < rate * (1 - 1e-9):
        raise row.fault("tput_per_gpu", f"at least the output rate, {rate:.6g}")
    _check_inverse(row)
    serving.check_order(row, suffix="")
    apart = row.switch("disagg") or False
    gpus = _gpus(row, apart)
    tokens, flags = serving.tokens_of(row, 1e3, suffix="")
    seconds = row.number("mean_e2el", 0, 1e7)
    generating = row.count("num_decode_gpu", 1) if apart else gpus
    partial = bool(
        seconds and generating and rate * generating > _LITTLE * concurrency * length_out / seconds
    )
    model = row.model_name("model")
    image = row.text("image", 300)
    return Found(
        where=row.where,
        workload="serve",
        rate=rate or None,
        rate_unit="output tokens/s per device",
        device=Named(hardware.removesuffix("-nv").removesuffix("-amd"), gpus),
        columns={
            "model": model,
            "weights_dtype": row.text("precision"),
            "batch": concurrency,
            "input_tokens": length_in,
            "output_tokens": length_out,
            "engine": row.text("framework"),
            **tokens,
        },
        settings=serving.stated(
            {
                "concurrency": concurrency,
                "counts": "output tokens per generating device" if apart else "output tokens per device",
                "phase": "generation alone" if partial else None,
                "speculative": _word(row, "spec_decoding"),
                "separate_prefill": apart or None,
            }
        ),
        conditions=serving.stated(
            {
                "image": clean(image.replace("#", "/")) if image else None,
                "tensor_parallel": row.count("tp", 1) or row.count("decode_tp", 1),
                "expert_parallel": row.count("ep", 1) or row.count("decode_ep", 1),
            }
        ),
        also=serving.also_of(row, _ALSO),
        recorded_at=moment(row.text("date") or ""),
        flags=(*flags, "interval-unknown", *(("generation-phase-only",) if partial else ())),
        status="ok" if rate else "failed",
        detail=None if rate else "No token was generated.",
        complete=model is not None and length_in is not None,
    )


def _word(row: Fields, name: str) -> str | None:
    value = row.text(name)
    return None if value is None or value.lower() in ("none", "false") else value


def _check_inverse(row: Fields) -> None:
    """Interactivity is the inverse of the time per token. Raises ``Fault``."""
    per_token, tokens = row.number("median_tpot", 0, 1e6), row.number("median_intvty", 0)
    if per_token and tokens and abs(per_token * tokens - 1) > 0.02:
        raise row.fault("median_intvty", f"the inverse of median_tpot, {1 / per_token:.6g}")


def _gpus(row: Fields, apart: bool) -> int:
    prefill, decode = row.count("num_prefill_gpu", 0, 100_000), row.count("num_decode_gpu", 0, 100_000)
    if prefill is not None and decode is not None:
        return max(1, prefill + decode if apart else max(prefill, decode))
    return row.count("num_gpus", 1, 100_000) or row.count("tp", 1, 100_000) or 1
