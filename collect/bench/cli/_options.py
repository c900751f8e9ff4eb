"""Options and arguments that several commands share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from bench.errors import BenchError, UsageError
from bench.project import DataDir, find_data

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of a table.")

data_option = click.option(
    "--data",
    type=click.Path(file_okay=False),
    help="The data folder, or its runs folder. [default: the nearest data/ of a project, else ./data]",
)

_DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?:in)?)?(?:(\d+(?:\.\d+)?)s?)?")


class Duration(click.ParamType):
    """``600``, ``600s``, ``10m``, ``1h30m`` in seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, int | float):
            return float(value)
        found = _DURATION.fullmatch(value.strip().lower().replace(" ", ""))
        parts = found.groups() if found else (None, None, None)
        seconds = sum(float(p) * unit for p, unit in zip(parts, (3600, 60, 1), strict=True) if p)
        if seconds <= 0:
            self.fail(f"'{value}' is not a time. Write for example 600s, 10m or 1h30m.", param, ctx)
        return seconds


class Words(click.ParamType):
    """Words of a list joined by commas, as a tuple without repetitions, in the order given."""

    name = "words"

    def __init__(self, known: Sequence[str]) -> None:
        self.known = tuple(known)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        words = value if isinstance(value, tuple) else [part.strip() for part in value.split(",")]
        for word in words:
            if word not in self.known:
                self.fail(f"'{word}' is not one of {', '.join(self.known)}.", param, ctx)
        return tuple(dict.fromkeys(words))


class Share(click.ParamType):
    """``5%``, ``5`` or ``0.5%`` as a share of 1."""

    name = "percent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value).strip().removesuffix("%").strip()
        try:
            share = float(text) / 100
        except ValueError:
            share = -1.0
        if not 0 <= share < 1:
            self.fail(f"'{value}' is no share from 0% to 99%. Write for example 5%.", param, ctx)
        return share


def data_dir(path: str | None, *, create: bool = False, must_exist: bool = True) -> DataDir:
    """The data folder that ``--data`` or ``--out`` names: itself, or the parent of a folder called ``runs``.

    With ``create`` it and its ``runs`` are made. Raises ``UsageError`` when it must exist and does not,
    ``BenchError`` when it cannot be written.
    """
    if path is not None:
        root = Path(path)
        root = root.resolve().parent if root.name == "runs" else root
        data = find_data(root) if must_exist and not create else DataDir(root)
    else:
        data = find_data()
    if create:
        _make(data.runs)
    return data


def _make(runs: Path) -> None:
    import os

    try:
        runs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BenchError(f"Cannot make the folder '{runs}': {error.strerror}.", hint=_ELSEWHERE) from error
    if not os.access(runs, os.W_OK | os.X_OK):
        raise BenchError(f"The folder '{runs}' cannot be written.", hint=_ELSEWHERE)


_ELSEWHERE = "Name another data folder with --out."


def split_device(text: str) -> tuple[str, int]:
    """``cuda:1`` as kind and index; the index is 0 where none is given. Raises ``UsageError``."""
    kind, colon, index = text.partition(":")
    if colon and not re.fullmatch("[0-9]{1,4}", index):
        raise UsageError(f"'{text}' is not a device.", hint="Write a kind such as cuda, or cuda:1.")
    return kind.lower(), int(index or 0)
