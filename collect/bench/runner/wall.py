"""Energy from a wall-plug meter, put into rows as its readings come in."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bench import schema
from bench.errors import BenchError
from bench.measure import wallmeter
from bench.measure.energy import EnergyReading, energy_columns
from bench.runner.rows import telemetry_of, with_telemetry

#: At the end of a run a meter has so long to write the reading that closes the last cell.
PATIENCE_S = 4.0
LOOK_EVERY_S = 0.5


class WallPower:
    """A meter's file, and the time in which the machine was at rest."""

    def __init__(
        self,
        path: Path,
        idle_window: Sequence[float] | None,
        note: Callable[[str], None],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._path, self._idle_window, self._note, self._sleep = path, idle_window, note, sleep
        self._told = ""

    def apply(self, rows: Iterable[schema.Row]) -> list[schema.Row]:
        """Those of the rows whose energy columns change by what the meter has written until now.

        A file that is at fault does not end the run: it is said once, and the rows carry ``meter-error``.
        """
        open_rows = [row for row in rows if _is_open(row)]
        if not open_rows:
            return []
        try:
            readings = wallmeter.read(self._path)
        except BenchError as error:
            fault = error.message.splitlines()[0]
            if fault != self._told:
                self._note(f"No energy from the meter for now: {fault}")
                self._told = fault
            broken = wallmeter.broken(fault)
            return [_with(row, broken, None) for row in open_rows]
        idle = wallmeter.energy(readings, *self._idle_window) if self._idle_window else None
        idle_w = idle.mean_power_w if idle else None
        found = []
        for row in open_rows:
            parts = [wallmeter.energy(readings, *window) for window in _windows(row)]
            found.append(_with(row, _sum(parts), idle_w))
        return [new for old, new in zip(open_rows, found, strict=True) if new != old]

    def finish(
        self,
        rows: Callable[[], Iterable[schema.Row]],
        put: Callable[[list[schema.Row]], None],
        *,
        wait: bool = True,
    ) -> None:
        """At the end of a run: ``put`` the last changes. Where the last window still lacks the reading that
        closes it, the meter is given some seconds to write one."""
        waited_s = 0.0
        while True:
            changed = self.apply(rows())
            if changed:
                put(changed)
            if not wait or waited_s >= PATIENCE_S or not any(map(_awaits, rows())):
                return
            self._sleep(LOOK_EVERY_S)
            waited_s += LOOK_EVERY_S


def _is_open(row: schema.Row) -> bool:
    """Whether a meter could still say something of the row."""
    if row["status"] != "ok" or not _windows(row):
        return False
    return row["energy_scope"] != wallmeter.SCOPE or row["energy_j"] is None


def _windows(row: schema.Row) -> list[Sequence[float]]:
    """Begin and end of the row's measurement, in each of its processes; empty where it is not known."""
    telemetry = telemetry_of(row)
    own = telemetry.get("window_unix_s")
    return telemetry.get("windows_unix_s") or ([own] if own else [])


def _sum(parts: Sequence[EnergyReading]) -> EnergyReading:
    """Energy of all windows; where one is missing, that one."""
    missing = next((part for part in parts if part.energy_j is None), None)
    if missing is not None or len(parts) == 1:
        return missing or parts[0]
    energy_j = sum(part.energy_j for part in parts)
    seconds = sum(part.energy_j / part.mean_power_w for part in parts if part.mean_power_w)
    return dataclasses.replace(
        parts[0], energy_j=energy_j, mean_power_w=energy_j / seconds if seconds else 0.0
    )


def _awaits(row: schema.Row) -> bool:
    return row["energy_scope"] == wallmeter.SCOPE and row["energy_validity"] == "not-bracketed"


def _with(row: schema.Row, reading: EnergyReading, idle_w: float | None) -> schema.Row:
    """The row with the meter's figure in place of the counter's, which moves into the telemetry."""
    telemetry = telemetry_of(row)
    changes = {"energy_note": reading.reason}
    if row["energy_scope"] != wallmeter.SCOPE and row["energy_j"] is not None:
        changes["counter_energy_j"] = row["energy_j"]
    columns = energy_columns(reading, telemetry["timed_share"]) | {"idle_power_w": idle_w}
    return with_telemetry(row, changes) | columns
