"""Show what is in the store, as a table, JSON or CSV.

A file that cannot be read is named on standard error and left out; the others are still shown. What was
withdrawn is shown too, and named there with the reason. Exit code 1 when files exist and none of them could
be read, else 0 ('bench store verify' is the strict one).

Narrowed down to one --workload, the table also has the times that follow from its rates: s/step, s/epoch and
s/job of finetune, s/article and s/job of summarize, TTFT of prefill, ITL of decode.

In CSV, text that a spreadsheet would take for a formula (it starts with = + - or @) gets a leading '.
"""

from __future__ import annotations

from collections import Counter

import click

from bench.cli._options import as_json, data_dir, data_option
from bench.schema import STATUSES


@click.command(help=__doc__)
@data_option
@click.option("--workload", metavar="NAME", help="Only rows of this workload.")
@click.option("--device", metavar="TEXT", help="Only devices whose name or catalog key contains this text.")
@click.option("--status", type=click.Choice(list(STATUSES)), help="Only rows that ended like this.")
@click.option("--run", metavar="RUN", help="Only rows of this run (the start of its name is enough).")
@click.option("--all", "every", is_flag=True, help="All columns of the schema, not the usual few.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with the schema's column names.")
@as_json
@click.pass_context
def command(
    ctx: click.Context,
    data: str | None,
    workload: str | None,
    device: str | None,
    status: str | None,
    run: str | None,
    every: bool,
    as_csv: bool,
    as_json: bool,
) -> None:
    from bench import store
    from bench.cli import _tables
    from bench.schema import NAMES
    from bench.text import csv_cell, one_path, plain
    from bench.withdrawn import load_withdrawn, withdrawn_because

    if as_csv and as_json:
        raise click.UsageError("--json and --csv exclude each other.")
    where = data_dir(data)
    contents = store.read_store(where.runs)
    for path, reason in contents.left_out:
        shown = plain(reason, lines=True)
        click.echo(f"Left out: {shown}" if str(path) in shown else f"Left out {path}: {shown}", err=True)
    rows = [
        row
        for row in contents.rows
        if (workload is None or row["workload"] == workload)
        and (device is None or _named(row, device))
        and (status is None or row["status"] == status)
        and (run is None or row["run_id"].startswith(run))
    ]
    withdrawn = load_withdrawn(where.withdrawn)
    told = ((row["run_id"], withdrawn_because(row, withdrawn)) for row in rows)
    for (run_id, why), count in sorted(Counter(one for one in told if one[1] is not None).items()):
        what = f"{count} {'row' if count == 1 else 'rows'} of {run_id}"
        click.echo(plain(f"Withdrawn, and shown all the same: {what}: {why}"), err=True)
    if as_json:
        _tables.print_json(rows)
    elif as_csv:
        _tables.print_csv(rows, NAMES)
    elif rows and every:
        _tables.print_table(NAMES, [[csv_cell(row[name]) for name in NAMES] for row in rows])
    elif rows:
        _tables.print_usual(rows)
    if not rows:
        click.echo(_nothing(len(contents.rows), one_path(where.runs)), err=True)
    ctx.exit(1 if contents.left_out and not contents.files else 0)


def _named(row: dict, text: str) -> bool:
    names = (row["device_name"], row["device_id"] or "")
    return any(text.lower() in name.lower() for name in names)


def _nothing(count: int, runs: str) -> str:
    if count:
        return f"None of the {count} rows in {runs} matches."
    return f"There are no measurements in {runs}. Measure this machine with: bench collect --suite quick"
