"""Names of tasks for people, made from their columns."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

#: Words for the workloads the project knows; any other is called by its own name.
WORDS = {
    "summarize": "summarise",
    "finetune": "fine-tune",
    "prefill": "prefill",
    "decode": "decode",
    "encode": "encode",
    "scale": "scaling",
    "probe": "probe",
}
#: Workloads whose sequences are streams of users: one at a time and many together are different questions.
SERVING = frozenset({"prefill", "decode", "summarize", "encode"})

#: Settings that tell a reader what was done; the others only keep task keys apart.
SHOWN_COUNTS = ("articles", "epochs")
SHOWN_WORDS = ("kind", "operation", "size", "flash_attention", "tool")
#: Settings of published tables whose values say by themselves what they are.
SHOWN_VALUES = ("engine", "scenario", "suite", "task", "runtime", "compute_unit", "together")


#: Names of number types: said in capitals, as their makers and llama.cpp write them.
_TYPE = re.compile(r"(?:mx|nv)?fp\d|bf16|tf32|int\d|i?q\d|w\d", re.IGNORECASE)
#: A size in a model's name: ``8B``, ``1.5b``.
_SIZE = re.compile(r"\d+(?:\.\d+)?[bm](?![a-z0-9])", re.IGNORECASE)


def model_words(model: str | None) -> str:
    """``Llama-3-8B -> Llama 3 8B``. A name in lower case or without a size is a repository's or a
    benchmark's own (``distilbert-base-uncased``, ``llama2-70b-99``) and stays as it is."""
    name = model or ""
    if not name[:1].isupper() or not _SIZE.search(name) or " " in name:
        return name
    return _SIZE.sub(lambda found: found[0].upper(), name).replace("-", " ").replace("_", " ")


def dtype_words(dtype: str | None) -> str:
    """``q4_k_m -> Q4_K_M``, ``bf16 -> BF16``; words such as ``4-bit`` stay."""
    name = re.sub(r"^f(?=\d)", "fp", dtype or "")
    return name.upper().replace("_MIXED_", " mixed ") if _TYPE.match(name) else name


def weights_words(columns: Mapping[str, Any]) -> str:
    """The model and the type of its stored weights: ``Llama 3 70B, Q4_K_M``; what is not stated is left
    out."""
    parts = (model_words(columns["model"]), dtype_words(columns["weights_dtype"]))
    return ", ".join(part for part in parts if part)


def precision(columns: Mapping[str, Any]) -> str:
    """``Q4_K_M``, ``INT8 weights in FP16``; empty where the source does not state it."""
    weights, compute = dtype_words(columns["weights_dtype"]), dtype_words(columns["compute_dtype"])
    if weights and compute and weights != compute:
        return f"{weights} weights in {compute}"
    return weights or compute


def is_one_stream(columns: Mapping[str, Any]) -> bool:
    """Whether one sequence is processed at a time; an unstated batch counts as one."""
    return (columns["batch"] or 1) == 1


def task_kind(columns: Mapping[str, Any]) -> str:
    """What may be blended with what: ``decode, one stream, burst``. Tasks of two kinds are never combined."""
    parts = [WORDS.get(columns["workload"], columns["workload"])]
    if columns["workload"] in SERVING:
        parts.append("one stream" if is_one_stream(columns) else "batched")
    parts.append(columns["rate_kind"] or "burst")
    return ", ".join(parts)


def task_label(columns: Mapping[str, Any]) -> str:
    """``Llama 3 8B, Q4_K_M, decode, 1,024 tokens, one stream``."""
    workload = columns["workload"]
    parts = [model_words(columns["model"]), precision(columns), WORDS.get(workload, workload)]
    parts += [_lengths(columns), _batch(columns)]
    if (columns["beams"] or 1) > 1:
        parts.append(f"{columns['beams']} beams")
    if columns["execution"] not in (None, "eager"):
        parts.append(columns["execution"])
    if columns["rate_kind"] == "sustained":
        parts.append("sustained")
    return ", ".join(p for p in [*parts, *settings_words(columns["settings"])] if p)


def _lengths(columns: Mapping[str, Any]) -> str:
    fed, made, depth = columns["input_tokens"], columns["output_tokens"], columns["context_depth"]
    text = " + ".join(f"{n:,}" for n in (fed, made) if n)
    parts = [f"{text} tokens" if text else "", f"behind {depth:,}" if depth else ""]
    return " ".join(p for p in parts if p)


def _batch(columns: Mapping[str, Any]) -> str:
    if columns["workload"] not in SERVING:
        return f"batch {columns['batch']}" if columns["batch"] and columns["workload"] != "probe" else ""
    return "one stream" if is_one_stream(columns) else f"{columns['batch']} sequences"


def settings_words(settings: str | None) -> list[str]:
    """What else was asked for, as far as a reader is told: ``["5 epochs"]``, ``["vLLM"]``."""
    if not settings:
        return []
    found = json.loads(settings)
    said = {name: value for name, value in found.items() if isinstance(value, str)}
    counts = [f"{found[name]:,} {name}" for name in SHOWN_COUNTS if isinstance(found.get(name), int)]
    words = [f"{name.replace('_', ' ')} {said[name]}" for name in SHOWN_WORDS if name in said]
    values = [said[name] for name in SHOWN_VALUES if name in said]
    if "inter_token_median" in said:
        values.append(f"{said['inter_token_median']} between tokens")
    if isinstance(found.get("context_length"), int):
        values.append(f"{found['context_length']:,} tokens of context")
    return counts + words + values


def edition(columns: Mapping[str, Any]) -> str:
    """What tells two tables of one source apart: ``mlperf-inference/v5.1 -> v5.1``."""
    return str(columns["protocol"] or "").rsplit("/", 1)[-1]


def slug(text: str) -> str:
    """Lower-case letters, digits and single hyphens: fit for a file name and an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "unnamed"


def task_slug(columns: Mapping[str, Any], key: str) -> str:
    """A readable slug that is unique through the first digits of the task's key."""
    return f"{slug(task_label(columns))[:70].strip('-')}-{key[:6]}"
