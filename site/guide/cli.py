"""``bench site``: the guide's files without MkDocs; ``bench init``: a folder for a guide of one's own."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from bench.errors import BenchError

_DATA = click.option(
    "--data", "data_dir", type=click.Path(path_type=Path), help="Data folder (default: ./data)."
)


@click.group()
def site() -> None:
    """The published guide: its files without MkDocs, what to keep of it, an offline copy."""


@site.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@_DATA
@click.option("--site-url", default="", metavar="URL", help="Where it will be published: a feed needs it.")
def export(folder: Path, data_dir: Path | None, site_url: str) -> None:
    """Write the guide to DIR as plain Markdown and assets, for any static site generator.

    docs/ holds the pages, mkdocs.yml what MkDocs or Zensical needs to show them as 'mkdocs build' would here.
    """
    from bench.project import find_data
    from bench.times import latest_day
    from guide.build import build
    from guide.context import Publication
    from guide.evidence import load_evidence
    from guide.publish import export as plain
    from guide.publish import output, snapshot

    output.claim(folder)
    data = find_data(data_dir)
    evidence = load_evidence(data, latest=latest_day())
    for item in evidence.left_out:
        click.echo(f"Left out: {item.what}: {item.reason}", err=True)
    made = plain.files(build(evidence, Publication(site_url=site_url, history=snapshot.load(data.root))))
    output.write(folder, made)
    click.echo(f"Wrote {len(made)} files to {folder}.", err=True)


@site.command("snapshot")
@_DATA
def snapshot_command(data_dir: Path | None) -> None:
    """Keep what the guide says today in data/history, when you publish it: commit the file.

    The next build compares itself with it: see the page 'What moved' and the feed.
    """
    from bench.project import find_data
    from bench.times import latest_day
    from guide.evidence import load_evidence
    from guide.publish import snapshot
    from guide.recommend import answers

    data = find_data(data_dir)
    evidence = load_evidence(data, latest=latest_day())
    now = snapshot.take(evidence, answers(evidence))
    if now is None:
        raise BenchError(
            "There is nothing to keep: the store has no rows.", hint="Run 'bench collect' first."
        )
    path = snapshot.write(data.root, now)
    if path is None:
        click.echo("Nothing has moved since the newest snapshot: no file was written.", err=True)
    else:
        click.echo(f"Wrote {path}. Commit it with what you publish.", err=True)


@site.command("pack")
@click.argument("folder", metavar="[DIR]", default="public", type=click.Path(path_type=Path, file_okay=False))
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="The archive to write.")
@_DATA
def pack_command(folder: Path, out: Path | None, data_dir: Path | None) -> None:
    """Pack the built guide in DIR (default: public) into one archive that works without a server.

    'mkdocs build' does this at its end; use it for what another generator built.
    """
    from bench.project import find_data
    from bench.times import latest_day
    from guide.evidence import load_evidence
    from guide.publish import pack

    target = out or folder / pack.PATH
    pack.check(folder, target)
    size = pack.write(folder, load_evidence(find_data(data_dir), latest=latest_day()).as_of, target)
    click.echo(f"Wrote {target}, {size / 1e6:.1f} MB.", err=True)


@click.command()
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False))
def init(folder: Path) -> None:
    """Make FOLDER a project: settings, data to start from, workflows. For those who installed the package.

    'bench collect' and 'mkdocs build' work there at once. FOLDER must be new or empty.
    """
    from guide.publish import starter

    written = starter.write(folder)
    click.echo(f"Wrote {len(written)} files to {folder}. Next:", err=True)
    click.echo(f"  cd {shlex.quote(str(folder))}")
    click.echo("  bench collect     # measure this machine")
    click.echo("  mkdocs build      # the guide, into public/")
