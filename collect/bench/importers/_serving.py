"""What the results of serving benchmarks have in common: vLLM, SGLang, and InferenceX's client.

One client sends requests and times what comes back. A rate counts generated tokens of all requests over the
whole time; the file's own totals must give it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bench.importers import physics
from bench.importers.base import Least
from bench.importers.fields import Fields, agree
from bench.importers.files import Fault

#: Totals over the printed duration give the printed rates to this precision.
EXACT = 1e-4
#: Gaps longer than the time per token by this much are between chunks of several tokens.
_CHUNKED = 1.1
#: At most so many waves of requests are mostly filling and draining.
_WAVES = 2

PERCENTILES = (("median", "p50"), ("p95", "p95"), ("p99", "p99"))


@dataclass(frozen=True)
class Run:
    """The totals of one run, over all its requests. ``rate`` is generated tokens a second; ``failed`` says
    why the run counts as failed, or is None."""

    seconds: float
    asked: int | None
    completed: int
    input_tokens: float | None
    output_tokens: float | None
    rate: float
    failed: str | None

    @property
    def complete(self) -> bool:
        """Whether the file says how much was read and written."""
        return self.input_tokens is not None and self.output_tokens is not None

    def columns(self, tokens: Mapping[str, float], concurrency: int | None) -> dict[str, Any]:
        """Columns of the row; ``tokens`` are ``tokens_of`` the run."""
        timed = {} if self.failed else dict(tokens) | one_pass(self.seconds, self.output_tokens)
        return {
            "batch": concurrency or self.asked,
            "input_tokens": mean_length(self.input_tokens, self.completed),
            "output_tokens": mean_length(self.output_tokens, self.completed),
            **timed,
        }


def run_of(row: Fields, asked: int | None, both: str) -> Run:
    """The totals, held against the printed rates; ``both`` is the rate of read and generated tokens together,
    which has another name with each client. Raises ``Fault``."""
    seconds, completed = row.need("duration", 1e8), row.count("completed")
    if completed is None:
        raise row.fault("completed", "how many requests completed")
    total_in, total_out = row.number("total_input_tokens", 0), row.number("total_output_tokens", 0)
    rate = row.number("output_throughput", 0)
    if rate is None:
        raise row.fault("output_throughput", "generated tokens a second")
    failed = failures(row, asked, completed)
    if failed is None:
        totals = (
            ("output_throughput", total_out),
            ("input_throughput", total_in),
            ("request_throughput", float(completed)),
            (both, None if total_in is None or total_out is None else total_in + total_out),
        )
        check_rates(row, totals, seconds)
        check_order(row)
        failed = "No token was generated." if rate == 0 else None
    return Run(seconds, asked, completed, total_in, total_out, rate, failed)


def check_rates(row: Fields, pairs: Iterable[tuple[str, float | None]], seconds: float) -> None:
    """Each named rate must be its total over the time. Raises ``Fault``."""
    for name, total in pairs:
        stated = row.number(name, 0)
        if stated is not None and total is not None:
            agree(f"{row.where}, key '{name}'", "the rate", stated, total / seconds, EXACT)


def check_order(row: Fields, prefix: str = "", suffix: str = "_ms") -> None:
    """Percentiles must rise. Raises ``Fault``."""
    for kind in ("ttft", "tpot", "itl", "e2el", "e2e_latency"):
        keys = [f"{prefix}{p}_{kind}{suffix}" for p in ("median", "p90", "p95", "p99", "p99.9")]
        found = [(key, value) for key in keys if (value := row.number(key, 0, 1e12)) is not None]
        for (low_key, low), (high_key, high) in itertools.pairwise(found):
            if high < low * (1 - 1e-9):
                raise Fault(f"{row.where}, key '{high_key}'", f"{high:.6g} is below {low_key}, {low:.6g}")


def failures(row: Fields, asked: int | None, completed: int) -> str | None:
    """Why the run counts as failed, or None: every request must have come back with tokens."""
    failed = row.count("failed") or 0
    errors = row.values.get("errors")
    if isinstance(errors, list):
        failed = max(failed, sum(bool(error) for error in errors))
    if asked is not None and completed > asked:
        raise Fault(f"{row.where}, key 'completed'", f"{completed} of {asked} requests completed")
    missing = max(failed, 0 if asked is None else asked - completed)
    if completed == 0:
        return "No request completed."
    if missing:
        return f"{missing} of {asked or completed + missing} requests failed: the rates leave out their work."
    empty = row.values.get("output_lens")
    if isinstance(empty, list) and any(length == 0 for length in empty):
        return f"{sum(length == 0 for length in empty)} requests came back without a token."
    return None


def tokens_of(
    row: Fields, scale: float = 1.0, suffix: str = "_ms"
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Time to first token and between tokens, in ms, with what had to be corrected.

    Gaps (ITL) are between chunks; where a chunk holds several tokens, the time per output token (TPOT) is
    taken, which is (end to end - first token) / (tokens - 1) of each request.
    """
    columns: dict[str, float] = {}
    first = row.number(f"median_ttft{suffix}", 0, 1e12)
    if first:
        columns["first_token_ms"] = first * scale
    gap, per_token = row.number(f"mean_itl{suffix}", 0, 1e12), row.number(f"mean_tpot{suffix}", 0, 1e12)
    kind, flags = "itl", ()
    if not gap:
        kind, flags = "tpot", ("tpot-not-itl",)
    elif per_token and gap > _CHUNKED * per_token:
        kind, flags = "tpot", ("itl-is-chunk-gap",)
    for name, short in PERCENTILES:
        value = row.number(f"{name}_{kind}{suffix}", 0, 1e12)
        if value:
            columns[f"inter_token_{short}_ms"] = value * scale
    return columns, flags if any(name.startswith("inter") for name in columns) else ()


def request_rate(row: Fields) -> float | None:
    """Requests a second that were offered; None for all at once (infinity, also written as text)."""
    value = row.values.get("request_rate")
    if value is None or str(value).strip().lower() in ("inf", "infinity", "-1"):
        return None
    return row.positive("request_rate")


def load_flags(offered: float | None, asked: int | None, concurrency: int | None) -> tuple[str, ...]:
    """Whether the load held the rate back, or the run was too short."""
    flags = ("load-limited",) if offered is not None else ()
    if asked and concurrency and asked <= _WAVES * concurrency and offered is None:
        flags += ("short-run",)
    return flags


def also_of(row: Fields, names: Iterable[str]) -> dict[str, Any]:
    """Further figures as the file prints them."""
    return {name: value for name in names if (value := row.number(name, -1e15)) is not None}


def least_of(model: str | None) -> Least | None:
    """What a generated token takes at least, by the size in a dense model's name; prompts may be cached."""
    params = physics.params_in(model)
    return Least(physics.FLOPS_PER_PARAMETER * params * physics.working_share(params)) if params else None


def local_date(text: str | None) -> datetime | None:
    """``20260210-082604``: local time without a zone, taken as UTC."""
    try:
        return datetime.strptime(text or "", "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def mean_length(total: float | None, completed: int) -> int | None:
    """Tokens of one request, rounded: what came out, whatever was asked for."""
    return max(1, round(total / completed)) if total and completed else None


def stated(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def one_pass(seconds: float, tokens: float | None) -> dict[str, Any]:
    """The one time that such a run has, and the tokens generated in it."""
    return {"samples_s": [seconds], "sample_count": 1, "work_per_sample": tokens}
