"""Several rows of one system on one task as one figure.

A row whose flags say that its measurement was disturbed (``bench.measure.flags.DISTURBED``) counts only where
no undisturbed one exists. The rest are combined in two steps. On each host (for published rows: in each
source) only the newest software counts: the rows that share the conditions of the host's newest row; their
median is the host's figure. Across hosts the median of those is the figure. Interval and band cover all the
rows that count.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench.compare.bands import allowance, band_of, interval_of
from bench.compare.intervals import Interval
from bench.measure.flags import disturbances
from bench.schema import VALUE_KINDS, Row

_VALUE_ORDER = {kind: place for place, kind in enumerate(VALUE_KINDS)}


@dataclass(frozen=True)
class Figure:
    """``interval`` is None when a row that counts states none; ``band`` is never. ``allowance`` is the widest
    of the rows'. ``rows`` are those that count, oldest first within a host; ``passed_over`` are disturbed
    rows that gave way to undisturbed ones, oldest first; ``superseded`` are undisturbed ones of older
    conditions of their host, and figures that were scaled up beside some timed in full."""

    rate: float
    interval: Interval | None
    band: Interval
    allowance: float
    rows: tuple[Row, ...]
    hosts: int
    passed_over: tuple[Row, ...] = ()
    superseded: tuple[Row, ...] = ()

    @property
    def sample_count(self) -> int | None:
        """Repetitions behind the figure; None where no row says."""
        return sum(row["sample_count"] or 0 for row in self.rows) or None

    @property
    def observations(self) -> tuple[int | None, str]:
        """What the interval narrows with, and how many there are: ``repetitions``, or ``processes`` where
        several measured each row, since what differs between them no repetition tells of."""
        processes = [_processes(row) for row in self.rows]
        return (sum(processes), "processes") if min(processes) > 1 else (self.sample_count, "repetitions")


def _processes(row: Row) -> int:
    """How many processes measured a row."""
    environment = json.loads(row["environment"] or "{}")
    telemetry = environment.get("telemetry") if isinstance(environment, dict) else None
    counts = telemetry.get("process_samples") if isinstance(telemetry, dict) else None
    return len(counts) if isinstance(counts, list) else 1


def figure_of(rows: Sequence[Row]) -> Figure | None:
    """The figure of the rows with status ``ok``; None when there is none.

    Undisturbed rows go before disturbed ones; of the rest, rows that were timed in full before those that
    were scaled up or inferred.
    """
    good = sorted(
        (row for row in rows if row["status"] == "ok"),
        key=lambda r: (r["recorded_at"], r["run_id"], r["cell_id"]),
    )
    if not good:
        return None
    passed_over: tuple[Row, ...] = ()
    counted = [good]
    if len(good) > 1:  # else, as mostly, there is nothing to choose
        passed_over = tuple(row for row in good if disturbances(row["flags"]))
        if len(passed_over) == len(good):
            passed_over = ()
        elif passed_over:
            good = [row for row in good if not disturbances(row["flags"])]
        best = min(_VALUE_ORDER.get(row["value_kind"], 0) for row in good)
        counted = _newest_per_host([row for row in good if _VALUE_ORDER.get(row["value_kind"], 0) == best])
    rate = median(median(row["rate"] for row in group) for group in counted)
    used = [row for group in counted for row in group]
    bands = [band_of(row) for row in used]
    band = Interval(min(b.low for b in bands), rate, max(b.high for b in bands))
    widest = max(map(allowance, used))
    count = {id(row) for row in used}
    superseded = tuple(row for row in good if id(row) not in count)
    return Figure(rate, _cover(rate, used), band, widest, tuple(used), len(counted), passed_over, superseded)


def _newest_per_host(rows: Sequence[Row]) -> list[list[Row]]:
    hosts: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        hosts[row["source_id"], row["host_id"] or ""].append(row)
    counted = []
    for _, group in sorted(hosts.items()):
        newest = _conditions(group[-1])
        counted.append([row for row in group if _conditions(row) == newest])
    return counted


def _conditions(row: Row) -> tuple[object, ...]:
    """What must be equal for two rows of one host to be repetitions of each other."""
    return row["conditions"], row["driver_version"], row["power_limit_w"], row["engine_version"]


def _cover(rate: float, rows: Sequence[Row]) -> Interval | None:
    """From the lowest to the highest end that the rows state; None when one of them states no interval."""
    stated = [interval_of(row) for row in rows]
    if any(interval is None for interval in stated):
        return None
    return Interval(min(i.low for i in stated if i), rate, max(i.high for i in stated if i))
