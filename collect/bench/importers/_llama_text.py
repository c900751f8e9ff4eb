"""The forms of llama-bench's output that are lists of plain text: CSV and SQL; and the devices' names."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from bench.importers.files import Entry, Fault, Source

_STATEMENT = re.compile(
    r"(?:\s|--[^\n]*\n|(?:BEGIN|PRAGMA)[^;\n]*;)*(?:CREATE TABLE|INSERT INTO)\b", re.IGNORECASE
)
_INSERT = re.compile(r"INSERT\s+INTO\s+(\w+)\s*\(([^)]*)\)\s*VALUES\s*\(", re.IGNORECASE)


def is_csv(head: str) -> bool:
    """Whether the first line names the tool's columns."""
    names = {name.strip().strip('"') for name in head.lstrip().partition("\n")[0].split(",")}
    return {"model_type", "n_prompt", "n_gen", "avg_ts"} <= names


def is_sql(head: str) -> bool:
    """Whether statements on a table of the tool's columns begin the text."""
    return _STATEMENT.match(head) is not None and "avg_ts" in head and "n_gen" in head


def read_csv(source: Source) -> Iterator[Entry | Fault]:
    """The rows of the CSV form, or a fault for a line with more or fewer values than the header."""
    lines = _CsvLines(source)
    reader = csv.reader(lines, strict=True)
    header: list[str] | None = None
    while True:
        begin = lines.number + 1
        try:
            values = next(reader, None)
        except csv.Error as error:
            raise Fault(f"line {begin}", f"not CSV ({error})") from error
        if values is None:
            return
        if not values or (len(values) == 1 and not values[0].strip()):
            continue
        # Two outputs in one file may be of two builds, with other columns.
        if header is None or len(set(values) & set(header)) > len(header) / 2:
            header = [name.strip() for name in values]
            if len(set(header)) < len(header):
                raise Fault(f"line {begin}", "a column is named twice")
        elif len(values) != len(header):
            yield Fault(f"line {begin}", f"{len(values)} values, but the header has {len(header)} columns")
        else:
            yield Entry(dict(zip(header, values, strict=True)), f"line {begin}")


class _CsvLines:
    """Lines with their ends, counted."""

    def __init__(self, source: Source) -> None:
        self.lines = source.lines()
        self.number = 0

    def __iter__(self) -> _CsvLines:
        return self

    def __next__(self) -> str:
        self.number, line = next(self.lines)
        return line + "\n"


def read_sql(source: Source) -> Iterator[Entry | Fault]:
    """The INSERT statements of the SQL form, or a fault for a broken one; their own column lists count."""
    for number, line in source.lines():
        found = _INSERT.search(line)
        if found is None:
            if re.match(r"\s*INSERT\s", line, re.IGNORECASE):
                yield Fault(f"line {number}", "an INSERT statement that breaks off or names no columns")
            continue
        names = [name.strip().strip('"`') for name in found[2].split(",")]
        try:
            values = _sql_values(line[found.end() :], f"line {number}")
        except Fault as fault:
            yield fault
            continue
        if len(values) != len(names) or len(set(names)) < len(names):
            yield Fault(f"line {number}", f"{len(values)} values for {len(names)} columns")
        else:
            yield Entry(dict(zip(names, values, strict=True)), f"line {number}")


def _sql_values(text: str, where: str) -> list[str | None]:
    """Quoted values up to the closing parenthesis; a quotation mark inside one is doubled."""
    values: list[str | None] = []
    at = 0
    value = re.compile(r"\s*(?:'((?:[^']|'')*)'|(NULL)|([-+0-9.eE]+))\s*([,)])", re.IGNORECASE)
    while True:
        found = value.match(text, at)
        if found is None:
            raise Fault(where, "the statement breaks off or is not SQL")
        values.append(None if found[2] else found[3] or (found[1] or "").replace("''", "'"))
        at = found.end()
        if found[4] == ")":
            if text[at:].strip() not in (";", ""):
                raise Fault(where, "text after the values")
            return values


def split_names(text: str) -> list[str]:
    """The GPUs of one string: separated by commas, in old builds by slashes."""
    names = [name.strip() for name in text.split(", ") if name.strip()]
    if len(names) == 1:
        parts = [part.strip() for part in text.split("/") if part.strip()]
        if len(parts) > 1 and (len(set(parts)) == 1 or all(re.match(r"NVIDIA|AMD|Tesla", p) for p in parts)):
            return parts
    return names


def picked_devices(text: str | None) -> list[int]:
    """The indices in ``CUDA0/CUDA2``; empty for auto, none, or names without a number."""
    found = [re.fullmatch(r"[A-Za-z]+(\d+)", part.strip()) for part in (text or "").split("/")]
    return [int(match[1]) for match in found if match] if all(found) else []


def processor(text: str | None) -> str | None:
    """The processor without the libraries that newer builds list beside it: ``Accelerate, Apple M4``."""
    parts = [p.strip() for p in (text or "").split(",") if p.strip() and p.strip() not in _LIBRARIES]
    return None if parts == ["CPU"] else ", ".join(parts) or None  # its name where nothing tells it


_LIBRARIES = {"Accelerate", "BLAS", "OpenBLAS", "MKL", "BLIS", "AMX", "ZenDNN", "KleidiAI"}
