"""From the words that name one side of a comparison to its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import schema, store
from bench.catalog import Catalog
from bench.compare.comparison import by_device
from bench.errors import BenchError, UsageError, unknown
from bench.newest import newest_of
from bench.project import DataDir
from bench.published import load_published
from bench.schema import Row
from bench.verify.base import Context
from bench.verify.files import rows_of
from bench.verify.gate import gated
from bench.withdrawn import Withdrawn, load_withdrawn, withdrawn_because

#: Words for the newest runs of the collector.
NEWEST = {"latest": -1, "previous": -2}
#: Shorter names of columns in a query. Each is held against all columns that it stands for.
ALIASES = {
    "device": ("device_id", "device_name"),
    "run": ("run_id",),
    "dtype": ("compute_dtype", "weights_dtype"),
    "source": ("source_id",),
}


@dataclass(frozen=True)
class Side:
    """One side: what was asked for, and its rows, which have passed the physics gate.

    ``older`` counts those that gave way to newer ones, as they do in the guide (``bench.newest``), and
    ``withdrawn`` those that count for nothing any more.
    """

    name: str
    rows: tuple[Row, ...]
    older: int = 0
    withdrawn: int = 0

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of the rows, by name."""
        return tuple(sorted({row["device_name"] for row in self.rows}))


class Sides:
    """Finds sides in a data folder; its rows are read when the first side needs them."""

    def __init__(self, data: DataDir) -> None:
        self.data = data
        self.catalog = Catalog.load(data.devices) if data.devices.is_file() else None
        self._rows: tuple[Row, ...] | None = None
        self._withdrawn: Withdrawn | None = None

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows of the folder, measured and published. Damaged run files are passed over."""
        if self._rows is None:
            found = [*store.read_store(self.data.runs).rows, *load_published(self.data).rows]
            self._rows = tuple(gated(found, Context(self.catalog)))
        return self._rows

    def system_of(self, row: Row) -> str:
        """The row's device with the bin or slice of it that its name tells (``7-core GPU``)."""
        if self.catalog is None or row["device_id"] is None:
            return by_device(row)
        found = self.catalog.resolve(row["device_name"], memory_bytes=row["device_memory_bytes"])
        return " ".join(part for part in (row["device_id"], found.variant, found.partition) if part)

    def side(self, text: str) -> Side:
        """The side that ``text`` names: a file, ``latest`` or ``previous``, a run, a device, or a query such
        as ``workload=decode,device=nvidia-rtx-4090``.

        Raises ``UsageError`` when it names nothing, or more than one thing.
        """
        if Path(text).is_file():
            rows = tuple(gated(rows_of(Path(text), self.catalog), Context(self.catalog)))
            return self._counting(Side(text, rows))
        if "=" in text or "~" in text:
            return self._counting(self._query(text))
        found = self._newest(text) or self._run(text) or self._device(text) or self._unknown(text)
        return self._counting(found)

    def _counting(self, side: Side) -> Side:
        """The side without what was withdrawn, and with the newest records of what was measured often."""
        if self._withdrawn is None:
            self._withdrawn = load_withdrawn(self.data.withdrawn)
        valid = [row for row in side.rows if withdrawn_because(row, self._withdrawn) is None]
        rows = newest_of(valid)
        gone, older = len(side.rows) - len(valid), len(valid) - len(rows)
        if not rows:
            raise BenchError(f"Every row of '{side.name}' was withdrawn.", hint="'bench show' lists others.")
        return Side(side.name, tuple(rows), older, gone)

    def _newest(self, text: str) -> Side | None:
        if text not in NEWEST:
            return None
        begun: dict[str, object] = {}
        for row in self.rows:
            if row["origin"] == "measured":
                begun[row["run_id"]] = min(begun.get(row["run_id"], row["recorded_at"]), row["recorded_at"])
        runs = sorted(begun, key=lambda run: (begun[run], run))
        if len(runs) < -NEWEST[text]:
            raise UsageError(
                f"There is no {text} run in {self.data.runs}.", hint="Measure with: bench collect"
            )
        return self._run(runs[NEWEST[text]])

    def _run(self, text: str) -> Side | None:
        name = text.removesuffix(".parquet")
        runs = sorted({row["run_id"] for row in self.rows})
        found = [name] if name in runs else [run for run in runs if len(name) >= 4 and run.startswith(name)]
        if len(found) > 1:
            raise UsageError(f"'{text}' is the beginning of {len(found)} runs.", hint=_some(found))
        return Side(found[0], tuple(r for r in self.rows if r["run_id"] == found[0])) if found else None

    def _device(self, text: str) -> Side | None:
        for column in ("device_id", "device_name"):
            exact = tuple(r for r in self.rows if (r[column] or "").casefold() == text.casefold())
            if exact:
                return Side(text, exact)
        part = [r for r in self.rows if text.casefold() in (r["device_id"] or r["device_name"]).casefold()]
        names = sorted({r["device_id"] or r["device_name"] for r in part})
        if len(names) > 1:
            raise UsageError(f"'{text}' is a part of {len(names)} devices' names.", hint=_some(names))
        return Side(names[0], tuple(part)) if part else None

    def _query(self, text: str) -> Side:
        rows: Iterable[Row] = self.rows
        for part in text.split(","):
            name, sign, value = _condition(part.strip())
            columns = ALIASES.get(name, (name,))
            rows = [row for row in rows if any(_holds(row[c], sign, value) for c in columns)]
        found = tuple(rows)
        if not found:
            raise UsageError(f"No row in {self.data.root} matches '{text}'.", hint="'bench show' lists them.")
        return Side(text, found)

    def _unknown(self, text: str) -> Side:
        if not self.rows:
            raise BenchError(f"There are no results in {self.data.root}.", hint="Measure with: bench collect")
        names = {row["device_id"] or row["device_name"] for row in self.rows}
        names |= {row["run_id"] for row in self.rows if row["origin"] == "measured"}
        raise unknown("run, device or file", text, names)


def _condition(part: str) -> tuple[str, str, str]:
    """Column, ``=`` or ``~`` (holds the text), and value."""
    sign = "~" if "~" in part and ("=" not in part or part.index("~") < part.index("=")) else "="
    name, found, value = (piece.strip() for piece in part.partition(sign))
    if not found or not name:
        raise UsageError(f"'{part}' is no condition.", hint="Write column=value, or column~part of it.")
    if name not in ALIASES and name not in schema.BY_NAME:
        raise unknown("column", name, [*schema.NAMES, *ALIASES])
    return name, sign, value


def _holds(value: object, sign: str, wanted: str) -> bool:
    if value is None:
        return wanted == ""
    if sign == "~":
        return wanted.casefold() in str(value).casefold()
    if isinstance(value, int | float):
        try:
            return float(wanted) == value
        except ValueError:
            return False
    return str(value).casefold() == wanted.casefold()


def _some(names: Sequence[str]) -> str:
    return f"Say which: {', '.join(names[:8])}{', …' if len(names) > 8 else ''}."
