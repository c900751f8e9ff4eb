"""What ``bench import`` does with one file, and what it tells about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bench import store
from bench.catalog import Catalog
from bench.cli import _tables
from bench.importers.service import Import, write
from bench.project import DataDir, find_data
from bench.text import one_path, plain

#: Rows that a dry run shows as a table.
MOST_SHOWN = 200


def catalog_of(data: DataDir) -> Catalog:
    """The data folder's catalog, else the nearest project's, else an empty one (and a word about it)."""
    for folder in (data, find_data()):
        if folder.devices.is_file():
            return Catalog.load(folder.devices)
    click.echo("There is no devices.csv here: no device can be told from its name.", err=True)
    return Catalog({})


def carry_out(work: Import, runs: Path, *, dry_run: bool, as_json: bool) -> list[dict[str, Any]]:
    """Import one file, or show what would be imported. Returns the rows where they are to be printed."""
    if dry_run:
        rows = list(work.rows())
        if not as_json:
            _tables.print_table(_tables.USUAL, [_tables.usual(row) for row in rows[:MOST_SHOWN]])
            if len(rows) > MOST_SHOWN:
                click.echo(f"… and {len(rows) - MOST_SHOWN:,} more rows.")
        _tell(work, "nothing written")
        return rows if as_json else []
    write(work, runs)
    if work.path is None:
        return []
    _tell(work, one_path(work.path))
    return store.read_run(work.path) if as_json else []


def _tell(work: Import, where: str) -> None:
    """One line on the result, one for each fault that was left out, and what to add; on standard error."""
    name = plain(work.source.path.name)
    if work.already:
        click.echo(f"{name}: imported before, nothing to do ({where}).", err=True)
        return
    counts = ", ".join(f"{count:,} {status}" for status, count in sorted(work.by_status.items()))
    click.echo(f"{name}: {work.importer.title}, {work.count:,} rows ({counts}); {where}.", err=True)
    for fault in work.faults:
        click.echo(f"  Left out: {plain(fault.where)}: {plain(fault.what)}.", err=True)
    if work.left_out > len(work.faults):
        click.echo(f"  Left out: {work.left_out - len(work.faults):,} more.", err=True)
    if work.flags["device-not-stated"]:
        click.echo("  The file names no device: add it with --device-name, and --replace.", err=True)
    if work.flags["settings-not-stated"]:
        click.echo("  The file does not say what was run: add model, batch and lengths with --set.", err=True)
    if work.flags["several-devices-listed"]:
        click.echo(
            "  The file does not say which devices ran: add --device-name, --set device_count.", err=True
        )


def print_formats(as_json: bool) -> None:
    """The formats, their versions and corrections."""
    from bench.importers import formats

    found = formats()
    if as_json:
        _tables.print_json(found)
        return
    for entry in found:
        click.echo(f"{entry['format']}: {entry['title']} ({', '.join(entry['forms'])})")
        for version in entry["versions"]:
            click.echo(f"  reads {version}")
        for c in entry["corrections"]:
            flag = f" [{c['flag']}]" if c["flag"] else ""
            click.echo(f"  {c['fault']}: {c['remedy']}{flag}")
        if entry["lacks"]:
            click.echo(f"  not in the file: {entry['lacks']}")
