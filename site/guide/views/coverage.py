"""A device's coverage: how each of its tasks ended on each system, the untried ones included."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from guide.analysis.tasks import FAILURES
from guide.model import Result, System, Task
from guide.show import blanks, figures
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import Device
from guide.views.families import Family, extent_label

GOOD = blanks.STATUS_WORDS["ok"]
#: Other ends, the most telling first; columns stand in this order.
ENDS = (*(blanks.STATUS_WORDS[status] for status in FAILURES), blanks.WITHDRAWN, blanks.NOT_RUN)
#: Tasks that a cell names; the others are counted.
NAMED = 3


@dataclass(frozen=True)
class Line:
    """A family on a system that tried one of its tasks: the tasks by how they ended."""

    family: Family
    system: System
    ends: dict[str, list[Task]]

    @property
    def complete(self) -> bool:
        """Whether every task has a figure."""
        return len(self.ends.get(GOOD, ())) == len(self.family.tasks)

    @property
    def source(self) -> str:
        """Where the family comes from."""
        return self.family.tasks[0].source_ids[0]


def lines(device: Device, families: Iterable[Family]) -> list[Line]:
    """Every family on every system of the device that tried one of its tasks."""
    found = []
    for family in families:
        for system in device.systems:
            ends: dict[str, list[Task]] = defaultdict(list)
            for task in family.tasks:
                result = task.of(system.key)
                end = words.missing(task, system).reason if result is None else words.status_words(result)
                ends[end].append(task)
            if any(task.of(system.key) is not None for task in family.tasks):
                found.append(Line(family, system, dict(ends)))
    return found


def coverage_table(device: Device, found: Sequence[Line]) -> Table:
    """A row for each line with gaps, then one for each source and system whose families are all complete."""
    gaps = [line for line in found if not line.complete]
    seen = [end for end in ENDS if any(end in line.ends for line in gaps)]
    columns = [
        Column("family", "Tasks"),
        *([Column("system", "System")] if len(device.systems) > 1 else []),
        _counted("ran", "With a figure", "Of the tasks that any system has tried"),
        *(_counted(end, end[0].upper() + end[1:].partition(":")[0]) for end in seen),
    ]
    rows = [
        {
            "family": Cell(line.family.label, sub=line.source),
            "system": device.short(line.system),
            "ran": _ran([line]),
        }
        | {end: _ended(line, line.ends.get(end, [])) for end in seen}
        for line in gaps
    ]
    whole: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for line in found:
        if line.complete:
            whole[line.source, line.system.key].append(line)
    for (source, _), members in sorted(whole.items()):
        label = members[0].family.label
        if len(members) > 1:
            label = f"{len(members)}{' other' if gaps else ''} kinds of task, all of them"
        row: dict[str, object] = {
            "family": Cell(label, sub=source),
            "system": device.short(members[0].system),
            "ran": _ran(members),
        }
        rows.append(row | {end: Blank("–") for end in seen})
    caption = "Coverage: how the cell of each task ended"
    return Table(columns, rows, caption=caption, filterable=len(rows) > 12, fold=True)


def coverage_words(found: Iterable[Line]) -> str:
    """``21 of 24 tasks have a figure; 2 out of memory, 1 not run.``, over all lines."""
    counts: dict[str, int] = defaultdict(int)
    for line in found:
        for end, tasks in line.ends.items():
            counts[end] += len(tasks)
    total, good = sum(counts.values()), counts[GOOD]
    others = ", ".join(f"{counts[end]:,} {end.partition(':')[0]}" for end in ENDS if counts[end])
    said = f"{good:,} of {figures.plural(total, 'task')} {'has' if good == 1 else 'have'} a figure"
    return f"{said}; {others}." if others else f"{said}."


def _counted(key: str, title: str, told: str = "") -> Column:
    return Column(key, title, kind="number", help=told, unsourced="counted")


def _ran(members: Sequence[Line]) -> Cell:
    good = [(task, line.system) for line in members for task in line.ends.get(GOOD, ())]
    total = sum(len(line.family.tasks) for line in members)
    return Cell(
        f"{len(good):,} of {total:,}",
        sort=len(good) / total,
        tone="good" if len(good) == total else "" if good else "bad",
        provenance=_some(good),
    )


def _ended(line: Line, tasks: Sequence[Task]) -> Cell | Blank:
    if not tasks:
        return Blank("–")
    whole = line.family.tasks
    named = [extent_label(task, whole) for task in tasks[:NAMED]] if len(whole) > 1 else []
    more = len(tasks) - len(named)
    sub = "; ".join(named) + (f"; and {more} more" if named and more else "")
    origin = _some([(task, line.system) for task in tasks])
    return Cell(len(tasks), sort=float(len(tasks)), sub=sub, provenance=origin)


def _some(tasks: Sequence[tuple[Task, System]]) -> Provenance:
    """A few of the rows that were counted."""
    found: list[Result] = []
    for task, system in tasks:
        result = task.of(system.key)
        if result is not None and len(found) < NAMED:
            found.append(result)
    return Provenance(tuple(found), "ends")
