"""What one origin has measured of a workload, in parts that a page can bear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guide import paths
from guide.analysis.tasks import called
from guide.charts import Chart
from guide.evidence import Evidence
from guide.model import Task
from guide.show import figures
from guide.show.sentences import Sentence
from guide.show.tables import Provenance, Table
from guide.views import families as fam
from guide.views import words
from guide.views.extents import batch_by_length, family_table, figures_table, rates_over_length
from guide.views.speedups import speedup_bars, standings_table

#: Families that an origin's first page shows in full, with pictures.
MAX_FAMILIES = 8
#: Families on each further page (tables only), and how many further pages there may be.
FAMILIES_A_PART, MAX_PARTS = 12, 4


@dataclass(frozen=True)
class FamilyView:
    """A family as the template places it."""

    label: str
    anchor: str
    charts: tuple[Chart, ...]
    table: Table | None


@dataclass(frozen=True)
class Part:
    """A further page: its path, and the places (from 1) of its first and last family."""

    path: str
    first: int
    last: int
    families: tuple[fam.Family, ...]


@dataclass(frozen=True)
class GroupView:
    """One origin: its headline task, then its families; ``parts`` are further pages with more of them.

    ``more`` families are in the downloads only. ``page`` is where its figures begin.
    """

    group: fam.Group
    anchor: str
    headline: Task
    bars: Chart | None
    standings: Table | None
    alone: str
    figures: Table | None
    flags: str
    families: tuple[FamilyView, ...]
    page: str
    parts: tuple[Part, ...]
    more: int
    oldest: str
    days: str
    note: str


def anchor(group: fam.Group) -> str:
    """The fragment of the origin's section on its workload's page."""
    return f"origin-{fam.anchor(group.key)}"


def page_of(evidence: Evidence, task: Task) -> str:
    """The page that shows the task: its workload's, or its source's where the workload has many origins."""
    if fam.is_own(task) or task.workload in evidence.single_origin:
        return paths.workload(task.workload)
    return paths.workload_source(task.workload, task.source_ids[0])


def group_view(evidence: Evidence, workload: str, group: fam.Group) -> GroupView:
    """All that an origin's page shows."""
    sources = evidence.sources
    alone = ""
    compared = group.systems > 1
    rows = [row for task in group.tasks for result in fam.results(task) for row in result.rows]
    if not compared and any(t.standings for t in group.tasks):
        only = next(s.result.system.label for t in group.tasks for s in t.standings)
        alone = (
            f"Only {only} has run this here, so there is nothing to compare it with. Its own figures "
            "follow, and how near each comes to what the machine can do."
        )
    # A group with a single task is told by its headline.
    shown = group.families[:MAX_FAMILIES] if len(group.tasks) > 1 else ()
    views = [family_view(evidence, family, compared) for family in shown]
    parts = _parts(workload, group) if compared else ()
    moments = [row["recorded_at"] for row in rows]
    days = [figures.day(min(moments)), figures.day(max(moments))]
    return GroupView(
        group=group,
        anchor=anchor(group),
        headline=group.headline,
        bars=speedup_bars(group.headline) if compared else None,
        standings=standings_table(group.headline, sources) if compared else None,
        alone=alone,
        families=tuple(v for v in views if v.charts or v.table),
        figures=None if compared else figures_table(group.families, sources),
        page=page_of(evidence, group.headline),
        parts=parts,
        more=max(0, len(group.families) - (parts[-1].last if parts else MAX_FAMILIES)) if compared else 0,
        flags=_common(group),
        oldest=days[0],
        days=" to ".join(dict.fromkeys(days)),
        note=(group.source.note or "") if group.source else "",
    )


def _parts(workload: str, group: fam.Group) -> tuple[Part, ...]:
    ends = range(MAX_FAMILIES, len(group.families), FAMILIES_A_PART)
    return tuple(
        Part(
            paths.workload_source(workload, group.key, number),
            first + 1,
            min(first + FAMILIES_A_PART, len(group.families)),
            group.families[first : first + FAMILIES_A_PART],
        )
        for number, first in enumerate(ends[:MAX_PARTS], start=2)
    )


def _common(group: fam.Group) -> str:
    """The flag that nearly all rows of published tables carry, said once."""
    found = {f for task in group.tasks for s in task.standings for f in s.result.flags}
    return words.flag_words([words.COMMON_FLAG])[0] if words.COMMON_FLAG in found else ""


def family_view(evidence: Evidence, family: fam.Family, compared: bool, pictures: bool = True) -> FamilyView:
    """With one system there is a table for the whole group, so that a family has pictures only."""
    drawn = (rates_over_length(family), batch_by_length(family)) if pictures else ()
    return FamilyView(
        label=family.label,
        anchor=fam.anchor(f"{family.tasks[0].source_ids[0]}-{family.label}-{family.headline.key[:6]}"),
        charts=tuple(c for c in drawn if c is not None),
        table=family_table(family, evidence.sources) if compared else None,
    )


def headline_told(task: Task) -> Sentence:
    """``headline_sentence``, its figures with what they rest on."""
    text = headline_sentence(task)
    if not task.standings:
        return Sentence(text)
    best, base = task.standings[0].result, task.reference.result if task.reference else None
    rate = words.provenance(best)
    shown = words.rate_words(best.rate or 0.0, task.unit)
    return Sentence(text, Provenance((best, base), "ratio"), {shown: rate, shown.split(" ")[0]: rate})


def headline_sentence(task: Task) -> str:
    """``Fastest on Llama 3 8B, decode: NVIDIA H100, 104 tokens/s, ×9.1 over …``, with how many tie."""
    if not task.standings:
        return ""
    best = task.standings[0]
    unit = words.header_unit(task.unit)
    rate = f"{words.rate_words(best.result.rate or 0.0, task.unit)} {unit}".strip()
    if len(task.standings) == 1 or task.reference is None:
        return f"{task.short_label}: {best.result.system.label}, {rate}."
    tied = sum(s.tier == 1 for s in task.standings) - 1
    along = f" (tied with {figures.plural(tied, 'other')})" if tied else ""
    over = f", {figures.ratio(best.speedup.value)} over {called(task.reference.result)}"
    return f"Fastest on {task.short_label}: {best.result.system.label}{along}, {rate}{over}."


def by_place(groups: Sequence[fam.Group]) -> tuple[fam.Group | None, tuple[fam.Group, ...]]:
    """The group that the workload's own page shows in full, or None, and those with pages of their own.

    That is what this project measured, and else the only source.
    """
    if len(groups) == 1:
        return groups[0], ()
    own = next((g for g in groups if g.measured), None)
    return own, tuple(g for g in groups if not g.measured)
