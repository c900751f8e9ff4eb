"""Workloads: an index, and one page each with the tasks of each origin: bars, lines, heat maps, tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bench.workloads import WORKLOADS
from guide import figures, paths
from guide.charts import Chart
from guide.context import Context
from guide.labels import WORDS
from guide.model import Task
from guide.pages.base import Page
from guide.site_files import SiteFile
from guide.tables import Blank, Cell, Column, Table
from guide.views import families as fam
from guide.views import words
from guide.views.extents import batch_by_length, family_table, figures_table, rates_over_length
from guide.views.speedups import speedup_bars, standings_table

#: Families of one origin that are shown in full; the rest is counted and in the downloads.
MAX_FAMILIES = 8


@dataclass(frozen=True)
class FamilyView:
    """A family as the template places it; ``headline`` is set unless the group's headline showed it."""

    label: str
    anchor: str
    charts: tuple[Chart, ...]
    table: Table | None


@dataclass(frozen=True)
class GroupView:
    """One origin: its headline task, then its families."""

    group: fam.Group
    anchor: str
    headline: Task
    bars: Chart | None
    standings: Table | None
    alone: str
    figures: Table | None
    flags: str
    families: tuple[FamilyView, ...]
    more: int
    oldest: str
    note: str


class Workloads(Page):
    title = "Workloads"
    order = 20
    section = "Workloads"

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        by_workload: dict[str, list[Task]] = {}
        for task in ctx.evidence.tasks:
            by_workload.setdefault(task.workload, []).append(task)
        names = sorted(by_workload, key=_place)
        yield from ctx.page(
            paths.WORKLOADS,
            "workloads.md",
            title=self.title,
            nav="All workloads",
            description="What the guide measures: prefill and decode of language models, summarisation, "
            "fine-tuning, encoding and the hardware's own ceilings, each with its results.",
            index=_index(ctx, names, by_workload),
            rule=fam.HEADLINE_RULE,
        )
        for name in names:
            yield from self._one(ctx, name, by_workload[name])

    def _one(self, ctx: Context, name: str, tasks: list[Task]) -> Iterable[SiteFile]:
        known = WORKLOADS.get(name)
        title = title_of(name)
        groups = fam.groups(tasks, dict(ctx.evidence.sources))
        systems = len({s.result.system.key for t in tasks for s in t.standings})
        yield from ctx.page(
            paths.workload(name),
            "workload.md",
            title=title,
            nav=title,
            description=f"{title}: speed of {figures.plural(systems, 'system')} with intervals, over batch "
            "and length where measured, each figure with its source.",
            name=name,
            known=known,
            groups=[_group(ctx, group) for group in groups],
            rule=fam.HEADLINE_RULE,
            devices=systems,
            tasks=len(tasks),
        )


def title_of(name: str) -> str:
    """The workload's title for people."""
    known = WORKLOADS.get(name)
    return known.title if known else WORDS.get(name, name).capitalize()


def _place(name: str) -> tuple[int, str]:
    order = ("prefill", "decode", "summarize", "finetune", "encode", "scale", "serve", "probe")
    return (order.index(name) if name in order else len(order) - 1, name)


def _group(ctx: Context, group: fam.Group) -> GroupView:
    sources = ctx.evidence.sources
    headline = group.headline
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
    views = [_family(ctx, family, compared) for family in shown]
    return GroupView(
        group=group,
        anchor=f"origin-{fam.anchor(group.key)}",
        headline=headline,
        bars=speedup_bars(headline) if compared else None,
        standings=standings_table(headline, sources) if compared else None,
        alone=alone,
        families=tuple(v for v in views if v.charts or v.table),
        figures=None if compared else figures_table(group.families, sources),
        more=max(0, len(group.families) - MAX_FAMILIES) if compared else 0,
        flags=_common(group),
        oldest=figures.day(min(row["recorded_at"] for row in rows)),
        note=(group.source.note or "") if group.source else "",
    )


def _common(group: fam.Group) -> str:
    """The flag that nearly all rows of published tables carry, said once."""
    found = {f for task in group.tasks for s in task.standings for f in s.result.flags}
    return words.flag_words([words.COMMON_FLAG])[0] if words.COMMON_FLAG in found else ""


def _family(ctx: Context, family: fam.Family, compared: bool) -> FamilyView:
    """With one system there is a table for the whole group, so that a family has pictures only."""
    charts = [c for c in (rates_over_length(family), batch_by_length(family)) if c is not None]
    return FamilyView(
        label=family.label,
        anchor=fam.anchor(f"{family.tasks[0].source_ids[0]}-{family.label}-{family.headline.key[:6]}"),
        charts=tuple(charts),
        table=family_table(family, ctx.evidence.sources) if compared else None,
    )


def _index(ctx: Context, names: Iterable[str], by_workload: dict[str, list[Task]]) -> Table:
    columns = (
        Column("workload", "Workload"),
        Column("systems", "Systems", kind="number"),
        Column(
            "tasks", "Tasks", kind="number", help="Model, precision, batch and lengths; compared one by one"
        ),
        Column("best", "Fastest on its headline task"),
        Column("origin", "From"),
    )
    rows = []
    for name in names:
        groups = fam.groups(by_workload[name], dict(ctx.evidence.sources))
        known = WORKLOADS.get(name)
        widest = max(groups, key=lambda g: g.systems)
        origins = ["measured here"] if any(g.measured for g in groups) else []
        published = sum(not g.measured for g in groups)
        origins += [figures.plural(published, "published source")] if published else []
        rows.append(
            {
                "workload": Cell(
                    title_of(name),
                    link=paths.workload(name),
                    sub=known.what if known else "Not a workload of this version’s collector.",
                ),
                "systems": len({s.result.system.key for t in by_workload[name] for s in t.standings}),
                "tasks": len(by_workload[name]),
                "best": _best(widest.headline),
                "origin": ", ".join(origins),
            }
        )
    return Table(columns, rows, caption="Workloads", caption_hidden=True, phone="cards", search=True)


def _best(task: Task) -> Cell | Blank:
    if len(task.standings) < 2:
        return Blank("one system so far")
    tied = [s for s in task.standings if s.tier == 1]
    names = (
        tied[0].result.system.label
        if len(tied) == 1
        else f"{len(tied)} tied: " + ", ".join(s.result.system.label for s in tied[:3])
    )
    return Cell(names, sub=task.short_label)


PAGE = Workloads()
