"""Methodology: how figures are measured, compared and called. Derived from the code that does it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bench import schema
from bench.measure import energy, gate, selftest
from bench.measure.processes import all_alike
from bench.measure.stats import ORDER_STATISTICS_FROM
from bench.measure.stopping import StoppingRule
from bench.suites import SUITES
from bench.workloads import WORKLOADS
from bench.workloads.base import Workload
from guide import paths
from guide.analysis import method
from guide.context import Context
from guide.pages.base import Page
from guide.show import figures
from guide.show.tables import Cell, Column, Table
from guide.site_files import SiteFile
from guide.views.advised import pasts
from guide.views.constants import assumption_table, grid_table


class Methodology(Page):
    title = "Methodology"
    order = 80
    needs_rows = False

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        yield from ctx.page(
            paths.METHODOLOGY,
            "methodology.md",
            title=self.title,
            nav=self.title,
            description="How every figure of the guide is measured, compared and called: repetitions, "
            "intervals, tiers, the physics gate, statuses and flags.",
            rule=StoppingRule(),
            order_statistics_from=ORDER_STATISTICS_FROM,
            processes=max(suite.processes for suite in SUITES.values()),
            all_alike=all_alike(max(suite.processes for suite in SUITES.values())),
            gate_over=figures.percent(gate.TOLERANCE),
            gate_slow=figures.percent(gate.SLOW),
            multiples=", ".join(f"{n}×" for n in selftest.MULTIPLES),
            suites=_suites(),
            workloads=_workloads(),
            analysis=method.sections(),
            assumptions=assumption_table(ctx.evidence.settings),
            plausible=grid_table(ctx.evidence.settings),
            pasts=pasts(ctx.evidence),
            statuses=_words(schema.STATUSES, "Status", "How a cell can end"),
            value_kinds=_words(schema.VALUE_KINDS, "Kind", "How a figure can have come to be"),
            rate_kinds=_words(schema.RATE_KINDS, "Kind", "Kinds of rate"),
            energy_kinds=_words(energy.VALIDITY, "Code", "What is known of an energy figure"),
            task_fields=schema.TASK_FIELDS,
            method_version=schema.METHOD_VERSION,
        )


def _words(words: Mapping[str, str], name: str, caption: str) -> Table:
    return Table(
        columns=(Column("word", name), Column("meaning", "Meaning")),
        rows=[{"word": word, "meaning": meaning} for word, meaning in words.items()],
        caption=caption,
        caption_hidden=True,
        sortable=False,
        search=True,
    )


def _suites() -> Table:
    return Table(
        columns=(
            Column("name", "Suite"),
            Column("target", "Interval within", unit="±", kind="number"),
            Column("budget", "Time for a cell", unit="s", kind="number"),
            Column("least", "Repetitions", unit="at least", kind="number"),
            Column("processes", "Processes for a cell", kind="number"),
        ),
        rows=[
            {
                "name": Cell(suite.name, sub=suite.what),
                "target": Cell(figures.percent(suite.target), sort=suite.target),
                "budget": suite.cell_budget_s,
                "least": suite.min_samples,
                "processes": suite.processes,
            }
            for suite in SUITES.values()
            if not suite.hidden
        ],
        caption="Suites of the collector",
        unsourced="own",
        caption_hidden=True,
        phone="cards",
        sortable=False,
    )


def _units(workload: Workload) -> str:
    """The units of its rates: a probe's products and copies have different ones."""
    units = dict.fromkeys(workload.unit(cell) for cell in workload.cells("quick", "cuda"))
    return ", ".join(units) or workload.rate_unit


def _workloads() -> Table:
    return Table(
        columns=(
            Column("name", "Workload"),
            Column("what", "What is run"),
            Column("why", "Why it matters"),
            Column("unit", "Unit"),
        ),
        rows=[
            {"name": Cell(w.title, sub=name), "what": w.what, "why": w.why, "unit": _units(w)}
            for name, w in WORKLOADS.items()
        ],
        caption="Workloads of the collector",
        caption_hidden=True,
        phone="cards",
        sortable=False,
        search=True,
    )


PAGE = Methodology()
