"""The one kind of error a person sees.

A ``BenchError`` says what happened, where, and what to do next. As a ``click.ClickException`` it
ends any command with its message alone, never a traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import click

from bench.text import brief, plain


class BenchError(click.ClickException):
    """Something failed for a reason the user can act on. Exit code 1."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        self.hint = hint
        super().__init__(f"{message}\n{hint}" if hint else message)

    def format_message(self) -> str:
        """The message fit for a terminal: it may quote names and errors that came from files."""
        return plain(self.message, lines=True)


class UsageError(BenchError):
    """The command was asked for something that does not exist or make sense. Exit code 2."""

    exit_code = 2


def unknown(kind: str, name: str, known: Iterable[str], *, hint: str | None = None) -> UsageError:
    """A ``UsageError`` for a name that is not one of ``known``, with the nearest one suggested."""
    names = sorted(known)
    near = difflib.get_close_matches(name[:200].lower(), names, n=1, cutoff=0.5)
    suggestion = f"Did you mean '{near[0]}'? " if near else ""
    return UsageError(
        f"Unknown {kind} '{brief(name)}'.",
        hint=f"{suggestion}Known: {', '.join(names) or 'none'}." + (f" {hint}" if hint else ""),
    )
