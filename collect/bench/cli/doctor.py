"""Say what this machine can measure, what is missing, and the command that mends it.

Exit code 1 when nothing can be measured. Works without torch.
"""

from __future__ import annotations

import click

from bench.cli._options import as_json, data_dir, data_option


@click.command(help=__doc__)
@data_option
@as_json
@click.pass_context
def command(ctx: click.Context, data: str | None, as_json: bool) -> None:
    from dataclasses import asdict

    from bench.cli._tables import print_json, print_table
    from bench.doctor import examine

    found = examine(data_dir(data))
    if as_json:
        print_json({"can_measure": found.can_measure, "checks": [asdict(c) for c in found.checks]})
    else:
        print_table(
            ("check", "state", "found", "what to do"),
            [(c.name, c.state, c.found, c.fix) for c in found.checks],
        )
        click.echo(
            "\nThis machine can be measured. Next: bench collect --suite quick"
            if found.can_measure
            else "\nNothing can be measured yet: see the last column."
        )
    ctx.exit(0 if found.can_measure else 1)
