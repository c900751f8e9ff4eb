"""What batching does: the same work with more sequences at once, and how far apart two devices are then."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bench.compare import compare
from bench.schema import TASK_FIELDS
from guide.analysis.findings import sound
from guide.charts import Chart
from guide.charts.lines import MAX_SERIES, Sample, lines
from guide.evidence import Evidence
from guide.explain import distance
from guide.explain.claims import Claim, Num, Section, claim, ends, unknown
from guide.model import Result, Task
from guide.show import figures
from guide.show.tables import Provenance
from guide.views import words
from guide.views.families import is_own
from guide.views.matchable import lines_of
from guide.views.origins import page_of

COMMAND = "bench collect --suite standard --workload summarize --workload decode"
#: Ladders that are told.
MAX_LADDERS = 4
#: What a task's label says of the batch.
_BATCH = re.compile(r", (one stream|batch \d+|\d+ sequences)\b")


@dataclass(frozen=True)
class Ladder:
    """Tasks that differ in the batch alone, smallest first."""

    tasks: tuple[Task, ...]

    @property
    def first(self) -> Task:
        """The task with the smallest batch."""
        return self.tasks[0]

    def batches(self) -> tuple[int, ...]:
        """Sequences together, of each task."""
        return tuple(task.columns["batch"] or 1 for task in self.tasks)

    @property
    def label(self) -> str:
        """``Llama 3 8B, decode, 512 tokens``: without the batch."""
        return _BATCH.sub("", self.first.short_label)

    def systems(self) -> dict[str, list[tuple[int, Result]]]:
        """Key of a single device -> (batch, result) of each batch that it has a sound rate on."""
        found: dict[str, list[tuple[int, Result]]] = {}
        for task in self.tasks:
            for result in sound(task):
                if result.system.count > 1:
                    continue
                found.setdefault(result.system.key, []).append((task.columns["batch"] or 1, result))
        return {key: points for key, points in sorted(found.items()) if len(points) > 1}


def ladders(tasks: Iterable[Task]) -> list[Ladder]:
    """All ladders from one sequence on that a system has climbed: those of this project's collector first,
    then those with most systems and steps."""
    by_rest: dict[tuple[object, ...], list[Task]] = {}
    for task in tasks:
        if task.model and task.workload != "finetune" and task.columns["batch"]:
            rest = tuple(task.columns[name] for name in TASK_FIELDS if name != "batch")
            by_rest.setdefault((*rest, task.source_ids[0]), []).append(task)
    found = [
        Ladder(tuple(sorted(members, key=lambda t: (t.columns["batch"], t.key))))
        for members in by_rest.values()
        if len(members) > 1 and any(t.columns["batch"] == 1 for t in members)
    ]
    found = [ladder for ladder in found if _from_one(ladder)]
    return sorted(found, key=_order)


def _from_one(ladder: Ladder) -> list[list[tuple[int, Result]]]:
    return [points for points in ladder.systems().values() if points[0][0] == 1]


def _order(ladder: Ladder) -> tuple[object, ...]:
    climbed = _from_one(ladder)
    return not is_own(ladder.first), -len(climbed), -max(map(len, climbed)), ladder.label, ladder.first.key


def section(evidence: Evidence, lead: Task | None) -> Section:
    """What batching does, on the lead's own work first where somebody measured that."""
    found = ladders(evidence.tasks)
    chosen = _chosen(found, lead)
    told: list[Claim] = []
    if lead is not None and not any(_same(ladder.first, lead) for ladder in found):
        told.append(
            unknown(
                f"What {lead.short_label.split(',')[0]} gains from batching we do not know yet: no row runs "
                "it in batches."
            )
        )
    told += [c for ladder in chosen for c in _gain_claims(ladder, evidence)]
    apart = distance.by_origin(found, evidence)
    told += [distance.told(distances, evidence) for distances in apart]
    if not found:
        told = [
            unknown("We do not know yet: no row of the store runs the same work one at a time and batched.")
        ]
    charts = [chart for ladder in chosen[:2] if (chart := _chart(ladder)) is not None]
    tables = [distance.table(distances) for distances in apart]
    return Section(
        heading="What batching does",
        anchor="batching",
        intro="Several sequences together share each launch and each reading of the weights: the work "
        "grows, the overhead does not. Whether that parts two cards which one at a time did not, rows tell.",
        claims=told,
        charts=charts,
        tables=tables[:2],
        command=COMMAND,
        command_for="The same work with 1, 8 and 32 sequences",
    )


def _same(task: Task, lead: Task) -> bool:
    return task.workload == lead.workload and task.model == lead.model


def _chosen(found: Sequence[Ladder], lead: Task | None) -> list[Ladder]:
    """The lead's own ladder, then the best of each origin."""
    chosen: list[Ladder] = [ladder for ladder in found if lead is not None and _same(ladder.first, lead)][:1]
    seen = {ladder.first.source_ids[0] for ladder in chosen}
    for ladder in found:
        if ladder.first.source_ids[0] not in seen:
            seen.add(ladder.first.source_ids[0])
            chosen.append(ladder)
    return chosen[:MAX_LADDERS]


@dataclass(frozen=True)
class Gain:
    """What ``batch`` sequences together do over one at a time, on one system."""

    many: Result
    batch: int
    figure: Num


def gains(ladder: Ladder) -> list[Gain]:
    """The gain of each system at its largest batch, the smallest gain first."""
    found = []
    for points in _from_one(ladder):
        (_, one), (batch, many) = points[0], points[-1]
        for pair in compare(one.rows, many.rows, across=("batch",), system_of=lambda row: "").pairs:
            if pair.ratio is not None:
                origin = Provenance((many, one), "batch")
                figure = Num(pair.ratio, "ratio", interval=ends(pair.interval), origin=origin)
                found.append(Gain(many, batch, figure))
    return sorted(found, key=lambda g: (g.figure.value, g.many.system.key))


def _gain_claims(ladder: Ladder, evidence: Evidence) -> list[Claim]:
    found = gains(ladder)
    if not found:
        return []
    least, most = found[0], found[-1]
    page = page_of(evidence, ladder.first)
    if len(found) == 1:
        return [
            claim(
                "{label}: {batch} sequences together do {gain} the work of one at a time on {system}.",
                label=ladder.label, batch=most.batch, gain=most.figure, system=most.many.system.label,
                page=page,
            )
        ]  # fmt: skip
    return [
        claim(
            "{label}: over one at a time {n} gain from {least} ({least_on}, {least_batch} together) to "
            "{most} ({most_on}, {most_batch} together).",
            label=ladder.label, n=figures.plural(len(found), "system"), least=least.figure,
            least_on=least.many.system.label, least_batch=least.batch, most=most.figure,
            most_on=most.many.system.label, most_batch=most.batch, page=page,
        )
    ]  # fmt: skip


def _chart(ladder: Ladder) -> Chart | None:
    """Rate over the batch, for the systems with most steps."""
    systems = [points for points in _from_one(ladder) if len(points) > 2]
    systems.sort(key=lambda p: (-len(p), -(p[-1][1].rate or 0), p[0][1].system.key))
    if not systems:
        return None
    samples = [
        Sample(
            points[0][1].system.label, batch, result.rate or 0.0,
            result.interval.low if result.interval else None, result.interval.high if result.interval else
            None, Provenance((result,)),
        )
        for points in systems[:MAX_SERIES]
        for batch, result in points
    ]  # fmt: skip
    left = len(systems) - MAX_SERIES
    drawn = lines(
        samples,
        title=f"Rate over sequences together: {ladder.label}",
        x_title="Sequences together",
        y_title=words.header_unit(ladder.first.unit) or (ladder.first.unit or ""),
        caption=f"The {MAX_SERIES} systems with most steps of {len(systems)}." if left > 0 else "",
    )
    return replace(drawn, own=lines_of((float(task.columns["batch"] or 1), task) for task in ladder.tasks))
