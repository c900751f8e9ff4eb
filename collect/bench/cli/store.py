"""Look after the store: verify its files, compact them, export all rows.

Run files are never changed. Nothing is deleted without --delete.
"""

from __future__ import annotations

from pathlib import Path

import click

from bench.cli._options import as_json, data_dir, data_option


@click.group(help=__doc__)
def command() -> None:
    pass


@command.command()
@data_option
@as_json
@click.pass_context
def verify(ctx: click.Context, data: str | None, as_json: bool) -> None:
    """Read every file and check every row; one line a file.

    Exit code 1 when a file is damaged, foreign or newer than this version, or holds a row that contradicts
    itself or is impossible ('bench verify' explains each). Leftovers of interrupted writes are named; they
    do no harm.
    """
    from bench.catalog import Catalog
    from bench.cli._tables import print_json, print_table
    from bench.maintenance import verify_store
    from bench.text import one_path

    where = data_dir(data)
    found = verify_store(where.runs, Catalog.load(where.devices) if where.devices.is_file() else None)
    if as_json:
        print_json(
            [
                {"path": str(f.path), "rows": f.rows, "unfinished": f.unfinished, "problem": f.problem}
                | {"findings": [finding.as_json() for finding in f.findings]}
                for f in found
            ]
        )
    elif found:
        print_table(
            ("file", "rows", "state"),
            [(one_path(f.path), f.rows, f.problem or f.note or "ok") for f in found],
        )
    else:
        click.echo(f"There are no run files in {one_path(where.runs)}.", err=True)
    ctx.exit(1 if any(f.problem for f in found) else 0)


@command.command()
@data_option
@click.option(
    "--delete", is_flag=True, help="Delete the run files that were merged, after reading back the result."
)
@as_json
def compact(data: str | None, delete: bool, as_json: bool) -> None:
    """Merge the finished runs of each day into one file.

    Rows keep their run_id, and each run's settings are kept in the new file. Runs that can still be
    resumed are left alone. Without --delete the run files stay; readers count each row once.
    """
    from bench.cli._tables import print_json
    from bench.maintenance import compact_store
    from bench.text import one_path

    made = compact_store(data_dir(data).runs, delete=delete)
    if as_json:
        print_json(
            [
                {
                    "path": str(m.path),
                    "runs": list(m.runs),
                    "rows": m.rows,
                    "deleted": [str(p) for p in m.deleted],
                }
                for m in made
            ]
        )
        return
    for m in made:
        click.echo(f"{one_path(m.path)}: {len(m.runs)} runs, {m.rows} rows, {len(m.deleted)} files deleted")
    if not made:
        click.echo("Nothing to merge: no day has two or more finished runs.", err=True)


@command.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@data_option
@click.option(
    "--format", "kind", type=click.Choice(["csv", "parquet"]), help="[default: by the file's ending]"
)
@click.option("--force", is_flag=True, help="Replace the file when it exists.")
def export(file: Path, data: str | None, kind: str | None, force: bool) -> None:
    """Write all rows of the store to FILE, as CSV or Parquet; - is standard output (CSV).

    In CSV, text that a spreadsheet would take for a formula (it starts with = + - or @) gets a leading '.
    """
    from bench.maintenance import export_store
    from bench.text import one_path

    if str(file) == "-":
        kind = kind or "csv"
    kind = kind or {".csv": "csv", ".parquet": "parquet"}.get(file.suffix.lower())
    if kind is None or (str(file) == "-" and kind != "csv"):
        raise click.UsageError(f"Say --format csv or --format parquet for '{file}'.")
    if file.exists() and not force and str(file) != "-":
        raise click.UsageError(f"'{file}' exists. Use --force to replace it.")
    count, left_out = export_store(data_dir(data).runs, file, kind)
    for _, reason in left_out:
        click.echo(f"Left out: {reason}", err=True)
    click.echo(
        f"{count} rows written to {'standard output' if str(file) == '-' else one_path(file)}.", err=True
    )
