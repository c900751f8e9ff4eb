"""Cost: a unit of speed, a million tokens, a job, a month owned or rented, and the formulas."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from bench.catalog.electricity import Tariff
from guide import paths
from guide.analysis.method import prices as price_rules
from guide.context import Context
from guide.decide import cost
from guide.pages.base import Page
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Table
from guide.site_files import SiteFile
from guide.views.costs import speedups
from guide.views.owning import owning_table
from guide.views.reading_cost import WORDING, cost_form
from guide.views.work_costs import jobs, work


class CostPage(Page):
    title = "Cost"
    order = 40

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        evidence = ctx.evidence
        given = evidence.settings.given
        told = dict(evidence.settings.assumption_sources)
        tokens, whole_jobs = work(evidence, given), jobs(evidence, given)
        form, file = cost_form(evidence, [*tokens, *whole_jobs], ctx.ledger) or ("", None)
        if file:
            yield from ctx.handed(file, WORDING)
        yield from ctx.page(
            paths.COST,
            "cost.md",
            title=self.title,
            nav=self.title,
            description="What a unit of speed, a million tokens and a job cost on each device, bought or "
            "rented, and from how many hours a day owning wins.",
            hide=("toc",),
            speedups=speedups(evidence),
            tokens=tokens,
            jobs=whole_jobs,
            form=form,
            owning=owning_table(evidence, given) or "",
            given=given,
            inputs=[
                (
                    key,
                    label,
                    f"{value:g}",
                    f"{value:g} {unit}".strip(),
                    told.get(key, "the guide's own choice"),
                )
                for key, (label, unit) in cost.LABELS.items()
                if (value := getattr(given, key)) is not None
            ],
            formulas=formulas(),
            price_rules=price_rules(),
            tariffs=tariff_table(evidence.tariffs) or "",
        )


def formulas() -> list[str]:
    """The formulas that ``decide.cost`` computes, line by line, as its own documentation states them."""
    lines = (cost.__doc__ or "").splitlines()
    return textwrap.dedent("\n".join(line for line in lines if line.startswith("    "))).splitlines()


def tariff_table(tariffs: Iterable[Tariff]) -> Table | None:
    """Electricity by region and sector, dearest first; regions with only a carbon figure follow."""
    known = sorted(tariffs, key=lambda t: (-(t.usd_per_kwh or 0), t.region, t.sector or ""))
    if not known:
        return None
    columns = (
        Column("region", "Region"),
        Column("sector", "For"),
        Column("usd", "Electricity", "USD/kWh", "number"),
        Column("period", "When"),
        Column("carbon", "Grid", "g CO₂/kWh", "number"),
        Column("source", "Source"),
    )
    rows = [
        {
            "region": t.region,
            "sector": t.sector or Blank("–"),
            "usd": Cell(f"{t.usd_per_kwh:.3f}", sort=t.usd_per_kwh)
            if t.usd_per_kwh is not None
            else Blank("no price known"),
            "period": t.period or Blank("–"),
            "carbon": Cell(
                figures.number(t.grid_gco2_per_kwh), sort=t.grid_gco2_per_kwh, sub=str(t.carbon_year)
            )
            if t.grid_gco2_per_kwh is not None
            else Blank("not known"),
            "source": Cell("; ".join(s for s in (t.price_source, t.carbon_source) if s), sub=t.note or ""),
        }
        for t in known
    ]
    return Table(
        columns,
        rows,
        caption="Electricity",
        caption_hidden=True,
        filterable=len(rows) > 12,
        fold=True,
        unsourced="named",
    )


PAGE = CostPage()
