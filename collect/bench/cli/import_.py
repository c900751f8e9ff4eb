"""Import results that other tools measured, each file as one run of the store.

The format is detected (llama-bench, optimum-benchmark, vLLM, SGLang, InferenceX, MLPerf, LocalScore, or a CSV
file whose header holds this project's column names; --formats lists them). Known faults of each tool are
corrected, and the row's flags say so. A file with a fault is not imported, unless --partial takes what is
sound of it.

Rows of a file that names no device, or not what was run, are kept but compared with nothing: add what you
know with --device-name and --set.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bench.cli._options import as_json, data_dir, data_option


@click.command(help=__doc__)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--format", "form", metavar="NAME", help="Take the files to be of this format.")
@click.option("--formats", is_flag=True, help="List the formats, their versions, and what is corrected.")
@click.option("--device-name", metavar="NAME", help="The device that ran, as its software prints it.")
@click.option(
    "--set",
    "given",
    metavar="KEY=VALUE",
    multiple=True,
    help="What the file lacks, such as batch=8, sample_count=5 or settings.note=x. Repeatable.",
)
@click.option("--partial", is_flag=True, help="Import what is sound of a damaged file.")
@click.option("--replace", is_flag=True, help="Replace the rows of an earlier import of the same file.")
@click.option("--dry-run", is_flag=True, help="Show the rows, write nothing.")
@data_option
@as_json
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[Path, ...],
    form: str | None,
    formats: bool,
    device_name: str | None,
    given: tuple[str, ...],
    partial: bool,
    replace: bool,
    dry_run: bool,
    data: str | None,
    as_json: bool,
) -> None:
    from bench.cli import _import
    from bench.cli._tables import print_json
    from bench.errors import BenchError
    from bench.importers.rows import parse_given
    from bench.importers.service import Options, open_import, split_helpers

    if formats:
        _import.print_formats(as_json)
        return
    if not files:
        raise click.UsageError("Name the files to import, or ask for --formats.")
    options = Options(form, device_name, parse_given(given), partial, replace)
    where = data_dir(data, create=not dry_run)
    catalog = _import.catalog_of(where)
    results, helpers = split_helpers(files, form)
    rows: list[dict[str, Any]] = []
    failed = 0
    for path in results:
        try:
            work = open_import(path, catalog, options, helpers)
            rows += _import.carry_out(work, where.runs, dry_run=dry_run, as_json=as_json)
        except BenchError as error:
            if len(results) == 1:
                raise
            failed += 1
            error.show()
    if as_json:
        print_json(rows)
    ctx.exit(1 if failed else 0)
