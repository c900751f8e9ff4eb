"""What 'bench collect' does once its options are understood: preview, run, resume, summary."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import click

from bench import store
from bench.cli._tables import print_json, print_table, print_usual
from bench.devices import KINDS
from bench.errors import UsageError, unknown
from bench.measure.flags import ADVICE
from bench.measure.gate import CAUSES
from bench.project import DataDir
from bench.runner import parent
from bench.runner.plan import PROBE
from bench.runner.progress import Reporter, reporter
from bench.runner.rows import RunFile, find_unfinished
from bench.runner.supervisor import BUDGET_ENDED
from bench.runner.work import Result
from bench.schema import STATUSES
from bench.suites import get_suite
from bench.text import duration, nbytes, one_path, plain

#: Outcomes that make the exit code 1.
FAILURES = frozenset({"failed", "killed"})


def _check(options: parent.Options) -> None:
    """Names before anything is started."""
    if options.device != "auto" and options.device not in KINDS:
        raise unknown("device", options.device, [*KINDS, "auto"])
    get_suite(options.suite)


def dry_run(options: parent.Options, data: DataDir, *, as_json: bool) -> None:
    """Print the plan."""
    _check(options)
    found = parent.preview(options, data, Reporter())
    device, total = found.hello.device, sum(found.expected_s.values())
    rows = []
    for item in found.plan.cells:
        cell_id = item.cell.cell_id
        reason = found.refused.get(cell_id)
        rows.append(
            item.cell.columns()
            | {
                "label": item.cell.label,
                "memory_bytes": item.need.memory_bytes,
                "flops_per_sample": item.need.flops_per_sample,
                "bytes_per_sample": item.need.bytes_per_sample,
                "expected_s": found.expected_s.get(cell_id),
                "status": "oom" if reason else None,
                "status_detail": reason,
            }
        )
    if as_json:
        print_json(
            {
                "suite": options.suite,
                "device_name": device["name"],
                "device_memory_bytes": device["memory_bytes"],
                "free_memory_bytes": found.hello.free_memory_bytes,
                "expected_s": total,
                "expected_from": found.rates.source,
                "cells": rows,
            }
        )
        return
    print_table(
        ("cell", "needs", "expected", "note"),
        [
            (
                row["label"],
                nbytes(row["memory_bytes"]),
                duration(round(row["expected_s"])) if row["expected_s"] is not None else "",
                row["status_detail"] or "",
            )
            for row in rows
        ],
    )
    click.echo(
        f"\n{len(rows)} cells on {device['name']} ({nbytes(device['memory_bytes'])}, "
        f"{nbytes(found.hello.free_memory_bytes)} free), {len(found.refused)} of them will not fit.\n"
        f"Expected time: about {duration(total)}. An estimate, from {found.rates.source}."
    )
    if options.budget_s is not None and total > options.budget_s:
        click.echo(f"The budget is {duration(options.budget_s)}: what it leaves undone, --resume continues.")


def collect(options: parent.Options, data: DataDir, out: str | None, *, as_json: bool) -> int:
    """Measure; returns the exit code."""
    _check(options)
    return _close(parent.collect(options, data, reporter()), out, as_json=as_json)


def resume(
    which: str,
    options: parent.Options,
    given: AbstractSet[str],
    data: DataDir,
    out: str | None,
    *,
    as_json: bool,
) -> int:
    """Continue a run; returns the exit code. Raises ``UsageError`` for settings that the run already has."""
    if given:
        raise UsageError(
            f"--resume continues a run with its own settings; leave out {_options(given)}.",
            hint="Only --budget, --energy-meter, --out and --json go with it.",
        )
    run = _find(which, data)
    if not run.unfinished:
        click.echo(f"Run {run.run_id} has nothing left to do.", err=True)
        return _close(Result(run), out, as_json=as_json)
    result = parent.resume(run, data, reporter(), options.budget_s, options.energy_meter)
    return _close(result, out, as_json=as_json)


def _options(names: AbstractSet[str]) -> str:
    return ", ".join("--" + {"workloads": "workload"}.get(name, name) for name in sorted(names))


def _find(which: str, data: DataDir) -> RunFile:
    if which == "latest":
        from bench.measure.environment import host_id
        from bench.state import state_dir

        found = find_unfinished(data.runs, host_id(state_dir()))
        if not found:
            raise UsageError(
                f"There is no unfinished run of this machine in {one_path(data.runs)}.",
                hint="Start one: leave --resume out.",
            )
        return found[0]
    paths = {path.stem: path for path in store.run_files(data.runs)}
    name = Path(which).stem if which.endswith(".parquet") else which
    if name not in paths:
        raise unknown("run", name, paths)
    found = RunFile.load(paths[name])
    if "plan" not in found.meta:  # imported, merged or exported rows
        raise UsageError(
            f"'{name}' holds no plan that could be continued: 'bench collect' did not write it.",
            hint="Name a run of 'bench collect', or leave the name out for the latest unfinished one.",
        )
    return found


def _close(result: Result, out: str | None, *, as_json: bool) -> int:
    """Print the summary of a run that has ended; returns the exit code."""
    run = result.run
    rows = list(run.rows.values())
    counts = Counter(row["status"] for row in rows)
    again = f"bench collect --resume {run.run_id}" + (f" --out {shlex.quote(out)}" if out else "")
    complete = not run.unfinished
    if as_json:
        print_json(_document(result, again))
    else:
        print_usual(sorted(rows, key=_place))
        counted = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        click.echo(f"\n{len(rows)} cells: {counted}.\nRun file: {one_path(run.path)}")
        _tell_disturbances(rows)
        _tell_weights(run.meta.get("weight_ratios", []))
        if result.stopped:
            click.echo(f"Ended early: {result.stopped}.")
        if complete:
            click.echo("Next: mkdocs build")
        else:
            click.echo(f"Continue with: {again}")
    stopped_by_hand = result.stopped is not None and result.stopped != BUDGET_ENDED
    return int(stopped_by_hand or any(counts[status] for status in FAILURES))


def _tell_disturbances(rows: list[dict[str, Any]]) -> None:
    """What disturbed cells of the run, and what to do about it."""
    for flag, words in CAUSES.items():
        count = sum(flag in row["flags"] for row in rows)
        if count:
            click.echo(f"{flag}, {count} of {len(rows)} cells: {words}. {ADVICE[flag]}")


def _tell_weights(ratios: list[dict[str, Any]]) -> None:
    """What random weights did to the rates, where both kinds were run."""
    for found in ratios:
        stated = f" ({found['low']:.3f} to {found['high']:.3f})" if found["low"] else ""
        click.echo(
            plain(
                f"Random over pretrained weights: × {found['ratio']:.3f}{stated}, {found['workload']} "
                f"{found['model']} {found['compute_dtype']} {found['execution']} b{found['batch']}"
            )
        )


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    sizes = tuple(row[name] or 0 for name in ("input_tokens", "output_tokens", "batch"))
    return (row["workload"] != PROBE, row["workload"], row["model"] or "", row["compute_dtype"], *sizes)


def _document(result: Result, again: str) -> dict[str, Any]:
    run = result.run
    return {
        "run_id": run.run_id,
        "path": str(run.path),
        "suite": run.meta["suite"],
        "stopped": result.stopped,
        "resume": again if run.unfinished else None,
        "rows": list(run.rows.values()),
    }
