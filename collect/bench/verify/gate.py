"""The gate that every row passes before a page may show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bench.schema import Row
from bench.verify.base import Context
from bench.verify.checks import PHYSICS

#: Figures that only a row which passed may keep.
FIGURES = (
    "rate", "rate_low", "rate_high", "samples_s", "job_s", "first_token_ms", "inter_token_p50_ms",
    "inter_token_p95_ms", "inter_token_p99_ms", "sustained_rate", "achieved_flops", "achieved_bytes_per_s",
    "efficiency",
)  # fmt: skip


def why_impossible(row: Row, context: Context) -> str | None:
    """The figures in a sentence when no such device can have had this rate; None when it passes, or when
    nothing is known to judge it by."""
    if row["status"] != "ok":
        return None
    found = [
        problem.text
        for check in PHYSICS
        for problem in check.problems(row, context)
        if (problem.severity or check.severity) == "impossible"
    ]
    return " ".join(text[:1].upper() + text[1:] for text in found) or None


def gated(rows: Iterable[Row], context: Context) -> Iterator[Row]:
    """The rows, each that broke the gate with status ``impossible``, the reason, and without its figures."""
    for row in rows:
        reason = why_impossible(row, context)
        if reason is None:
            yield row
        else:
            yield row | dict.fromkeys(FIGURES) | {"status": "impossible", "status_detail": reason}
