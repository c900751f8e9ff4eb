"""The tables of a device's page. No picture is drawn here: there may be hundreds of these pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from guide.analysis.tasks import called
from guide.decide import fit
from guide.decide.fit import Requirement
from guide.evidence import Evidence
from guide.model import System, Task
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import Device
from guide.views.families import Family, is_own
from guide.views.matchable import key_of
from guide.views.origins import page_of
from guide.views.physics import meter, share
from guide.views.speedups import over, speedup_cell, tier_cell

#: What a reader may want to fit: sizes people ask for, at a length that a chat or a document needs.
REQUIREMENTS = (
    Requirement("Llama-3.2-3B", "q4_k_m", 8192),
    Requirement("Llama-3.1-8B", "q4_k_m", 8192),
    Requirement("Llama-3.1-8B", "f16", 8192),
    Requirement("Qwen2.5-14B", "q4_k_m", 8192),
    Requirement("Llama-3.1-70B", "q4_k_m", 8192),
    Requirement("Llama-3.1-70B", "f16", 8192),
)
ROUTES = {"buy-new": "New", "buy-used": "Used", "rent": "Rented, an hour"}


def prices_table(evidence: Evidence, device: Device) -> Table | None:
    """Each route's price of one device: range, day, age, sources; None when nobody has seen one."""
    prices = evidence.prices.get(device.first.key, ())
    rows = [
        {
            "route": ROUTES[price.route]
            + {"card": ", bare card", "system": ", whole computer"}.get(price.basis, ""),
            "usd": Cell(figures.usd(price.usd), sort=price.usd, provenance=words.price_facts(price)),
            "range": Cell(
                f"{figures.usd(price.low_usd)}–{figures.usd(price.high_usd)}",
                sort=price.low_usd,
                provenance=words.price_facts(price),
            )
            if price.low_usd != price.high_usd
            else "one price",
            "seen": Cell(figures.day(price.observed_on), sort=price.observed_on.isoformat()),
            "age": Cell(
                figures.plural(price.age_days, "day"),
                sort=float(price.age_days),
                sub="" if price.fresh else "stale: too old to rest a choice on",
                tone="" if price.fresh else "warn",
                provenance=words.price_facts(price),
            ),
            "source": Cell(words.breakable("; ".join(price.sources)), sub=price.note),
        }
        for price in prices
    ]
    if not rows:
        return None
    columns = (
        Column("route", "How"), Column("usd", "Median", "USD", "number"), Column("range", "Range", "USD"),
        Column("seen", "Newest seen"), Column("age", "Age", kind="number"), Column("source", "Source"),
    )  # fmt: skip
    count = device.first.count
    caption = "Prices of one" if count == 1 else f"Prices of {count} together"
    return Table(columns, rows, caption=caption, phone="cards", sortable=False)


def standing_table(
    evidence: Evidence,
    device: Device,
    families: Sequence[Family],
    anchors: Mapping[tuple[str, str], str] | None = None,
) -> Table | None:
    """The headline task of each family that one of the device's systems ran or tried. ``anchors`` are the
    places of rows on the same page, by task and system."""
    singles = [s for s in device.systems if s.count == device.first.count]
    rows = []
    tasks = []
    for family in families:
        for system in singles:
            task = _told_by(family, system)
            if task is None:
                continue
            tasks.append(key_of(task))
            rows.append(
                _standing_row(evidence, task, system, (anchors or {}).get((task.key, system.key), ""))
            )
    if not rows:
        return None
    many = len(singles) > 1
    columns = [
        Column("task", "Task"),
        *([Column("system", "System")] if many else []),
        Column("tier", "Tier", help="1 is the best; systems of one tier are tied with its best"),
        Column("rate", "Rate", kind="number"),
        Column("speedup", "Speedup", "×", "number", help="Over the task's reference"),
        Column("share", "Of what is possible", kind="number", help="Achieved ÷ possible"),
    ]
    caption = "One task of each family"
    return Table(
        columns, rows, caption=caption, phone="cards", filterable=len(rows) > 12, fold=True, row_tasks=tasks
    )


def _told_by(family: Family, system: System) -> Task | None:
    """The family's headline if the system tried it, else its longest task with a rate, else any."""
    if family.headline.of(system.key):
        return family.headline
    rated = family.rated(system.key)
    return rated[-1] if rated else next((t for t in family.tasks if t.of(system.key)), None)


def _standing_row(evidence: Evidence, task: Task, system: System, anchor: str) -> dict[str, object]:
    result, standing = task.of(system.key), task.standing(system.key)
    assert result is not None
    origin = "measured here" if is_own(task) else ", ".join(result.source_ids)
    row: dict[str, object] = {
        "task": Cell(task.short_label, link=page_of(evidence, task), sub=origin),
        "system": system.label,
        "rate": words.rate_cell(result, sub=words.header_unit(task.unit), anchor=anchor),
    }
    if standing is None:
        detail = Blank(words.status_words(result))
        return row | {"rate": detail, "tier": Blank("–"), "speedup": Blank("–"), "share": Blank("–")}
    found = share(task, result, evidence.catalog.get(system.device_id))
    base = called(task.reference.result) if task.reference else ""
    speedup = speedup_cell(standing.speedup, over(result, task))
    alone = len(task.standings) == 1
    return row | {
        "tier": Blank("alone") if alone else tier_cell(task, standing, f"{standing.tier} of {task.tiers}"),
        "speedup": Blank("nothing to compare with")
        if alone
        else replace(speedup, sub=speedup.sub or f"over {base}"),
        "share": Cell(
            meter(found.value),
            sort=found.value,
            sub=found.sentence,
            provenance=Provenance((result, system), "possible"),
        )
        if found
        else Blank("not known"),
    }


def fit_table(evidence: Evidence, device: Device) -> Table | None:
    """Whether the models people ask for fit, for each count; None when the memory is not known."""
    systems = [s for s in device.systems if fit.usable_bytes(s) is not None]
    if not systems:
        return None
    rows = []
    for need in REQUIREMENTS:
        row: dict[str, object] = {"need": need.label}
        for system in systems:
            found = fit.fit(need, system, evidence.rows_by_system.get(system.key, ()))
            sentence = found.sentence.split(": ", 1)[-1].rstrip(".")
            shown = {"fits": "fits", "tight": "fits, tight", "no": "does not fit"}.get(found.verdict)
            tone = {"fits": "good", "tight": "warn", "no": "bad"}.get(found.verdict, "")
            origin = Provenance((system,), "fit")
            row[system.key] = (
                Cell(shown, sub=sentence, tone=tone, provenance=origin) if shown else Blank("not known")
            )
        rows.append(row)
    columns = [Column("need", "Model")] + [Column(s.key, device.short(s)) for s in systems]
    return Table(columns, rows, caption="What fits", caption_hidden=True, sortable=False)


def scaling_table(device: Device, families: Sequence[Family]) -> Table | None:
    """Rates of several of the device over one: ratio and efficiency; None without two counts of a task."""
    counts = sorted({s.count for s in device.systems})
    if len(counts) < 2:
        return None
    rows = []
    for family in families:
        for task in _scaling_tasks(family, device):
            single = next((s for s in device.systems if s.count == 1 and task.standing(s.key)), None)
            row: dict[str, object] = {"task": task.short_label}
            for system in device.systems:
                row[system.key] = _scaled(task, system, single)
            rows.append(row)
    if not rows:
        return None
    columns = [Column("task", "Task")] + [
        Column(s.key, device.short(s), "", "number") for s in device.systems
    ]
    return Table(columns, rows, caption="How many pay: rate, over one device, and share of a perfect gain",
                 sortable=False, fold=True)  # fmt: skip


def _scaling_tasks(family: Family, device: Device) -> list[Task]:
    """The headline, if two counts tried it."""
    tried = [s for s in device.systems if family.headline.of(s.key)]
    if not any(family.headline.standing(s.key) for s in tried):
        return []
    return [family.headline] if len(tried) > 1 else []


def _scaled(task: Task, system: System, single: System | None) -> Cell | Blank:
    result = task.of(system.key)
    if result is None or result.rate is None:
        return Blank("not run" if result is None else words.status_words(result))
    shown = f"{figures.number(result.rate)} {words.header_unit(task.unit)}".strip()
    base = task.of(single.key) if single else None
    origin = words.provenance(result)
    if base is None or base.rate is None:
        sub = "one alone cannot run it" if system.count > 1 else ""
        return Cell(shown, sort=result.rate, sub=sub, provenance=origin)
    if system.count == 1:
        return Cell(shown, sort=result.rate, sub="one", provenance=origin)
    gain = result.rate / base.rate
    return Cell(
        shown,
        sort=result.rate,
        sub=f"{figures.ratio(gain)}, {figures.percent(gain / system.count)} of a perfect ×{system.count}",
        tone="bad" if gain < 1 else "",
        provenance=Provenance((result, base), "gain"),
    )
