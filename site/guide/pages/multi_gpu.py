"""Multi-GPU or Apple? Capacity, speed, gain over one device, cost, energy: every sentence from rows."""

from __future__ import annotations

from collections.abc import Iterable

from guide import paths
from guide.analysis.scaleview import scale_view
from guide.context import Context
from guide.pages.base import Page
from guide.show import figures
from guide.site_files import SiteFile
from guide.views import capacity, scaling
from guide.views.families import is_own
from guide.views.told import of_results

#: Kinds of surprise that belong to this question.
KINDS = ("more-slower", "capacity-wins")


class MultiGpu(Page):
    title = "Several GPUs, or one Apple machine?"
    order = 45

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        evidence = ctx.evidence
        view = scale_view(evidence)
        values: dict[str, object] = {"view": view}
        if view is not None:
            keys = {task.key for task in view.tasks}
            task = view.tasks[0]
            source = None if is_own(task) else evidence.sources.get(task.source_ids[0])
            pictures = []
            for phase in scaling.PHASES:
                family = scaling.shared_family(view, phase)
                if family and (picture := scaling.speed_chart(view, family)):
                    pictures.append((phase, picture))
            values |= {
                "source": source,
                "published": figures.written_day(source.published) if source and source.published else "",
                "surprises": [
                    (s, of_results(s.sentence, [evidence.task(s.task_key).of(key) for key in s.systems]))
                    for s in evidence.surprises
                    if s.kind in KINDS and s.task_key in keys
                ],
                "capacity": capacity.capacity_table(view),
                "capacity_findings": capacity.capacity_findings(view, evidence.settings.given),
                "speed": pictures,
                "speed_findings": scaling.speed_findings(view),
                "gains": scaling.gains_table(view),
                "gains_findings": scaling.gains_findings(view, evidence),
                "counts": scaling.count_charts(view),
                "cost": capacity.cost_table(view, evidence),
                "has_energy": capacity.has_energy(view),
            }
        yield from ctx.page(
            paths.MULTI_GPU,
            "multi-gpu.md",
            title=self.title,
            nav="Multi-GPU or Apple?",
            description="Several GPUs or one machine with unified memory for language models: what fits, "
            "how fast, what more devices gain, and what it costs.",
            **values,
        )


PAGE = MultiGpu()
