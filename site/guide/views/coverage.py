"""A device's coverage: how each of its tasks ended on each system, the untried ones included."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from guide import blanks, figures
from guide.model import Result, System, Task
from guide.tables import Blank, Cell, Column, Provenance, Table
from guide.tasks import FAILURES
from guide.views import words
from guide.views.devices import Device
from guide.views.families import Family, extent_label
from guide.views.physics import meter

#: Ends that are not ``ok``, the most telling first; columns stand in this order.
ENDS = (*(blanks.STATUS_WORDS[status] for status in FAILURES), blanks.WITHDRAWN, blanks.NOT_RUN)
#: Tasks that a cell names; the others are counted.
NAMED = 3


def coverage_table(device: Device, families: Sequence[Family]) -> Table:
    """A row for each family and system: how many of its tasks have a figure, and how the others ended."""
    many = len(device.systems) > 1
    lines = [(family, system, _ends(family, system)) for family in families for system in device.systems]
    seen = [end for end in ENDS if any(end in ends for _, _, ends in lines)]
    columns = [
        Column("family", "Tasks"),
        *([Column("system", "System")] if many else []),
        Column(
            "ran",
            "With a figure",
            kind="number",
            help="Of the tasks that any system has tried",
            unsourced="counted",
        ),
        *(
            Column(end, end[0].upper() + end[1:].partition(":")[0], kind="number", unsourced="counted")
            for end in seen
        ),
    ]
    rows = []
    for family, system, ends in lines:
        row: dict[str, object] = {
            "family": Cell(family.label, sub=family.tasks[0].source_ids[0]),
            "system": device.short(system),
            "ran": _ran(family, system, ends),
        }
        rows.append(row | {end: _ended(family, system, ends.get(end, [])) for end in seen})
    return Table(
        columns,
        rows,
        caption="Coverage: how the cell of each task ended",
        filterable=len(rows) > 12,
        fold=True,
    )


def coverage_words(device: Device, families: Sequence[Family]) -> str:
    """``21 of 24 tasks have a figure; 2 out of memory, 1 not run.``, over all systems of the device."""
    counts: dict[str, int] = defaultdict(int)
    for family in families:
        for system in device.systems:
            for end, tasks in _ends(family, system).items():
                counts[end] += len(tasks)
    total, good = sum(counts.values()), counts[blanks.STATUS_WORDS["ok"]]
    others = ", ".join(f"{counts[end]:,} {end.partition(':')[0]}" for end in ENDS if counts[end])
    said = f"{good:,} of {figures.plural(total, 'task')} {'has' if good == 1 else 'have'} a figure"
    return f"{said}; {others}." if others else f"{said}."


def _ends(family: Family, system: System) -> dict[str, list[Task]]:
    found: dict[str, list[Task]] = defaultdict(list)
    for task in family.tasks:
        result = task.of(system.key)
        found[words.missing(task, system).reason if result is None else words.status_words(result)].append(
            task
        )
    return found


def _ran(family: Family, system: System, ends: dict[str, list[Task]]) -> Cell | Blank:
    good, total = ends.get(blanks.STATUS_WORDS["ok"], []), len(family.tasks)
    if not any(family.tasks[0] is t or t.of(system.key) for t in family.tasks):
        return Blank(blanks.NOT_RUN)
    return Cell(
        meter(len(good) / total, f"{len(good)} of {total}"),
        sort=len(good) / total,
        tone="" if good else "bad",
        provenance=Provenance(_results(family.tasks, system), "ends"),
    )


def _ended(family: Family, system: System, tasks: Sequence[Task]) -> Cell | Blank:
    if not tasks:
        return Blank("–")
    named = [extent_label(task, family.tasks) for task in tasks[:NAMED]] if len(family.tasks) > 1 else []
    more = len(tasks) - len(named)
    sub = "; ".join(named) + (f"; and {more} more" if named and more else "")
    return Cell(
        len(tasks), sort=float(len(tasks)), sub=sub, provenance=Provenance(_results(tasks, system), "ends")
    )


def _results(tasks: Sequence[Task], system: System) -> tuple[Result, ...]:
    """A few of the rows that were counted."""
    found = (task.of(system.key) for task in tasks)
    return tuple(result for result in found if result is not None)[:NAMED]
