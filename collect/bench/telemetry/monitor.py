"""What a measuring process has of its sampling process: started once, asked for a window at each cell."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import psutil

from bench.devices import nvml
from bench.telemetry.counters import Counters, read_counters
from bench.telemetry.sample import Sample, parse
from bench.telemetry.sampler import RATE_HZ, SLOW_EVERY
from bench.telemetry.sources import Source, open_source
from bench.telemetry.summary import Disturbance, summarise

if TYPE_CHECKING:
    from bench.devices.base import Device

COMMAND = [sys.executable, "-m", "bench.telemetry.sampler"]
#: How long the first cell waits for the first sample, and in which steps it looks.
PATIENCE_S, LOOK_EVERY_S = 10.0, 0.02
#: A process that ends by itself is started again so many times.
MOST_STARTS = 3


class Telemetry:
    """Samples of one device, written by a process of its own to a file that has no name on the disk.

    The measuring process reads the file after a cell and never wakes up for it during one. Where the sampling
    process cannot run, the device is read by this process before and after each cell instead.
    """

    def __init__(self, source: str, card: object | None = None, *, command: list[str] | None = None) -> None:
        self._source, self._card = source, card
        self._command = COMMAND if command is None else command
        self._writer, self._reader = _shared_file()
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0
        self._direct: Source | None = None

    @classmethod
    def of(cls, device: Device) -> Telemetry:
        """Of a device; nothing is started yet."""
        source = device.telemetry_source
        return cls(source, nvml.find(source.partition("nvidia:")[2]))

    @property
    def power_scope(self) -> str | None:
        """What the sampled power covers; None where it says nothing of this device (no sensor, or MIG)."""
        if nvml.read(self._card).mig:
            return None
        return {"nvidia": "device", "amd": "device", "jetson": "board"}.get(self._source.partition(":")[0])

    @property
    def pid(self) -> int | None:
        """The sampling process; None while there is none."""
        return self._process.pid if self.is_sampling else None

    @property
    def is_sampling(self) -> bool:
        """Whether the sampling process is alive."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Have the sampling process run; one that has ended is started again, a few times."""
        if not self.is_sampling and self._starts < MOST_STARTS:
            self._end()
            self._start()

    def watch(self) -> Window:
        """Begin a window. Takes some milliseconds, and the first time until the first sample is there."""
        self.start()
        self._await_first()
        return Window(self)

    def close(self) -> None:
        """End the sampling process."""
        self._end()
        self._writer.close()
        self._reader.close()

    def now(self, *, slow_only: bool = False) -> Sample:
        """A sample read by this process; ``slow_only`` leaves out what is only true under load."""
        if self._direct is None:
            self._direct = open_source(self._source, os.getpid())
        values = self._direct.slow() | ({} if slow_only else self._direct.fast())
        return Sample(at_s=time.monotonic(), **values)

    def counters(self) -> Counters:
        """The growing counters now."""
        return read_counters(self._card, of_cpu=self._source == "cpu")

    def mark(self) -> int:
        """Where in the file the next sample will stand."""
        return self._reader.seek(0, os.SEEK_END)

    def samples_since(self, mark: int) -> list[Sample]:
        """The samples that were written from ``mark`` on."""
        self._reader.seek(mark)
        return parse(self._reader.read().splitlines())

    def _start(self) -> None:
        self._starts += 1
        with contextlib.suppress(OSError):  # no process to be had: the device is read at both ends
            self._process = subprocess.Popen(
                [*self._command, self._source, str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=self._writer,
                stderr=subprocess.DEVNULL,
            )

    def _await_first(self) -> None:
        end = time.monotonic() + PATIENCE_S
        while self.is_sampling and not self.mark() and time.monotonic() < end:
            time.sleep(LOOK_EVERY_S)

    def _end(self) -> None:
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._process = None


class Window:
    """From when it is made to ``finish``."""

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._first = None if telemetry.is_sampling else telemetry.now()
        self._before = telemetry.counters()
        self._mark = telemetry.mark()

    def finish(self) -> Disturbance:
        """What happened since the window began, by counters at its ends and samples in between."""
        telemetry, after = self._telemetry, self._telemetry.counters()
        inside = [s for s in telemetry.samples_since(self._mark) if s.at_s <= after.at_s]
        sampled = self._first is None and len(inside) > 1
        if not sampled:  # no process, or a window so short that no sample fell into it
            inside = [s for s in (self._first, *inside, telemetry.now()) if s is not None]
        elif after.at_s - self._before.at_s < SLOW_EVERY / RATE_HZ:
            inside.append(telemetry.now(slow_only=True))
        found = summarise(self._before, after, inside, psutil.cpu_count() or 1)
        if sampled:
            return found
        return dataclasses.replace(found, detail={**found.detail, "sampled_at_ends_only": True})


def _shared_file() -> tuple[BinaryIO, BinaryIO]:
    """A new file, open for one process to append and another to read, each at a place of its own. Its name
    is taken away at once where the system allows it, so that nothing is left behind, whoever is killed."""
    descriptor, name = tempfile.mkstemp(prefix="bench-telemetry-")
    reader = Path(name).open("rb")  # noqa: SIM115 (lives as long as its owner)
    writer = os.fdopen(descriptor, "ab")
    with contextlib.suppress(OSError):
        Path(name).unlink()
    return writer, reader
