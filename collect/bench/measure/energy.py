"""Energy of a cell, by counters of the hardware, through the ``zeus`` library.

An unknown energy is None with the reason, never 0. The device is not synchronised here: open the window
before the first repetition and close it after the last, each of which the harness synchronises.
"""

from __future__ import annotations

import dataclasses
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.devices.base import Device
    from bench.telemetry.monitor import Telemetry

#: code of ``energy_validity`` -> what it means.
VALIDITY: dict[str, str] = {
    "ok": "a hardware counter covered the whole window",
    "no-counter": "this machine has no energy counter for the device, or hides it (as virtual machines do)",
    "access-denied": "there is a counter, but this user may not read it",
    "window-too-short": "the window is too short for the counter's step",
    "not-installed": "the zeus library is not installed",
    "counter-error": "the counter failed, stood still, or ran backwards",
    "incomplete": "the counter left out a part that it should cover",
    "sampled": "no counter: the mean of power sampled 5 times a second, times the time",
    "not-bracketed": "the wall meter has no reading before the window's begin, or none after its end",
    "gap": "two neighbouring readings of the wall meter are more than 3 s apart within the window",
    "meter-error": "the wall meter's file could not be read or understood",
}

#: NVIDIA's counters step by up to 100 ms; a window of 5 s keeps the ends' share within 4 %.
SHORTEST_DEVICE_S = 5.0
#: RAPL steps by 1 ms, Apple's and Jetson's counters by up to 100 ms.
SHORTEST_S = {"RAPL": 0.5}

#: Sampled power counts from so many samples on, over at least ``SHORTEST_DEVICE_S``.
FEWEST_SAMPLES = 20

#: At rest, a little longer than the shortest window.
IDLE_MARGIN_S = 0.5


@dataclass(frozen=True)
class EnergyReading:
    """Energy and mean power of one window. ``energy_j`` is None unless valid.

    ``scope`` is a column's choice: ``device``, ``package``, ``board`` or ``wall``; ``reason`` is a sentence
    where the figure is missing. ``validity`` is ``sampled`` where the figure is the mean of sampled power.
    """

    energy_j: float | None
    source: str | None
    scope: str | None
    validity: str
    mean_power_w: float | None = None
    reason: str | None = None

    def columns(self) -> dict[str, Any]:
        """The reading as columns of a row."""
        return {
            "energy_j": self.energy_j,
            "energy_source": self.source,
            "energy_scope": self.scope,
            "energy_validity": self.validity,
            "mean_power_w": self.mean_power_w,
        }

    def or_sampled(
        self, power_w: float | None, scope: str | None, samples: int, seconds: float
    ) -> EnergyReading:
        """This reading, or where it is missing the next best: ``seconds`` of sampled power of a ``scope``."""
        if self.energy_j is not None or power_w is None or scope is None:
            return self
        if self.validity != "no-counter" or samples < FEWEST_SAMPLES or seconds < SHORTEST_DEVICE_S:
            return dataclasses.replace(self, mean_power_w=power_w)
        return EnergyReading(power_w * seconds, "sampled power", scope, "sampled", power_w, self.reason)


def energy_columns(reading: EnergyReading, timed_share: float) -> dict[str, Any]:
    """A window's reading as columns: ``energy_j`` is the part of the timed repetitions, which fill
    ``timed_share`` of the window's time."""
    columns = reading.columns()
    if columns["energy_j"] is not None:
        columns["energy_j"] *= timed_share
    return columns


def net_energy_j(row: Mapping[str, Any]) -> float | None:
    """The idle-subtracted energy of a row: ``energy_j`` is gross; at rest the machine would have taken
    ``idle_power_w`` over the same time, which is the sum of ``samples_s``. None where one is missing.

    The same meter must have measured both, as in one run it has.
    """
    if any(row.get(name) is None for name in ("energy_j", "idle_power_w", "samples_s")):
        return None
    return row["energy_j"] - row["idle_power_w"] * sum(row["samples_s"])


def rest(
    meter: EnergyMeter, telemetry: Telemetry, *, always: bool, sleep: Callable[[float], None] = time.sleep
) -> dict[str, Any]:
    """The power of a device at rest, over some seconds in which nothing is done: ``power_w`` by the meter or
    else as sampled, None where neither tells, and the ``window_unix_s`` of the rest.

    Empty, at once, where nothing could tell, unless a meter elsewhere makes it worth while (``always``).
    """
    if meter.source is None and telemetry.power_scope is None and not always:
        return {}
    watch, began = telemetry.watch(), time.time()
    meter.start()
    sleep(SHORTEST_S.get(meter.source or "", SHORTEST_DEVICE_S) + IDLE_MARGIN_S)
    found = meter.stop()
    ended = time.time()
    sampled = watch.finish().sampled_power_w if telemetry.power_scope else None
    power_w = found.mean_power_w if found.mean_power_w is not None else sampled
    return {"power_w": power_w, "window_unix_s": [began, ended]}


class EnergyMeter:
    """One device's counter. ``source`` is None, with a ``validity`` and a ``reason``, where there is none."""

    def __init__(
        self,
        monitor: Any = None,
        read: Callable[[Any], float | None] | None = None,
        *,
        source: str | None = None,
        scope: str | None = None,
        validity: str = "ok",
        reason: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.source, self.scope, self.validity, self.reason = source, scope, validity, reason
        self._monitor, self._read, self._clock = monitor, read, clock
        self._began_s: float | None = None

    @classmethod
    def open(cls, device: Device) -> EnergyMeter:
        """The best counter for a device. Without one it does not fail, but reads None with the reason."""
        from bench.measure.zeus_counters import open_meter

        return open_meter(device)

    def start(self) -> None:
        """Open the window."""
        if self._monitor is not None:
            try:
                self._monitor.begin_window("cell", sync_execution=False, restart=True)
            except zeus_errors() as error:
                self._fail(error)
        self._began_s = self._clock()

    def stop(self) -> EnergyReading:
        """Close the window and read it. Raises ``RuntimeError`` when ``start`` was not called."""
        if self._began_s is None:
            raise RuntimeError("the energy window was not started")
        seconds, self._began_s = self._clock() - self._began_s, None
        if self._monitor is None:
            return self._missing(self.validity, self.reason)
        try:
            with warnings.catch_warnings():  # zeus warns of a zero, which is judged below
                warnings.simplefilter("ignore")
                energy_j = self._read(self._monitor.end_window("cell", sync_execution=False))
        except zeus_errors() as error:
            self._fail(error)
            return self._missing(self.validity, self.reason)
        return self._judge(energy_j, seconds)

    def _judge(self, energy_j: float | None, seconds: float) -> EnergyReading:
        shortest = SHORTEST_S.get(self.source or "", SHORTEST_DEVICE_S)
        if energy_j is None:
            return self._missing("incomplete", "the counter left out the device")
        if seconds < shortest:
            return self._missing("window-too-short", f"the window of {seconds:.2g} s is under {shortest:g} s")
        if energy_j <= 0:
            return self._missing("counter-error", "the counter did not move forward")
        return EnergyReading(energy_j, self.source, self.scope, "ok", energy_j / seconds)

    def _missing(self, validity: str, reason: str | None) -> EnergyReading:
        return EnergyReading(None, self.source, self.scope, validity, None, reason)

    def _fail(self, error: BaseException) -> None:
        self._monitor = None
        self.validity = "access-denied" if is_denied(error) else "counter-error"
        self.reason = f"{type(error).__name__} while reading the counter"


def zeus_errors() -> tuple[type[BaseException], ...]:
    """What zeus raises when a counter cannot be read."""
    from zeus.exception import ZeusBaseError

    return (ZeusBaseError, OSError, RuntimeError, ValueError, KeyError)


def is_denied(error: BaseException) -> bool:
    """Whether an error says that this user may not read the counter."""
    return "permission" in f"{type(error).__name__} {error}".lower()
