"""A measured row against the ceilings that its own run found on its own machine."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bench.measure.gate import TOLERANCE
from bench.text import rate as shown
from bench.verify.base import Context, Problem, Row


class Probe:
    name = "probe"
    what = "A measured rate is at most 105 % of what the probe of the same machine found."
    why = "The machine's own ceilings are the strictest test there is of the clock and the synchronisation."
    severity = "impossible"
    physics = True

    def problems(self, row: Row, context: Context) -> Iterator[Problem]:
        if row["origin"] != "measured" or row["status"] != "ok" or row["workload"] == "probe":
            return
        for achieved, ceiling, unit in (
            ("achieved_flops", "probe_flops", "FLOP/s"),
            ("achieved_bytes_per_s", "probe_bytes_per_s", "B/s"),
        ):
            needed, most = row[achieved], row[ceiling]
            if unit == "B/s" and needed and most:
                most = _cached(row, context, most)
            if needed and most and needed > most * TOLERANCE:
                yield Problem(
                    f"it would take {shown(needed, unit)}, {needed / most:.0%} of the {shown(most, unit)} "
                    "that the probe of this machine found: the time, the formula or the probe is wrong.",
                    needed,
                    most,
                    unit,
                )


def _cached(row: Row, context: Context, stored: float) -> float | None:
    """The memory rate at a quarter of the working set, which a cache may serve (``bench.measure.gate``).

    The stored figure is that of the whole working set; without the run's probe rows, or a formula for the
    cell, traffic cannot be judged.
    """
    from bench.measure.gate import CACHED_PART

    ceilings = context.ceilings.get(row["run_id"])
    working_set = _working_set(row) if ceilings is not None else None
    if ceilings is None or working_set is None:
        return None
    cached = ceilings.memory_at(working_set * CACHED_PART)
    if cached is None and ceilings.lacks("", working_set * CACHED_PART):
        return None
    return max(cached or 0.0, stored)


def _working_set(row: Row) -> float | None:
    from bench.cells import Cell
    from bench.errors import BenchError
    from bench.workloads import WORKLOADS

    workload = WORKLOADS.get(row["workload"])
    if workload is None:
        return None
    names = [n for n in Cell.__dataclass_fields__ if n != "settings" and row.get(n) is not None]
    settings = json.loads(row["settings"]) if row["settings"] else {}
    try:
        return workload.need(Cell(settings=settings, **{n: row[n] for n in names})).working_set_bytes
    # A model or type that this version does not know, or a file that leaves out what the formula needs.
    except (BenchError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None
