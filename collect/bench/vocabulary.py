"""The words that columns may hold, and what each means; the kinds of column. ``bench.schema`` uses them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

#: Python type, DuckDB type of each kind of column.
KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "text": (str, "VARCHAR"),
    "int": (int, "BIGINT"),
    "float": ((int, float), "DOUBLE"),
    "bool": (bool, "BOOLEAN"),
    "time": (datetime, "TIMESTAMPTZ"),
    "json": (str, "VARCHAR"),
    "texts": (list, "VARCHAR[]"),
    "floats": (list, "DOUBLE[]"),
}

STATUSES = {
    "ok": "measured as asked",
    "oom": "ran out of memory, or needs more than the device has",
    "timeout": "did not finish within its time budget",
    "unsupported": "this device or software cannot run it",
    "skipped": "not tried: a smaller cell of the family already ran out of memory",
    "failed": "raised an error",
    "killed": "the process that ran it was killed",
    "impossible": "faster than the hardware can physically be: broke the physics gate",
    "interrupted": "planned, but the run was stopped before it finished",
}

ORIGINS = {
    "measured": "measured by this project's collector",
    "published": "carried over from a public source",
}

VALUE_KINDS = {
    "measured": "every repetition was timed",
    "extrapolated": "a part was timed and scaled up (see measured_fraction)",
    "stated": "printed by the source",
    "estimated": "an estimate printed by the source",
    "inferred": "not printed; follows from what the source states",
    "derived": "computed from other figures of the source",
}

RATE_KINDS = {
    "burst": "the rate from a warm start, over seconds",
    "sustained": "the rate once temperature and clocks have settled, over minutes",
}

CHOICES: dict[str, Iterable[str]] = {
    "status": STATUSES,
    "origin": ORIGINS,
    "value_kind": VALUE_KINDS,
    "rate_kind": RATE_KINDS,
    "weights": ("random", "pretrained"),
    "execution": ("eager", "compiled", "cuda-graph"),
    "energy_scope": ("device", "package", "board", "wall"),
    "bound": ("compute", "memory", "overhead"),
}
