"""One more observation in ``prices.csv``: checked, in its place, and nothing else in the file touched."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import tempfile
from collections.abc import Collection, Mapping
from datetime import date
from pathlib import Path

from bench.catalog.price_check import same
from bench.catalog.prices import COLUMNS, Observation, each_price, observation_of
from bench.catalog.table import Line
from bench.errors import BenchError, UsageError
from bench.state import file_lock
from bench.text import plain

#: A spreadsheet takes text that begins like this for a formula.
_FORMULA = ("=", "+", "-", "@")


def add_price(
    path: Path, values: Mapping[str, object], known: Collection[str], today: date, *, dry_run: bool = False
) -> tuple[Observation, str]:
    """Put one observation into the file at ``path``; returns it and its line as it stands there.

    ``values`` are columns of ``prices.csv``. The file stays sorted by device, kind and day, and is replaced
    atomically; every other line keeps its bytes, and of two that add at once neither is lost. With
    ``dry_run`` nothing is written. Raises ``UsageError`` for a value that does not fit, without a source or a
    day, or for what the file says already, and ``BenchError`` for a file that does not read or cannot be
    written, or that another process holds.
    """
    observation, cells = _checked(path, values, known, today)
    with contextlib.nullcontext() if dry_run else file_lock(path):
        content, line = _with_line(path, observation, cells, known)
        if not dry_run:
            _replace(path, content)
    return observation, line


def _with_line(
    path: Path, observation: Observation, cells: Mapping[str, str], known: Collection[str]
) -> tuple[bytes, str]:
    """The file's content with the observation in its place, and its line. Raises as ``add_price``."""
    found = []
    for _, item in each_price(path, known):
        if isinstance(item, BenchError):
            raise item
        found.append(item)
    for other in found:
        if same(observation, other):
            seen = f"{other.amount_usd:g} USD, line {other.line}"
            raise UsageError(
                f"{path} holds this offer already ({seen}).",
                hint="Correct that line where it is wrong; a note tells two offers of one seller apart.",
            )
    text = path.read_bytes().decode("utf-8")
    parts = list(io.StringIO(text, newline=""))  # split as the csv module counts lines
    end = "\r\n" if parts[0].endswith("\r\n") else "\n"
    written = io.StringIO()
    csv.writer(written, lineterminator=end).writerow(cells[name] for name in _order(parts[0]))
    before = [o.line for o in found if _place(o) <= _place(observation)]
    at = before[-1] if before else 1  # after the header
    if not parts[at - 1].endswith(("\n", "\r")):
        parts[at - 1] += end
    parts.insert(at, written.getvalue())
    return "".join(parts).encode("utf-8"), written.getvalue().rstrip("\r\n")


def _place(o: Observation) -> tuple[str, str, date]:
    return (o.device_id, o.kind, o.observed_on or date.min)


def _order(header: str) -> list[str]:
    return [name.strip().lstrip("\ufeff") for name in next(csv.reader([header]))]


def _checked(
    path: Path, values: Mapping[str, object], known: Collection[str], today: date
) -> tuple[Observation, dict[str, str]]:
    """The observation and the cells of its line. Raises ``UsageError``."""
    cells = dict.fromkeys(COLUMNS, "")
    for name, value in values.items():
        text = "" if value is None else f"{value:.10g}" if isinstance(value, float) else str(value).strip()
        if plain(text) != text or len(text) > 300:
            raise UsageError(
                f"{name} should be one line of at most 300 characters without control characters."
            )
        if text.startswith(_FORMULA) and name != "amount_usd":
            raise UsageError(f"{name} begins with '{text[0]}': a spreadsheet would take it for a formula.")
        cells[name] = text
    if not cells["observed_on"]:
        raise UsageError("A price needs the day on which it was seen.", hint="Give --on YYYY-MM-DD.")
    try:
        observation = observation_of(Line(path, 0, cells), known)
    except BenchError as error:
        told = error.message.splitlines()[0].removeprefix(f"{path}, line 0, column ")
        raise UsageError(f"The price does not fit: {told}") from error
    if observation.observed_on > today:
        raise UsageError(f"{observation.observed_on} is after today ({today}).")
    return observation, cells


def _replace(path: Path, content: bytes) -> None:
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, path.stat().st_mode & 0o777)  # noqa: PTH101
            os.replace(name, path)  # noqa: PTH105
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise BenchError(f"Cannot write {path}: {error.strerror or error}.") from error
