"""CSV whose header is made of this project's column names: for results that no tool's format fits.

Needed are ``workload``, ``device_name``, ``rate`` and ``rate_unit``; all other columns may be left out (see
the data dictionary). ``protocol`` says how it was measured: rows are compared where it is equal, and a file
without it is compared with nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from bench import schema
from bench.importers._llama_text import read_csv
from bench.importers.base import Correction, Found, Given, Importer, Named, each
from bench.importers.fields import Fields
from bench.importers.files import Entry, Fault, Source

NEEDED = ("workload", "device_name", "rate", "rate_unit")

#: Set by the import itself, or not a person's to say.
NOT_TAKEN = frozenset({
    "run_id", "cell_id", "schema_version", "method_version", "origin", "source_id", "source_locator",
    "task_key", "device_id", "host_id", "flags",
})  # fmt: skip

#: Columns that ``Found`` has fields for.
_FIELDS = frozenset({
    "workload", "rate", "rate_unit", "device_name", "device_count", "device_memory_bytes", "settings",
    "conditions", "environment", "status", "status_detail", "recorded_at", "protocol",
})  # fmt: skip
_COUNTED = 2**60


class GenericCsv(Importer):
    name: ClassVar[str] = "csv"
    title: ClassVar[str] = "CSV with this project's column names"
    forms: ClassVar[tuple[str, ...]] = ("CSV with a header",)
    versions: ClassVar[tuple[str, ...]] = (f"schema {schema.SCHEMA_VERSION}",)
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction("A spreadsheet's guard before a formula (a leading ')", "removed"),
        Correction("Figures in a row that is not ok", "left out"),
    )
    lacks: ClassVar[str] = "whatever the file leaves out"

    def recognises(self, source: Source) -> bool:
        names = {name.strip().strip('"') for name in source.head.partition("\n")[0].split(",")}
        return set(NEEDED) <= names

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        first = source.head.partition("\n")[0].strip()
        names = [name.strip().strip('"') for name in first.split(",")]
        foreign = [name for name in names if name not in schema.BY_NAME]
        missing = [name for name in NEEDED if name not in names]
        if foreign or missing:
            what = f"'{foreign[0][:40]}' is no column" if foreign else f"column {missing[0]} is missing"
            yield Fault(
                "line 1", f"{what}; needed are {', '.join(NEEDED)}, and the schema's others may follow"
            )
            return
        yield from each(read_csv(source), lambda entry: [_one(entry)])


def _one(entry: Entry) -> Found:
    cells = {name: value.strip() for name, value in entry.value.items() if value and value.strip()}
    cells = {
        name: value[1:] if value[:2] in ("'=", "'+", "'-", "'@") else value for name, value in cells.items()
    }
    row = Fields(cells, entry.where)
    status = row.text("status") or "ok"
    if status not in schema.STATUSES:
        raise row.fault("status", f"one of {', '.join(schema.STATUSES)}")
    rate, unit, workload = row.positive("rate"), row.text("rate_unit"), row.text("workload")
    if workload is None or unit is None or (rate is None and status == "ok"):
        name = "workload" if workload is None else "rate_unit" if unit is None else "rate"
        raise row.fault(name, "a value")
    columns = {
        name: _value(row, schema.BY_NAME[name])
        for name in cells
        if name in schema.BY_NAME and name not in _FIELDS | NOT_TAKEN
    }
    _check_interval(row, rate, columns)
    protocol = row.text("protocol")
    settings = _object(row, "settings")
    return Found(
        where=row.where,
        workload=workload,
        rate=rate if status == "ok" else None,
        rate_unit=unit,
        device=Named(
            row.text("device_name"),
            row.count("device_count", 1, 1_000_000) or 1,
            row.count("device_memory_bytes", 1, _COUNTED),
        ),
        columns=columns,
        settings=settings | ({"protocol": protocol} if protocol else {}),
        conditions=_object(row, "conditions"),
        environment=_object(row, "environment"),
        flags=() if columns.get("rate_low") is not None else ("interval-unknown",),
        status=status,
        detail=row.text("status_detail", 300),
        recorded_at=row.time("recorded_at"),
        complete=protocol is not None,
    )


def _check_interval(row: Fields, rate: float | None, columns: Mapping[str, Any]) -> None:
    low, high = columns.get("rate_low"), columns.get("rate_high")
    if rate is not None and ((low is not None and low > rate) or (high is not None and high < rate)):
        raise row.fault("rate", f"a rate inside its interval, {low} to {high}")


def _value(row: Fields, column: schema.Column) -> Any:
    name = column.name
    allowed = schema.CHOICES.get(name)
    if column.kind == "int":
        return row.count(name, int(column.low or 0), _COUNTED)
    if column.kind == "float":
        return row.number(name, column.low or 0, column.high or 1e30)
    if column.kind == "bool":
        return row.switch(name)
    if column.kind == "floats":
        try:
            values = [float(part) for part in row.values[name].strip("[]").replace(",", ";").split(";")]
        except ValueError:
            raise row.fault(name, "numbers separated by semicolons") from None
        return Fields({name: values}, row.where).numbers(name)
    text = row.text(name)
    if allowed is not None and text not in allowed:
        raise row.fault(name, f"one of {', '.join(allowed)}")
    return text


def _object(row: Fields, name: str) -> dict[str, Any]:
    text = row.values.get(name)
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or len(text) > 4000:
        raise row.fault(name, "a short JSON object")
    found: dict[str, Any] = {}
    for key, item in value.items():
        one = Fields({key: item}, f"{row.where}, column '{name}'")
        if isinstance(item, str):
            found[key] = one.text(key)
        elif item is None or isinstance(item, bool):
            found[key] = item
        else:
            found[key] = one.count(key, -_COUNTED, _COUNTED) if isinstance(item, int) else one.number(key)
    return found
