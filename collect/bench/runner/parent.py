"""The parent of a run: opens the device, plans, hands the plan over. A new run, a resumed one, a preview."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import __version__, store
from bench.cells import Cell
from bench.errors import BenchError
from bench.project import DataDir
from bench.runner.estimate import Rates, expected_times
from bench.runner.plan import Plan, Planned, make_plan, refusal, select
from bench.runner.progress import Reporter
from bench.runner.rows import RunFile, Where, planned_row
from bench.runner.supervisor import Hello, Supervisor
from bench.runner.wall import WallPower
from bench.runner.work import Result, Work, rates_of
from bench.state import run_lock, state_dir
from bench.suites import get_suite

if TYPE_CHECKING:
    from bench.workloads.base import Workload


@dataclass(frozen=True)
class Options:
    """What a person asked for. ``device`` may be ``auto``; ``budget_s`` is the time of the whole run."""

    device: str = "auto"
    index: int = 0
    suite: str = "quick"
    workloads: tuple[str, ...] = ()
    weights: str = "random"
    seed: int = 0
    budget_s: float | None = None
    #: A file of wall-plug readings (``bench.measure.wallmeter``).
    energy_meter: Path | None = None
    #: Ways to run each cell that offers them; none means as the suite plans it.
    executions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Preview:
    """What a run would do: its plan, the expected seconds of each cell, why some would be refused."""

    plan: Plan
    hello: Hello
    rates: Rates
    expected_s: Mapping[str, float]
    refused: Mapping[str, str]


def describe(hello: Hello, data: DataDir) -> Where:
    """The device and the machine as columns, the device's catalog key where its name resolves."""
    from bench.measure.environment import environment, host_id

    return Where(
        hello.device,
        hello.conditions,
        environment(),
        host_id(state_dir()),
        hello.engine_version,
        _catalog_id(hello, data),
        hello.idle.get("power_w"),
    )


def _catalog_id(hello: Hello, data: DataDir) -> str | None:
    if not data.devices.is_file():
        return None
    from bench.catalog import Catalog

    device = hello.device
    return (
        Catalog.load(data.devices)
        .resolve(
            device["name"], memory_bytes=device["memory_bytes"], compute_units=device.get("compute_units")
        )
        .device_id
    )


def supervisor_for(options: Options, reporter: Reporter) -> Supervisor:
    """A supervisor whose time budget starts now."""
    deadline = None if options.budget_s is None else time.monotonic() + options.budget_s
    rest = options.energy_meter is not None
    return Supervisor(options.device, options.index, options.seed, reporter, deadline, rest)


def _plan(options: Options, kind: str, chosen: list[Workload]) -> Plan:
    return make_plan(
        options.suite,
        kind,
        chosen,
        seed=options.seed,
        weights=options.weights,
        executions=options.executions,
    )


def preview(options: Options, data: DataDir, reporter: Reporter) -> Preview:
    """The plan for this machine, without running it. Raises ``BenchError`` when there is no such device."""
    from bench.workloads import WORKLOADS

    chosen = select(options.workloads, WORKLOADS)
    suite = get_suite(options.suite)
    supervisor = supervisor_for(options, reporter)
    with supervisor.signals():
        hello = supervisor.start(self_test=False)
    plan = _plan(options, hello.device["kind"], chosen)
    rates = rates_of(data, describe(hello, data), hello)
    refused = {p.cell.cell_id: refusal(p.need, hello.device, hello.free_memory_bytes) for p in plan.cells}
    return Preview(
        plan,
        hello,
        rates,
        expected_times([p for p in plan.cells if not refused[p.cell.cell_id]], rates, suite),
        {cell_id: reason for cell_id, reason in refused.items() if reason},
    )


def collect(options: Options, data: DataDir, reporter: Reporter) -> Result:
    """A new run of the suite on this machine.

    Raises ``BenchError`` when the device cannot be used or the store cannot be written.
    """
    from bench.workloads import WORKLOADS

    chosen = select(options.workloads, WORKLOADS)
    suite = get_suite(options.suite)
    _check_meter(options)
    store.remove_abandoned(data.runs)
    supervisor = supervisor_for(options, reporter)
    with supervisor.signals():
        hello = supervisor.start()
        kind = hello.device["kind"]
        plan = _plan(options, kind, chosen)
        where = describe(hello, data)
        now = datetime.now(UTC)
        run = RunFile.create(data.runs, _meta(options, plan, where, now), now)
        with run_lock(run.run_id):
            run.put(
                planned_row(p, run.run_id, where, WORKLOADS[p.cell.workload].unit(p.cell)) for p in plan.cells
            )
            wall = _wall(options, hello, reporter)
            return Work(supervisor, run, suite, data, where, wall).do(plan.cells)


def _check_meter(options: Options) -> None:
    """Raises ``BenchError`` now, and not after the first cell, when the meter's file is at fault."""
    if options.energy_meter is not None:
        from bench.measure.wallmeter import read

        read(options.energy_meter)


def _wall(options: Options, hello: Hello, reporter: Reporter) -> WallPower | None:
    if options.energy_meter is None:
        return None
    return WallPower(options.energy_meter, hello.idle.get("window_unix_s"), reporter.note)


def resume(
    run: RunFile,
    data: DataDir,
    reporter: Reporter,
    budget_s: float | None = None,
    energy_meter: Path | None = None,
) -> Result:
    """Do what a run has left, with its own settings; rows that are results stay as they are.

    Raises ``BenchError`` when another process is at it, when the device is another one, or when this
    version plans its cells differently.
    """
    meta = run.meta
    options = Options(
        meta["device"],
        meta["device_index"],
        meta["suite"],
        seed=meta["seed"],
        budget_s=budget_s,
        energy_meter=energy_meter,
    )
    _check_meter(options)
    cells = _cells_left(run)
    supervisor = supervisor_for(options, reporter)
    with run_lock(run.run_id), supervisor.signals():
        run.remove_leftovers()
        hello = supervisor.start()
        where = describe(hello, data)
        _same_device(run, where)
        wall = _wall(options, hello, reporter)
        return Work(supervisor, run, get_suite(options.suite), data, where, wall).do(cells)


def _meta(options: Options, plan: Plan, where: Where, now: datetime) -> dict[str, Any]:
    return {
        "bench_version": __version__,
        "started": now.isoformat(timespec="seconds"),
        "suite": plan.suite,
        "device": plan.device_kind,
        "device_index": options.index,
        "workloads": list(options.workloads),
        "weights": options.weights,
        "executions": list(options.executions),
        "seed": options.seed,
        "budget_s": options.budget_s,
        "plan": [item.cell.as_json() for item in plan.cells],
    }


def _cells_left(run: RunFile) -> list[Planned]:
    from bench.workloads import WORKLOADS

    left = set(run.unfinished)
    try:
        cells = [Cell.from_json(value) for value in run.meta["plan"]]
    except TypeError as error:  # not a list, or not the fields of a cell
        raise BenchError(
            f"The plan of run {run.run_id} cannot be read ({error}).",
            hint="Start a new run: leave --resume out.",
        ) from error
    strange = [c for c in cells if c.workload not in WORKLOADS or c.cell_id not in run.rows]
    if strange:
        raise BenchError(
            f"Run {run.run_id} was planned by another version of bench ({run.meta.get('bench_version')}): "
            f"'{strange[0].label}' is measured differently now.",
            hint="Start a new run: leave --resume out.",
        )
    return [Planned(c, WORKLOADS[c.workload].need(c)) for c in cells if c.cell_id in left]


def _same_device(run: RunFile, where: Where) -> None:
    row = next(iter(run.rows.values()))
    now = where.columns()
    for name, words in (
        ("host_id", "on another machine"),
        ("device_name", f"on '{row['device_name']}', and this is '{now['device_name']}'"),
        ("device_memory_bytes", "on a device with another memory size"),
    ):
        if row[name] != now[name]:
            raise BenchError(
                f"Run {run.run_id} was started {words}: one run is one device.",
                hint="Continue it where it was started, or start a new run: leave --resume out.",
            )
