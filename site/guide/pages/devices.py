"""Devices: an index of the whole catalog, and a page for each device that has evidence."""

from __future__ import annotations

from collections.abc import Iterable

from bench.catalog import CatalogDevice
from guide import paths
from guide.charts import theme
from guide.context import Context
from guide.evidence import Evidence
from guide.model import System
from guide.pages.base import Page
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.site_files import SiteFile
from guide.views import device_tables as parts
from guide.views import words
from guide.views.coverage import coverage_table, coverage_words, lines
from guide.views.devices import Device, devices, named, system_cell
from guide.views.families import Family
from guide.views.raw_rows import MAX_ROWS, raw_rows


class Devices(Page):
    title = "Devices"
    order = 30

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        evidence = ctx.evidence
        found = devices(evidence.systems.values())
        every = evidence.families
        yield from ctx.page(
            paths.DEVICES,
            "devices.md",
            title=self.title,
            nav=self.title,
            description="Every device the guide knows: memory, bandwidth, power and price, and which of them "
            "have measurements behind them.",
            with_evidence=_measured(evidence, found, every),
            found=len(found),
            listed=sum(1 for _ in evidence.catalog),
        )
        yield from ctx.page(
            paths.CATALOG,
            "catalog.md",
            title="The whole catalog",
            description="Every device the catalog describes, with or without figures: memory, bandwidth, "
            "peak rate, power, day of release and price.",
            catalog=_catalog(ctx, {d.first.device_id for d in found}),
        )
        places = {task.key: place for place, family in enumerate(every) for task in family.tasks}
        for device in found:
            own = (t.key for s in device.systems for t in evidence.tasks_of.get(s.key, ()))
            tried = sorted({places[key] for key in own if key in places})
            yield from self._one(ctx, device, tuple(every[place] for place in tried))

    def _one(self, ctx: Context, device: Device, tried: tuple[Family, ...]) -> Iterable[SiteFile]:
        """The page of a device that has ``tried`` tasks of these families."""
        evidence = ctx.evidence
        entry = evidence.catalog.get(device.first.device_id)
        covered = lines(device, tried)
        rows = raw_rows([t for f in tried for t in f.tasks], device)
        yield from ctx.page(
            device.path,
            "device.md",
            title=device.label,
            description=f"{device.label}: what it is, what it costs, how fast it is on each task with its "
            "interval, what fits into it, and the rows behind every figure.",
            device=device,
            facts=facts(entry) if entry else (),
            entry=entry,
            prices=parts.prices_table(evidence, device),
            standing=parts.standing_table(evidence, device, tried, rows.anchors if rows else None),
            fits=parts.fit_table(evidence, device),
            scaling=parts.scaling_table(device, tried),
            coverage=coverage_table(device, covered),
            coverage_words=coverage_words(covered),
            rows=rows.table if rows else None,
            row_count=rows.count if rows else 0,
            flags=rows.meanings if rows else (),
            rows_shown=MAX_ROWS,
        )


def facts(entry: CatalogDevice) -> tuple[tuple[str, str], ...]:
    """What the catalog knows: (name, figure); unknown figures are left out."""
    unit = "op/s"
    found = [
        ("Vendor", entry.vendor),
        ("Architecture", entry.architecture),
        ("Memory", _memory(entry)),
        ("Bandwidth", f"{figures.number(entry.bandwidth_gb_s)} GB/s" if entry.bandwidth_gb_s else None),
        ("Dense FP32", _peak(entry, "fp32", "FLOP/s")),
        ("Dense FP16", _peak(entry, "fp16", "FLOP/s")),
        ("Dense BF16", _peak(entry, "bf16", "FLOP/s")),
        ("Dense FP8", _peak(entry, "fp8", "FLOP/s")),
        ("Dense INT8", _peak(entry, "int8", unit)),
        ("Rated power", f"{figures.number(entry.tdp_w)} W" if entry.tdp_w else None),
        ("Released", entry.released),
        ("Link", entry.interconnect),
    ]  # fmt: skip
    return tuple((name, value) for name, value in found if value)


def _memory(entry: CatalogDevice) -> str | None:
    if entry.memory_gib is None:
        return None
    return f"{figures.number(entry.memory_gib)} GB {entry.memory_type or ''}".strip()


def _peak(entry: CatalogDevice, dtype: str, unit: str) -> str | None:
    peak = entry.peak_flops(dtype)
    return None if peak is None else figures.si(peak, unit)


def _measured(evidence: Evidence, found: Iterable[Device], every: tuple[Family, ...]) -> Table:
    """The devices with evidence."""
    columns = (
        Column("device", "Device"), Column("counts", "At once", help="How many of them worked together"),
        Column("tasks", "Tasks", kind="number", unsourced="counted"),
        Column("best", "Best place", help="The best tier on a task that three systems or more have run"),
        Column("memory", "Memory", "GB", "number"), Column("power", "Rated power", "W", "number"),
        Column("buy", "New", "USD", "number"), Column("used", "Used", "USD", "number"),
        Column("rent", "Rent", "USD/h", "number"),
    )  # fmt: skip
    rows = []
    for device in found:
        system = device.first
        keys = [s.key for s in device.systems]
        prices = evidence.prices.get(system.key, ())
        tasks = {t.key for key in keys for t in evidence.tasks_of.get(key, ()) if t.standing(key)}
        rows.append(
            {
                "device": system_cell(system, sub=system.unresolved_reason or ""),
                "counts": ", ".join(str(n) for n in sorted({s.count for s in device.systems})),
                "tasks": len(tasks),
                "best": _best(evidence, keys),
                "memory": _figure(system.sold_gib, system),
                "power": _figure(system.power_w, system),
                "buy": words.price_cell(prices, "buy-new"),
                "used": words.price_cell(prices, "buy-used"),
                "rent": words.price_cell(prices, "rent"),
            }
        )  # fmt: skip
    return Table(columns, rows, caption="Devices with measurements", filterable=True, search=False)


def _best(evidence: Evidence, keys: list[str]) -> Cell | Blank:
    places = [
        (standing.tier, task.tiers, task.short_label, task.key, key)
        for key in keys
        for task in evidence.tasks_of.get(key, ())
        if len(task.standings) >= 3 and (standing := task.standing(key))
    ]
    if not places:
        return Blank("nothing to compare with")
    tier, of, label, task_key, key = min(places)
    standings = evidence.task(task_key).standings
    own = next(s.result for s in standings if s.result.system.key == key)
    best = next(s.result for s in standings if s.tier == tier)
    origin = Provenance((own, best), "best")
    return Cell(f"tier {tier} of {of}", sort=float(tier), sub=label, provenance=origin)


def _catalog(ctx: Context, with_evidence: set[str | None]) -> Table:
    """Every device of the catalog."""
    columns = (
        Column("device", "Device"), Column("evidence", "Evidence"),
        Column("memory", "Memory", "GB", "number"),
        Column("bandwidth", "Bandwidth", "GB/s", "number"), Column("peak", "Dense fp16", "TFLOP/s", "number"),
        Column("power", "Rated power", "W", "number"), Column("released", "Released"),
        Column("buy", "New", "USD", "number"), Column("rent", "Rent", "USD/h", "number"),
    )  # fmt: skip
    rows = []
    for entry in sorted(ctx.evidence.catalog, key=lambda d: (d.vendor or "", d.name)):
        has = entry.device_id in with_evidence
        prices = ctx.catalog_prices.get(entry.device_id, ())
        rows.append(
            {
                "device": Cell(
                    named(entry.name, theme.vendor_key(entry.vendor, entry.device_class)),
                    sort=entry.name,
                    link=paths.device(entry.device_id) if has else "",
                ),
                "evidence": "yes" if has else Blank("not yet"),
                "memory": _figure(entry.memory_gib, entry),
                "bandwidth": _figure(entry.bandwidth_gb_s, entry),
                "peak": _figure(entry.fp16_dense_tflops, entry),
                "power": _figure(entry.tdp_w, entry),
                "released": entry.released or Blank("not known"),
                "buy": words.price_cell(prices, "buy-new"), "rent": words.price_cell(prices, "rent"),
            }
        )  # fmt: skip
    return Table(columns, rows, caption="The catalog", filterable=True)


def _figure(value: float | None, of: System | CatalogDevice) -> Cell | Blank:
    if value is None:
        return Blank("not known")
    return Cell(figures.number(value), sort=value, provenance=Provenance((of,)))


PAGE = Devices()
