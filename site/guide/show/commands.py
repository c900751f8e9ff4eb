"""Commands that pages print: what would measure a question, what would add a price.

A test holds each of them against the command line's own options.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import cache

from bench.schema import TASK_FIELDS, Row
from guide.decide.scenarios import Question
from guide.model import Price, System

#: Suites from the quickest to the longest.
SUITES = ("quick", "standard", "article", "full")
#: What stands for results of another tool.
IMPORT = "bench import results.json"


def measure(question: Question) -> str:
    """The collector's shortest suite that holds a cell of the question's first task; where none does (its
    types of weights are other tools' own), the import of such a tool's results."""
    from bench.workloads import WORKLOADS

    wanted = question.tasks[0]
    workload = WORKLOADS.get(str(dict(wanted.columns)["workload"]))
    for suite in SUITES if workload else ():
        if any(map(wanted.matches, _cells(workload.name, suite))):
            return f"bench collect --suite {suite} --workload {workload.name}"
    return IMPORT


@cache
def _cells(workload: str, suite: str) -> tuple[Row, ...]:
    """The columns of a workload's cells in a suite."""
    from bench.workloads import WORKLOADS

    return tuple(cell.columns() for cell in WORKLOADS[workload].cells(suite, "cuda"))


def add_price(system: System, route: str) -> str:
    """The command that adds a price of one such device; the amount, day and source are the reader's."""
    whole = system.form in ("soc", "laptop")
    kinds = {
        "buy-new": ("new", "system"),
        "buy-used": ("used", "system-used"),
        "rent": ("rent-on-demand",) * 2,
    }
    name = shlex.quote(system.device_id or system.name)
    return f"bench prices add {name} --kind {kinds[route][whole]} --usd AMOUNT --on YYYY-MM-DD --source LINK"


def reproduce(row: Row) -> str:
    """The command that measures a row's cell again: the shortest suite that holds it. Where no suite of this
    version holds the cell, the largest one is named. For a row that was imported, the import of its file;
    empty for one of a published table, which only its source can repeat."""
    if row["source_id"].startswith("import:"):
        file, _, _ = (row["source_locator"] or "results").partition(", ")
        return f"bench import {shlex.quote(file)}"
    if row["origin"] != "measured":
        return ""
    suite = _suites().get(_asked(row), SUITES[-1])
    command = f"bench collect --suite {suite} --workload {row['workload']}"
    if row["weights"] == "pretrained":
        command += " --weights pretrained"
    if row["execution"] not in (None, "eager"):
        command += f" --execution {row['execution']}"
    return command


#: What is asked for in a cell, but for the ways of running it that are options of the command.
_ASKED = tuple(
    name for name in TASK_FIELDS if name not in ("weights", "execution", "protocol", "method_version")
)


def _asked(columns: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(columns.get(name) for name in _ASKED)


@cache
def _suites() -> Mapping[tuple[object, ...], str]:
    """What is asked for -> the shortest suite with such a cell, on any kind of device."""
    from bench.devices import KINDS
    from bench.workloads import WORKLOADS

    found: dict[tuple[object, ...], str] = {}
    for suite in SUITES:
        for kind in KINDS:
            for workload in WORKLOADS.values():
                for cell in workload.cells(suite, kind):
                    found.setdefault(_asked(cell.columns()), suite)
    return found


def price_of(price: Price) -> str:
    """The command that shows the offers behind a price."""
    return f"bench prices show {shlex.quote(price.candidates[0])}" if price.candidates else ""
