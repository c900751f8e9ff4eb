"""Pairs of cards that the roofline sets apart: which of them practice sets apart as well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.measure.gate import SLOW
from guide.analysis.findings import CLOSE, ON_PAPER, single_pairs, sound
from guide.analysis.labels import is_one_stream
from guide.analysis.ratios import ratio
from guide.evidence import Evidence
from guide.explain.work import Share, Work, least, paper_ratio, share_of, work_of
from guide.model import Ratio, Result, Task

#: Work that goes token by token: between its many small operations a device waits for the next one.
SMALL_STEPS = ("summarize", "decode")


@dataclass(frozen=True)
class Case:
    """Two devices on one task: what the roofline allows the stronger one (``paper``, least and most) and what
    came of it (``found``)."""

    task: Task
    work: Work
    strong: Result
    weak: Result
    paper: tuple[float, float]
    found: Ratio
    shares: tuple[Share, Share]

    @property
    def hidden(self) -> bool:
        """Whether the difference on paper hardly shows (one that turns round is another question)."""
        return 1 <= self.found.value <= CLOSE

    @property
    def idle(self) -> bool:
        """Whether neither comes near what it can do."""
        return all(share.high < SLOW for share in self.shares)

    @property
    def launch_bound(self) -> bool:
        """Whether launching holds both: work in small steps, of which neither comes near what it can do."""
        return self.idle and self.task.workload in SMALL_STEPS and is_one_stream(self.task.columns)


def cases(evidence: Evidence) -> list[Case]:
    """Every pair of one maker's devices of which one allows at least ``ON_PAPER`` times the rate on a task;
    the most telling hidden ones first."""
    found = [case for task in evidence.tasks for case in _cases(task, evidence)]
    return sorted(found, key=_order)


def _order(case: Case) -> tuple[object, ...]:
    surprise = case.paper[0] / case.found.value
    keys = (case.task.key, case.strong.system.key, case.weak.system.key)
    return not case.hidden, not case.launch_bound, -surprise, *keys


def _cases(task: Task, evidence: Evidence) -> Iterator[Case]:
    work = work_of(task) if len(task.standings) > 1 else None
    if work is None:
        return
    results = [r for r in sound(task) if r.system.vendor is not None]
    known = {
        r.system.key: (least(work, r.system, evidence), share_of(task, r, evidence, work)) for r in results
    }
    for strong, weak in single_pairs(results):
        if strong.system.vendor != weak.system.vendor:
            continue  # across makers the software would be compared
        (a, share), (b, other) = known[strong.system.key], known[weak.system.key]
        if a is None or b is None or share is None or other is None:
            continue
        paper = paper_ratio(a, b)
        found = ratio(strong, weak) if paper[0] >= ON_PAPER else None
        if found is not None:
            yield Case(task, work, strong, weak, paper, found, (share, other))
