"""Two sides, task by task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench import schema, units
from bench.compare.conditions import Difference, differences
from bench.compare.figure import Figure, figure_of
from bench.compare.intervals import Interval, divide
from bench.compare.verdicts import SLOWER, Verdict, judge
from bench.errors import UsageError, unknown
from bench.schema import Row


@dataclass(frozen=True)
class Pair:
    """One task on both sides. ``ratio`` is the second's rate over the first's; it and the figures are None
    where a side did not come to a rate, whose outcome then stands in ``outcomes``. ``differs`` are conditions
    of this task that are not common to all tasks."""

    row: Row
    first: Figure | None
    second: Figure | None
    ratio: float | None
    interval: Interval | None
    verdict: Verdict | None
    outcomes: tuple[str, str]
    differs: tuple[Difference, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """``common`` are conditions that differ in the same way in every task; ``only_first`` and ``only_second``
    count tasks that the other side does not have. ``left_out`` are rows of shared tasks whose figure is in
    another unit than the task's, each with the reason."""

    pairs: tuple[Pair, ...]
    common: tuple[Difference, ...]
    only_first: int
    only_second: int
    left_out: tuple[tuple[Row, str], ...] = ()

    def slower(self, share: float) -> tuple[Pair, ...]:
        """Tasks on which the second side is worse for certain: slower by more than ``share``, or without a
        rate where the first has one."""
        return tuple(
            p
            for p in self.pairs
            if (p.first is not None and p.second is None)
            or (
                p.ratio is not None
                and p.ratio < 1 - share
                and p.verdict is not None
                and p.verdict.word == SLOWER
            )
        )


def compare(
    first: Iterable[Row],
    second: Iterable[Row],
    across: Sequence[str] = (),
    system_of: Callable[[Row], str] | None = None,
) -> Comparison:
    """Pair the rows of two sides by task. ``across`` names what may differ within a pair, of
    ``schema.TASK_FIELDS`` or ``device_count``: execution, for one, to see what compiling is worth.

    A pair also needs one count of devices, unless told otherwise. ``system_of`` tells devices apart, by
    default ``by_device``. Raises ``UsageError`` for a name that is no part of a task, and when one side holds
    several devices on one task.
    """
    fields = (*schema.TASK_FIELDS, "device_count")
    for name in across:
        if name not in fields:
            raise unknown("part of a task", name, fields)
    kept = tuple(name for name in fields if name not in across)
    a, b = (_by_task(rows, kept, system_of or by_device) for rows in (first, second))
    shared = sorted(a.keys() & b.keys(), key=lambda key: tuple(str(v) for v in key))
    apart: list[tuple[Row, str]] = []
    for key in shared:
        unit = units.unit_of([*a[key], *b[key]])
        for side in (a, b):
            apart += [(row, units.why_apart(row, unit)) for row in side[key] if not units.fits(row, unit)]
            side[key] = [row for row in side[key] if units.fits(row, unit)]
    pairs = [_pair(a[key], b[key]) for key in shared if a[key] and b[key]]
    common = _common(pairs)
    pairs = [Pair(**{**vars(p), "differs": tuple(d for d in p.differs if d not in common)}) for p in pairs]
    only = len(a.keys() - b.keys()), len(b.keys() - a.keys())
    return Comparison(tuple(pairs), common, *only, tuple(apart))


def _by_task(
    rows: Iterable[Row], kept: Sequence[str], system_of: Callable[[Row], str]
) -> dict[tuple[Any, ...], list[Row]]:
    tasks: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        tasks[tuple(row[name] for name in kept)].append(row)
    for found in tasks.values():
        named = {system_of(row): row["device_name"] for row in found}
        if len(named) > 1:
            raise UsageError(
                f"One side of the comparison holds several devices ({', '.join(sorted(named)[:4])}).",
                hint=f"Narrow it down, as in 'device={min(named.values())}'.",
            )
    return tasks


def by_device(row: Row) -> str:
    """A row's device: its catalog key, else its name."""
    return row["device_id"] or row["device_name"]


def _pair(first: Sequence[Row], second: Sequence[Row]) -> Pair:
    a, b = figure_of(first), figure_of(second)
    ratio = interval = verdict = None
    if a is not None and b is not None:
        ratio, verdict = b.rate / a.rate, judge(b, a, ("B", "A"))
        if a.interval is not None and b.interval is not None:
            interval = divide(b.interval, a.interval)
    differs = differences(a.rows if a else first, b.rows if b else second)
    return Pair(first[0], a, b, ratio, interval, verdict, (_outcome(a, first), _outcome(b, second)), differs)


def _outcome(figure: Figure | None, rows: Sequence[Row]) -> str:
    return "ok" if figure is not None else max(rows, key=lambda r: r["recorded_at"])["status"]


def _common(pairs: Sequence[Pair]) -> tuple[Difference, ...]:
    if not pairs:
        return ()
    shared = set(pairs[0].differs).intersection(*(p.differs for p in pairs))
    return tuple(sorted(shared, key=lambda d: d.name))
