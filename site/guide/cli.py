"""``bench site``: the guide's files without MkDocs."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def site() -> None:
    """The published guide: write its files without MkDocs."""


@site.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--data", "data_dir", type=click.Path(path_type=Path), help="Data folder (default: ./data).")
def export(folder: Path, data_dir: Path | None) -> None:
    """Write the guide to DIR as plain Markdown and assets, for any static site generator."""
    from bench.project import find_data
    from guide import output
    from guide.build import build
    from guide.evidence import load_evidence

    evidence = load_evidence(find_data(data_dir))
    for item in evidence.left_out:
        click.echo(f"Left out: {item.what}: {item.reason}", err=True)
    made = build(evidence)
    output.claim(folder)
    output.write(folder, made.files)
    click.echo(f"Wrote {len(made.files)} files to {folder}.", err=True)
