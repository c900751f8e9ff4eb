"""What a piece of work took beside the least that its device needs: pictures and a table."""

from __future__ import annotations

from guide.charts import Chart
from guide.charts.bars import Bar, bars
from guide.charts.roofline import Roof, Spot, roofline
from guide.evidence import Evidence
from guide.explain.cases import Case
from guide.explain.claims import Num, Words, span
from guide.explain.shares import share_cell, share_words
from guide.explain.work import Least, Work, least, members, share_of, work_of
from guide.model import Result, Task
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell, vendor_key

#: What one unit of the work is called, by the unit of its rate.
UNITS = {"articles/s": "One article", "samples/s": "One sample", "tokens/s": "One token"}


def work_words(work: Work) -> str:
    parts = [figures.si(work.flops, "FLOP")] if work.flops else []
    parts += [f"{figures.si(work.traffic, 'B')} of memory traffic"] if work.traffic else []
    return " and ".join(parts)


def least_words(found: Least) -> str:
    if found.one:
        return figures.duration(found.low_s)
    return f"{figures.duration(found.low_s)} to {figures.duration(found.high_s)}"


def least_num(found: Least, result: Result) -> Words:
    """The least time as a figure of a sentence."""
    origin = Provenance((result.system,), "least")
    return span(*(Num(value, "duration", origin=origin) for value in (found.low_s, found.high_s)))


def times(case: Case, evidence: Evidence) -> Chart | None:
    """What each took beside the least that its roofline allows: bars from zero."""
    records = []
    for result in (case.strong, case.weak):
        floor = least(case.work, result.system, evidence)
        if floor is None or not result.rate:
            return None
        took, ends = 1 / result.rate, result.interval
        records.append(
            Bar(f"{result.system.label}: took", took * 1e3,
                1e3 / ends.high if ends else None, 1e3 / ends.low if ends else None,
                vendor=vendor_key(result.system), shown=figures.duration(took),
                origin=Provenance((result,)))
        )  # fmt: skip
        records.append(
            Bar(f"{result.system.label}: at least", floor.high_s * 1e3, vendor=vendor_key(result.system),
                hollow=True, shown=least_words(floor), origin=Provenance((result.system,), "least"))
        )  # fmt: skip
    return bars(
        records,
        title=f"Time a unit of work, and the least that is possible: {case.task.short_label}",
        unit="ms",
        what="Time taken and least time",
        caption="Outlined bars: the roofline, from the catalog; of a family of cards, its slowest member’s.",
    )


def picture(case: Case, evidence: Evidence) -> Chart | None:
    """Both rooflines, and every task that both ran in the same type and whose work is known."""
    if case.work.intensity is None:
        return None
    roofs = _roofs(case, evidence)
    spots = []
    for task in evidence.tasks:
        work = work_of(task) if task.source_ids == case.task.source_ids else None
        if work is None or work.intensity is None or work.dtype != case.work.dtype:
            continue
        a, b = task.of(case.strong.system.key), task.of(case.weak.system.key)
        shares = [(r, share_of(task, r, evidence)) for r in (a, b) if r is not None]
        if not a or not b or not a.rate or not b.rate or any(share is None for _, share in shares):
            continue
        told = "; ".join(f"{r.system.label} {share_words(s)}" for r, s in shares if s)
        middle = (a.rate * b.rate) ** 0.5 * (work.flops or 0)
        spots.append(
            Spot(
                task.short_label,
                work.intensity,
                middle,
                shares[0][1].bound if shares[0][1] else "",
                told,
                Provenance((a, b), "reached"),
            )
        )
    if not roofs or not spots:
        return None
    return roofline(
        roofs,
        spots,
        title=f"Where the work stands below both roofs, {case.work.dtype.upper()}",
        caption="Each mark is a job, between the rates of the two cards, which lie too near to tell apart "
        "here. Both axes are logarithmic.",
    )


def _roofs(case: Case, evidence: Evidence) -> list[Roof]:
    """One roof a card; of a family, its slowest and its fastest member in memory."""
    roofs = []
    for result in (case.weak, case.strong):
        found = sorted(members(result.system, evidence), key=lambda d: (d.bandwidth_gb_s or 0, d.device_id))
        for device in found if len(found) < 3 else (found[0], found[-1]):
            peak = device.peak_flops(case.work.dtype)
            if peak is None or device.bandwidth_gb_s is None:
                return []
            roofs.append(Roof(device.name, peak, device.bandwidth_gb_s * 1e9))
    return roofs


def table(task: Task, work: Work, evidence: Evidence) -> Table:
    """All single devices of the task: rate, time, least time, share."""
    rows = []
    for standing in task.standings:
        result = standing.result
        if result.system.count != 1 or result.rate is None:
            continue
        floor, share = least(work, result.system, evidence), share_of(task, result, evidence)
        rows.append(
            {
                "system": system_cell(result.system),
                "rate": words.rate_cell(result),
                "took": Cell(
                    figures.duration(1 / result.rate), sort=1 / result.rate, provenance=Provenance((result,))
                ),
                "least": _least_cell(floor, result),
                "share": share_cell(share, result),
            }
        )
    columns = [
        Column("system", "Device"),
        Column("rate", "Rate", words.header_unit(task.unit), "number"),
        Column("took", "Time a unit", kind="number"),
        Column(
            "least",
            "At least",
            kind="number",
            help="The roofline: what arithmetic and memory allow, and which of them sets it",
        ),
        Column("share", "Of what is possible", kind="number", help="Least time ÷ time taken"),
    ]
    return Table(columns, rows, caption=f"Taken and possible: {task.short_label}", fold=True)


def _least_cell(floor: Least | None, result: Result) -> Cell | Blank:
    if floor is None:
        return Blank("not in the catalog")
    origin = Provenance((result.system,), "least")
    return Cell(least_words(floor), floor.low_s, f"by {floor.bound}", provenance=origin)
