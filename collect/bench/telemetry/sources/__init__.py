"""What can be read of each kind of device. A source is named by text, so that a process can be told it."""

from __future__ import annotations

import importlib
from typing import Any, Protocol

#: Every source also reads power source and low-power mode, by ``Host``.
HOST = "host"

#: name -> module with ``open_source(address: str, pid: int) -> Source``; the address follows a colon.
OPENERS: dict[str, str] = {
    "nvidia": "bench.telemetry.sources.nvidia",
    "amd": "bench.telemetry.sources.amd",
    "jetson": "bench.telemetry.sources.jetson",
    "apple": "bench.telemetry.sources.apple",
    "cpu": "bench.telemetry.sources.cpu",
    HOST: "bench.telemetry.sources.host",
}

Values = dict[str, Any]


class Source(Protocol):
    """Reads fields of ``bench.telemetry.sample.Sample``; what cannot be told is None or left out."""

    def fast(self) -> Values:
        """What is read for every sample: microseconds to a millisecond."""

    def slow(self) -> Values:
        """What is read once a second."""


class Joined:
    """A device's source and the host's, as one."""

    def __init__(self, *parts: Source) -> None:
        self._parts = parts

    def fast(self) -> Values:
        return {k: v for part in self._parts for k, v in part.fast().items()}

    def slow(self) -> Values:
        return {k: v for part in self._parts for k, v in part.slow().items()}


def open_source(name: str, pid: int) -> Source:
    """The source of that name; ``pid`` is the measuring process, whose own use of the device is no
    disturbance. Raises ``KeyError`` for a name that ``OPENERS`` lacks."""
    kind, _, address = name.partition(":")
    source = importlib.import_module(OPENERS[kind]).open_source(address, pid)
    if kind == HOST:
        return source
    return Joined(source, open_source(HOST, pid))


def others(pids: set[int] | frozenset[int], pid: int) -> int:
    """How many of the processes on a device are not ``pid`` or below it.

    Inside a container the driver may speak of processes by the host's numbers. So where none of them is ours,
    one is taken for the measuring process, which has the device open.
    """
    if not pids:
        return 0
    from bench.telemetry.counters import descendants

    foreign = pids - {pid}
    if foreign:  # listing processes takes milliseconds: only when somebody is there
        foreign -= descendants(pid)
    return len(foreign) - (len(foreign) == len(pids))
