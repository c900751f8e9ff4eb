"""Commands that pages print: what would measure a question, what would add a price.

A test holds each of them against the command line's own options.
"""

from __future__ import annotations

import shlex

from guide.model import System
from guide.scenarios import Question

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
        if any(wanted.matches(cell.columns()) for cell in workload.cells(suite, "cuda")):
            return f"bench collect --suite {suite} --workload {workload.name}"
    return IMPORT


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
