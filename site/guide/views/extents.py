"""A family over its batches and lengths: lines, heat maps, and the table of systems against tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from guide.analysis.tasks import called
from guide.charts import Chart
from guide.charts.heatmap import Tile, heatmap
from guide.charts.lines import MAX_SERIES, Sample, lines
from guide.model import Source, System, Task
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Table
from guide.views import words
from guide.views.devices import system_cell
from guide.views.families import Family, extent_label, varying
from guide.views.matchable import key_of, lines_of, tiles_of
from guide.views.speedups import EXTRA, extra_cell, extra_columns

#: A table of systems against tasks holds this many tasks at most; a longer family is one row a figure.
MAX_TASK_COLUMNS = 8
AXES = {
    "batch": "Batch, sequences",
    "input_tokens": "Input, tokens",
    "output_tokens": "Output, tokens",
    "context_depth": "Context before, tokens",
}


def rates_over_length(family: Family) -> Chart | None:
    """Rate over the one extent that varies; None unless exactly one does, with two values or more.

    Of more than six systems, six are drawn that are spread evenly over the ranking, the fastest and the
    slowest among them; single devices where there are enough.
    """
    axes = varying(family.tasks)
    if len(axes) != 1 or len({t.unit for t in family.tasks}) != 1:
        return None
    whole = [s for s in family.systems if len(family.rated(s.key)) == len(family.tasks)]
    whole = [s for s in whole if s.count == 1] or whole
    if not whole:
        return None
    shown = _spread(whole)
    samples = []
    for system in shown:
        for task in family.rated(system.key):
            samples.append(_sample(task, system, axes[0]))
    note = (
        ""
        if len(shown) == len(whole)
        else f" {len(shown)} of {len(whole)} single devices, spread evenly over "
    )
    note += "" if len(shown) == len(whole) else "the ranking; the table has all."
    unit = family.headline.unit or ""
    drawn = lines(
        samples,
        title=f"{family.label}: {unit} over {AXES[axes[0]].split(',')[0].lower()} length"
        if axes[0] != "batch"
        else f"{family.label}: {unit} over batch",
        x_title=AXES[axes[0]],
        y_title=unit,
        caption=f"Shaded: 95 % interval.{note}",
    )
    return replace(drawn, own=lines_of((float(t.columns[axes[0]] or 0), t) for t in family.tasks))


def _sample(task: Task, system: System, axis: str) -> Sample:
    standing = task.standing(system.key)
    assert standing is not None
    result = standing.result
    interval = result.interval
    return Sample(
        series=system.label,
        x=float(task.columns[axis] or 0),
        y=float(result.rate or 0),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        origin=words.provenance(result),
    )


def _spread(systems: Sequence[System]) -> list[System]:
    if len(systems) <= MAX_SERIES:
        return list(systems)
    last = len(systems) - 1
    places = sorted({round(n * last / (MAX_SERIES - 1)) for n in range(MAX_SERIES)})
    return [systems[place] for place in places]


def batch_by_length(family: Family) -> Chart | None:
    """Batch × length of the system with most cells; None unless both vary."""
    axes = varying(family.tasks)
    lengths = [name for name in axes if name != "batch"]
    if "batch" not in axes or not lengths:
        return None
    axis = max(lengths, key=lambda n: len({t.columns[n] for t in family.tasks}))
    fixed = [name for name in lengths if name != axis]
    tasks = _largest([t for t in family.tasks if t.columns[axis] is not None], fixed)
    if len({t.columns["batch"] for t in tasks}) < 2 or len({t.columns[axis] for t in tasks}) < 2:
        return None
    tried = {s.key: sum(t.of(s.key) is not None for t in tasks) for s in family.systems}
    system = max(family.systems, key=lambda s: tried[s.key])
    tiles, places = [], []
    for task in tasks:
        places.append((int(task.columns[axis] or 0), int(task.columns["batch"] or 1), task))
        result = task.of(system.key)
        if result is None:
            continue
        tiles.append(
            Tile(
                *places[-1][:2],
                value=result.rate,
                status=result.status,
                interval=words.interval_words(result),
                detail="" if result.ok else f"{words.status_words(result)}. {result.detail or ''}".strip(),
                origin=words.provenance(result),
            )
        )
    rest = ", ".join(f"{AXES[n].lower()}: {tasks[0].columns[n]:,}" for n in fixed if tasks[0].columns[n])
    unit = family.headline.unit or ""
    missing = [t for t in tiles if t.value is None]
    drawn = heatmap(
        tiles,
        title=f"{family.label}: {unit} on {system.label}",
        unit=unit,
        x_title=AXES[axis],
        caption="Darker is more."
        + (f" {rest.capitalize()}." if rest else "")
        + (
            f" {figures.plural(len(missing), 'cell')} without a figure: the reason stands in it."
            if missing
            else ""
        )
        + (" Combinations that nobody asked for stay empty." if _sparse(tiles) else ""),
    )
    return replace(drawn, own=tiles_of(places))


def _largest(tasks: Sequence[Task], fixed: Sequence[str]) -> list[Task]:
    """The most tasks that agree in ``fixed``, one for each batch and length."""
    sets: dict[tuple[object, ...], list[Task]] = {}
    for task in tasks:
        sets.setdefault(tuple(task.columns[n] for n in fixed), []).append(task)
    return max(sets.values(), key=len, default=[])


def _sparse(tiles: Sequence[Tile]) -> bool:
    return len(tiles) < len({t.x for t in tiles}) * len({t.y for t in tiles})


def family_table(family: Family, sources: Mapping[str, Source]) -> Table:
    """Systems against the family's tasks; with many tasks, a row for each figure instead."""
    if len(family.tasks) > MAX_TASK_COLUMNS:
        return figures_table([family], sources)
    columns = [Column("system", "System")]
    for task in family.tasks:
        name = extent_label(task, family.tasks) if len(family.tasks) > 1 else "Rate"
        columns.append(Column(task.key, name, kind="number", task=key_of(task)))
    rows = []
    for system in family.systems:
        row: dict[str, object] = {"system": system_cell(system)}
        for task in family.tasks:
            standing = task.standing(system.key)
            ratio = figures.ratio(standing.speedup.value) if standing else ""
            result = task.of(system.key)
            row[task.key] = (
                words.rate_cell(result, ratio=ratio) if result is not None else words.missing(task, system)
            )
        rows.append(row)
    return Table(columns, rows, caption=_caption(family), filterable=len(rows) > 12, fold=True)


def _caption(family: Family) -> str:
    reference = family.headline.reference
    over = f"; × over {called(reference.result)}" if reference else ""
    one = all(t.reference and reference and t.reference.result.system.key == reference.result.system.key
              for t in family.tasks)  # fmt: skip
    units = ", ".join(sorted({t.unit for t in family.tasks if t.unit}))
    return f"{family.label}: {units}{over if one else '; × over each column’s reference'}"


def figures_table(families: Sequence[Family], sources: Mapping[str, Source]) -> Table:
    """A row for each family, task and system, with everything that the rows hold about it."""
    triples = [(f, t, r) for f in families for t in f.tasks for s in f.systems if (r := t.of(s.key))]
    results = [result for _, _, result in triples]
    extra = extra_columns(results)
    one = len({r.system.key for r in results}) == 1
    units = sorted({words.header_unit(t.unit) for _, t, _ in triples})
    columns = [Column("task", "Task")]
    columns += [] if one else [Column("system", "System")]
    columns.append(Column("rate", "Rate", units[0] if len(units) == 1 else "", "number"))
    columns += [EXTRA[name] for name in extra]
    rows = []
    for place, (family, task, result) in enumerate(triples):
        sub = words.header_unit(task.unit) if len(units) > 1 else ""
        row: dict[str, object] = {
            "task": Cell(
                extent_label(task, family.tasks if len(family.tasks) > 1 else ()),
                sort=float(place),
                sub=family.label if len(families) > 1 else "",
            ),
            "rate": words.rate_cell(result, sub=sub),
            "system": system_cell(result.system),
        }
        rows.append(row | {n: extra_cell(result, n) if result.ok else Blank("–") for n in extra})
    caption = families[0].label if len(families) == 1 else "All figures"
    on = f" on {results[0].system.label}" if one else ""
    keys = {task.key: key_of(task) for _, task, _ in triples}
    tasks = [keys[task.key] for _, task, _ in triples] if any(keys.values()) else ()
    return Table(
        columns, rows, caption=f"{caption}{on}", filterable=len(rows) > 12, fold=True, row_tasks=tasks
    )
