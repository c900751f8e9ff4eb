"""MLPerf Inference: the summary that LoadGen writes, with the system's description from beside it.

The summary tells scenario, validity and figures; the model and the round are in the path alone, the hardware
in the description. Only a VALID performance run is a result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from bench.importers._mlperf_summary import TITLE, Summary, read_summary, settings_of
from bench.importers._mlperf_system import (
    SYSTEM_KEYS,
    audit_of,
    described_by,
    device_of,
    environment_of,
    find_system,
    model_of,
    round_of,
)
from bench.importers.base import Correction, Found, Given, Importer
from bench.importers.fields import agree
from bench.importers.files import Fault, Source

SUMMARY = "mlperf_log_summary.txt"
_ESTIMATE = re.compile(r"Early stopping (\d+(?:\.\d+)?)th percentile estimate")
_LATENCY = re.compile(r"(\d+(?:\.\d+)?)th percentile latency \(ns\)")
#: What a run that times something is called, by newer and older versions; a submission times after it checks.
_TIMED = frozenset({"PerformanceOnly", "Performance", "SubmissionRun", "Submission"})
#: Before v4.0, requests were short against the run: completed and scheduled rates differ by little.
_SERVER = 0.02
_OFFLINE = 0.01

#: Scenario -> headline keys in order of preference, and whether they count tokens.
_HEADLINES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "Offline": (("Tokens per second", "tokens/s"), ("Samples per second", "samples/s")),
    "Server": (
        ("Completed tokens per second", "tokens/s"),
        ("Completed samples per second", "samples/s"),
        ("Scheduled samples per second", "samples/s"),
    ),
}
_ONE_QUERY = frozenset({"SingleStream", "MultiStream"})


class MlperfLoadgen(Importer):
    name: ClassVar[str] = "mlperf-loadgen"
    title: ClassVar[str] = "MLPerf Inference LoadGen summary"
    forms: ClassVar[tuple[str, ...]] = (
        "mlperf_log_summary.txt, with the system's JSON beside it, in ../systems, or named with it",
    )
    versions: ClassVar[tuple[str, ...]] = (
        "v0.5 to v1.0 ('Single Stream', 'Mode : Performance', MultiStream in samples a query)",
        "v1.1 to v3.1 (scheduled samples a second)",
        "v4.0 and later (completed samples and tokens, first token and time per output token)",
    )
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction("INVALID runs print a rate all the same", "failed, without a rate"),
        Correction("Accuracy runs print a summary", "refused: they time nothing"),
        Correction(
            "The latency at the top is not the official one",
            "the early-stopping estimate is taken; the rate is its inverse",
            "official-latency",
        ),
        Correction("The same key stands twice in the file", "read by block and heading"),
        Correction("Audits (one sample again and again, answers logged) print results", "tasks of their own"),
        Correction("More samples than stated where they are permuted", "the number that ran is counted"),
        Correction("Server's headline was the scheduled rate before v4.0", "marked", "scheduled-rate"),
        Correction("Latencies of Offline are no latencies of anything", "left out"),
        Correction("Rates are of the whole system", "kept so, with the number of devices"),
        Correction("Numbers are text in old descriptions, 'N/A' and '0' mean a CPU", "read as such"),
        Correction("'Time to Output Token' and 'Time per Output Token' are one", "read under both names"),
    )
    version: ClassVar[int] = 2
    lacks: ClassVar[str] = "model (in the path alone), hardware (in the description), date"

    def recognises(self, source: Source) -> bool:
        return TITLE in source.head[:400] or (
            source.path.name == SUMMARY and "encountered during test" in source.head[:400]
        )

    def is_companion(self, source: Source) -> bool:
        return source.keys >= SYSTEM_KEYS

    def related(self, source: Source) -> list[Any]:
        path, _ = find_system(source)
        model = model_of(source.path)
        return [model, round_of(source.path), audit_of(source.path)] + (
            [] if path is None else [Source(path).digest]
        )

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        try:
            summary = read_summary(source)
            yield _found(summary, source)
        except Fault as fault:
            yield fault


def _found(summary: Summary, source: Source) -> Found:
    scenario, mode = (summary.text("result", key) for key in ("Scenario", "Mode"))
    scenario = scenario and scenario.replace(" ", "")
    if mode is not None and mode not in _TIMED:
        raise Fault("key 'Mode'", f"'{mode[:40]}' is no performance run and times nothing")
    validity = summary.text("result", "Result is")
    if scenario is None or validity not in ("VALID", "INVALID"):
        raise Fault("the first block", "scenario or validity is missing")
    _, system = find_system(source)
    model = model_of(source.path)
    described, audit = described_by(system), audit_of(source.path)
    base: dict[str, Any] = {
        "where": scenario,
        "workload": "mlperf-inference",
        "device": device_of(system),
        "settings": settings_of(summary, scenario, described) | ({"audit": audit} if audit else {}),
        "conditions": {k: v for k, v in described.items() if k not in ("suite",)},
        "environment": environment_of(system),
        "complete": model is not None,
    }
    columns: dict[str, Any] = {
        "model": model,
        "engine": "MLPerf submission",
        "engine_version": round_of(source.path),
    }
    if validity == "INVALID" or summary.errors != "No":
        plural = "" if summary.errors == "1" else "s"
        reason = (
            _why_invalid(summary)
            if validity == "INVALID"
            else f"LoadGen counted {summary.errors} error{plural}."
        )
        return Found(
            rate=None, rate_unit="samples/s", columns=columns, status="failed", detail=reason, **base
        )
    if scenario == "MultiStream" and "Samples per query" in summary.result:
        return _by_streams(summary, columns, base)
    if scenario in _ONE_QUERY:
        return _by_latency(summary, columns, base)
    return _by_rate(summary, scenario, columns, base)


def _why_invalid(summary: Summary) -> str:
    unmet = [
        key.removesuffix(" satisfied").lower()
        for key, (text, _) in summary.result.items()
        if key.endswith("satisfied") and text.upper() == "NO"
    ]
    return f"LoadGen calls the run INVALID{' (' + ', '.join(unmet) + ')' if unmet else ''}."


def _by_rate(summary: Summary, scenario: str, columns: dict[str, Any], base: dict[str, Any]) -> Found:
    known = _HEADLINES.get(scenario)
    if known is None:
        raise Fault("key 'Scenario'", f"'{scenario[:40]}' is none of LoadGen's")
    stated = [(key, unit) for key, unit in known if key in summary.result]
    if not stated:
        raise Fault("the first block", f"none of {', '.join(key for key, _ in known)}")
    key, unit = stated[0]
    rate = summary.number("result", key)
    if unit != "tokens/s" and "ttft_latency (ns)" in summary.asked:
        raise Fault("the first block", "a language model's tokens a second are missing")
    if not rate:
        raise Fault(f"key '{key}'", "no rate above 0 in a VALID run")
    again = summary.number("stats", key)
    if again is not None and abs(again / rate - 1) > 1e-3:
        raise Fault(f"key '{key}'", f"{rate:g} in the first block, {again:g} in the second")
    flags = ["interval-unknown"]
    if key.startswith("Scheduled"):
        flags.append("scheduled-rate")
        done = summary.number("stats", "Completed samples per second")
        if done is not None and abs(done / rate - 1) > _SERVER:
            raise Fault(f"key '{key}'", f"{rate:g} scheduled, but {done:g} completed")
    if scenario == "Offline":
        _check_offline(summary)
    if scenario != "Offline":
        columns |= _latencies(summary)
    also = {
        "samples_per_s": summary.number("result", "Samples per second")
        or summary.number("result", "Completed samples per second"),
        "completed_samples_per_s": summary.number("stats", "Completed samples per second"),
        "scheduled_samples_per_s": summary.number("stats", "Scheduled samples per second"),
        "ttft_p99_ns": summary.number("stats", "99.00 percentile first token latency (ns)")
        if scenario != "Offline"
        else None,
    }
    return Found(rate=rate, rate_unit=unit, columns=columns, also=also, flags=tuple(flags), **base)


def _check_offline(summary: Summary) -> None:
    """All samples are one query, so their rate is their number over the longest latency. Raises ``Fault``."""
    rate, longest = (
        summary.number("result", "Samples per second"),
        summary.number("stats", "Max latency (ns)"),
    )
    samples = summary.number("asked", "samples_per_query")
    whole = summary.number("asked", "performance_sample_count")
    if not (rate and longest and samples):
        return
    rates = [samples * 1e9 / longest]
    if whole:
        # Language models are sent whole permutations of the data (with a warning in newer versions), unless a
        # most number of queries cuts them.
        rates.append(math.ceil(samples / whole) * whole * 1e9 / longest)
    nearest = min(rates, key=lambda other: abs(other - rate))
    agree("key 'Samples per second'", "the rate", rate, nearest, _OFFLINE)


def _latencies(summary: Summary) -> dict[str, float]:
    columns = {}
    first = summary.number("stats", "50.00 percentile first token latency (ns)")
    if first:
        columns["first_token_ms"] = first / 1e6
    for percentile, short in (("50.00", "p50"), ("95.00", "p95"), ("99.00", "p99")):
        for words in ("to", "per"):
            value = summary.number("stats", f"{percentile} percentile time {words} output token (ns)")
            if value:
                columns[f"inter_token_{short}_ms"] = value / 1e6
    return columns


def _by_latency(summary: Summary, columns: dict[str, Any], base: dict[str, Any]) -> Found:
    """One query at a time. The percentile is the one that is printed at the top: 90 or 99, of some 99.9."""
    top = next((found for key in summary.result if (found := _LATENCY.fullmatch(key))), None)
    if top is None:
        raise Fault("the first block", "no percentile latency")
    percentile, raw = top[1].removesuffix(".0"), summary.number("result", top[0])
    estimates = {
        found[1].removesuffix(".0"): key for key in summary.result if (found := _ESTIMATE.fullmatch(key))
    }
    # Of a language model, estimates are made of the first token and of later ones, none of the whole.
    parts = any(key.startswith(("TTFT: ", "TPOT: ")) for key in summary.result)
    if percentile not in estimates and not parts and "Early stopping satisfied" in summary.result:
        raise Fault("the first block", f"no early-stopping estimate of the {percentile}th percentile")
    official = summary.number("result", estimates[percentile]) if percentile in estimates else raw
    if not official:
        raise Fault("the first block", f"no {percentile}th percentile latency")
    if raw and official < raw * (1 - 1e-9):
        raise Fault("the first block", f"the estimate {official:g} ns is below the percentile {raw:g} ns")
    longest = summary.number("stats", "Max latency (ns)")
    if longest and official > longest:  # the estimate is one of the latencies
        raise Fault("the first block", f"the estimate {official:g} ns is above the longest, {longest:g} ns")
    again = summary.number("stats", f"{float(percentile):.2f} percentile latency (ns)")
    if raw and again and raw != again:
        raise Fault("the first block", f"the percentile is {raw:g} ns there and {again:g} ns below")
    samples = summary.number("asked", "samples_per_query") or 1
    columns |= {"batch": int(samples), "value_kind": "derived", "work_per_sample": samples}
    columns |= _latencies(summary)
    also = {
        "official_latency_ns": int(official),
        f"raw_p{percentile}_latency_ns": None if raw is None else int(raw),
        "qps_without_overhead": summary.number("stats", "QPS w/o loadgen overhead"),
    }
    return Found(
        rate=samples * 1e9 / official,
        rate_unit=f"samples/s at the {percentile}th percentile latency",
        columns=columns,
        also=also,
        flags=("interval-unknown", "official-latency"),
        **base,
    )


def _by_streams(summary: Summary, columns: dict[str, Any], base: dict[str, Any]) -> Found:
    """Before v1.1, several streams sent a sample each at fixed intervals; the result is how many were kept up
    with."""
    key = "Samples per query"
    streams, asked = summary.number("result", key), summary.number("asked", "samples_per_query")
    if not streams:
        raise Fault(f"key '{key}'", "no number above 0 in a VALID run")
    if asked and asked != streams:
        raise Fault(f"key '{key}'", f"{streams:g} in the first block, {asked:g} asked for")
    intervals = summary.number("asked", "target_qps")
    limit = summary.number("asked", "target_latency (ns)")
    settings = base["settings"] | {"counts": "streams"}
    if intervals:
        settings["interval_ms"] = 1e3 / intervals
    if limit:
        settings["latency_limit_ms"] = limit / 1e6
    also = {
        f"p{p}_latency_of_a_query_ns": summary.number("stats", f"Per-query: {p}.00 percentile latency (ns)")
        for p in ("90", "99")
    }
    return Found(
        rate=streams,
        rate_unit="streams",
        columns=columns,
        also=also,
        flags=("interval-unknown",),
        **base | {"settings": settings},
    )
