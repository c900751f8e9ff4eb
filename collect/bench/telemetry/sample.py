"""One sample, and how it is written down: a line of JSON in a file that two processes share."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """The state at ``at_s`` (``time.monotonic``, the same clock in every process of a machine).

    A figure that the device or system does not tell is None. Figures that change slowly or cost much to read
    are in every fifth sample only.
    """

    at_s: float
    clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    temperature_c: float | None = None
    power_w: float | None = None
    throttle_reasons: tuple[str, ...] | None = None
    memory_used_bytes: int | None = None
    other_processes: int | None = None
    power_source: str | None = None
    low_power: bool | None = None

    def line(self) -> bytes:
        """The sample on a line; what is None is left out."""
        known = {f.name: value for f in _FIELDS if (value := getattr(self, f.name)) is not None}
        return json.dumps(known, separators=(",", ":")).encode() + b"\n"


_FIELDS = dataclasses.fields(Sample)
_NAMES = frozenset(f.name for f in _FIELDS)


def parse(lines: Iterable[bytes]) -> list[Sample]:
    """The samples on some lines. A line that is cut short, as a killed writer leaves it, is passed over."""
    found = []
    for line in lines:
        try:
            values = json.loads(line.strip(b"\0"))
        except ValueError:
            continue
        if isinstance(values, dict) and "at_s" in values and values.keys() <= _NAMES:
            if "throttle_reasons" in values:
                values["throttle_reasons"] = tuple(values["throttle_reasons"])
            found.append(Sample(**values))
    return found
