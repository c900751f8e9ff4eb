"""The figures of a llama-bench row, held against each other: tokens over time, repetitions against means."""

from __future__ import annotations

from typing import Any

from bench.importers._statistics import of_samples, of_spread
from bench.importers.base import Given
from bench.importers.fields import Fields
from bench.importers.files import Fault

#: From here on the sum of squares of some repetitions (at most 100) overflows, and ``stddev_ns`` with it.
_OVERFLOW_NS = 2**32 / 10

#: How far figures of one row may differ by rounding.
_ROUNDING = 2e-4


def repetitions(row: Fields, rate: float, tokens: int, flags: list[str], given: Given) -> dict[str, Any]:
    """Spread and repetitions, once the row's figures agree with each other."""
    mean_ns, spread = row.positive("avg_ns"), row.number("stddev_ts", 0)
    nanoseconds, rates = row.numbers("samples_ns"), row.numbers("samples_ts")
    if mean_ns is None:
        raise row.fault("avg_ns", "the mean time in nanoseconds")
    if not nanoseconds:
        _agree_on_time(row, rate, tokens, mean_ns, spread or 0.0)
    if nanoseconds and min(nanoseconds) <= 0:
        raise row.fault("samples_ns", "times above 0")
    if nanoseconds:
        exact = [tokens * 1e9 / ns for ns in nanoseconds]
        _same(row, "avg_ns", mean_ns, sum(nanoseconds) / len(nanoseconds))
        _same(row, "avg_ts", rate, sum(exact) / len(exact))
        if rates and (
            len(rates) != len(exact) or any(abs(a - b) > 1e-3 * b for a, b in zip(rates, exact, strict=True))
        ):
            raise row.fault("samples_ts", "the rates that samples_ns gives")
        columns, found = of_samples(rate, exact, [ns / 1e9 for ns in nanoseconds])
        columns["work_per_sample"] = float(tokens)
    else:
        columns, found = of_spread(rate, spread, given.get("sample_count"))
    flags += found
    return columns


def _agree_on_time(row: Fields, rate: float, tokens: int, mean_ns: float, spread: float) -> None:
    """The mean of rates lies above tokens over the mean time, by at most the product of both spreads
    (Cauchy and Schwarz: for t and n/t the covariance is no larger)."""
    excess = rate * mean_ns / 1e9 / tokens - 1
    bound = spread * (row.number("stddev_ns", 0) or 0.0) / 1e9 / tokens
    if mean_ns > _OVERFLOW_NS:
        share = spread / rate
        bound = max(bound, 4 * share * share if share < 0.25 else 10 * share)
    if not -_ROUNDING <= excess <= bound + _ROUNDING:
        raise Fault(
            f"{row.where}, keys 'avg_ts' and 'avg_ns'",
            f"{rate:.6g} tokens/s and {mean_ns / 1e6:.6g} ms for {tokens} tokens contradict each other",
        )


def _same(row: Fields, key: str, stated: float, computed: float) -> None:
    if abs(stated / computed - 1) > _ROUNDING:
        raise Fault(
            f"{row.where}, key '{key}'", f"{stated:.6g} is not the mean of its repetitions, {computed:.6g}"
        )
