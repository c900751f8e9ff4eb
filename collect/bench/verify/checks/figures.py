"""The figures of one row against each other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from statistics import fmean, median

from bench.measure.processes import centre, split
from bench.text import significant
from bench.verify.base import Context, Problem, Row

#: Relative difference from which two ways to the same figure contradict each other.
AGREEMENT = 0.01
_POSITIVE = (
    "rate", "work_per_sample", "first_token_ms", "inter_token_p50_ms", "job_s", "peak_memory_bytes",
    "energy_j", "flops_per_sample", "bytes_per_sample", "params", "active_params", "device_memory_bytes",
    "batch",
)  # fmt: skip


class Figures:
    name = "figures"
    what = "Rate, times, work and percentiles of a row agree with each other."
    why = "Two figures that must be the same and are not: one was changed, scaled or mistyped."
    severity = "wrong"
    physics = False

    def problems(self, row: Row, context: Context) -> Iterator[Problem]:
        for name in _POSITIVE:
            value = row[name]
            if value is not None and value <= 0 and not (name.endswith("_per_sample") and value == 0):
                yield Problem(f"{name} is {value}; a missing figure is left empty, never 0.", value, 0)
        yield from self._rate(row)
        yield from self._orders(row)

    def _rate(self, row: Row) -> Iterator[Problem]:
        samples, work, rate = row["samples_s"], row["work_per_sample"], row["rate"]
        if samples and min(samples) <= 0:
            yield Problem(f"a repetition took {min(samples)} s: nothing takes no time.", min(samples), 0, "s")
        elif samples and work and rate and row["measured_fraction"] in (None, 1):
            implied = work / _middle(row)
            if not _agree(implied, rate) and not (
                row["origin"] == "published" and _is_mean(samples, work, rate)
            ):
                yield Problem(
                    f"the median of its {len(samples)} times gives {significant(implied)} "
                    f"{row['rate_unit']}, but rate is {significant(rate)}.",
                    implied,
                    rate,
                    row["rate_unit"],
                )
        if row["status"] != "ok" and rate is not None and row["status"] != "impossible":
            yield Problem(f"status is {row['status']}, but rate is {significant(rate)}.", rate)

    def _orders(self, row: Row) -> Iterator[Problem]:
        percentiles = [row[f"inter_token_p{p}_ms"] for p in (50, 95, 99)]
        known = [value for value in percentiles if value is not None]
        if known != sorted(known):
            shown = ", ".join(significant(value) for value in known)
            yield Problem(f"inter-token percentiles fall ({shown} ms); each is at least the one before.")
        total, active = row["params"], row["active_params"]
        if total and active and active > total:
            yield Problem(f"{active:,} active parameters of {total:,} in all.", active, total, "parameters")
        memory, peak = row["device_memory_bytes"], row["peak_memory_bytes"]
        if memory and peak and peak > 1.05 * memory * row["device_count"]:
            yield Problem(
                f"peak_memory_bytes ({peak:,}) is more than the device has ({memory:,}).", peak, memory, "B"
            )


def _middle(row: Row) -> float:
    """The middle of a row's times; where several processes took them, that of their medians."""
    try:
        telemetry = json.loads(row["environment"] or "{}").get("telemetry", {})
        return centre(split(row["samples_s"], telemetry["process_samples"]))
    except (ValueError, TypeError, AttributeError, KeyError):  # one process, or no such note
        return median(row["samples_s"])


def _is_mean(samples: Sequence[float], work: float, rate: float) -> bool:
    """Whether a rate is the mean of the repetitions' rates or of their times, as other tools state it."""
    return _agree(fmean(work / s for s in samples), rate) or _agree(work / fmean(samples), rate)


def _agree(a: float, b: float) -> bool:
    return abs(a - b) <= AGREEMENT * max(abs(a), abs(b))
