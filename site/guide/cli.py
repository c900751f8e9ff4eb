"""``bench site``: the guide's files without MkDocs; ``bench init``: a folder for a guide of one's own."""

from __future__ import annotations

import shlex
from pathlib import Path

import click


@click.group()
def site() -> None:
    """The published guide: write its files without MkDocs."""


@site.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--data", "data_dir", type=click.Path(path_type=Path), help="Data folder (default: ./data).")
def export(folder: Path, data_dir: Path | None) -> None:
    """Write the guide to DIR as plain Markdown and assets, for any static site generator.

    docs/ holds the pages, mkdocs.yml what MkDocs or Zensical needs to show them as 'mkdocs build' would here.
    """
    from bench.project import find_data
    from guide import export as plain
    from guide import output
    from guide.build import build
    from guide.evidence import load_evidence

    evidence = load_evidence(find_data(data_dir))
    for item in evidence.left_out:
        click.echo(f"Left out: {item.what}: {item.reason}", err=True)
    made = plain.files(build(evidence))
    output.claim(folder)
    output.write(folder, made)
    click.echo(f"Wrote {len(made)} files to {folder}.", err=True)


@click.command()
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False))
def init(folder: Path) -> None:
    """Make FOLDER a project: settings, data to start from, workflows. For those who installed the package.

    'bench collect' and 'mkdocs build' work there at once. FOLDER must be new or empty.
    """
    from guide import starter

    written = starter.write(folder)
    click.echo(f"Wrote {len(written)} files to {folder}. Next:", err=True)
    click.echo(f"  cd {shlex.quote(str(folder))}")
    click.echo("  bench collect     # measure this machine")
    click.echo("  mkdocs build      # the guide, into public/")
