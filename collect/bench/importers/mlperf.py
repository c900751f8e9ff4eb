"""MLPerf Inference: the summary that LoadGen writes, with the system's description from beside it.

The summary tells scenario, validity and figures; the model and the round are in the path alone, the hardware
in the description. Only a VALID performance run is a result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bench.importers.base import Correction, Found, Given, Importer, Named
from bench.importers.fields import Fields, agree
from bench.importers.files import Fault, Source, read_json

SUMMARY = "mlperf_log_summary.txt"
_TITLE = "MLPerf Results Summary"
_SYSTEM_KEYS = frozenset({"accelerator_model_name", "accelerators_per_node", "host_processor_model_name"})
_RULE = re.compile(r"^=+$")
_LINE = re.compile(r"^\s*(?:\* )?([^:]+?)\s*:\s*(.*?)\s*$")
_COUNTED = re.compile(r"^(No|\d+) (warning|error)s? encountered", re.IGNORECASE)
_ESTIMATE = re.compile(r"Early stopping (\d+(?:\.\d+)?)th percentile estimate")
#: Before v4.0, requests were short against the run: completed and scheduled rates differ by little.
_SERVER = 0.02
_OFFLINE = 0.01

#: The benchmarks of the closed and open divisions, as their folders are called.
MODELS: tuple[str, ...] = (
    "llama2-70b-interactive-99.9", "llama2-70b-interactive-99", "llama2-70b-99.9", "llama2-70b-99",
    "llama3.1-405b-interactive", "llama3.1-405b", "llama3.1-8b-edge", "llama3.1-8b-interactive",
    "llama3.1-8b", "llama3_1-405b", "llama3_1-8b", "mixtral-8x7b", "deepseek-r1", "gpt-oss-120b",
    "stable-diffusion-xl", "gptj-99.9", "gptj-99", "bert-99.9", "bert-99", "dlrm-v2-99.9", "dlrm-v2-99",
    "dlrm-v3", "dlrm-99.9", "dlrm-99", "3d-unet-99.9", "3d-unet-99", "ssd-mobilenet", "ssd-small",
    "ssd-resnet34", "ssd-large", "mobilenet", "resnet50", "resnet", "retinanet", "rnnt", "rgat", "whisper",
    "pointpainting", "gnmt", "yolo-95", "yolo-99", "wan-2.2-t2v-a14b", "qwen3-vl-235b-a22b",
)  # fmt: skip

#: Scenario -> headline keys in order of preference, and whether they count tokens.
_HEADLINES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "Offline": (("Tokens per second", "tokens/s"), ("Samples per second", "samples/s")),
    "Server": (
        ("Completed tokens per second", "tokens/s"),
        ("Completed samples per second", "samples/s"),
        ("Scheduled samples per second", "samples/s"),
    ),
}
_PERCENTILE = {"SingleStream": "90", "MultiStream": "99"}


class MlperfLoadgen(Importer):
    name: ClassVar[str] = "mlperf-loadgen"
    title: ClassVar[str] = "MLPerf Inference LoadGen summary"
    forms: ClassVar[tuple[str, ...]] = (
        "mlperf_log_summary.txt, with the system's JSON beside it, in ../systems, or named with it",
    )
    versions: ClassVar[tuple[str, ...]] = (
        "v0.5 to v3.1 (scheduled samples a second)",
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
        Correction("The same key stands twice in the file", "read by block"),
        Correction("Server's headline was the scheduled rate before v4.0", "marked", "scheduled-rate"),
        Correction("Latencies of Offline are no latencies of anything", "left out"),
        Correction("Rates are of the whole system", "kept so, with the number of devices"),
        Correction("Numbers are text in old descriptions, 'N/A' and '0' mean a CPU", "read as such"),
        Correction("'Time to Output Token' and 'Time per Output Token' are one", "read under both names"),
    )
    lacks: ClassVar[str] = "model (in the path alone), hardware (in the description), date"

    def recognises(self, source: Source) -> bool:
        return _TITLE in source.head[:400]

    def is_companion(self, source: Source) -> bool:
        return source.keys >= _SYSTEM_KEYS

    def related(self, source: Source) -> list[Any]:
        path, _ = _system(source)
        model = _model(source.path)
        return [model, _round(source.path)] + ([] if path is None else [Source(path).digest])

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        try:
            summary = _summary(source)
            yield _found(summary, source)
        except Fault as fault:
            yield fault


@dataclass(frozen=True)
class _Summary:
    """Key -> (text, line) of each block: result, further figures, parameters."""

    result: Mapping[str, tuple[str, int]]
    stats: Mapping[str, tuple[str, int]]
    asked: Mapping[str, tuple[str, int]]
    errors: str | None

    def number(self, block: str, key: str) -> float | None:
        """A figure above 0. Raises ``Fault``."""
        return _line(getattr(self, block), key)


def _line(block: Mapping[str, tuple[str, int]], key: str) -> float | None:
    if key not in block:
        return None
    text, line = block[key]
    return Fields({key: text}, f"line {line}").number(key, 0, 1e18)


def _summary(source: Source) -> _Summary:
    blocks: list[dict[str, tuple[str, int]]] = []
    errors = None
    for number, line in source.lines():
        text = line.strip()
        if text == _TITLE or text.startswith(("Additional Stats", "Test Parameters Used")):
            blocks.append({})
            continue
        counted = _COUNTED.match(text)
        if counted and counted[2].lower() == "error":
            errors = counted[1]
        found = _LINE.match(line)
        if found and blocks and not _RULE.match(text):
            key = found[1]
            if key in blocks[-1] and blocks[-1][key][0] != found[2]:
                raise Fault(f"line {number}", f"'{key[:60]}' stands twice in one block, with two values")
            blocks[-1].setdefault(key, (found[2], number))
    if not blocks or len(blocks) > 3:
        raise Fault("the file", "not one summary of three blocks")
    if len(blocks) < 3 or errors is None:
        raise Fault("the file", "the summary breaks off before its parameters and the count of errors")
    return _Summary(*blocks, errors=errors)


def _found(summary: _Summary, source: Source) -> Found:
    scenario, mode = (_text(summary.result, key) for key in ("Scenario", "Mode"))
    if mode is not None and mode != "PerformanceOnly":
        raise Fault("key 'Mode'", f"'{mode[:40]}' is no performance run and times nothing")
    validity = _text(summary.result, "Result is")
    if scenario is None or validity not in ("VALID", "INVALID"):
        raise Fault("the first block", "scenario or validity is missing")
    _, system = _system(source)
    model = _model(source.path)
    described = _described(system)
    base: dict[str, Any] = {
        "where": scenario,
        "workload": "mlperf-inference",
        "device": _device(system),
        "settings": _settings(summary, scenario, described),
        "conditions": {k: v for k, v in described.items() if k not in ("suite",)},
        "environment": {"cpu": system.text("host_processor_model_name")} if system else {},
        "complete": model is not None,
    }
    columns: dict[str, Any] = {
        "model": model,
        "engine": "MLPerf submission",
        "engine_version": _round(source.path),
    }
    if validity == "INVALID" or summary.errors != "No":
        reason = (
            _why_invalid(summary) if validity == "INVALID" else f"LoadGen counted {summary.errors} errors."
        )
        return Found(
            rate=None, rate_unit="samples/s", columns=columns, status="failed", detail=reason, **base
        )
    if scenario in _PERCENTILE:
        return _by_latency(summary, scenario, columns, base)
    return _by_rate(summary, scenario, columns, base)


def _text(block: Mapping[str, tuple[str, int]], key: str) -> str | None:
    return block[key][0] if key in block else None


def _why_invalid(summary: _Summary) -> str:
    unmet = [
        key.removesuffix(" satisfied").lower()
        for key, (text, _) in summary.result.items()
        if key.endswith("satisfied") and text.upper() == "NO"
    ]
    return f"LoadGen calls the run INVALID{' (' + ', '.join(unmet) + ')' if unmet else ''}."


def _by_rate(summary: _Summary, scenario: str, columns: dict[str, Any], base: dict[str, Any]) -> Found:
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


def _check_offline(summary: _Summary) -> None:
    """All samples are one query, so their rate is their number over the longest latency. Raises ``Fault``."""
    rate, longest = (
        summary.number("result", "Samples per second"),
        summary.number("stats", "Max latency (ns)"),
    )
    samples = summary.number("asked", "samples_per_query")
    if rate and longest and samples:
        agree("key 'Samples per second'", "the rate", rate, samples * 1e9 / longest, _OFFLINE)


def _latencies(summary: _Summary) -> dict[str, float]:
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


def _by_latency(summary: _Summary, scenario: str, columns: dict[str, Any], base: dict[str, Any]) -> Found:
    percentile = _PERCENTILE[scenario]
    raw = summary.number("result", f"{percentile}th percentile latency (ns)") or summary.number(
        "result", f"{percentile}.0th percentile latency (ns)"
    )
    estimates = {
        found[1].removesuffix(".0"): key
        for key in summary.result
        if (found := _ESTIMATE.fullmatch(key.strip()))
    }
    if percentile not in estimates and "Early stopping satisfied" in summary.result:
        raise Fault("the first block", f"no early-stopping estimate of the {percentile}th percentile")
    official = summary.number("result", estimates[percentile]) if percentile in estimates else raw
    if not official:
        raise Fault("the first block", f"no {percentile}th percentile latency")
    if raw and official < raw * (1 - 1e-9):
        raise Fault("the first block", f"the estimate {official:g} ns is below the percentile {raw:g} ns")
    longest = summary.number("stats", "Max latency (ns)")
    if longest and official > longest:  # the estimate is one of the latencies
        raise Fault("the first block", f"the estimate {official:g} ns is above the longest, {longest:g} ns")
    again = summary.number("stats", f"{percentile}.00 percentile latency (ns)")
    if raw and again and raw != again:
        raise Fault("the first block", f"the percentile is {raw:g} ns there and {again:g} ns below")
    samples = summary.number("asked", "samples_per_query") or 1
    columns |= {"batch": int(samples), "value_kind": "derived", "work_per_sample": samples}
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


def _settings(summary: _Summary, scenario: str, described: Mapping[str, Any]) -> dict[str, Any]:
    settings: dict[str, Any] = {"scenario": scenario}
    names = {
        "latency_limit_ms": "target_latency (ns)",
        "ttft_limit_ms": "ttft_latency (ns)",
        "tpot_limit_ms": "tpot_latency (ns)",
    }
    if scenario not in ("Offline", "SingleStream", "MultiStream"):
        for name, key in names.items():
            value = summary.number("asked", key)
            if value:
                settings[name] = value / 1e6
    if described.get("suite"):
        settings["suite"] = described["suite"]
    if described.get("division"):
        settings["division"] = described["division"]
    return settings


def _described(system: Fields | None) -> dict[str, Any]:
    if system is None:
        return {}
    found = {
        "system": system.text("system_name"),
        "submitter": system.text("submitter"),
        "division": system.text("division"),
        "availability": system.text("status"),
        "software": system.text("framework"),
        "suite": system.text("system_type"),
        "accelerator_memory": system.text("accelerator_memory_capacity"),
        "nodes": system.count("number_of_nodes", 1, 1_000_000),
    }
    return {name: value for name, value in found.items() if value}


def _device(system: Fields | None) -> Named:
    if system is None:
        return Named()
    nodes = system.count("number_of_nodes", 1, 1_000_000) or 1
    name = system.text("accelerator_model_name")
    per_node = system.values.get("accelerators_per_node")
    count = 0 if per_node in (None, "", "N/A") else system.count("accelerators_per_node", 0, 100_000) or 0
    if name and name.upper() != "N/A" and count:
        memory = re.fullmatch(r"(\d+(?:\.\d+)?) ?(GB|GiB)", system.text("accelerator_memory_capacity") or "")
        size = round(float(memory[1]) * 2**30) if memory else None
        return Named(name, count * nodes, memory_bytes=size)
    sockets = system.count("host_processors_per_node", 1, 1000) or 1
    return Named(system.text("host_processor_model_name"), sockets * nodes, processor=True)


def _system(source: Source) -> tuple[Path | None, Fields | None]:
    """The description: beside the summary, named with it, or in a ``systems`` folder above, where the name of
    the file is a folder of the summary's path. None when there is not exactly one."""
    found = [(p, v) for p in source.beside("*.json") if (v := read_json(p)) and set(v) >= _SYSTEM_KEYS]
    if not found:
        folders = source.path.resolve().parts
        for above in list(source.path.resolve().parents)[:8]:
            named = [p for p in sorted(above.glob("systems/*.json")) if p.stem in folders]
            found = [(p, v) for p in named if (v := read_json(p)) and set(v) >= _SYSTEM_KEYS]
            if found:
                break
    if len(found) != 1:
        return None, None
    path, values = found[0]
    return path, Fields(values, path.name)


def _model(path: Path) -> str | None:
    """The benchmark that a folder above the summary is called by, the nearest one first."""
    for part in reversed(path.resolve().parts[:-1]):
        for name in MODELS:
            if re.search(rf"(?<![a-z0-9.]){re.escape(name)}(?![a-z0-9.])", part.lower()):
                return name
    return None


def _round(path: Path) -> str | None:
    """``v4.1``, where a folder says so."""
    for part in reversed(path.resolve().parts[:-1]):
        found = re.search(r"(?<![a-z0-9])v(\d\.\d)(?![.\d])", part.lower())
        if found:
            return f"v{found[1]}"
    return None
