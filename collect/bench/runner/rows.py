"""From a plan and its outcomes to rows, and the run's file that holds them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import schema, store
from bench.cells import Need
from bench.errors import BenchError
from bench.runner.plan import Planned

if TYPE_CHECKING:
    from bench.workloads.probe import Ceilings

PLANNED = "planned, not started"
#: Outcomes that are done again by ``--resume``; all others are results.
UNFINISHED = frozenset({"interrupted", "killed"})

#: What the outcome of a cell may fill in: never identity, never what was asked for.
_OUTCOME_COLUMNS = frozenset(
    c.name for c in schema.COLUMNS if c.group in ("outcome", "detail", "physics")
) | {"value_kind", "power_limit_w", "conditions", "environment"}

#: Times of an outcome, of which the row keeps the rates.
_SECONDS = ("seconds", "seconds_low", "seconds_high", "seconds_sustained")


def new_run_id(now: datetime) -> str:
    """A name that no other run has, on any machine, and that tells nothing but its time."""
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"


@dataclass(frozen=True)
class Where:
    """The device and machine of a run, as columns."""

    device: Mapping[str, Any]
    conditions: Mapping[str, Any]
    environment: Mapping[str, Any]
    host_id: str
    engine_version: str
    device_id: str | None = None
    idle_power_w: float | None = None

    def columns(self) -> schema.Row:
        """The ``where`` group and the engine."""
        extra = {
            name: self.device[name]
            for name in ("compute_units", "software", "notes", "count")
            if self.device.get(name)
        }
        conditions = dict(self.conditions) | ({"device": extra} if extra else {})
        return {
            "device_id": self.device_id,
            "device_name": self.device["name"],
            "device_memory_bytes": self.device["memory_bytes"],
            "driver_version": self.device.get("driver_version"),
            "power_limit_w": self.device.get("power_limit_w"),
            "host_id": self.host_id,
            "conditions": schema.to_json(conditions),
            "environment": schema.to_json(self.environment),
            "idle_power_w": self.idle_power_w,
            "engine": "torch",
            "engine_version": self.engine_version,
        }


def planned_row(item: Planned, run_id: str, where: Where, rate_unit: str, **values: Any) -> schema.Row:
    """The row of a cell that has not run: everything but its outcome."""
    return schema.make_row(
        run_id=run_id,
        origin="measured",
        source_id="hwguide",
        rate_unit=rate_unit,
        **need_columns(item.need),
        **where.columns(),
        **item.cell.columns(),
        **({"status": "interrupted", "status_detail": PLANNED} | values),
    )


def need_columns(need: Need) -> schema.Row:
    """What one repetition takes, as columns."""
    return {
        "params": need.params,
        "active_params": need.active_params,
        "flops_per_sample": float(need.flops_per_sample),
        "bytes_per_sample": float(need.bytes_per_sample),
        "work_per_sample": float(need.work_per_sample),
    }


def finished_row(row: Mapping[str, Any], outcome: Mapping[str, Any], need: Need) -> schema.Row:
    """``row`` with the outcome of its cell, and the rates that follow from it.

    ``need`` is the plan's, or a truer one that the outcome brought. ``outcome`` comes from a child process: a
    column it may not set, or a value that does not fit, makes the row ``failed`` with the reason, never an
    invalid file.
    """
    outcome = dict(outcome)
    outcome.pop("need", None)
    telemetry = outcome.pop("telemetry", None)
    values = {k: v for k, v in outcome.items() if k not in _SECONDS}
    if isinstance(values.get("status_detail"), str):
        values["status_detail"] = schema.cut(values["status_detail"])
    foreign = sorted(set(values) - _OUTCOME_COLUMNS)
    fresh = {"recorded_at": datetime.now(UTC), "status_detail": None}
    if isinstance(values.get("conditions"), Mapping):
        values["conditions"] = json.loads(row["conditions"] or "{}") | dict(values["conditions"])
    done = dict(row) | need_columns(need) | fresh | values
    for name in ("conditions", "environment", "settings"):
        if isinstance(done.get(name), Mapping):
            done[name] = schema.to_json(done[name])
    if telemetry:
        done = with_telemetry(done, telemetry)
    if done["status"] == "ok":
        _add_rates(done, outcome, need.job_samples)
    problems = [f"unknown outcome '{name}'" for name in foreign] or schema.check(done)
    if not problems:
        return done
    detail = f"the outcome does not fit the schema: {'; '.join(problems[:3])}"
    return dict(row) | {
        "recorded_at": done["recorded_at"],
        "status": "failed",
        "status_detail": schema.cut(detail),
    }


def telemetry_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of ``bench.telemetry.KEYS`` that a row holds; empty where it has none."""
    return json.loads(row["environment"] or "{}").get("telemetry", {})


def with_telemetry(row: Mapping[str, Any], changes: Mapping[str, Any]) -> schema.Row:
    """The row with some of those figures set; a figure of None is taken out."""
    environment = json.loads(row["environment"] or "{}")
    merged = environment.get("telemetry", {}) | dict(changes)
    environment["telemetry"] = {name: value for name, value in merged.items() if value is not None}
    return dict(row) | {"environment": schema.to_json(environment)}


def gated(row: schema.Row, need: Need, seconds: float, ceilings: Ceilings, *, dtype: str) -> schema.Row:
    """A finished row held against the machine's own ceilings: faster than those is ``impossible``. What
    could not be judged, as the probe of it did not settle, is said in the row."""
    from bench.measure.gate import CACHED_PART, judge

    verdict = judge(
        ceilings,
        seconds=seconds,
        flops=need.flops_per_sample,
        bytes_moved=need.bytes_per_sample,
        working_set_bytes=need.working_set_bytes,
        dtype=dtype,
        flags=row["flags"],
    )
    changes = {name: value for name, value in verdict.columns().items() if value is not None}
    detail = verdict.detail
    if verdict.status == "impossible" and ceilings.disturbed:
        detail = f"{detail} The probe itself was disturbed ({', '.join(ceilings.disturbed)}): run again."
    working_sets = (need.working_set_bytes, need.working_set_bytes * CACHED_PART)
    lacking = ceilings.lacks(dtype, *working_sets)
    if lacking:
        said = detail or row["status_detail"]
        be = "was" if len(lacking) == 1 else "were"
        unjudged = f"Its {' and '.join(lacking)} {be} not judged: the probe did not settle."
        detail = f"{said} {unjudged}" if said else unjudged
    return (
        row
        | changes
        | {
            "status": verdict.status,
            "status_detail": schema.cut(detail or row["status_detail"]),
            "flags": sorted({*row["flags"], *verdict.flags}),
        }
    )


def _add_rates(row: schema.Row, outcome: Mapping[str, Any], job_samples: int | None) -> None:
    seconds, low, high = (outcome.get(name) for name in ("seconds", "seconds_low", "seconds_high"))
    if not seconds:
        return
    work = row["work_per_sample"]

    def unless_given(name: str, value: float | None) -> None:
        if row.get(name) is None:
            row[name] = value

    unless_given("rate", work / seconds)
    # A rate falls as the time rises: the lower end of one comes from the upper end of the other.
    unless_given("rate_low", work / high if high else None)
    unless_given("rate_high", work / low if low else None)
    sustained = outcome.get("seconds_sustained")
    unless_given("sustained_rate", row["rate"] * seconds / sustained if sustained else None)
    unless_given("achieved_flops", row["flops_per_sample"] / seconds if row["flops_per_sample"] else None)
    unless_given(
        "achieved_bytes_per_s", row["bytes_per_sample"] / seconds if row["bytes_per_sample"] else None
    )
    unless_given("job_s", job_samples * seconds if job_samples else None)
    unless_given("measured_fraction", 1.0)
    unless_given("value_kind", "measured" if row["measured_fraction"] == 1 else "extrapolated")


@dataclass
class RunFile:
    """One run: its rows in the order of the plan, its settings, and the file that holds both."""

    run_id: str
    path: Path
    meta: dict[str, Any]
    rows: dict[str, schema.Row] = field(default_factory=dict)

    @classmethod
    def create(cls, runs: Path, meta: Mapping[str, Any], now: datetime) -> RunFile:
        """A new run, not yet on disk."""
        run_id = new_run_id(now)
        return cls(run_id, store.run_path(runs, run_id, now), {"run_id": run_id, **meta})

    @classmethod
    def load(cls, path: Path) -> RunFile:
        """A run as it is on disk. Raises ``BenchError`` when the file is damaged or newer."""
        rows = {row["cell_id"]: row for row in store.read_run(path)}
        return cls(path.stem, path, store.read_meta(path), rows)

    def put(self, rows: Iterable[schema.Row], **meta: Any) -> None:
        """Replace rows by cell and rewrite the file. Raises ``BenchError`` when it cannot be written."""
        self.rows |= {row["cell_id"]: row for row in rows}
        self.meta |= meta
        store.write_run(self.path, list(self.rows.values()), self.meta)

    @property
    def unfinished(self) -> list[str]:
        """Cells that ``--resume`` would do, by id."""
        return [cell_id for cell_id, row in self.rows.items() if row["status"] in UNFINISHED]

    def remove_leftovers(self) -> None:
        """Delete temporary files that a killed writer of this run left behind."""
        for path in self.path.parent.glob(f".{self.run_id}-*.tmp"):
            path.unlink(missing_ok=True)


def find_unfinished(runs: Path, host_id: str) -> list[RunFile]:
    """Runs of this machine with cells left to do, the latest first; damaged files are passed over."""
    found = []
    for path in sorted(store.run_files(runs), key=lambda p: p.stem, reverse=True):
        try:
            run = RunFile.load(path)
        except BenchError:
            continue  # 'bench show' and 'bench store verify' name it
        hosts = {row["host_id"] for row in run.rows.values()}
        if run.unfinished and hosts == {host_id} and "plan" in run.meta:
            found.append(run)
    return found
