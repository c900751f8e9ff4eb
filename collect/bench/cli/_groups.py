"""A group of commands that is a command itself: ``bench prices`` shows, ``bench prices add`` adds."""

from __future__ import annotations

import click


class DefaultGroup(click.Group):
    """Words that name none of its commands go to the command called ``default``."""

    default = "show"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = args[0] if args else ""
        if first not in self.commands and first not in ctx.help_option_names:
            args = [self.default, *args]
        return super().parse_args(ctx, args)
