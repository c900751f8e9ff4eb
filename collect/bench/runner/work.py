"""Walking through a plan: group by group, cell by cell, with every outcome on disk before the next cell.

Whatever happens to a child costs its current cell; whatever happens to this process costs nothing that has
finished: the file holds every planned cell from the start and is rewritten after each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bench import schema, store
from bench.cells import Cell, Need
from bench.errors import BenchError
from bench.project import DataDir
from bench.runner import anchor
from bench.runner.anchor import Anchors
from bench.runner.estimate import Rates, expected_times, known_rates
from bench.runner.one_cell import Limits
from bench.runner.pairs import weight_ratios
from bench.runner.parts import Outcome, combined, ended_early, processes_of
from bench.runner.plan import ANCHOR, PROBE, Planned, at_least_as_large, grouped, refusal, second_half
from bench.runner.rows import UNFINISHED, RunFile, Where, finished_row, gated, planned_row
from bench.runner.supervisor import DidNotStart, Hello, StopAtOnce, Supervisor
from bench.runner.wall import WallPower
from bench.suites import Suite


@dataclass(frozen=True)
class Result:
    """A run that has ended: complete, or ``stopped`` early for the reason given. ``done`` are the cells
    that were settled this time."""

    run: RunFile
    done: tuple[str, ...] = ()
    stopped: str | None = None


def rates_of(data: DataDir, where: Where, hello: Hello) -> Rates:
    """This machine's rates: from a probe in the store, else rough."""
    rows = store.read_store(data.runs).rows
    return known_rates(rows, where.host_id, hello.device["name"], hello.device["kind"])


class Work:
    """The cells of one run, from the first to the last."""

    def __init__(
        self,
        supervisor: Supervisor,
        run: RunFile,
        suite: Suite,
        data: DataDir,
        where: Where,
        wall: WallPower | None = None,
    ) -> None:
        self.supervisor = supervisor
        self.reporter = supervisor.reporter
        self.run = run
        self.suite = suite
        self.where = where
        self.wall = wall
        self.anchors = Anchors((), suite.target)
        self._earlier_anchors = tuple(run.meta.get("anchors", ()))
        self.rates = rates_of(data, where, supervisor.hello)
        cells = [Cell.from_json(value) for value in run.meta["plan"]]
        #: Cells that ran out of memory: what is at least as large is not tried.
        self.too_large = [c for c in cells if run.rows[c.cell_id]["status"] == "oom"]
        self._cells = {cell.cell_id: cell for cell in cells}
        self._probed_again: set[str] = set()
        self.done: list[str] = []

    def do(self, cells: Sequence[Planned]) -> Result:
        """Settle every cell, or as many as time and the user allow."""
        tried = [item for item in cells if self._not_tried(item) is None]
        expected_s = expected_times(tried, self.rates, self.suite)
        self.anchors = Anchors(second_half(cells, expected_s), self.suite.target)
        self.reporter.begin(self.run, cells, expected_s, self.where.device["name"])
        try:
            groups = grouped(cells)
            for group in groups:
                self._group(group, is_last=group is groups[-1])
                if self.supervisor.stopping:
                    break
            self._last_anchor()
            if self.wall is not None:
                self.wall.finish(self._rows_done, self.run.put, wait=not self.supervisor.stopping)
        except StopAtOnce as stop:
            self.supervisor.end_child(now=True)
            self.supervisor.stopping = str(stop)
        finally:
            self.reporter.close()
        more = {"weight_ratios": found} if (found := weight_ratios(self.run.rows.values())) else {}
        self.run.put([], ended=datetime.now(UTC).isoformat(timespec="seconds"), **more)
        return Result(self.run, tuple(self.done), self.supervisor.stopping)

    def _group(self, group: Sequence[Planned], *, is_last: bool) -> None:
        """The cells of one built model. The child is started when the first of them needs it, and again
        for the rest when it died. Where several processes measure a cell, every cell has its first before
        any has its second; each goes the other way round, so that a machine that drifts favours no cell."""
        passes = max(processes_of(item.cell, self.suite) for item in group)
        for number in range(passes):
            for item in reversed(group) if number % 2 else group:
                if self.supervisor.out_of_time():
                    break
                if self._lacks(item, number):
                    self._cell(item)
            if not (is_last and number == passes - 1):  # the last child is still wanted, for the last anchor
                self.supervisor.end_child()

    def _lacks(self, item: Planned, number: int) -> bool:
        """Whether the process of that number, from 0, has yet to measure the cell."""
        settled = item.cell.cell_id in self.done
        return not settled and len(self._parts(item)) <= number < processes_of(item.cell, self.suite)

    def _parts(self, item: Planned) -> list[Outcome]:
        return self.run.meta.get("parts", {}).get(item.cell.cell_id, [])

    def _cell(self, item: Planned) -> None:
        """Have one process measure a cell, or settle it without."""
        reason = self._not_tried(item)
        if reason is not None:
            self._settle(item, reason)
            return
        self.reporter.start(item)
        self._mark_started(item)
        try:
            self._ready()
            self._anchor(self.anchors.due_before(item.cell.cell_id))
            self._ready()
        except DidNotStart as error:
            self.supervisor.end_child(now=True)
            self._take(item, error.outcome)
            return
        except BenchError as error:
            self.supervisor.end_child(now=True)
            self._settle(item, {"status": "failed", "status_detail": error.message.splitlines()[0]})
            return
        self._take(item, self._measure(item))

    def _take(self, item: Planned, outcome: Outcome) -> None:
        """An outcome of one process: a part of the cell's, or all of it."""
        processes, parts = processes_of(item.cell, self.suite), self._parts(item)
        number = len(parts) + 1
        row = self._planned_row(item, status_detail=f"{number} of {processes} processes have measured it")
        good = finished_row(row, outcome, item.need)["status"] == "ok" and outcome.get("samples_s")
        if not good:
            self._settle(item, ended_early(parts, outcome, processes))
        elif number == processes:
            self._settle(item, combined([*parts, outcome], self.suite.target))
        else:
            others = self.run.meta.get("parts", {})
            self.run.put([row], parts={**others, item.cell.cell_id: [*parts, outcome]})
            self.reporter.part(item, number, processes)

    def _anchor(self, at: str | None) -> None:
        """Measure the anchor, and put its drift so far into this sitting's rows."""
        from bench.workloads import WORKLOADS

        if at is None or PROBE not in WORKLOADS:
            return
        item = Planned(ANCHOR, WORKLOADS[PROBE].need(ANCHOR))
        outcome = self.supervisor.measure(item, anchor.limits(self.suite.cell_budget_s), anchor.TIMEOUT_S)
        self.anchors.put(at, outcome, item.need)
        rows = [self.anchors.mark(row) for row in self._rows_done() if row["status"] == "ok"]
        self.run.put(rows, anchors=self.anchors.meta(self._earlier_anchors))

    def _last_anchor(self) -> None:
        """The anchor at the end of a run that came to its end."""
        if self.anchors.is_open and not self.supervisor.out_of_time():
            try:
                self._ready()
                self._anchor("end")
            except BenchError as error:
                self.reporter.note(f"No anchor at the end: {error.message.splitlines()[0]}")
        self.supervisor.end_child()

    def _rows_done(self) -> list[Mapping[str, Any]]:
        """The rows of the cells that were settled this time."""
        return [self.run.rows[cell_id] for cell_id in self.done]

    def _ready(self) -> None:
        if self.supervisor.child is None:
            self.supervisor.start()

    def _measure(self, item: Planned) -> Mapping[str, Any]:
        left = self.supervisor.seconds_left()
        budget = self.suite.cell_budget_s / processes_of(item.cell, self.suite)
        budget = budget if left is None else max(0.0, min(budget, left))
        limits = Limits(self.suite.target, budget, self.suite.min_samples, self.suite.whole_job)
        return self.supervisor.measure(item, limits, self.suite.timeout_s)

    def _not_tried(self, item: Planned) -> dict[str, Any] | None:
        hello = self.supervisor.hello
        reason = refusal(item.need, hello.device, hello.free_memory_bytes)
        if reason is not None:
            return {"status": "oom", "status_detail": reason}
        for smaller in self.too_large:
            if at_least_as_large(item.cell, smaller):
                return {
                    "status": "skipped",
                    "status_detail": f"not tried: the smaller cell '{smaller.label}' ran out of memory",
                }
        return None

    def _mark_started(self, item: Planned) -> None:
        row = self.run.rows[item.cell.cell_id]
        now = datetime.now(UTC)
        self.run.put([row | {"status_detail": "started, not finished", "recorded_at": now}])

    def _probe_again(self, dtype: str) -> bool:
        """Measure the ceilings once more, and keep the higher ones; whether any rose.

        A result above its ceiling is a wrong result or a ceiling that something disturbed: the second look
        tells which. One for each type of product and run, since the ceilings are the run's own.
        """
        if dtype in self._probed_again or self.supervisor.out_of_time():
            return False
        from bench.workloads import WORKLOADS

        self._probed_again.add(dtype)
        self.reporter.note("A result above the probe's ceiling: probing once more.")
        risen = []
        for row in [r for r in self.run.rows.values() if r["workload"] == PROBE and r["status"] == "ok"]:
            cell = self._cells[row["cell_id"]]
            if row["rate_unit"] == "FLOP/s" and cell.compute_dtype != dtype:
                continue
            try:
                self._ready()
            except BenchError:
                return False
            item = Planned(cell, WORKLOADS[PROBE].need(cell))
            outcome = self._measure(item)
            need = Need(**outcome["need"]) if "need" in outcome else item.need
            again = finished_row(self._planned_row(item), outcome, need)
            if again["status"] == "ok" and min(again["samples_s"]) * row["work_per_sample"] < (
                min(row["samples_s"]) * again["work_per_sample"]
            ):
                risen.append(again)
        if risen:
            self.run.put(risen)
        return bool(risen)

    def _planned_row(self, item: Planned, **values: Any) -> schema.Row:
        from bench.workloads import WORKLOADS

        unit = WORKLOADS[item.cell.workload].unit(item.cell)
        return planned_row(item, self.run.run_id, self.where, unit, **values)

    def _settle(self, item: Planned, outcome: Outcome) -> None:
        from bench.workloads import probe

        base = self._planned_row(item)
        need = Need(**outcome["need"]) if "need" in outcome else item.need
        row = finished_row(base, outcome, need)
        if str(self.where.conditions.get("sync_self_test")).startswith("unproven") and row["status"] == "ok":
            row["flags"] = sorted({*row["flags"], "sync-unproven"})
        if row["status"] == "ok" and item.cell.workload != PROBE and outcome.get("seconds"):
            finished, dtype = row, item.cell.compute_dtype
            ceilings = probe.ceilings(self.run.rows.values())
            row = gated(finished, need, outcome["seconds"], ceilings, dtype=dtype)
            if row["status"] == "impossible" and self._probe_again(dtype):
                ceilings = probe.ceilings(self.run.rows.values())
                row = gated(finished, need, outcome["seconds"], ceilings, dtype=dtype)
        if row["status"] == "oom":
            self.too_large.append(item.cell)
        parts = dict(self.run.meta.get("parts", {}))
        if row["status"] not in UNFINISHED:
            parts.pop(item.cell.cell_id, None)
        self.run.put([row], parts=parts)
        self.done.append(item.cell.cell_id)
        if self.wall is not None and (changed := self.wall.apply(self._rows_done())):
            self.run.put(changed)
        self.reporter.done(item, row)
