"""The machine around the device: mains or battery, and low-power mode."""

from __future__ import annotations

import sys

from bench.measure.environment import low_power_mode, power_source
from bench.telemetry.sources import Values

#: On a Mac the mode is told by a command, which takes milliseconds: asked once in so many seconds.
MAC_EVERY_S = 30


class Host:
    """``power_source`` and ``low_power``."""

    def __init__(self, *, is_mac: bool) -> None:
        self._every = MAC_EVERY_S if is_mac else 1
        self._calls = 0
        self._low_power: bool | None = None

    def fast(self) -> Values:
        return {}

    def slow(self) -> Values:
        if self._calls % self._every == 0:
            self._low_power = low_power_mode()
        self._calls += 1
        return {"power_source": power_source(), "low_power": self._low_power}


def open_source(address: str, pid: int) -> Host:
    return Host(is_mac=sys.platform == "darwin")
