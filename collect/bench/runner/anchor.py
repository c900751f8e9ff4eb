"""The anchor: one small product, timed at the start, in the middle and at the end of a run.

Between two of its measurements nothing changed but the machine. What its rate moved by is stored on the rows
in between; where that is more than the suite's target, beyond both intervals, they are flagged.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from bench import schema
from bench.cells import Need
from bench.runner.one_cell import Limits
from bench.runner.rows import with_telemetry

FLAG = "anchor-drift"
#: Seconds of repetitions, warm-up included; the product itself takes some milliseconds.
BUDGET_S = 0.5
#: After so long without an answer the anchor is given up.
TIMEOUT_S = 60.0


def limits(cell_budget_s: float) -> Limits:
    """How an anchor is measured in a suite whose cells have this budget."""
    return Limits(target=0.002, budget_s=min(BUDGET_S, cell_budget_s), min_samples=6)


@dataclass(frozen=True)
class Anchor:
    """One measurement: ``at`` is start, middle or end; rates in the probe's unit, with their interval where
    there were repetitions enough for one."""

    at: str
    recorded_at: str
    rate: float
    rate_low: float | None
    rate_high: float | None


def of_outcome(at: str, outcome: Mapping[str, Any], need: Need) -> Anchor | None:
    """The measurement in the outcome of a cell; None where it did not succeed."""
    if outcome.get("status") != "ok":
        return None
    work = outcome.get("need", asdict(need))["work_per_sample"]
    times = (outcome[name] for name in ("seconds", "seconds_high", "seconds_low"))
    rate, low, high = (work / seconds if seconds else None for seconds in times)
    return Anchor(at, datetime.now(UTC).isoformat(timespec="seconds"), rate, low, high)


def drift(anchors: Sequence[Anchor]) -> float | None:
    """The highest rate over the lowest, less 1; None for fewer than two."""
    if len(anchors) < 2:
        return None
    rates = [anchor.rate for anchor in anchors]
    return max(rates) / min(rates) - 1


def has_drifted(anchors: Sequence[Anchor], target: float) -> bool:
    """Whether the highest and the lowest differ by more than ``target`` and beyond both intervals."""
    found = drift(anchors)
    if found is None:
        return False
    lowest, highest = (pick(anchors, key=lambda a: a.rate) for pick in (min, max))
    if lowest.rate_high is None or highest.rate_low is None:
        return False
    return found > target and lowest.rate_high < highest.rate_low


class Anchors:
    """The measurements of one sitting of a run. ``late`` are the cells of its second half."""

    def __init__(self, late: Collection[str], target: float) -> None:
        self._late, self._target = late, target
        self.taken: list[Anchor] = []
        self._tried: set[str] = set()

    def due_before(self, cell_id: str) -> str | None:
        """Which anchor must be measured before this cell, if any."""
        for at, due in (("start", True), ("middle", cell_id in self._late)):
            if at not in self._tried:
                return at if due else None
        return None

    @property
    def is_open(self) -> bool:
        """Whether one at the end would have one before it to compare with."""
        return bool(self.taken) and "end" not in self._tried

    def put(self, at: str, outcome: Mapping[str, Any], need: Need) -> None:
        """Take a measurement in. One that failed is not repeated."""
        self._tried.add(at)
        found = of_outcome(at, outcome, need)
        if found is not None:
            self.taken.append(found)

    def mark(self, row: schema.Row) -> schema.Row:
        """A row with the drift so far, and its flag."""
        found = drift(self.taken)
        if found is None:
            return row
        flags = {*row["flags"]} - {FLAG} | ({FLAG} if has_drifted(self.taken, self._target) else set())
        return with_telemetry(row, {"anchor_drift": round(found, 5)}) | {"flags": sorted(flags)}

    def meta(self, earlier: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """For the run file: measurements of earlier sittings, then these."""
        return [*map(dict, earlier), *map(asdict, self.taken)]
