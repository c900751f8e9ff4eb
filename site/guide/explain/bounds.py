"""What limited the work where this project's collector measured it."""

from __future__ import annotations

from bench.measure.gate import SLOW
from guide.analysis.labels import is_one_stream
from guide.analysis.tasks import is_cpu
from guide.evidence import Evidence
from guide.explain.claims import Claim, Num, Section, claim, span, unknown
from guide.explain.shares import share_cell
from guide.explain.work import share_of
from guide.model import Result, Task
from guide.show import figures
from guide.show.tables import Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell
from guide.views.families import is_own
from guide.views.origins import page_of

COMMAND = "bench collect --suite article --workload summarize"
MAX_BOUNDS = 24


def section(evidence: Evidence) -> Section:
    """What limited the work where this project's collector measured it."""
    every = _limited(evidence)
    cards = [(task, result) for task, result in every if not is_cpu(result.system)]
    found = cards or every
    told = []
    for one, label in ((True, "one sequence at a time"), (False, "several sequences together")):
        chosen = [r for t, r in found if is_one_stream(t.columns) is one]
        if chosen:
            told.append(_bounds_claim(chosen, label))
    if not told:
        told = [unknown("We do not know yet what limits this work on a machine that we measured ourselves.")]
    elif not cards:
        told.append(
            unknown(
                "All of these ran on processors: what limits a graphics card that we measured ourselves, no "
                "row of the store says."
            )
        )
    table = [_bounds_table(found, evidence)] if found else []
    return Section(
        heading="What limits it, where we measured",
        anchor="measured",
        intro="A run of the collector probes the machine’s own ceilings first and then says of each result "
        f"what limited it: compute, memory, or, below {figures.percent(SLOW)} of both, the overhead around "
        "them.",
        claims=told,
        tables=table,
        command=COMMAND,
        command_for="The article’s own job, with the limit of each result",
    )


def _limited(evidence: Evidence) -> list[tuple[Task, Result]]:
    """Results of the collector's own work whose limit is known."""
    return [
        (task, standing.result)
        for task in evidence.tasks
        if is_own(task) and task.workload != "probe"
        for standing in task.standings
        if standing.result.bound and standing.result.efficiency is not None
    ]


def of_cards(evidence: Evidence, task: Task) -> list[Result]:
    """What was measured here on cards of the same kind of job: workload, model, and one sequence or many."""
    return [
        result
        for own, result in _limited(evidence)
        if not is_cpu(result.system)
        and (own.workload, own.model) == (task.workload, task.model)
        and is_one_stream(own.columns) is is_one_stream(task.columns)
    ]


def _bounds_claim(results: list[Result], label: str) -> Claim:
    counts = {bound: sum(r.bound == bound for r in results) for bound in ("overhead", "memory", "compute")}
    told = ", ".join(f"{n} by {bound}" for bound, n in counts.items() if n)
    shares = sorted(
        ((r.efficiency, r) for r in results if r.efficiency is not None),
        key=lambda s: (s[0], s[1].rows[0]["task_key"], s[1].system.key),
    )
    least, most = (Num(value, "percent", origin=Provenance((r,))) for value, r in (shares[0], shares[-1]))
    return claim(
        "Measured here with {label}: {n}, limited {told}; at {shares} of the machine’s own roofline.",
        label=label,
        n=figures.plural(len(results), "result"),
        told=told,
        shares=span(least, most),
    )


def _bounds_table(found: list[tuple[Task, Result]], evidence: Evidence) -> Table:
    ordered = sorted(found, key=lambda f: (f[1].efficiency or 0, f[0].label, f[1].system.key))
    rows = [
        {
            "task": Cell(task.short_label, link=page_of(evidence, task)),
            "system": system_cell(result.system),
            "rate": words.rate_cell(result, sub=words.header_unit(task.unit)),
            "share": share_cell(share_of(task, result, evidence), result),
            "bound": Cell(result.bound or "", provenance=Provenance((result,))),
        }
        for task, result in ordered[:MAX_BOUNDS]
    ]
    columns = [
        Column("task", "Task"),
        Column("system", "Device"),
        Column("rate", "Rate", kind="number"),
        Column("share", "Of its roofline", kind="number"),
        Column("bound", "Limited by"),
    ]
    more = f", the {MAX_BOUNDS} farthest from it of {len(found)}" if len(found) > MAX_BOUNDS else ""
    return Table(columns, rows, caption=f"Measured against the machine’s own roofline{more}", fold=True)
