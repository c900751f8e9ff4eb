"""Check files for rows that are wrong or physically impossible, and explain each finding.

Takes run files, published tables, result files of other tools, and folders of them; without any, the whole
data folder. Measured rows are held against the probe of their own machine, all rows against the catalog of
devices: arithmetic, memory traffic, and whether the model's weights fit.

With --submission each FILE is a run that somebody offers to the store: accepted, or every reason why not.

Exit code 1 when something is wrong or impossible; notes do not count.
"""

from __future__ import annotations

from pathlib import Path

import click

from bench.cli._options import as_json, data_dir, data_option


@click.command(help=__doc__)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE|FOLDER]...")
@click.option("--checks", is_flag=True, help="List what is checked, and why.")
@click.option("--submission", is_flag=True, help="Judge run files that are offered to the store.")
@data_option
@as_json
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    checks: bool,
    submission: bool,
    data: str | None,
    as_json: bool,
) -> None:
    from bench import verify as library
    from bench.catalog import Catalog
    from bench.cli._tables import print_json, print_table
    from bench.project import find_data
    from bench.text import one_path, plain
    from bench.verify.files import verify

    if checks:
        if as_json:
            print_json(library.rules())
        else:
            names = ("check", "severity", "what", "why")
            print_table(names, [[rule[name] for name in names] for rule in library.rules()])
        return
    folder = data_dir(data)
    if submission:
        from bench.cli._submission import judge

        ctx.exit(judge(paths, folder, as_json=as_json))
    devices = next((d.devices for d in (folder, find_data()) if d.devices.is_file()), None)
    if devices is None:
        click.echo("There is no devices.csv here: rates are held against probes alone.", err=True)
    catalog = None if devices is None else Catalog.load(devices)
    found = verify(paths or [p for p in (folder.runs, folder.published) if any(p.rglob("*.*"))], catalog)
    if as_json:
        print_json([finding.as_json() for report in found for finding in report.findings])
    else:
        for report in found:
            for finding in report.findings:
                text = finding.sentence().replace(finding.path, one_path(report.path), 1)
                click.echo(f"{finding.severity}: {plain(text)}")
            if report.note:
                click.echo(f"{one_path(report.path)}: {report.note}", err=True)
    faults = sum(len(report.faults) for report in found)
    notes = sum(len(report.findings) for report in found) - faults
    rows = sum(report.rows for report in found)
    click.echo(
        f"{plural(len(found), 'file')}, {rows:,} rows: {plural(faults, 'finding')}"
        + (f", {plural(notes, 'note')}." if notes else "."),
        err=True,
    )
    ctx.exit(1 if faults else 0)


def plural(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"
