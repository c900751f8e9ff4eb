"""The tables of a device's page. No picture is drawn here: there may be hundreds of these pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bench.schema import Row
from guide import figures, fit
from guide.evidence import Evidence
from guide.fit import Requirement
from guide.markup import escape
from guide.model import System, Task
from guide.tables import Blank, Cell, Column, Table
from guide.tasks import called
from guide.views import words
from guide.views.devices import Device
from guide.views.families import Family, is_own, results
from guide.views.origins import page_of
from guide.views.physics import share
from guide.views.speedups import speedup_cell

#: What a reader may want to fit: sizes people ask for, at a length that a chat or a document needs.
REQUIREMENTS = (
    Requirement("Llama-3.2-3B", "q4_k_m", 8192),
    Requirement("Llama-3.1-8B", "q4_k_m", 8192),
    Requirement("Llama-3.1-8B", "f16", 8192),
    Requirement("Qwen2.5-14B", "q4_k_m", 8192),
    Requirement("Llama-3.1-70B", "q4_k_m", 8192),
    Requirement("Llama-3.1-70B", "f16", 8192),
)
#: Rows of the store that a page shows; more are counted, and in the downloads.
MAX_ROWS = 60
ROUTES = {"buy-new": "New", "buy-used": "Used", "rent": "Rented, an hour"}


def prices_table(evidence: Evidence, device: Device) -> Table | None:
    """Each route's price of one device: range, day, age, sources; None when nobody has seen one."""
    prices = evidence.prices.get(device.first.key, ())
    rows = [
        {
            "route": ROUTES[price.route]
            + {"card": ", bare card", "system": ", whole computer"}.get(price.basis, ""),
            "usd": Cell(figures.usd(price.usd), sort=price.usd),
            "range": f"{figures.usd(price.low_usd)}–{figures.usd(price.high_usd)}"
            if price.low_usd != price.high_usd
            else "one price",
            "seen": Cell(figures.day(price.observed_on), sort=price.observed_on.isoformat()),
            "age": Cell(
                figures.plural(price.age_days, "day"),
                sort=float(price.age_days),
                sub="" if price.fresh else "stale: too old to rest a choice on",
                tone="" if price.fresh else "warn",
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


def standing_table(evidence: Evidence, device: Device, families: Sequence[Family]) -> Table | None:
    """The headline task of each family that one of the device's systems ran or tried."""
    singles = [s for s in device.systems if s.count == device.first.count]
    rows = []
    for family in families:
        for system in singles:
            task = _told_by(family, system)
            if task is None:
                continue
            rows.append(_standing_row(evidence, task, system))
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
    return Table(columns, rows, caption="One task of each family", filterable=len(rows) > 12)


def _told_by(family: Family, system: System) -> Task | None:
    """The family's headline if the system tried it, else its longest task with a rate, else any."""
    if family.headline.of(system.key):
        return family.headline
    rated = family.rated(system.key)
    return rated[-1] if rated else next((t for t in family.tasks if t.of(system.key)), None)


def _standing_row(evidence: Evidence, task: Task, system: System) -> dict[str, object]:
    result, standing = task.of(system.key), task.standing(system.key)
    assert result is not None
    origin = "measured here" if is_own(task) else ", ".join(result.source_ids)
    row: dict[str, object] = {
        "task": Cell(task.short_label, link=page_of(evidence, task), sub=origin),
        "system": system.label,
        "rate": words.rate_cell(result, evidence.sources, sub=words.header_unit(task.unit)),
    }
    if standing is None:
        detail = Blank(words.status_words(result))
        return row | {"rate": detail, "tier": Blank("–"), "speedup": Blank("–"), "share": Blank("–")}
    tiers = max(s.tier for s in task.standings)
    found = share(task, result, evidence.catalog.get(system.device_id))
    over = called(task.reference.result) if task.reference else ""
    speedup = speedup_cell(standing.speedup)
    alone = len(task.standings) == 1
    return row | {
        "tier": Blank("alone") if alone else Cell(f"{standing.tier} of {tiers}", sort=float(standing.tier)),
        "speedup": Blank("nothing to compare with")
        if alone
        else Cell(speedup.shown, speedup.sort, speedup.sub or f"over {over}", interval=speedup.interval),
        "share": Cell(meter(found.value), sort=found.value, sub=found.sentence)
        if found
        else Blank("not known"),
    }


def meter(fraction: float) -> object:
    """A percentage with a small bar behind it; the bar repeats the figure."""
    from markupsafe import Markup

    shown = escape(figures.percent(fraction))
    width = max(0.0, min(1.0, fraction)) * 100
    return Markup(
        f'<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="meter__all" width="100" height="10"/>'
        f'<rect class="meter__part" width="{width:.1f}" height="10"/></svg> {shown}'
    )


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
            row[system.key] = Cell(shown, sub=sentence, tone=tone) if shown else Blank("not known")
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
                 sortable=False)  # fmt: skip


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
    if base is None or base.rate is None:
        return Cell(shown, sort=result.rate, sub="one alone cannot run it" if system.count > 1 else "")
    if system.count == 1:
        return Cell(shown, sort=result.rate, sub="one")
    gain = result.rate / base.rate
    return Cell(
        shown,
        sort=result.rate,
        sub=f"{figures.ratio(gain)}, {figures.percent(gain / system.count)} of a perfect ×{system.count}",
        tone="bad" if gain < 1 else "",
    )


def coverage_table(device: Device, families: Sequence[Family]) -> Table:
    """How each family's cells ended on each system, the untried ones included."""
    rows = []
    for family in families:
        row: dict[str, object] = {"family": Cell(family.label, sub=family.tasks[0].source_ids[0])}
        for system in device.systems:
            row[system.key] = _coverage(family, system)
        rows.append(row)
    columns = [Column("family", "Tasks")] + [Column(s.key, device.short(s)) for s in device.systems]
    return Table(columns, rows, caption="Coverage: how each planned cell ended", sortable=False)


def _coverage(family: Family, system: System) -> Cell | Blank:
    ended: Counter[str] = Counter()
    for task in family.tasks:
        result = task.of(system.key)
        ended["not run" if result is None else words.STATUS_WORDS.get(result.status, result.status)] += 1
    if set(ended) == {"not run"}:
        return Blank("not run")
    total, good = len(family.tasks), ended["measured"]
    others = [f"{n} {what}" for what, n in ended.most_common() if what != "measured"]
    if not good:
        return Cell("; ".join(others), sort=0.0, tone="bad")
    return Cell(
        f"{good} of {total} ok",
        sort=float(good),
        sub="; ".join(others),
        tone="good" if good == total else "warn",
    )


def rows_table(tasks: Sequence[Task], device: Device) -> tuple[Table, int, list[tuple[str, str]]] | None:
    """The store's rows, newest first, at most ``MAX_ROWS``; how many there are; what their flags mean."""
    keys = {s.key: s for s in device.systems}
    found = [
        (task, result.system, row)
        for task in tasks
        for result in results(task)
        if result.system.key in keys
        for row in result.rows
    ]
    if not found:
        return None
    found.sort(key=lambda f: (-f[2]["recorded_at"].timestamp(), f[0].label, f[1].count, f[2]["cell_id"]))
    rows = []
    for task, system, row in found[:MAX_ROWS]:
        software = " ".join(row[n] for n in ("engine", "engine_version") if row[n])
        where = row["source_locator"] or row["run_id"]
        rows.append(
            {
                "task": task.short_label,
                "count": system.count,
                "rate": _rate(row),
                "n": Cell(row["sample_count"]) if row["sample_count"] else Blank("not stated"),
                "kind": Cell(row["value_kind"] or row["origin"], sub=row["status_detail"] or ""),
                "software": software or Blank("not stated"),
                "flags": ", ".join(row["flags"]) if row["flags"] else Blank("none"),
                "where": Cell(words.breakable(where), sort=where, sub=row["source_id"]),
                "on": Cell(figures.day(row["recorded_at"]), sort=row["recorded_at"].isoformat()),
            }
        )  # fmt: skip
    columns = (
        Column("task", "Task"), Column("count", "Devices", kind="number"),
        Column("rate", "Rate", kind="number"), Column("n", "n", kind="number", help="Repetitions"),
        Column("kind", "Kind"), Column("software", "Software"),
        Column("flags", "Flags"), Column("where", "Place in the source, or run"), Column("on", "Day"),
    )  # fmt: skip
    flags = sorted({flag for _, _, row in found[:MAX_ROWS] for flag in row["flags"]})
    meanings = list(zip(flags, words.flag_words(flags), strict=True))
    return Table(columns, rows, caption="Rows", filterable=True), len(found), meanings


def _rate(row: Row) -> Cell | Blank:
    if row["rate"] is None:
        return Blank(words.STATUS_WORDS.get(row["status"], row["status"]))
    low, high = row["rate_low"], row["rate_high"]
    return Cell(
        words.rate_words(row["rate"], row["rate_unit"]),
        sort=row["rate"],
        interval=figures.span(low, high) if low is not None and high is not None else "",
        sub=words.header_unit(row["rate_unit"]),
    )
