"""Which tasks a reader's own file can hold a figure of, and what a table or chart says to take it in.

``assets/js/own/tables.js`` and ``charts.js`` read what is made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from guide.model import Task
from guide.views.families import is_own
from guide.views.llama_tests import is_llama, test_of

#: Beginning of the protocols under which files of other tools are imported.
IMPORTED = "import/"


def matchable(task: Task) -> bool:
    """Whether a reader's file can hold a figure of this very task."""
    protocol = str(task.columns["protocol"])
    if not task.standings or "/alone/" in protocol:
        return False
    if is_own(task) or protocol.startswith(IMPORTED):
        return True
    return is_llama(task.columns) and test_of(task, {}) is not None


def key_of(task: Task) -> str:
    """The task's key where a reader's machine can appear beside the others, else nothing."""
    return task.key if matchable(task) else ""


def on_task(task: Task, *, job: bool = False) -> dict[str, Any]:
    """For a table of systems on the task; ``job`` when it shows the time of the whole job, not the rate."""
    found: dict[str, Any] = {"tasks": [[task.key, 1]]} if matchable(task) else {}
    return found | ({"job": True} if found and job else {})


def bars_of(task: Task) -> dict[str, Any]:
    """For bars of the speedup over the task's reference."""
    found = on_task(task)
    return {"kind": "bars"} | found if found else {}


def rates_of(task: Task) -> dict[str, Any]:
    """For bars of the rate itself."""
    found = bars_of(task)
    return found | {"first": "rate"} if found else {}


def counts_of(task: Task) -> dict[str, Any]:
    """For lines of the rate over the number of devices: the machine stands at its own number."""
    found = on_task(task)
    return {"kind": "count"} | found if found else {}


def tiles_of(tasks: Iterable[tuple[int, int, Task]]) -> dict[str, Any]:
    """For a heat map: ``tasks`` are its cells, by their place across and up."""
    points = [[x, y, task.key] for x, y, task in tasks if matchable(task)]
    return {"kind": "tiles", "points": points} if points else {}


def ran(columns: Iterable[tuple[str, Iterable[Task]]]) -> dict[str, Any]:
    """For a table of what ran: its columns by key, each with the tasks that it is about."""
    found = {key: [task.key for task in tasks if matchable(task)] for key, tasks in columns}
    found = {key: keys for key, keys in found.items() if keys}
    return {"ran": found} if found else {}


def lines_of(tasks: Iterable[tuple[float, Task]]) -> dict[str, Any]:
    """For lines of rates over a length: ``tasks`` are its points, by their place on the axis."""
    points = [[x, task.key] for x, task in tasks if matchable(task)]
    return {"kind": "lines", "points": points} if points else {}


def together(tasks: Sequence[tuple[float, Task]], over: str, *, ratio_first: bool) -> dict[str, Any]:
    """For a table or a plane of speeds on one task or several: ``tasks`` with their weights, the most telling
    first, ``over`` the system that speeds are over. Nothing where one of them cannot be in a file."""
    if not tasks or not all(matchable(task) for _, task in tasks):
        return {}
    weighted = [[task.key, weight] for weight, task in tasks]
    return {"kind": "level", "tasks": weighted, "over": over, "first": "ratio" if ratio_first else "rate"}
