"""The row: every column of the one table ``results``, and what a valid row is.

The registry below is the only list of columns. The Parquet schema, validation, the command line's
tables, the CSV headers under ``data/published/`` and the site's data dictionary derive from it.

Schema history (a change of columns; old files stay readable through ``MIGRATIONS``)
    1  2026-12  first version

Method history (a change of how something is measured; rows of two methods are never compared)
    1  2026-12  median of synchronised repetitions, 95 % interval by order statistics, random weights
       2026-12  the same version, since rates and times stayed what they were: bytes_per_sample counts a row
                of an embedding once, and only positions that are there (up to 22 % less, for the largest
                batches of encode); energy_j is mean power over the counted seconds, without what gaps between
                them took; the probe repeats 2 ms on a CPU, not 20, so that a busy machine has a ceiling, too
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from bench.errors import BenchError
from bench.vocabulary import CHOICES, KINDS, ORIGINS, RATE_KINDS, STATUSES, VALUE_KINDS

__all__ = [
    "BY_NAME", "CHOICES", "COLUMNS", "KINDS", "METHOD_VERSION", "MIGRATIONS", "NAMES", "ORIGINS",
    "RATE_KINDS", "SCHEMA_VERSION", "STATUSES", "TASK_FIELDS", "VALUE_KINDS", "Column", "Row", "check",
    "cut", "digest", "make_row", "migrate", "task_key", "to_json",
]  # fmt: skip

SCHEMA_VERSION = 1
METHOD_VERSION = 1

Row = dict[str, Any]

#: Characters of a text, of a JSON text and of one of a list of texts; how many texts such a list holds.
MOST_TEXT, MOST_JSON, MOST_WORD, MOST_WORDS = 500, 100_000, 80, 100

#: The bounds of numbers, ends included; a column that is not named here is at least 0.
_AT_LEAST_1 = (1, None)
_SHARE = (0, 1)
_BOUNDS: dict[str, tuple[float | None, float | None]] = {
    "schema_version": _AT_LEAST_1,
    "method_version": _AT_LEAST_1,
    "batch": _AT_LEAST_1,
    "beams": _AT_LEAST_1,
    "device_count": _AT_LEAST_1,
    "sample_count": _AT_LEAST_1,
    "measured_fraction": _SHARE,
    "throttled_fraction": _SHARE,
    "max_temperature_c": (-273.15, None),
}


@dataclass(frozen=True)
class Column:
    """One column: ``unit`` is empty where the name's meaning has none; ``since`` is a schema version.

    Numbers lie between ``low`` and ``high``, ends included; texts have at most ``most`` characters.
    """

    name: str
    kind: str
    group: str
    meaning: str
    unit: str = ""
    since: int = 1
    required: bool = False

    @property
    def low(self) -> float | None:
        """The least that a number may be, or each number of a list; None for other kinds."""
        return _BOUNDS.get(self.name, (0, None))[0] if self.kind in ("int", "float", "floats") else None

    @property
    def high(self) -> float | None:
        """The most that a number may be; None where there is no such bound."""
        return _BOUNDS.get(self.name, (0, None))[1]

    @property
    def most(self) -> int | None:
        """Characters that a text has at most, or each text of a list; None for other kinds."""
        return {"text": MOST_TEXT, "json": MOST_JSON, "texts": MOST_WORD}.get(self.kind)

    @property
    def sql_type(self) -> str:
        """The column's DuckDB type."""
        return KINDS[self.kind][1]


def _group(group: str, *columns: tuple[str, ...], required: frozenset[str] = frozenset()) -> list[Column]:
    return [
        Column(name, kind, group, meaning, *rest, required=name in required)
        for name, kind, meaning, *rest in columns
    ]


COLUMNS: tuple[Column, ...] = (
    *_group(
        "identity",
        ("run_id", "text", "The run that produced the row; also the name of its file"),
        ("cell_id", "text", "Digest of the cell (what was asked for, and on which device configuration)"),
        ("schema_version", "int", "Version of the columns"),
        ("method_version", "int", "Version of the way of measuring"),
        ("recorded_at", "time", "When the row was recorded, or the source published it", "UTC"),
        ("origin", "text", "Measured by this project's collector, or published elsewhere"),
        ("value_kind", "text", "How the figure came to be: measured, extrapolated, stated, inferred, …"),
        ("source_id", "text", "Key of the source in sources.toml; 'hwguide' for the collector's own rows"),
        ("source_locator", "text", "Where in the source the figure stands"),
        required=frozenset({"run_id", "cell_id", "schema_version", "recorded_at", "origin", "source_id"}),
    ),
    *_group(
        "what ran",
        ("workload", "text", "Name of the workload"),
        ("model", "text", "Model, by its published name"),
        ("params", "int", "Parameters of the model", "parameters"),
        ("active_params", "int", "Parameters used per token (fewer than params for mixtures)", "parameters"),
        ("weights_dtype", "text", "Type in which the weights are stored (a quantisation has its own name)"),
        ("compute_dtype", "text", "Type in which products are computed; tf32 is a type of its own"),
        ("batch", "int", "Sequences processed together", "sequences"),
        ("input_tokens", "int", "Length of each input", "tokens"),
        ("output_tokens", "int", "Tokens generated for each input", "tokens"),
        ("context_depth", "int", "Tokens already in the key-value cache when timing starts", "tokens"),
        ("beams", "int", "Beams of the beam search; 1 is greedy", "beams"),
        ("weights", "text", "Random weights of the published shape, or the pretrained ones"),
        ("engine", "text", "Software that ran the model"),
        ("engine_version", "text", "Version or build of the engine"),
        ("execution", "text", "Eager, compiled, or replayed as a CUDA graph"),
        ("rate_kind", "text", "Burst or sustained"),
        ("protocol", "text", "Test procedure; a published source's own one keeps its rows to themselves"),
        ("settings", "json", "The rest of what was asked for"),
        ("task_key", "text", "Digest of what was asked for; devices are compared on equal keys only"),
        required=frozenset({"workload", "protocol", "task_key"}),
    ),
    *_group(
        "where",
        ("device_id", "text", "The device's key in the catalog; empty when its name does not resolve"),
        ("device_name", "text", "The device's name as the system or the source says it"),
        ("device_count", "int", "Devices that worked together", "devices"),
        ("device_memory_bytes", "int", "Memory of one device as the system reports it", "bytes"),
        ("driver_version", "text", "Version of the device's driver"),
        ("power_limit_w", "float", "Power limit in force", "W"),
        ("host_id", "text", "Salted hash that tells machines apart without naming them"),
        ("conditions", "json", "What the answer depended on, as resolved: kernels, versions, threads"),
        ("environment", "json", "CPU, operating system, kernel, container or VM, Python"),
        required=frozenset({"device_name", "device_count"}),
    ),
    *_group(
        "outcome",
        ("status", "text", "How the cell ended"),
        ("status_detail", "text", "Why, in one sentence"),
        ("flags", "texts", "Short codes of what a reader should know about the figure"),
        ("rate", "float", "The result; higher is better", "rate_unit"),
        ("rate_low", "float", "Lower end of the 95 % interval of the rate", "rate_unit"),
        ("rate_high", "float", "Upper end of the 95 % interval of the rate", "rate_unit"),
        ("rate_unit", "text", "Unit of the rate, such as tokens/s"),
        ("sample_count", "int", "Repetitions behind the rate", "repetitions"),
        ("samples_s", "floats", "Every repetition's time", "s"),
        ("work_per_sample", "float", "Work done in one repetition, in the rate's own unit of work"),
        ("measured_fraction", "float", "1, or the part of the job that was run before extrapolating"),
        required=frozenset({"status"}),
    ),
    *_group(
        "detail",
        ("first_token_ms", "float", "Time to first token (TTFT), median", "ms"),
        ("inter_token_p50_ms", "float", "Inter-token latency (ITL), median", "ms"),
        (
            "inter_token_p95_ms",
            "float",
            "Inter-token latency (ITL), 95th percentile; from 20 on",
            "ms",
        ),
        ("inter_token_p99_ms", "float", "Inter-token latency (ITL), 99th percentile; from 100 on", "ms"),
        ("job_s", "float", "Time of the whole job (such as 5 epochs or 100 articles) at this rate", "s"),
        ("load_s", "float", "Time to build the model, place it on the device, and compile it", "s"),
        ("peak_memory_bytes", "int", "Most memory in use on the device during the cell", "bytes"),
        ("energy_j", "float", "Energy of the timed repetitions", "J"),
        ("energy_source", "text", "What measured the energy"),
        ("energy_scope", "text", "What the energy figure covers"),
        ("energy_validity", "text", "Whether the energy figure can be trusted, or why it is missing"),
        ("mean_power_w", "float", "Mean power during the timed repetitions", "W"),
        ("idle_power_w", "float", "Power before the cell, at rest", "W"),
        ("max_temperature_c", "float", "Highest temperature during the cell", "°C"),
        ("throttled_fraction", "float", "Share of the time in which the device was throttled"),
        ("sustained_rate", "float", "Rate over the last third of a long cell", "rate_unit"),
    ),
    *_group(
        "physics",
        ("flops_per_sample", "float", "Arithmetic of one repetition, by formula", "FLOP"),
        ("bytes_per_sample", "float", "Memory traffic of one repetition at least, by formula", "B"),
        ("achieved_flops", "float", "flops_per_sample over the median time", "FLOP/s"),
        ("achieved_bytes_per_s", "float", "bytes_per_sample over the median time", "B/s"),
        ("probe_flops", "float", "Largest matrix-product rate found on this machine for this type", "FLOP/s"),
        ("probe_bytes_per_s", "float", "Memory rate found on this machine at this working set", "B/s"),
        ("bound", "text", "What limits the cell: compute, memory, or overhead"),
        ("efficiency", "float", "Roofline time over measured time"),
    ),
)

BY_NAME: dict[str, Column] = {c.name: c for c in COLUMNS}
NAMES: tuple[str, ...] = tuple(BY_NAME)

#: What was asked for. Rows are compared only where all of these are equal.
TASK_FIELDS: tuple[str, ...] = (
    "workload", "model", "weights_dtype", "compute_dtype", "batch", "input_tokens", "output_tokens",
    "context_depth", "beams", "weights", "execution", "rate_kind", "protocol", "settings",
    "method_version",
)  # fmt: skip

#: version -> function that turns a row of that version into one of the next.
MIGRATIONS: dict[int, Callable[[Row], Row]] = {}


# ``json.dumps`` makes an encoder of its own at each call, which for a few short values is most of its time.
_compact = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, allow_nan=False).encode


def digest(value: Any) -> str:
    """A 16-digit hexadecimal digest of a JSON-serialisable value, the same on every machine."""
    return hashlib.sha256(_compact(value).encode()).hexdigest()[:16]


def to_json(value: Mapping[str, Any]) -> str:
    """Canonical text of a ``json`` column: sorted keys, so equal content gives equal bytes."""
    return _canonical(value)


def task_key(row: Mapping[str, Any]) -> str:
    """Digest of what was asked for (``TASK_FIELDS``); missing values count as asked for nothing."""
    return digest([row.get(name) for name in TASK_FIELDS])


def make_row(**values: Any) -> Row:
    """A complete row: unset columns are None, versions and ``task_key`` are filled in.

    Raises ``BenchError`` when a column is unknown or a value does not fit its column.
    """
    row: Row = dict.fromkeys(NAMES)
    row["flags"] = []
    row |= {
        "schema_version": SCHEMA_VERSION,
        "method_version": METHOD_VERSION,
        "device_count": 1,
        "rate_kind": "burst",
        "recorded_at": datetime.now(UTC),
    }
    row |= values
    if row.get("task_key") is None:
        row["task_key"] = task_key(row)
    problems = check(row)
    if problems:
        raise BenchError("A row does not fit the schema: " + "; ".join(problems) + ".")
    return row


def cut(text: str | None) -> str | None:
    """A sentence of any length as a text column takes it."""
    return text if text is None or len(text) <= MOST_TEXT else text[: MOST_TEXT - 1].rstrip() + "…"


def _plain(column: Column) -> tuple[type | None, float, float]:
    """The type of a column's values where that and two bounds are all that is asked of them; of text the
    bounds are those of its length."""
    if column.kind == "text" and column.name not in CHOICES:
        return str, 0, MOST_TEXT
    if column.kind not in ("int", "float"):
        return None, 0, 0
    whole = column.kind == "int"
    most = 2**63 - 1 if whole else sys.float_info.max
    return int if whole else float, column.low or 0, most if column.high is None else column.high


#: Nearly all values of a store are settled by this, and need no closer look.
_COLUMNS = tuple((c.name, *_plain(c), c) for c in COLUMNS)


def check(row: Mapping[str, Any]) -> list[str]:
    """What is wrong with a row, one sentence part per finding; an empty list when it is valid."""
    found = [f"unknown column '{name}'" for name in row if name not in BY_NAME]
    for name, plain, low, high, column in _COLUMNS:
        value = row.get(name)
        if value is None:
            if column.required:
                found.append(f"{name} is missing")
        elif type(value) is not plain or not low <= (len(value) if plain is str else value) <= high:
            found += _check_value(column, value)
    return found + _check_consistency(row)


def _check_value(column: Column, value: Any) -> list[str]:
    wanted = KINDS[column.kind][0]
    if not isinstance(value, wanted) or (isinstance(value, bool) and column.kind != "bool"):
        return [f"{column.name} should be {column.kind}, not {type(value).__name__}"]
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return [f"{column.name} is a whole number of more than 64 bits"]
    if column.kind == "float" and not math.isfinite(value):
        return [f"{column.name} is {value}; a missing figure is NULL with a reason"]
    if column.kind == "floats" and not all(map(_finite, value)):
        return [f"{column.name} holds something other than finite numbers"]
    if column.kind == "texts" and not all(isinstance(v, str) for v in value):
        return [f"{column.name} holds something other than text"]
    beyond = _beyond(column, value)
    if beyond:
        return [beyond]
    if column.kind == "json" and (fault := _not_json(value)):
        return [f"{column.name} is not JSON ({fault})"]
    if column.kind == "time" and value.tzinfo is None:
        return [f"{column.name} has no time zone"]
    allowed = CHOICES.get(column.name)
    if allowed is not None and value not in allowed:
        return [f"{column.name} is '{cut(str(value))}', not one of {', '.join(allowed)}"]
    return []


def _beyond(column: Column, value: Any) -> str | None:
    """Which bound of its column a value of the right type breaks."""
    name, low, high, most = column.name, *_LIMITS[column.name]
    if most is not None:
        if column.kind == "texts" and len(value) > MOST_WORDS:
            return f"{name} holds {len(value):,} texts; at most {MOST_WORDS} are read"
        longest = max(map(len, value), default=0) if column.kind == "texts" else len(value)
        return f"{name} has {longest:,} characters; at most {most:,} are read" if longest > most else None
    if low is None:
        return None
    least = min(value, default=low) if column.kind == "floats" else value
    if least < low:
        return f"{name} is {least}, below {low}, the least that it can be"
    if high is not None and value > high:
        return f"{name} is {value}, above {high}, the most that it can be"
    return None


_LIMITS = {c.name: (c.low, c.high, c.most) for c in COLUMNS}


@lru_cache(maxsize=1024)  # the rows of a run or a table share most of these texts
def _not_json(text: str) -> str:
    """What is wrong with a JSON text; empty where nothing is."""
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        return str(error) or type(error).__name__
    return ""


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < math.inf


def _check_consistency(row: Mapping[str, Any]) -> list[str]:
    found = []
    rate, low, high = (row.get(name) for name in ("rate", "rate_low", "rate_high"))
    numbers = all(isinstance(v, int | float | None) for v in (rate, low, high))
    if row.get("status") == "ok":
        if not isinstance(rate, int | float) or rate <= 0:
            found.append(f"status is ok but rate is {rate}")
        if not row.get("rate_unit"):
            found.append("status is ok but rate_unit is missing")
    if numbers and rate is not None:
        if low is not None and low > rate * (1 + 1e-9):
            found.append(f"rate_low {low} is above rate {rate}")
        if high is not None and high < rate * (1 - 1e-9):
            found.append(f"rate_high {high} is below rate {rate}")
    samples, count = row.get("samples_s"), row.get("sample_count")
    if isinstance(samples, list) and isinstance(count, int) and samples and len(samples) != count:
        found.append(f"sample_count is {count} but samples_s holds {len(samples)}")
    return found


def migrate(row: Row) -> Row:
    """A row of any older schema version, brought to this one."""
    version = row.get("schema_version") or SCHEMA_VERSION
    while version < SCHEMA_VERSION:
        row = MIGRATIONS[version](row)
        version += 1
        row["schema_version"] = version
    return {name: row.get(name) for name in NAMES}
