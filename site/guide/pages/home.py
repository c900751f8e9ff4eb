"""Home: the answer for each reader first; with an empty store, how to fill it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from guide import paths
from guide.analysis.findings import EXPLAINED
from guide.context import Context
from guide.decide.verdicts import Surprise
from guide.evidence import Evidence
from guide.explain.claims import Num, rates_of
from guide.pages.base import Page
from guide.show import figures
from guide.show.sentences import Sentence
from guide.site_files import SiteFile
from guide.views.devices import Device, devices
from guide.views.families import is_own
from guide.views.money import most_priced, price_chart
from guide.views.origins import page_of
from guide.views.told import of_results, told_card

#: Machines that ran the collector which the home page names; all have a page.
MACHINES_SHOWN = 4


@dataclass(frozen=True)
class Machine:
    """A device that this project's collector measured: its page, how much, and when last."""

    label: str
    path: str
    figures: str
    newest: str


class Home(Page):
    title = "Which hardware should run your AI work?"
    order = 0
    needs_rows = False

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        evidence = ctx.evidence
        scenarios = {s.key: s for s in evidence.settings.scenarios}
        priced = most_priced(evidence)
        own = machines(evidence)
        found_all = evidence.surprises
        first = list({found.kind: found for found in reversed(found_all)}.values())[::-1]
        yield from ctx.page(
            paths.HOME,
            "home.md" if evidence.rows else "empty.md",
            title=self.title,
            nav="Home",
            description="Measured answers to which hardware to buy or rent for AI work: what is fastest, "
            "what it costs, how sure that is, and what would change it.",
            hide=("navigation", "toc"),
            cards=[told_card(a, scenarios[a.scenario_key]) for a in ctx.answers] if evidence.rows else [],
            counts=evidence.counts,
            machines=own[:MACHINES_SHOWN],
            more_machines=max(0, len(own) - MACHINES_SHOWN),
            picture=price_chart(priced) if priced else "",
            workload=page_of(evidence, priced.task) if priced else "",
            findings=[_told(found, evidence) for found in first],
            more_findings=[_told(found, evidence) for found in found_all if found not in first],
        )


@dataclass(frozen=True)
class Told:
    """A finding: in brief, its figures, why, the ratio of its two rates, the page that explains it, and the
    one with its rows."""

    lead: str
    rest: Sentence
    why: str
    rates: Num | None
    explained: str
    page: str


def _told(found: Surprise, evidence: Evidence) -> Told:
    lead, _, rest = found.sentence.partition(": ")
    task = evidence.task(found.task_key)
    page, told = page_of(evidence, task), of_results(rest, [task.of(key) for key in found.systems])
    return Told(lead, told, found.why, rates_of(found, evidence), EXPLAINED[found.kind], page)


def machines(evidence: Evidence) -> list[Machine]:
    """The devices that the collector measured, the newest run first."""
    found: list[tuple[str, str, Device, int]] = []
    for device in devices(evidence.systems.values()):
        rows = [
            row
            for system in device.systems
            for row in evidence.rows_by_system[system.key]
            if row["origin"] == "measured"
        ]
        if not rows:
            continue
        tried = ((s.key, t) for s in device.systems for t in evidence.tasks_of.get(s.key, ()))
        good = len({task.key for key, task in tried if is_own(task) and task.standing(key)})
        newest = max(row["recorded_at"] for row in rows)
        found.append((newest.isoformat(), figures.day(newest), device, good))
    found.sort(key=lambda f: f[2].label)
    found.sort(key=lambda f: f[0], reverse=True)
    return [Machine(d.label, d.path, figures.plural(n, "figure"), day) for _, day, d, n in found]


PAGE = Home()
