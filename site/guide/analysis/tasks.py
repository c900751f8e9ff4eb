"""Rows to tasks: what was measured under one ``task_key``, combined per system, ranked in tiers.

Several rows of one system on one task are combined by ``bench.compare.figure``: disturbed rows count only
where there are no others, then only the newest software of each host, and the median across hosts is the
figure. Disturbed rows that were passed over stay on the device's page.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from bench.compare.figure import figure_of
from bench.measure.flags import disturbances
from bench.schema import TASK_FIELDS, Row
from guide.analysis.labels import edition, task_kind, task_label, task_slug
from guide.analysis.ratios import ratio
from guide.analysis.tiers import tiers
from guide.model import Reference, Result, Source, Standing, System, Task
from guide.show.figures import plural

#: The most telling status of rows without a rate comes first.
FAILURES = (
    "oom", "unsupported", "timeout", "failed", "killed", "impossible", "skipped", "interrupted",
)  # fmt: skip


def build_tasks(
    rows: Iterable[tuple[System, Row]], sources: Mapping[str, Source], references: Sequence[str] = ()
) -> tuple[Task, ...]:
    """All tasks of the rows, ordered by workload, model and label.

    ``references`` names devices to prefer as reference, by system key, before any other rule.
    """
    by_task: dict[str, dict[str, list[tuple[System, Row]]]] = defaultdict(lambda: defaultdict(list))
    for system, row in rows:
        by_task[row["task_key"]][system.key].append((system, row))
    results = {
        key: [combine(found[0][0], [row for _, row in found]) for _, found in sorted(systems.items())]
        for key, systems in by_task.items()
    }
    coverage = Counter(r.system.key for found in results.values() for r in found if r.ok)
    labels = _labels({key: found[0].rows[0] for key, found in results.items()})
    tasks = [_task(key, found, labels[key], sources, references, coverage) for key, found in results.items()]
    return tuple(sorted(tasks, key=lambda t: (t.workload, t.model or "", t.label, t.key)))


def _task(
    key: str,
    results: list[Result],
    label: tuple[str, str],
    sources: Mapping[str, Source],
    references: Sequence[str],
    coverage: Counter[str],
) -> Task:
    first = results[0].rows[0]
    good = sorted((r for r in results if r.ok), key=lambda r: (-(r.rate or 0), r.system.key))
    reference = choose_reference(good, sources, references, coverage)
    places = tiers([r.band for r in good if r.band])
    standings = tuple(
        Standing(result, tier, speedup)
        for result, tier in zip(good, places, strict=True)
        if reference and (speedup := ratio(result, reference.result))
    )
    return Task(
        key=key,
        label=label[0],
        short_label=label[1],
        slug=task_slug(first, key),
        kind=task_kind(first),
        workload=first["workload"],
        model=first["model"],
        unit=good[0].unit if good else first["rate_unit"],
        columns={name: first[name] for name in TASK_FIELDS},
        source_ids=tuple(sorted({s for r in results for s in r.source_ids})),
        reference=reference,
        standings=standings,
        failures=tuple(r for r in results if not r.ok),
    )


def _labels(examples: Mapping[str, Row]) -> dict[str, tuple[str, str]]:
    """(label, short label) of each task; labels that would be equal are told apart."""
    labels = {key: task_label(row) for key, row in examples.items()}
    named = Counter((row["source_id"], labels[key]) for key, row in examples.items())
    labels |= {
        key: f"{labels[key]}, {edition(row)}"
        for key, row in examples.items()
        if named[row["source_id"], labels[key]] > 1 and row["origin"] != "measured"
    }
    full = {}
    for key, row in examples.items():
        origin = "" if row["origin"] == "measured" else f" ({row['source_id']})"
        full[key] = labels[key] + origin
    for extra in ("protocol", "task_key"):  # what tells equal labels apart, the readable one first
        seen = Counter(full.values())
        full |= {
            key: f"{text} [{str(examples[key][extra])[-40:]}]" for key, text in full.items() if seen[text] > 1
        }
    return {key: (text, labels[key]) for key, text in full.items()}


def combine(system: System, rows: Sequence[Row]) -> Result:
    """One system's rows on one task as one result (the rule is at the top of this module)."""
    ordered = sorted(rows, key=lambda r: (r["recorded_at"], r["run_id"], r["cell_id"]))
    found = figure_of(ordered)
    if found is None:
        return _failure(system, ordered)
    used = found.rows
    newest = used[-1] if found.hosts == 1 else max(used, key=lambda r: (r["recorded_at"], r["cell_id"]))
    return Result(
        system=system,
        status="ok",
        detail=newest["status_detail"],
        rate=found.rate,
        unit=newest["rate_unit"],
        interval=found.interval,
        band=found.band,
        n=len(used),
        sample_count=found.sample_count,
        origins=_distinct(used, "origin"),
        value_kinds=_distinct(used, "value_kind"),
        source_ids=_distinct(used, "source_id"),
        flags=tuple(sorted({flag for row in used for flag in row["flags"]})),
        newest=max(row["recorded_at"] for row in used),
        job_s=_middle(used, "job_s"),
        first_token_ms=_middle(used, "first_token_ms"),
        inter_token_p50_ms=_middle(used, "inter_token_p50_ms"),
        inter_token_p95_ms=_middle(used, "inter_token_p95_ms"),
        inter_token_p99_ms=_middle(used, "inter_token_p99_ms"),
        energy_j_per_work=_energy(used),
        energy_scope=newest["energy_scope"],
        mean_power_w=_middle(used, "mean_power_w"),
        efficiency=_middle(used, "efficiency"),
        bound=newest["bound"],
        differs=_differs(used),
        rows=used,
        passed_over=found.passed_over,
    )


def _failure(system: System, rows: Sequence[Row]) -> Result:
    order = {status: place for place, status in enumerate(FAILURES)}
    telling = min(rows, key=lambda r: (order.get(r["status"], len(order)), r["recorded_at"], r["cell_id"]))
    return Result(
        system=system,
        status=telling["status"],
        detail=telling["status_detail"],
        rate=None,
        unit=telling["rate_unit"],
        interval=None,
        band=None,
        n=len(rows),
        sample_count=None,
        origins=_distinct(rows, "origin"),
        value_kinds=_distinct(rows, "value_kind"),
        source_ids=_distinct(rows, "source_id"),
        flags=tuple(sorted({flag for row in rows for flag in row["flags"]})),
        newest=max(row["recorded_at"] for row in rows),
        rows=tuple(rows),
    )


def _middle(rows: Sequence[Row], column: str) -> float | None:
    values = [row[column] for row in rows if row[column] is not None]
    return median(values) if values else None


def _energy(rows: Sequence[Row]) -> float | None:
    """Median joules per unit of work, of rows that measured energy."""
    values = [
        row["energy_j"] / (row["work_per_sample"] * row["sample_count"])
        for row in rows
        if row["energy_j"] and row["work_per_sample"] and row["sample_count"]
    ]
    return median(values) if values else None


def _distinct(rows: Iterable[Row], column: str) -> tuple[str, ...]:
    return tuple(sorted({row[column] for row in rows if row[column]}))


def _differs(rows: Sequence[Row]) -> tuple[str, ...]:
    """Names of the conditions that are not the same in all rows."""
    if len(rows) < 2:
        return ()
    parsed = [json.loads(row["conditions"]) if row["conditions"] else {} for row in rows]
    names = {name for conditions in parsed for name in conditions}
    found = [name for name in names if len({json.dumps(c.get(name), sort_keys=True) for c in parsed}) > 1]
    columns = ("driver_version", "power_limit_w", "engine_version", "host_id")
    return tuple(sorted(found + [c for c in columns if len({row[c] for row in rows}) > 1]))


def choose_reference(
    results: Sequence[Result],
    sources: Mapping[str, Source],
    preferred: Sequence[str],
    coverage: Counter[str],
) -> Reference | None:
    """What the task's speedups are over. ``results`` have rates, fastest first; None when there is none.

    In turn: a device that the guide's settings prefer; the one that the source itself compares with; the
    CPU with results in most tasks; the slowest system.
    """
    if not results:
        return None
    by_key = {r.system.key: r for r in results}
    for key in preferred:
        if key in by_key:
            found = by_key[key]
            return Reference(found, "the guide's reference device", is_cpu(found.system))
    for result in results:
        named = {sources[s].reference_device for s in result.source_ids if s in sources}
        if named & {result.system.name, result.system.key, result.system.device_id} - {None}:
            return Reference(result, "the device that the source compares with", is_cpu(result.system))
    processors = [r for r in results if is_cpu(r.system)]
    if processors:
        found = min(processors, key=lambda r: (-coverage[r.system.key], r.system.key))
        return Reference(found, "the CPU with results in most tasks", True)
    return Reference(results[-1], "the slowest system, as no CPU has run this task", False)


#: Kinds of value that a reader must be told about wherever the figure stands, or another rests on it.
TOLD_KINDS = ("extrapolated", "estimated", "inferred", "derived")


def told_kinds(result: Result) -> str:
    """``inferred``, ``estimated``, … for figures that nobody timed in full; empty for all others."""
    return ", ".join(kind for kind in result.value_kinds if kind in TOLD_KINDS)


def disturbed(result: Result) -> str:
    """``contended``, ``on battery``, … where the figure is not the machine's own; empty for all others."""
    return ", ".join(disturbances(result.flags))


def passed_over_words(result: Result) -> str:
    """``passed over: 2 rows (contended)``; empty where no row was."""
    if not result.passed_over:
        return ""
    why = disturbances({flag for row in result.passed_over for flag in row["flags"]})
    return f"passed over: {plural(len(result.passed_over), 'row')} ({', '.join(why)})"


def called(result: Result) -> str:
    """A reference's name, and what its own figure is: every ratio over it is no surer. ``CPU, estimated``."""
    return ", ".join(part for part in (result.system.label, told_kinds(result), disturbed(result)) if part)


def is_cpu(system: System) -> bool:
    """Whether the system is a processor by itself."""
    return system.device_class == "cpu"
