"""A test of llama-bench as values that can be compared: what a published table ran, and what a reader's own
file asked for.

The importer keeps other people's runs apart from published tables (each has its protocol), as it must: the
tables differ in more than the test. A reader's own run may be held against the table that it belongs to, if
it is the same test in every value below. ``assets/js/own/llama.js`` makes the same values from a file, and a
test holds the two against each other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from bench.schema import Row
from guide.model import Task
from guide.views.families import results

#: Protocols of published tables that llama-bench made, and that of imported files.
TABLES, IMPORTED = "llama-bench/", "import/llama-bench"
#: Published names of models -> the family under which llama.cpp prints the same weights.
FAMILIES = {
    "Llama-2-7B": "llama",
    "Llama-3-8B": "llama",
    "Llama-3-70B": "llama",
    "gpt-oss-20b": "gpt-oss",
    "gpt-oss-120b": "gpt-oss",
    "Qwen2.5-Coder-7B": "qwen2",
    "Qwen3-Coder-30B-A3B": "qwen3moe",
}
#: Published models that no file can be held against: what llama.cpp prints does not tell them from others.
#: gemma-3-4b-it-qat keeps another part of its weights in 16 bits than a plain Q4_0 file of the model does.
WITHOUT_COUNTERPART = frozenset({"gemma-3-4b-it-qat"})
#: Backends by the names of other builds; what runs beside a GPU's backend is none of its own.
BACKENDS = {"MTL": "Metal", "HIP": "ROCm"}
BESIDE = frozenset({"CPU", "BLAS", "GPU BLAS", "RPC", "none", ""})
#: A source that prints more digits of the parameters than this prints all of them.
ROUNDED_DIGITS = 5
#: Prompt tokens that the program computes together unless told otherwise (``n_ubatch``).
AT_ONCE = 512


def is_llama(columns: Mapping[str, Any]) -> bool:
    """Whether llama-bench made a row or the rows of a task, as far as its columns tell."""
    protocol = columns["protocol"]
    made = protocol.startswith(TABLES) or protocol == IMPORTED
    return made or '"tool": "llama-bench"' in (columns["settings"] or "")


def asked(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the row's test asked for, by name; None when it is no test of llama-bench.

    ``family`` and ``params`` name the model; ``at_once`` is None for decode, where nothing is read; ``rest``
    is any other setting as canonical JSON; ``backend`` is how it ran and belongs to the table.
    """
    if not is_llama(row):
        return None
    settings, conditions = _read(row["settings"] or "{}"), _read(row["conditions"] or "{}")
    imported = row["protocol"] == IMPORTED
    model = row["model"] or ""
    flash = settings.get("flash_attention", conditions.get("flash_attention", "not stated"))
    fed = row["workload"] == "prefill"
    at_once = settings.get("tokens_at_once" if imported else "ubatch", AT_ONCE)
    return {
        "workload": row["workload"],
        "family": _printed_family(model) if imported else FAMILIES.get(model),
        "params": row["params"],
        "weights": row["weights_dtype"],
        "batch": row["batch"],
        "fed": row["input_tokens"],
        "made": row["output_tokens"],
        "depth": row["context_depth"] or 0,
        "flash": flash,
        "at_once": at_once if fed else None,
        "rest": _rest(row["settings"] or "{}"),
        "backend": backend(str(conditions.get("backend", ""))),
        "split": settings.get("split", "layer") if row["device_count"] > 1 else None,
    }


# The rows of a table share most of these texts, and several pages ask for the test of each.
@lru_cache(maxsize=1024)
def _read(text: str) -> Mapping[str, Any]:
    return json.loads(text)


@lru_cache(maxsize=1024)
def _rest(settings: str) -> str:
    """The settings that have no name of their own among what was asked, as canonical JSON."""
    known = {"flash_attention", "parameters", "tokens_at_once", "ubatch", "tool", "split"}
    rest = {name: value for name, value in _read(settings).items() if name not in known}
    return json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@lru_cache(maxsize=1024)
def backend(stated: str) -> str:
    """``CUDA 13.0 -> CUDA``, ``MTL,BLAS -> Metal``; CPU where no GPU's backend is named."""
    names = {part.strip() for part in stated.split(",")} - BESIDE
    found = sorted({BACKENDS.get(name.split(" ")[0], name.split(" ")[0]) for name in names})
    return "+".join(found) or "CPU"


def _printed_family(model: str) -> str | None:
    """``llama 7B -> llama``, ``gpt-oss 20B -> gpt-oss``: a printed name ends with the size."""
    found = re.fullmatch(r"(.+?) \S*\d\S*", model)
    return found[1] if found else model or None


def test_of(task: Task, builds: Mapping[str, str]) -> dict[str, Any] | None:
    """The task's test, for the browser; None when it is none, or one that the source leaves open.

    Beside the values of ``asked``: ``backends`` and ``splits`` that its rows hold, and ``build`` where the
    whole table was made with one (``fixed_builds``). ``digits`` are those that a source prints which rounds
    the parameters; None where it does not.
    """
    rows = [row for result in results(task) for row in result.rows if row["status"] == "ok"]
    found = [test for row in rows if (test := asked(row))]
    if not found or len(found) != len(rows) or task.unit != "tokens/s":
        return None
    first = {name: value for name, value in found[0].items() if name not in ("backend", "split")}
    if first["family"] is None or first["params"] is None or first["flash"] not in ("on", "off"):
        return None
    if any({name: test[name] for name in first} != first for test in found):
        return None
    digits = len(str(first["params"]).rstrip("0"))
    return first | {
        "digits": digits if digits <= ROUNDED_DIGITS else None,
        "backends": sorted({test["backend"] for test in found}),
        "splits": sorted({test["split"] for test in found if test["split"]}),
        "build": builds.get(str(task.columns["protocol"])),
    }


def fixed_builds(rows: Sequence[Row]) -> dict[str, str]:
    """Protocol -> the one build with which all its devices ran, where there are two devices or more: such a
    table asks for that build, and another one is another test."""
    builds: dict[str, set[str | None]] = {}
    devices: dict[str, set[str]] = {}
    for row in rows:
        if row["protocol"].startswith(TABLES):
            builds.setdefault(row["protocol"], set()).add(row["engine_version"])
            devices.setdefault(row["protocol"], set()).add(row["device_name"])
    return {
        protocol: str(only)
        for protocol, found in builds.items()
        for only in found
        if len(found) == 1 and only and len(devices[protocol]) > 1
    }
