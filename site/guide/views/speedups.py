"""One task's standings: bars of the speedup over its reference, and the table of all systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from guide.analysis.tasks import called, disturbed
from guide.charts import Chart
from guide.charts.bars import Bar, bars
from guide.model import Ratio, Result, Source, Standing, Task
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell, vendor_key
from guide.views.matchable import bars_of, on_task

#: More bars than this cannot be read at a glance: the table below holds all.
MAX_BARS = 24


def speedup_bars(task: Task) -> Chart | None:
    """Speedup over the task's reference, bars from zero; None for fewer than two systems.

    Single devices only, where there are two of them: several devices together have a page of their own.
    Of more than ``MAX_BARS`` the fastest are drawn, and the reference.
    """
    if len(task.standings) < 2 or task.reference is None:
        return None
    single = [s for s in task.standings if s.result.system.count == 1]
    shown = single if len(single) > 1 else list(task.standings)
    left_out = len(task.standings) - len(shown)
    notes = []
    if left_out:
        notes.append(f"single devices; {figures.plural(left_out, 'system')} of several devices in the table")
    if len(shown) > MAX_BARS:
        kept = shown[:MAX_BARS]
        if not any(s.result.system.key == task.reference.result.system.key for s in kept):
            kept += [s for s in shown if s.result.system.key == task.reference.result.system.key]
        notes.append(f"the fastest {MAX_BARS} of {len(shown)}")
        shown = kept
    missing = [r for r in task.failures if r.system.count == 1 or len(single) < 2]
    if missing:
        notes.append(f"{figures.plural(len(missing), 'system')} without a figure in the table")
    drawn = bars(
        [_bar(task, s) for s in shown],
        title=f"Speedup over {called(task.reference.result)}",
        unit="times as fast",
        ratio=True,
        what=task.short_label,
        caption=f"{task.short_label}. Whiskers: 95 % interval. Shaded bands: tiers, whose members are tied "
        f"with their best{'; outlined bars: not timed in full' if _indirect(shown) else ''}."
        + (f" Shown: {'; '.join(notes)}." if notes else ""),
    )
    return replace(drawn, own=bars_of(task))


def _indirect(standings: Sequence[Standing]) -> bool:
    return any(words.kind_words(s.result) for s in standings)


def _bar(task: Task, standing: Standing) -> Bar:
    result, speedup = standing.result, standing.speedup
    kind = words.kind_words(result)
    note = ", ".join(part for part in (kind, disturbed(result)) if part)
    shown = figures.ratio(speedup.value) + (f" {note}" if note else "")
    return Bar(
        label=result.system.label,
        value=speedup.value,
        low=speedup.interval.low if speedup.interval else None,
        high=speedup.interval.high if speedup.interval else None,
        vendor=vendor_key(result.system),
        tier=standing.tier,
        hollow=bool(kind),
        note=note,
        shown=shown,
        origin=over(result, task),
    )


def standings_table(task: Task, sources: Mapping[str, Source]) -> Table:
    """Every system that tried the task: tier, rate beside speedup, and what else its rows hold.

    Columns that no system has a figure for are left out. Systems without a rate follow, with the reason.
    """
    results = [s.result for s in task.standings]
    extra = [name for name in EXTRA if any(_extra(r, name) is not None for r in results)]
    jobs = any(r.job_s for r in results)
    unit = words.header_unit(task.unit)
    columns = [Column("system", "System"), Column("tier", "Tier", kind="number", help=_TIER_HELP)]
    if jobs:
        columns.append(Column("job", "Time a job", kind="number", help="The whole job at this rate"))
    columns += [
        Column("rate", "Rate", unit, "number", help="Higher is better; in brackets the 95 % interval"),
        Column("speedup", "Speedup", "×", "number", help=_speedup_help(task)),
        *(EXTRA[name] for name in extra),
    ]
    rows = []
    for standing in task.standings:
        result = standing.result
        row = {
            "system": system_cell(result.system),
            "tier": tier_cell(task, standing),
            "job": _job(result, standing.speedup),
            "rate": words.rate_cell(result),
            "speedup": speedup_cell(standing.speedup, over(result, task)),
        }
        rows.append(row | {name: extra_cell(result, name) for name in extra})
    for result in task.failures:
        reason = Blank(words.status_words(result))
        detail = result.detail or ""
        row = {"system": system_cell(result.system, detail if len(detail) < 60 else ""), "rate": reason}
        rows.append(row | {c.key: Blank("–") for c in columns if c.key not in row})
    caption = f"All systems: {task.short_label}"
    return Table(columns, rows, caption=caption, filterable=len(rows) > 12, fold=True, own=on_task(task))


_TIER_HELP = "Systems of one tier are tied with its best: their bands overlap"


def _speedup_help(task: Task) -> str:
    if task.reference is None:
        return "No system has a rate"
    return f"Over {called(task.reference.result)}: {task.reference.rule}"


def over(result: Result, task: Task) -> Provenance | None:
    """What a speedup over the task's reference rests on."""
    return Provenance((result, task.reference.result), "ratio") if task.reference else None


def tier_cell(task: Task, standing: Standing, shown: str = "") -> Cell:
    """The standing's tier, and what anchors it."""
    best = next(s.result for s in task.standings if s.tier == standing.tier)
    origin = Provenance((standing.result, best), "tier")
    return Cell(shown or standing.tier, sort=float(standing.tier), provenance=origin)


def speedup_cell(ratio: Ratio, provenance: Provenance | None = None) -> Cell:
    """``×3.41 [3.3–3.5]``, and ``tied`` where the two cannot be told apart."""
    interval = figures.span(ratio.interval.low, ratio.interval.high) if ratio.interval else ""
    sub = {"tied": "tied with it", "unknown": "cannot tell"}.get(ratio.verdict, "")
    sub += words.WITHIN_BAND if ratio.within_band else ""
    return Cell(
        figures.ratio(ratio.value),
        sort=ratio.value,
        interval=interval if ratio.value != 1.0 else "",
        sub=sub if ratio.value != 1.0 else "the reference",
        provenance=provenance,
    )


def _job(result: Result, speedup: Ratio) -> Cell | Blank:
    if result.job_s is None:
        return Blank("no whole job")
    return Cell(
        words.job_words(result.job_s),
        sort=result.job_s,
        sub=words.kind_words(result),
        ratio=figures.ratio(speedup.value),
        provenance=words.provenance(result),
    )


#: Columns for what only some rows hold.
EXTRA: dict[str, Column] = {
    "first_token_ms": Column("first_token_ms", "TTFT", "ms", "number", "Time to first token, median"),
    "inter_token_p50_ms": Column(
        "inter_token_p50_ms", "ITL p50", "ms", "number", "Inter-token latency, median"
    ),
    "inter_token_p95_ms": Column("inter_token_p95_ms", "ITL p95", "ms", "number"),
    "inter_token_p99_ms": Column("inter_token_p99_ms", "ITL p99", "ms", "number"),
    "efficiency": Column(
        "efficiency", "Of its roofline", "", "number", "Time that the hardware needs at least ÷ measured time"
    ),
    "bound": Column("bound", "Limited by", help="What limits it: compute, memory, or overhead"),
    "peak_memory_bytes": Column("peak_memory_bytes", "Peak memory", "GiB", "number"),
    "energy_j_per_work": Column("energy_j_per_work", "Energy", "J a unit of work", "number"),
    "mean_power_w": Column("mean_power_w", "Power", "W", "number", "Mean while it ran"),
}


def _extra(result: Result, name: str) -> float | str | None:
    if name == "peak_memory_bytes":
        known = [row[name] for row in result.rows if row[name] is not None]
        return max(known) / figures.GIB if known else None
    return getattr(result, name)


def extra_columns(results: Sequence[Result]) -> list[str]:
    """Names of the further columns (``EXTRA``) that one of the results has a figure for."""
    return [name for name in EXTRA if any(_extra(r, name) is not None for r in results)]


def extra_cell(result: Result, name: str) -> Cell | Blank:
    """A further figure of a result; a blank that says what is missing."""
    value = _extra(result, name)
    if value is None:
        return Blank("not recorded")
    origin = words.provenance(result)
    if isinstance(value, str):
        return Cell(value, provenance=origin)
    if name == "efficiency":
        tone = "warn" if value < 0.25 else ""
        return Cell(figures.percent(value), sort=value, tone=tone, provenance=origin)
    sub = result.energy_scope or "" if name == "energy_j_per_work" else ""
    return Cell(figures.number(value), sort=value, sub=sub, provenance=origin)
