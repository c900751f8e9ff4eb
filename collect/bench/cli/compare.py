"""Compare two runs, devices or queries, task by task: what differs first, then how much faster B is than A.

A and B each name a run (the start of its name is enough, or 'latest', 'previous'), a file, a device by its
catalog key or name, or rows by their columns, as in 'workload=decode,device=nvidia-rtx-4090,batch=1' ('~'
instead of '=': contains). Only equal tasks are compared; --across execution, or --across weights, lets
that one part of a task differ.

With --fail-slower 5% the command is a regression check: exit code 1 when B is slower by more than that, for
certain, on any task, or has no rate where A has one.
"""

from __future__ import annotations

import click

from bench.cli._options import Share, as_json, data_dir, data_option


@click.command(help=__doc__)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--across", multiple=True, metavar="COLUMN", help="Part of a task that may differ. Repeatable.")
@click.option(
    "--fail-slower", type=Share(), metavar="PERCENT", help="Fail when B is slower by more, as in 5%."
)
@data_option
@as_json
@click.pass_context
def command(
    ctx: click.Context,
    first: str,
    second: str,
    across: tuple[str, ...],
    fail_slower: float | None,
    data: str | None,
    as_json: bool,
) -> None:
    from bench.cli import _compare
    from bench.cli._tables import label
    from bench.compare import compare
    from bench.compare.select import Sides
    from bench.errors import BenchError
    from bench.text import plain

    sides = Sides(data_dir(data))
    a, b = sides.side(first), sides.side(second)
    found = compare(a.rows, b.rows, across, sides.system_of)
    for row, reason in found.left_out:
        click.echo(plain(f"Left out: {label(row)}, run {row['run_id']}: {reason}."), err=True)
    if not found.pairs and found.left_out:
        raise BenchError(
            f"'{first}' and '{second}' have no task whose figures are in one unit.",
            hint="'bench verify' names rows whose unit is not that of their workload.",
        )
    if not found.pairs:
        raise BenchError(
            f"'{first}' ({len(a.rows)} rows) and '{second}' ({len(b.rows)} rows) share no task.",
            hint="Tasks are equal when everything that was asked for is. --across COLUMN lets a part differ.",
        )
    slower = found.slower(fail_slower) if fail_slower is not None else ()
    if as_json:
        _compare.print_document(a, b, found, across, slower)
    else:
        _compare.print_comparison(a, b, found, across)
        if fail_slower is not None:
            _compare.print_check(slower, fail_slower)
    ctx.exit(1 if slower else 0)
