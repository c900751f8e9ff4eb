"""The targets of an optimum-benchmark report, each a result: prefill, decode, generate, forward, train."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bench.importers import physics
from bench.importers._optimum_config import Job
from bench.importers._statistics import of_samples
from bench.importers.base import Found, Given, Least
from bench.importers.fields import Fields, agree
from bench.importers.files import Fault

#: How far a stated rate may be from the one that latency and configuration give.
TOLERANCE = 0.005


def complete(found: Found, job: Job, device: Any, extra: Mapping[str, Any], flags: tuple[str, ...]) -> Found:
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


def load_seconds(targets: Fields) -> float | None:
    for name in ("load_model", "load"):
        latency = targets.under(name).under("latency")
        if latency.has("mean"):
            return latency.need("mean", 1e6)
    return None


def peak_memory(one: Fields) -> int | None:
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


def _forward(one: Fields, job: Job, given: Given, targets: Fields) -> Found | None:
    timed, stated = _timed(one), _stated(one, ("samples/s", "images/s"))
    batch = job.batch or given.get("batch")
    columns = {"batch": batch, "input_tokens": job.length}
    if batch is None:
        return _without_batch(one, timed, stated, "forward", columns)
    if stated is not None and timed.mean > 0:
        agree(one.where, "the rate", stated, batch / timed.mean, TOLERANCE)
    return _rated(one, timed, "forward", batch, "samples/s", columns, also={"mean_latency_s": timed.mean})


def _without_batch(
    one: Fields, timed: _Timed, stated: float | None, workload: str, columns: Mapping[str, Any]
) -> Found | None:
    """A report alone does not say how much work one repetition did; its own rate over its latency does."""
    if not stated or timed.mean <= 0:
        return None
    return _rated(one, timed, workload, stated * timed.mean, "samples/s", columns)


def _prefill(one: Fields, job: Job, given: Given, targets: Fields) -> Found | None:
    timed, stated = _timed(one), _stated(one, ("samples/s",))
    batch = job.batch or given.get("batch")
    length = job.length or given.get("input_tokens")
    columns = {"batch": batch, "input_tokens": length, "context_depth": 0}
    if batch is None or length is None:
        return _without_batch(one, timed, stated, "prefill", columns)
    if stated is not None and timed.mean > 0:
        agree(one.where, "the rate", stated, batch / timed.mean, TOLERANCE)
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


def _decode(one: Fields, job: Job, given: Given, targets: Fields) -> Found | None:
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
        agree(one.where, "the rate", stated, work / timed.mean, TOLERANCE)
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


def _per_token(targets: Fields, job: Job, new: int) -> tuple[dict[str, float], tuple[str, ...]]:
    """Percentiles of the time between tokens, where the tool did not pile them up over repetitions."""
    latency = targets.under("per_token").under("latency")
    count, repetitions = latency.count("count"), targets.under("decode").under("latency").count("count")
    if count is None:
        return {}, ()
    if repetitions is None or count != repetitions * (new - 1):
        return {}, ("per-token-cumulative",)
    names = {"p50": "inter_token_p50_ms", "p95": "inter_token_p95_ms", "p99": "inter_token_p99_ms"}
    return {column: latency.need(name, 1e6) * 1e3 for name, column in names.items() if latency.has(name)}, ()


def _generate(one: Fields, job: Job, given: Given, targets: Fields) -> Found | None:
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
        if not any(abs(stated / value - 1) <= TOLERANCE for value in known):
            agree(one.where, "the rate", stated, rate, TOLERANCE)
        if abs(stated / rate - 1) > TOLERANCE or one.under("throughput").text("unit") != "tokens/s":
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


def _train(one: Fields, job: Job, given: Given, targets: Fields) -> Found | None:
    timed, stated = _timed(one), _stated(one, ("samples/s",))
    samples = job.step_samples or given.get("batch")
    columns = {"batch": samples, "input_tokens": job.length}
    if samples is None:
        return None  # the printed rate is known to be wrong, and nothing else gives one
    rate = samples / timed.mean if timed.mean > 0 else None
    flags = ()
    if stated and rate and abs(stated / rate - 1) > TOLERANCE:
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


MAKERS = {
    "forward": _forward,
    "call": _forward,
    "prefill": _prefill,
    "decode": _decode,
    "generate": _generate,
    "train": _train,
}
