"""Reading the project's CSV files: every fault names the file, the line, the column and what was expected."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bench.errors import BenchError

_WHOLE = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")


@dataclass(frozen=True)
class Line:
    """One data line of a CSV file. Every reader returns None for an empty cell, unless it is required."""

    path: Path
    number: int
    cells: dict[str, str]

    def fault(self, column: str, expected: str) -> BenchError:
        """The error for a cell that does not hold what it should."""
        value = self.cells.get(column, "")
        found = f"'{value[:80]}'" if value else "nothing"
        return BenchError(
            f"{self.path}, line {self.number}, column {column}: found {found}, expected {expected}.",
            hint="Correct the line, or take it out.",
        )

    def text(self, column: str, *, required: bool = False) -> str | None:
        """The cell without surrounding blanks."""
        value = self.cells.get(column, "").strip()
        if not value and required:
            raise self.fault(column, "a value")
        return value or None

    def number_in(
        self, column: str, low: float, high: float, *, required: bool = False, unit: str = ""
    ) -> float | None:
        """A plain decimal number from ``low`` to ``high``."""
        text = self.text(column, required=required)
        if text is None:
            return None
        expected = f"a number from {low:g} to {high:g}{' ' + unit if unit else ''}"
        try:
            value = float(text)
        except ValueError:
            raise self.fault(column, expected) from None
        if not math.isfinite(value) or not low <= value <= high or not _NUMBER.fullmatch(text):
            raise self.fault(column, expected)
        return value

    def integer(self, column: str, low: int, high: int, *, required: bool = False) -> int | None:
        """A whole number from ``low`` to ``high``."""
        text = self.text(column, required=required)
        if text is None:
            return None
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
            raise self.fault(column, f"a whole number from {low} to {high}")
        return int(text)

    def flag(self, column: str) -> bool:
        """``yes``, ``no`` or empty (no)."""
        return self.choice(column, ("yes", "no")) == "yes"

    def choice(self, column: str, allowed: Collection[str], *, required: bool = False) -> str | None:
        """One of ``allowed``."""
        value = self.text(column, required=required)
        if value is not None and value not in allowed:
            raise self.fault(column, f"one of {', '.join(allowed)}")
        return value

    def day(self, column: str, *, required: bool = False) -> date | None:
        """A date, YYYY-MM-DD."""
        value = self.text(column, required=required)
        if value is None:
            return None
        try:
            found = date.fromisoformat(value)
        except ValueError:
            found = None
        if found is None or len(value) != 10:
            raise self.fault(column, "a date as YYYY-MM-DD")
        return found


def read_lines(path: Path, columns: Collection[str], *, all_needed: bool = True) -> Iterator[Line]:
    """The data lines of the CSV file at ``path``, whose header must be made of ``columns``.

    With ``all_needed`` every one of them must be there. Raises ``BenchError`` for a missing, foreign or
    repeated column, a line with more or fewer values than the header, and text that is not UTF-8 or not CSV.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _lines(path, csv.reader(file, strict=True), columns, all_needed)
    except OSError as error:
        hint = None
        if isinstance(error, FileNotFoundError):
            hint = (
                f"Name the folder that holds it with --data; 'bench init FOLDER' makes one with {path.name}."
            )
        raise BenchError(f"Cannot read {path}: {error.strerror or error}.", hint=hint) from error
    except UnicodeDecodeError as error:
        raise BenchError(
            f"{path} is not UTF-8 text (byte {error.start}).", hint="Save it as CSV in UTF-8."
        ) from error


def _lines(path: Path, reader: Iterator[list[str]], columns: Collection[str], all_needed: bool):
    header: list[str] | None = None
    while True:
        try:
            values = next(reader, None)
        except csv.Error as error:
            raise BenchError(f"{path}, line {reader.line_num}: not CSV ({error}).") from error
        if values is None:
            break
        if header is None:
            header = _header(path, values, columns, all_needed)
        elif values:
            if len(values) != len(header):
                raise BenchError(
                    f"{path}, line {reader.line_num}: found {len(values)} values, expected {len(header)}.",
                    hint="A value that holds a comma must stand in double quotes.",
                )
            yield Line(path, reader.line_num, dict(zip(header, values, strict=True)))
    if header is None:
        raise BenchError(f"{path} is empty.", hint=f"Expected the header {','.join(columns)}.")


def _header(path: Path, names: list[str], columns: Collection[str], all_needed: bool) -> list[str]:
    names = [name.strip() for name in names]
    foreign = [name for name in names if name not in columns]
    missing = [name for name in columns if name not in names] if all_needed else []
    repeated = sorted({name for name in names if names.count(name) > 1})
    for found, what in ((foreign, "unknown"), (missing, "missing"), (repeated, "repeated")):
        if found:
            raise BenchError(
                f"{path}, line 1: {what} column {', '.join(repr(n) for n in found[:5])}.",
                hint=f"The columns are: {', '.join(columns)}.",
            )
    return names
