"""From what an importer found to a row of the schema.

Every imported row keeps its tool's own protocol (``import/<tool>``), so that it is compared with rows of the
same tool and settings alone. A row whose device or settings the file does not state gets a protocol that
holds the file's digest too: its ``task_key`` is nobody else's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from bench import schema, times
from bench.catalog import Catalog
from bench.errors import BenchError, UsageError
from bench.importers import physics
from bench.importers.base import SETTABLE, Found, Named
from bench.importers.fields import clean
from bench.verify.base import Context
from bench.verify.gate import why_impossible

UNKNOWN = "unknown"
#: Printed beside figures of the status detail.
_MOST_ALSO = 12


@dataclass(frozen=True)
class Where:
    """The device columns of a row, the flags that come with them, and whether the device is known."""

    device_id: str | None
    name: str
    count: int
    memory_bytes: int | None
    flags: tuple[str, ...]
    known: bool


class Builder:
    """Makes the rows of one import. ``given`` holds parsed ``--set`` values, ``device_name`` the option."""

    def __init__(
        self,
        *,
        tool: str,
        run_id: str,
        digest: str,
        file_name: str,
        catalog: Catalog,
        now: datetime,
        device_name: str | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> None:
        self.tool = tool
        self.run_id = run_id
        self.digest = digest
        self.file_name = file_name
        self.catalog = catalog
        self.now = now
        self.device_name = device_name
        self.given = dict(given or {})
        self._renamed: str | None = None
        self._wheres: dict[tuple[Named, int | None], Where] = {}

    def row(self, found: Found) -> schema.Row:
        """The complete, checked row. Raises ``BenchError`` when it does not fit the schema, or has a time
        at which nothing can have been measured."""
        stated = self.given.get("recorded_at") or found.recorded_at
        no_time = stated and times.why_not(stated, self.now)
        if no_time:
            raise BenchError(f"its time is {no_time}.")
        where = self._alone(self._where(found.device), found.weights_bytes)
        columns = dict(found.columns)
        by_hand = self._fill(columns)
        flags = [*found.flags, *where.flags]
        complete = found.complete or self._complete(columns, found)
        if by_hand:
            flags.append("settings-set-by-hand")
        if not complete:
            flags.append("settings-not-stated")
        settings = dict(found.settings) | _json_of(self.given, "settings")
        conditions = dict(found.conditions) | _json_of(self.given, "conditions")
        environment = dict(found.environment) | _json_of(self.given, "environment")
        values: schema.Row = (
            columns
            | {
                "run_id": self.run_id,
                "cell_id": "",
                "method_version": None,  # the collector's own method has no say in how others measured
                "recorded_at": stated or self.now,
                "origin": "published",
                "value_kind": columns.get("value_kind", "stated"),
                "source_id": f"import:{self.tool}",
                "source_locator": schema.cut(f"{self.file_name}, {found.where}"),
                "workload": found.workload,
                "protocol": self._protocol(found, known=where.known and complete),
                "settings": schema.to_json(settings) if settings else None,
                "conditions": schema.to_json(conditions) if conditions else None,
                "environment": schema.to_json(environment) if environment else None,
                "device_id": where.device_id,
                "device_name": where.name,
                "device_count": where.count,
                "device_memory_bytes": where.memory_bytes,
                "host_id": f"import-{self.digest[:12]}",
                "status": found.status,
                "status_detail": _detail(found),
                "rate": found.rate if found.status == "ok" else None,
                "rate_unit": found.rate_unit,
            }
        )
        values = self._judged(values, found)
        values["flags"] = sorted(dict.fromkeys(flags))
        values["task_key"] = schema.task_key({"rate_kind": "burst"} | values)
        values["cell_id"] = schema.digest([self.digest, found.where, values["task_key"]])
        return schema.make_row(**values)

    def _judged(self, values: schema.Row, found: Found) -> schema.Row:
        if found.status != "ok":
            return values | dict.fromkeys(("rate_low", "rate_high", "samples_s", "sample_count"))
        device = self.catalog.get(values["device_id"])
        broken = physics.verdict(device, values["device_count"], found.rate, found.least, values)
        if broken is None:
            broken = why_impossible(dict.fromkeys(schema.NAMES) | values, Context(self.catalog))
        if broken is not None:
            values |= {"status": "impossible", "status_detail": schema.cut(broken)}
        return values

    def _protocol(self, found: Found, *, known: bool) -> str:
        if known:
            return f"import/{self.tool}"
        part = f"/{found.group}" if found.group else ""
        return f"import/{self.tool}/alone/{self.digest}{part}"

    def _fill(self, columns: dict[str, Any]) -> bool:
        """Put what the person gave where the file says nothing. Raises ``UsageError`` on a contradiction."""
        filled = False
        for name, value in self.given.items():
            if name not in SETTABLE or name in ("recorded_at", "device_count", "device_memory_bytes"):
                filled = filled or "." in name
                continue
            stated = columns.get(name)
            if stated is not None and stated != value:
                raise UsageError(
                    f"{self.file_name} states {name} as {stated}; --set says {value}.",
                    hint="--set adds what a file lacks. Leave it out, or correct the file.",
                )
            filled = filled or stated is None
            columns[name] = value
        return filled

    def _complete(self, columns: Mapping[str, Any], found: Found) -> bool:
        wanted = ("model", "batch", "input_tokens", "output_tokens")
        return bool(self.given) and all(columns.get(name) is not None for name in wanted)

    def _alone(self, where: Where, weights: float | None) -> Where:
        """The same, unknown where the weights are larger than the memory: something else took part."""
        device = self.catalog.get(where.device_id)
        if weights is None or device is None or device.device_class == "cpu":
            return where
        memory = max(where.memory_bytes or 0, device.memory_bytes or 0)
        if not memory or weights <= memory * where.count:
            return where
        return replace(where, device_id=None, flags=(*where.flags, "does-not-fit"), known=False)

    def _where(self, named: Named) -> Where:
        if self.device_name is not None and named.name is not None:
            if self._renamed not in (None, named.name):
                raise UsageError(
                    f"{self.file_name} names several devices ('{self._renamed}', '{named.name}'): "
                    "--device-name would call them all the same.",
                    hint="Leave it out, or split the file by device.",
                )
            self._renamed = named.name
        key = (named, None)
        if key not in self._wheres:
            if len(self._wheres) > 10_000:  # a hostile file must not fill the memory
                self._wheres.clear()
            self._wheres[key] = self._resolve(named)
        return self._wheres[key]

    def _resolve(self, named: Named) -> Where:
        count = self.given.get("device_count") or named.count
        memory = self.given.get("device_memory_bytes") or named.memory_bytes
        flags: list[str] = []
        name = named.name
        if self.device_name is not None:
            name = clean(self.device_name)
            flags.append("device-set-by-hand")
        elif named.listed:
            flags.append("several-devices-listed")
        if not name:
            return Where(None, UNKNOWN, count, memory, (*flags, "device-not-stated"), known=False)
        found = self.catalog.resolve(name, memory_bytes=memory)
        device = self.catalog.get(found.device_id)
        by_hand = self.device_name is not None
        if device is None and by_hand:
            device = self.catalog.get(name)
        if named.listed and not by_hand and "device_count" not in self.given:
            return Where(None, name, count, memory, tuple(flags), known=False)
        if named.processor and not by_hand and (device is None or device.device_class != "cpu"):
            # The catalog's entry of such a chip is its GPU; the name must not be taken for it.
            label = name if device is None else f"{name} (CPU)"
            return Where(None, label, count, memory, (*flags, "device-unresolved"), known=True)
        if device is None:
            return Where(None, name, count, memory, (*flags, "device-unresolved"), known=True)
        return Where(device.device_id, name, count, memory, tuple(flags), known=True)


def _json_of(given: Mapping[str, Any], column: str) -> dict[str, Any]:
    prefix = f"{column}."
    return {name.removeprefix(prefix): value for name, value in given.items() if name.startswith(prefix)}


def _detail(found: Found) -> str | None:
    """Why the row is as it is, and what else the file states."""
    parts = [found.detail] if found.detail else []
    also = [(name, value) for name, value in found.also.items() if value is not None]
    if also and found.status == "ok":
        shown = "; ".join(f"{name} {value:.8g}" if isinstance(value, float) else f"{name} {value}"
                          for name, value in also[:_MOST_ALSO])  # fmt: skip
        parts.append(f"The file also states: {shown}.")
    return schema.cut(" ".join(parts) or None)


def parse_given(pairs: tuple[str, ...]) -> dict[str, Any]:
    """``--set`` values by column, typed. Raises ``UsageError`` for an unknown key or an unfit value.

    Keys are columns that a file may lack (``SETTABLE``) or ``settings.NAME``, ``conditions.NAME`` and
    ``environment.NAME``.
    """
    from bench.errors import unknown

    given: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        key, text = key.strip(), text.strip()
        if not equals or not key or not text:
            raise UsageError(f"'{pair}' is no setting.", hint="Write --set key=value, such as batch=8.")
        group, dot, name = key.partition(".")
        if dot and group in ("settings", "conditions", "environment") and name.isidentifier():
            given[key] = _plain_value(text)
            continue
        if key == "device_name":
            raise UsageError("The device is named with --device-name.")
        if key not in SETTABLE:
            raise unknown("key of --set", key, SETTABLE, hint="Also settings.NAME and conditions.NAME.")
        given[key] = _typed(key, text)
    return given


def _plain_value(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return clean(text)
    return value if isinstance(value, bool | int) or value is None else clean(text)


def _typed(key: str, text: str) -> Any:
    from bench.importers.fields import Fields, moment
    from bench.importers.files import Fault

    column = schema.BY_NAME[key]
    fields = Fields({key: text}, "--set")
    try:
        if column.kind == "int":
            low = 0 if key == "context_depth" else 1
            value: Any = fields.count(key, low, 2**60)
        elif column.kind == "float":
            value = fields.need(key, 1e9)
        elif column.kind == "time":
            value = moment(text)
            if value is None:
                raise fields.fault(key, "a time in ISO 8601")
        else:
            value = clean(text)
    except Fault as fault:
        raise UsageError(f"{fault.where}: {fault.what}.") from fault
    allowed = schema.CHOICES.get(key)
    if allowed is not None and value not in allowed:
        raise UsageError(f"--set {key}: '{value}' is not one of {', '.join(allowed)}.")
    return value
