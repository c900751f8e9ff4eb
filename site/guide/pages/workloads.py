"""Workloads: an index, a page each with what was measured here, and a page for each published source."""

from __future__ import annotations

from collections.abc import Iterable

from bench.workloads import WORKLOADS
from guide import paths
from guide.analysis.labels import WORDS
from guide.context import Context
from guide.model import Task
from guide.pages.base import Page
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Table
from guide.site_files import SiteFile
from guide.views import families as fam
from guide.views import origins
from guide.views.origins import GroupView
from guide.views.pairs import rests_on_uploads

#: Titles of what only published sources have run; another workload's name is its title.
PUBLISHED_TITLES = {
    "argonne-inference": "Batched LLM inference (Argonne)",
    "mlenergy-image": "Image generation (ML.ENERGY)",
    "mlenergy-text": "LLM serving (ML.ENERGY)",
    "mlenergy-video": "Video generation (ML.ENERGY)",
    "mlperf-inference": "MLPerf Inference",
    "mlperf-tiny": "MLPerf Tiny",
    "mlperf-training": "MLPerf Training",
    "qualcomm-network": "Networks on phones (Qualcomm)",
}


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
        title = title_of(name)
        groups = fam.groups(tasks, dict(ctx.evidence.sources))
        own, published = origins.by_place(groups)
        views = {g.key: origins.group_view(ctx.evidence, name, g) for g in groups}
        # Where this project has compared nothing yet, the widest of the published comparisons leads; one of
        # single people's uploads only where there is no other.
        wide = sorted((g for g in published if g.systems > 1), key=lambda g: rests_on_uploads(g.headline))
        lead = wide[0] if wide and not (own and own.systems > 1) else None
        systems = len({s.result.system.key for t in tasks for s in t.standings})
        yield from ctx.page(
            paths.workload(name),
            "workload.md",
            title=title,
            nav=title,
            description=f"{title}: speed of {figures.plural(systems, 'system')} with intervals, over batch "
            "and length where measured, each figure with its source.",
            name=name,
            known=WORKLOADS.get(name),
            own=views[own.key] if own else None,
            lead=views[lead.key] if lead else None,
            published=[(views[g.key], origins.headline_told(g.headline)) for g in published],
            origins=len(groups),
            rule=fam.HEADLINE_RULE,
            devices=systems,
            tasks=len(tasks),
        )
        for group in groups:
            yield from self._source(ctx, views[group.key])

    def _source(self, ctx: Context, view: GroupView) -> Iterable[SiteFile]:
        """A published source's page, and the further pages of any origin."""
        group, home = view.group, paths.workload(view.headline.workload)
        title = f"{title_of(view.headline.workload)}: {group.title}"
        about = f"{title}. {figures.plural(group.systems, 'system')}, "
        about += f"{figures.plural(len(group.tasks), 'task')}, each figure with its interval where stated."
        shared = {"workload": title_of(view.headline.workload), "home": home, "view": view}
        if view.page != home:
            yield from ctx.page(view.page, "workload-source.md", title=title, description=about, **shared)
        for part in view.parts:
            families = [origins.family_view(ctx.evidence, f, True, pictures=False) for f in part.families]
            yield from ctx.page(
                part.path, "workload-part.md", title=f"{title}, families {part.first} to {part.last}",
                description=about, families=families, here=part, **shared,
            )  # fmt: skip


def title_of(name: str) -> str:
    """The workload's title for people."""
    known = WORKLOADS.get(name)
    return known.title if known else PUBLISHED_TITLES.get(name) or WORDS.get(name, name).capitalize()


def _place(name: str) -> tuple[int, str]:
    order = ("prefill", "decode", "summarize", "finetune", "encode", "scale", "serve", "probe")
    return (order.index(name) if name in order else len(order) - 1, name)


def _index(ctx: Context, names: Iterable[str], by_workload: dict[str, list[Task]]) -> Table:
    columns = (
        Column("workload", "Workload"),
        Column("systems", "Systems", kind="number", unsourced="counted"),
        Column(
            "tasks",
            "Tasks",
            kind="number",
            help="Model, precision, batch and lengths; compared one by one",
            unsourced="counted",
        ),
        Column("best", "Fastest on its headline task"),
        Column("origin", "From"),
    )
    rows = []
    for name in names:
        groups = fam.groups(by_workload[name], dict(ctx.evidence.sources))
        known = WORKLOADS.get(name)
        widest = max(groups, key=lambda g: g.systems)
        origin_words = ["measured here"] if any(g.measured for g in groups) else []
        published = sum(not g.measured for g in groups)
        origin_words += [figures.plural(published, "published source")] if published else []
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
                "origin": ", ".join(origin_words),
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
