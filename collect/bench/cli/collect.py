"""Measure this machine and add a run to the store.

Runs every cell of a suite, each to the suite's precision or to its time budget, in child processes. Each
finished cell is on disk before the next one starts. The ceiling probe always runs first: every other
figure is held against it.

The first Ctrl-C ends the current cell and says how to continue; the second stops at once. Exit code 0
when every cell is settled (not fitting, unsupported and skipped are results too) or the time budget ended,
1 when a cell failed, was killed, or the run was stopped, 2 for wrong usage.
"""

from __future__ import annotations

from pathlib import Path

import click

from bench.cli._options import Duration, Words, as_json, data_dir, split_device
from bench.schema import CHOICES

EXECUTIONS = tuple(CHOICES["execution"])


@click.command(help=__doc__)
@click.option(
    "--device", default="auto", show_default=True, help="cuda, mps, xpu, cpu or auto; cuda:1 for the second."
)
@click.option("--suite", default="quick", show_default=True, help="quick, standard, article or full.")
@click.option(
    "--workload", "workloads", multiple=True, metavar="NAME", help="Only this workload; may be repeated."
)
@click.option("--budget", type=Duration(), help="Time for the whole run, such as 600s, 10m or 1h30m.")
@click.option(
    "--resume",
    is_flag=False,
    flag_value="latest",
    metavar="[RUN]",
    help="Continue a run with its own settings: the latest unfinished one of this machine, or the named one.",
)
@click.option(
    "--out", type=click.Path(file_okay=False), metavar="DIR", help="Data folder, or its runs folder."
)
@click.option(
    "--weights",
    type=click.Choice(["random", "pretrained", "both"]),
    default="random",
    show_default=True,
    help="Random weights of the published shape, the real ones (downloaded), or each cell with both.",
)
@click.option(
    "--execution",
    "executions",
    type=Words(EXECUTIONS),
    default=(),
    metavar="WAY,...",
    help="How cells that offer it run, each in turn: eager, compiled (torch.compile), cuda-graph.",
)
@click.option(
    "--energy-meter",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Wall-plug readings, CSV of timestamp,watts (ISO 8601 or seconds since 1970); may grow meanwhile.",
)
@click.option(
    "--dry-run", is_flag=True, help="Print the plan (cells, memory, expected time) and measure nothing."
)
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Of order and data."
)
@as_json
@click.pass_context
def command(
    ctx: click.Context,
    device: str,
    suite: str,
    workloads: tuple[str, ...],
    budget: float | None,
    resume: str | None,
    out: str | None,
    weights: str,
    executions: tuple[str, ...],
    energy_meter: Path | None,
    dry_run: bool,
    seed: int,
    as_json: bool,
) -> None:
    from bench.cli import _collect
    from bench.runner.parent import Options

    kind, index = split_device(device)
    options = Options(kind, index, suite, workloads, weights, seed, budget, energy_meter, executions)
    if dry_run:
        _collect.dry_run(options, data_dir(out, must_exist=False), as_json=as_json)
        return
    data = data_dir(out, create=True)
    if resume is None:
        ctx.exit(_collect.collect(options, data, out, as_json=as_json))
    given = {
        name
        for name in ("device", "suite", "workloads", "weights", "executions", "seed")
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    ctx.exit(_collect.resume(resume, options, given, data, out, as_json=as_json))
