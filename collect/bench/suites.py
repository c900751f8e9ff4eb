"""The suites: how exactly, and for how long, cells are measured. Which cells, each workload says itself.

Adding a suite is one entry here, and cells for it in the workloads that take part.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.errors import unknown


@dataclass(frozen=True)
class Suite:
    """``target`` is the half-width of the 95 % interval that is aimed at, relative to the median;
    ``cell_budget_s`` ends a cell's repetitions when the target is not reached, after ``min_samples`` all
    the same; ``timeout_s`` is the time after which a cell, building its model included, is given up.
    ``processes`` measure each cell one after the other and share its budget; ``min_samples`` and
    ``timeout_s`` hold for each of them. With one, a row's interval says nothing of how much processes differ.
    ``whole_job`` runs a job of known size (100 articles, 5 epochs) to its end if the budget allows, even
    when the interval is narrow before that: its time is then seen, not scaled up.
    """

    name: str
    what: str
    target: float
    cell_budget_s: float
    timeout_s: float
    min_samples: int = 3
    processes: int = 1
    whole_job: bool = False
    hidden: bool = False


SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite(
            "quick",
            "A first look in minutes: one or two cells of each workload, interval within 5 %",
            target=0.05,
            cell_budget_s=15,
            timeout_s=300,
        ),
        Suite(
            "standard",
            "What the guide compares devices by: the usual batches, lengths and types, interval within 1 %",
            target=0.01,
            cell_budget_s=30,
            timeout_s=900,
        ),
        Suite(
            "article",
            "The first founding article's own settings, as published",
            target=0.01,
            cell_budget_s=300,
            timeout_s=3600,
            whole_job=True,
        ),
        Suite(
            "full",
            "Every batch, length, type and model that the device can hold, each cell in three processes",
            target=0.01,
            cell_budget_s=60,
            timeout_s=3600,
            min_samples=5,
            processes=3,
        ),
        Suite(
            "tiny",
            "Miniature shapes in seconds, to see that everything works; its figures mean nothing",
            target=0.5,
            cell_budget_s=0.1,
            timeout_s=120,
            hidden=True,
        ),
    )
}


def get_suite(name: str) -> Suite:
    """The suite of that name. Raises ``UsageError`` with the nearest name."""
    if name not in SUITES:
        raise unknown("suite", name, [s.name for s in SUITES.values() if not s.hidden])
    return SUITES[name]
