"""Supervising children: one at a time, their messages, their deadlines and deaths, and Ctrl-C.

The process that does this imports no torch and sleeps on one queue: on a small machine a parent that
polls would take a share of what the child measures.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.errors import BenchError
from bench.runner.one_cell import Limits
from bench.runner.plan import Planned
from bench.runner.process import Child, Event, Events
from bench.runner.progress import Reporter
from bench.text import plain

#: Importing torch from a cold disk and opening a device takes seconds, rarely a minute.
HELLO_TIMEOUT_S = 300.0
#: How long a cell may take to end after it was asked to, before its process is ended.
STOP_PATIENCE_S = 60.0
#: Why a run stopped whose time is used up: its exit code is not that of a run stopped by hand.
BUDGET_ENDED = "the run's time budget ended"


class StopAtOnce(Exception):
    """A second Ctrl-C, or a first one while nothing is being measured."""


class DidNotStart(BenchError):
    """A child died before it had opened the device; ``outcome`` is what becomes of the cell it was for."""

    def __init__(self, outcome: Mapping[str, str]) -> None:
        super().__init__(f"The measuring process did not start: {outcome['status_detail']}.")
        self.outcome = dict(outcome) | {"status_detail": self.message}


@dataclass(frozen=True)
class Hello:
    """What a child said of the device when it opened it."""

    device: Mapping[str, Any]
    conditions: Mapping[str, Any]
    engine_version: str
    free_memory_bytes: int
    #: ``power_w`` and ``window_unix_s`` of the rest before the first cell; empty where nothing could tell.
    idle: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Hello:
        return cls(
            message["device"],
            message["conditions"],
            message["engine_version"],
            message["free_memory_bytes"],
            message["idle"],
        )


@dataclass
class Supervisor:
    """Children, their messages and the signals of one run."""

    device: str
    index: int
    seed: int
    reporter: Reporter
    deadline: float | None = None
    #: Whether a wall meter makes a rest before the first cell worth while.
    rest: bool = False
    events: Events = field(default_factory=queue.SimpleQueue)
    child: Child | None = None
    hello: Hello | None = None
    #: Why the run is ending early, in words; None while it is not.
    stopping: str | None = None
    _self_tested: bool = False

    @contextlib.contextmanager
    def signals(self) -> Iterator[None]:
        """Within the block Ctrl-C, and a polite kill, end the current cell and then the run."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        names = [n for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]
        before = {name: signal.getsignal(getattr(signal, name)) for name in names}
        for name in names:
            signal.signal(
                getattr(signal, name),
                lambda *_, name=name: self.events.put(Event("signal", signal_name=name)),
            )
        try:
            yield
        except StopAtOnce as stop:  # before the first cell
            raise BenchError(f"Nothing was measured: {stop}.") from None
        finally:
            for name, handler in before.items():
                signal.signal(getattr(signal, name), handler)
            self.end_child()

    def start(self, *, self_test: bool = True) -> Hello:
        """Start a child and wait until it has opened the device. Raises ``BenchError`` when it cannot."""
        self.end_child()
        child = self.child = Child(self.events, self._environment())
        child.send(
            "open",
            parent=os.getpid(),
            device=self.device,
            index=self.index,
            seed=self.seed,
            self_test=self_test and not self._self_tested,
            rest=self.rest,
        )
        for event in self._wait(time.monotonic() + HELLO_TIMEOUT_S):
            if event is None:
                raise BenchError(f"The device '{self.device}' did not answer in {HELLO_TIMEOUT_S:.0f} s.")
            if event.kind == "signal":
                self._signalled(event)
                raise StopAtOnce(self.stopping)
            if event.child is not child:
                continue
            if event.kind == "end":
                raise DidNotStart(child.why_it_died())
            if event.message["type"] == "fatal":
                error = BenchError(plain(event.message["message"], lines=True))
                error.exit_code = event.message["exit_code"]
                raise error
            if event.message["type"] == "hello":
                self.hello = Hello.of(event.message)
                self._self_tested = True
                return self.hello
        raise AssertionError("unreachable: waiting ends only by an event")

    def measure(self, item: Planned, limits: Limits, timeout_s: float) -> dict[str, Any]:
        """Have the child measure one cell and return its outcome as columns, whatever happens to it."""
        child, cell_id = self.child, item.cell.cell_id
        child.send("cell", cell=item.cell.as_json(), limits=asdict(limits))
        end = time.monotonic() + timeout_s
        asked_to_stop = False
        while True:
            event = next(self._wait(self._first(end, None if asked_to_stop else self.deadline)))
            if event is None and self.stopping is None and time.monotonic() < end:
                self.stopping = BUDGET_ENDED
            elif event is None:
                self.end_child(now=True)
                if self.stopping:
                    return _interrupted(f"{self.stopping}; the cell did not end when asked to")
                return {"status": "timeout", "status_detail": f"not finished within {timeout_s:.0f} s"}
            elif event.kind == "signal":
                self._signalled(event)
            elif event.child is not child:
                continue
            elif event.kind == "end":
                outcome = child.why_it_died()
                self.end_child()
                return _interrupted(self.stopping) if self.stopping else outcome
            elif event.message.get("cell_id") != cell_id:
                continue
            elif event.message["type"] == "sample":
                self.reporter.sample(item, event.message)
            elif event.message["type"] == "done":
                return event.message["columns"]
            if self.stopping and not asked_to_stop:
                asked_to_stop = True
                self.reporter.note(f"Ending the current cell: {self.stopping}. Press Ctrl-C to stop at once.")
                child.send("stop")
                end = time.monotonic() + STOP_PATIENCE_S

    def end_child(self, *, now: bool = False) -> None:
        """Make sure that no child is left."""
        if self.child is not None:
            if now:
                self.child.kill()
            self.child.close()
            self.child = None

    def seconds_left(self) -> float | None:
        """What is left of the run's time budget; None when it has none."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    def out_of_time(self) -> bool:
        """Whether the run's time budget is used up; says so in ``stopping``."""
        if self.deadline is not None and time.monotonic() >= self.deadline and self.stopping is None:
            self.stopping = BUDGET_ENDED
        while self.stopping is None:
            try:
                event = self.events.get_nowait()
            except queue.Empty:
                break
            if event.kind == "signal":
                self._signalled(event)
            elif event.kind == "end" and event.child is self.child:
                self.end_child()  # it died between two cells: the next one starts a new child
        return self.stopping is not None

    def _signalled(self, event: Event) -> None:
        by_hand = event.signal_name == "SIGINT"
        if by_hand and self.stopping:
            raise StopAtOnce("stopped at once by a second Ctrl-C")
        self.stopping = self.stopping or (
            "stopped by Ctrl-C" if by_hand else f"stopped by {event.signal_name}"
        )

    def _wait(self, until: float) -> Iterator[Event | None]:
        """Events as they come; None when ``until`` (on the monotonic clock) is reached."""
        while True:
            left = until - time.monotonic()
            if os.name == "nt":  # there a wait cannot be broken by Ctrl-C: look once a second
                left = min(left, 1.0)
            try:
                yield self.events.get(timeout=max(0.0, left))
            except queue.Empty:
                if time.monotonic() >= until:
                    yield None

    @staticmethod
    def _first(end: float, deadline: float | None) -> float:
        return end if deadline is None else min(end, deadline)

    @staticmethod
    def _environment() -> dict[str, str]:
        return {"PYTHONUNBUFFERED": "1", "TOKENIZERS_PARALLELISM": "false"}


def _interrupted(detail: str) -> dict[str, Any]:
    return {"status": "interrupted", "status_detail": detail}
