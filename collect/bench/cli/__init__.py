"""The ``bench`` command line. Each file beside this one whose name has no leading underscore is a command.

A command's file defines ``command`` and takes its help from its own docstring, so that the list of
commands is read from the files without importing them: ``bench --help`` imports click and nothing else.
"""

from __future__ import annotations

import click

from bench import __version__
from bench.cli._lazy import LazyGroup

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=LazyGroup, package="bench.cli", plugins="bench.commands", context_settings=CONTEXT)
@click.version_option(__version__, "--version", prog_name="bench", message="%(prog)s %(version)s")
def main() -> None:
    """Measure AI hardware, keep the measurements, and publish them as a guide.

    Start with 'bench doctor' (what can this machine measure?), then 'bench collect --suite quick', then
    'mkdocs build'.
    """
