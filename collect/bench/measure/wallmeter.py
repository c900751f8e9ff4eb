"""Readings of a wall-plug meter, from a file that another program writes while cells run.

The file is CSV, one reading a line: ``timestamp,watts``, with or without such a header, rising in time. A
timestamp is ISO 8601 (without an offset it is this machine's local time) or seconds since 1970. Empty lines
and lines that begin with ``#`` are passed over, and so is a last line without its end, which is still being
written. Energy is the integral by trapezoids, with the power at both ends of the window interpolated between
the readings around them.
"""

from __future__ import annotations

import bisect
import itertools
import math
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from bench.errors import BenchError
from bench.measure.energy import EnergyReading

SOURCE, SCOPE = "wall meter", "wall"
#: Neighbouring readings further apart than this leave out what happened in between.
LONGEST_GAP_S = 3.0

Reading = tuple[float, float]


def read(path: Path) -> list[Reading]:
    """(seconds since 1970, watts) of every complete line.

    Raises ``BenchError`` with the line's number for one that is no reading, or when the file cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise BenchError(f"Cannot read the energy meter's file {path.name}: {reason}.") from error
    complete = text[: max(text.rfind("\n"), text.rfind("\r")) + 1]
    return parse(complete.splitlines(), path.name)


def parse(lines: Iterable[str], name: str) -> list[Reading]:
    """The readings on these lines of the file ``name``. Raises ``BenchError``, see ``read``."""
    found: list[Reading] = []
    first = True
    for number, line in enumerate(lines, start=1):
        fields = [field.strip() for field in line.split(",")]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        is_header = first and [field.strip('"').lower() for field in fields] == ["timestamp", "watts"]
        first = False
        if is_header:
            continue
        reading = _reading(fields, f"{name}, line {number}")
        if found and reading[0] <= found[-1][0]:
            raise _fault(f"{name}, line {number}", f"the time '{fields[0]}' does not follow the line before")
        found.append(reading)
    return found


def _reading(fields: Sequence[str], where: str) -> Reading:
    if len(fields) != 2:
        raise _fault(where, f"{len(fields)} fields instead of 2")
    time_s = _time_s(fields[0].strip('"'))
    if time_s is None:
        raise _fault(where, f"'{fields[0]}' is no time (ISO 8601, or seconds since 1970)")
    watts = _number(fields[1].strip('"'))
    if watts is None or watts < 0:
        raise _fault(where, f"'{fields[1]}' is no power in watts")
    return time_s, watts


def _time_s(text: str) -> float | None:
    if re.fullmatch(r"\d+(\.\d+)?", text):
        seconds = float(text)
        # Before 1973 or after 5138 it is milliseconds, a compact date, or another clock.
        return seconds if 1e8 <= seconds < 1e11 else None
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _fault(where: str, what: str) -> BenchError:
    return BenchError(f"{where}: {what}.", hint="Each line is: timestamp,watts")


def energy(readings: Sequence[Reading], begin_s: float, end_s: float) -> EnergyReading:
    """Energy of a window between two times since 1970.

    Its ``validity`` is ``not-bracketed`` unless there are readings at or before its begin and at or after
    its end, and ``gap`` when two that touch the window are more than ``LONGEST_GAP_S`` apart.
    """
    times = [time_s for time_s, _ in readings]
    first, last = bisect.bisect_right(times, begin_s) - 1, bisect.bisect_left(times, end_s)
    if first < 0 or last >= len(times) or end_s <= begin_s:
        return _missing("not-bracketed", "the wall meter's readings do not reach over the whole window")
    touching = readings[first : last + 1]
    gap_s = max(b - a for a, b in itertools.pairwise(times[first : last + 1]))
    if gap_s > LONGEST_GAP_S:
        return _missing("gap", f"the wall meter was silent for {gap_s:.1f} s")
    inside = [r for r in touching if begin_s < r[0] < end_s]
    points = [(begin_s, _at(touching, begin_s)), *inside, (end_s, _at(touching, end_s))]
    joules = sum((b - a) * (x + y) / 2 for (a, x), (b, y) in itertools.pairwise(points))
    return EnergyReading(joules, SOURCE, SCOPE, "ok", joules / (end_s - begin_s))


def _at(readings: Sequence[Reading], time_s: float) -> float:
    """The power at a time, by the straight line between the readings around it."""
    for (a, x), (b, y) in itertools.pairwise(readings):
        if a <= time_s <= b:
            return x + (y - x) * (time_s - a) / (b - a)
    raise ValueError(f"no readings around {time_s}")


def _missing(validity: str, reason: str) -> EnergyReading:
    return EnergyReading(None, SOURCE, SCOPE, validity, None, reason)


def broken(reason: str) -> EnergyReading:
    """The reading of a meter whose file is at fault."""
    return _missing("meter-error", reason)
