"""A cell that several processes measure, one after the other: what is kept meanwhile, and what comes of it.

An outcome of a process is a *part*. Parts of unfinished cells are kept in the run file's settings, so that
``--resume`` asks only for those that are missing.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bench.cells import Cell
from bench.runner.plan import PROBE
from bench.suites import Suite

Outcome = Mapping[str, Any]

#: Columns of which a cell has the sum of its parts, or the largest. Times that follow from a repetition's are
#: those of the cell's own repetition; of other figures (percentiles, power) it has the mean over time.
_SUMS = frozenset({"energy_j", "sample_count", "measured_fraction"})
_LARGEST = frozenset({"peak_memory_bytes", "max_temperature_c"})
_TIMES = ("seconds_sustained", "job_s", "first_token_ms")
_PER_SAMPLE = ("flops_per_sample", "bytes_per_sample", "work_per_sample")
_ENERGY = ("energy_source", "energy_scope", "energy_validity")


def processes_of(cell: Cell, suite: Suite) -> int:
    """How many processes measure a cell. The probe looks for the highest rate: one does."""
    return 1 if cell.workload == PROBE else suite.processes


def combined(parts: Sequence[Outcome], target: float) -> dict[str, Any]:
    """The outcome of a cell whose processes all succeeded. One process's stands as it is.

    ``samples_s`` holds the repetitions of all, process after process; ``telemetry`` says how many are whose
    (``process_samples``) and holds ``processes``, the telemetry of each.
    """
    if len(parts) == 1:
        return dict(parts[0])
    from bench.measure.processes import across, differ

    scales = [_scale(part.get("need"), parts[0].get("need")) for part in parts]
    if None in scales:
        return {"status": "failed", "status_detail": "its processes did not measure the same work"}
    weights = [sum(part["samples_s"]) for part in parts]
    parts = [_scaled(part, scale) for part, scale in zip(parts, scales, strict=True)]
    samples = [part["samples_s"] for part in parts]
    found = across(samples)
    columns = {
        name: _merged(name, [part.get(name) for part in parts], weights)
        for name in dict.fromkeys(name for part in parts for name in part)
    }
    columns |= _energy(parts, columns) | _times(parts, found.value)
    if parts[0].get("need"):
        columns["need"] = parts[0]["need"]
    flags = {flag for part in parts for flag in part.get("flags", ())} - {"wide-interval"}
    if (columns.get("measured_fraction") or 0) > 1 - 1e-9:  # together they timed all of the job
        columns |= {"measured_fraction": 1.0, "value_kind": "measured"}
        flags -= {"extrapolated"}
    flags |= {"wide-interval"} if found.relative_half_width > target else set()
    flags |= {"processes-differ"} if differ(samples, target) else set()
    own = [dict(part.get("telemetry") or {}) for part in parts]
    return columns | {
        "samples_s": [seconds for part in samples for seconds in part],
        "seconds": found.value,
        "seconds_low": found.low,
        "seconds_high": found.high,
        "flags": sorted(flags),
        "telemetry": _telemetry(own, samples),
    }


def _scale(need: Mapping[str, Any] | None, first: Mapping[str, Any] | None) -> float | None:
    """By what a process's repetitions are to be multiplied to be repetitions of the first one's work.

    Processes may choose blocks of different lengths (see ``bench.workloads._training``) of the same work;
    None when the work itself differs.
    """
    if need == first:
        return 1.0
    if not need or not first or not need["work_per_sample"]:
        return None
    scale = first["work_per_sample"] / need["work_per_sample"]
    same = all(math.isclose(need[name] * scale, first[name], rel_tol=1e-6) for name in _PER_SAMPLE)
    return scale if same else None


def _scaled(part: Outcome, scale: float) -> Outcome:
    """A part whose repetitions are those of the first process's work, with their time and their energy."""
    if scale == 1:
        return part
    energy_j, sustained = part.get("energy_j"), part.get("seconds_sustained")
    return dict(part) | {
        "samples_s": [seconds * scale for seconds in part["samples_s"]],
        **({} if energy_j is None else {"energy_j": energy_j * scale}),
        **({} if sustained is None else {"seconds_sustained": sustained * scale}),
    }


def _times(parts: Sequence[Outcome], seconds: float) -> dict[str, float]:
    """Times of the cell whose repetition takes ``seconds``, in the proportion that each part has them."""
    found = {}
    for name in _TIMES:
        shares = [part[name] / statistics.median(part["samples_s"]) for part in parts if part.get(name)]
        if shares:
            found[name] = seconds * statistics.fmean(shares)
    return found


def ended_early(parts: Sequence[Outcome], outcome: Outcome, processes: int) -> dict[str, Any]:
    """The outcome of a cell that one of its processes could not measure, with the repetitions before it."""
    if not parts:
        return dict(outcome)
    samples = [part["samples_s"] for part in parts]
    telemetry = dict(outcome.get("telemetry") or {}) | {"process_samples": [len(part) for part in samples]}
    return dict(outcome) | {
        "status_detail": f"process {len(parts) + 1} of {processes}: {outcome.get('status_detail') or ''}",
        "samples_s": [seconds for part in samples for seconds in part],
        "sample_count": sum(map(len, samples)),
        "telemetry": telemetry,
    }


def _merged(name: str, values: Sequence[Any], weights: Sequence[float]) -> Any:
    """One value of a column from those of all parts."""
    known = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    numbers = [value for value, _ in known]
    if not known:
        return None
    if all(isinstance(value, Mapping) for value in numbers):
        return _merged_conditions(numbers)
    if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in numbers):
        return values[-1]
    if name in _SUMS:
        return sum(numbers) if len(known) == len(values) else None
    if name in _LARGEST or len(set(numbers)) == 1:
        return max(numbers)
    return sum(value * weight for value, weight in known) / sum(weight for _, weight in known)


def _merged_conditions(values: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What was so in every process; where they differ, all that was so, joined by ``or``."""
    merged: dict[str, Any] = {}
    for value in values:
        for key, found in value.items():
            known = merged.setdefault(key, found)
            if found != known and str(found) not in str(known).split(" or "):
                merged[key] = f"{known} or {found}"
    return merged


def _energy(parts: Sequence[Outcome], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Energy of all parts, when each has it from the same meter; else none, with the first reason."""
    kinds = {tuple(part.get(name) for name in _ENERGY) for part in parts}
    if columns.get("energy_j") is not None and len(kinds) == 1:
        return {}
    without = next((part for part in parts if part.get("energy_j") is None), parts[0])
    return {"energy_j": None} | {name: without.get(name) for name in _ENERGY if name in without}


def _telemetry(own: Sequence[Mapping[str, Any]], samples: Sequence[Sequence[float]]) -> dict[str, Any]:
    """The last process's figures, with whose repetitions are which and every process's own figures."""
    last = {key: value for key, value in own[-1].items() if not key.endswith("_third_s")}
    windows = [part["window_unix_s"] for part in own if "window_unix_s" in part]
    if len(windows) == len(own):
        whole_s = sum(end - begin for begin, end in windows)
        timed_s = sum(map(sum, samples))
        last |= {"windows_unix_s": windows, "timed_share": timed_s / whole_s if whole_s > 0 else 0.0}
        last.pop("window_unix_s")
    return last | {"process_samples": [len(part) for part in samples], "processes": [dict(p) for p in own]}
