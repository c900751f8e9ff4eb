"""A click group that imports a command's file only when that command runs."""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.machinery
from functools import cached_property
from pathlib import Path
from typing import Any

import click


class LazyGroup(click.Group):
    """Commands are the files of ``package`` without a leading underscore, joined by the entry points of
    the group ``plugins``. A file of the package wins over an entry point of the same name.
    """

    def __init__(self, *args: Any, package: str, plugins: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.package = package
        self.plugins = plugins

    @cached_property
    def files(self) -> dict[str, Path]:
        """Command name -> the file that defines it."""
        folder = Path(importlib.import_module(self.package).__file__ or "").parent
        paths = sorted(p for p in folder.glob("*.py") if not p.name.startswith("_"))
        # "import_" is the command "import", which Python keeps for itself.
        return {p.stem.removesuffix("_").replace("_", "-"): p for p in paths}

    @cached_property
    def entry_points(self) -> dict[str, Any]:
        """Command name -> entry point. Reading them costs more than all else: only help and a name that
        no file has come here."""
        if self.plugins is None:
            return {}
        from importlib.metadata import entry_points

        return {e.name: e for e in entry_points(group=self.plugins) if e.name not in self.files}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self.files, *self.entry_points, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.files:
            module = importlib.import_module(f"{self.package}.{self.files[cmd_name].stem}")
            return module.command
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name not in self.entry_points:
            return own
        return self.entry_points[cmd_name].load()

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click does it, with the nearest name suggested."""
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            near = difflib.get_close_matches(name, self.list_commands(ctx), n=1, cutoff=0.5)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            ctx.fail(f"No such command '{name}'.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, self.summary(ctx, name)) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def summary(self, ctx: click.Context, name: str) -> str:
        """The first line of a command's help, read from its source text, not by importing it."""
        if name in self.files:
            return _first_line(ast.get_docstring(ast.parse(self.files[name].read_text("utf-8"))))
        if name in self.entry_points:
            return _entry_point_summary(self.entry_points[name])
        command = super().get_command(ctx, name)
        return command.get_short_help_str(limit=120) if command else ""


def _first_line(docstring: str | None) -> str:
    return (docstring or "").strip().partition("\n")[0]


def _entry_point_summary(entry: Any) -> str:
    """The docstring of the function that an entry point names, found without running its module."""
    locations = None
    spec = None
    parts = entry.module.split(".")
    for depth in range(len(parts)):
        spec = importlib.machinery.PathFinder.find_spec(".".join(parts[: depth + 1]), locations)
        if spec is None:
            return ""
        locations = spec.submodule_search_locations
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return ""
    tree = ast.parse(Path(spec.origin).read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry.attr:
            return _first_line(ast.get_docstring(node))
    return _first_line(ast.get_docstring(tree))
