"""The child process: opens the device, then measures one cell after another as its parent asks.

``python -m bench.runner.child`` speaks ``bench.runner.protocol`` and nothing else. It ends when its
parent closes the pipe or dies.
"""

from __future__ import annotations

import _thread
import contextlib
import dataclasses
import gc
import importlib.metadata
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from bench.cells import Cell
from bench.errors import BenchError
from bench.runner import protocol
from bench.runner.one_cell import Limits, measure
from bench.text import scrub
from bench.workloads.base import Unsupported

if TYPE_CHECKING:
    from bench.devices.base import Device
    from bench.measure.energy import EnergyMeter
    from bench.telemetry.monitor import Telemetry


#: A backend that does not wait fails every one; what a machine's own noise does once, it does not do thrice.
SELF_TESTS = 3


class Stop(BaseException):
    """The parent asked to end the cell. Not an ``Exception``: no library's handler may swallow it."""


class Inbox:
    """The parent's messages. A thread that sleeps in ``read`` passes them on, breaks into the running cell
    on ``stop``, and ends the process when the parent dies."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[protocol.Message | None] = queue.SimpleQueue()
        self._measuring = False
        self.stopped = False
        signal.signal(signal.SIGINT, self._interrupted)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for message in protocol.messages(sys.stdin.buffer):
            if message["type"] == "stop":
                self.stopped = True
                self._queue.put(None)
                _wake_main_thread()
            else:
                self._queue.put(message)
        if self._measuring:
            os._exit(1)
        self._queue.put(None)

    def _interrupted(self, *_: Any) -> None:
        if self.stopped and self._measuring:
            self._measuring = False
            raise Stop

    def next(self) -> protocol.Message | None:
        """The next message, or None when it is time to end. Sleeps until there is one."""
        return None if self.stopped else self._queue.get()

    @contextlib.contextmanager
    def measuring(self) -> Iterator[None]:
        """The block in which ``stop`` may break in."""
        self._measuring = True
        try:
            if self.stopped:
                raise Stop
            yield
        finally:
            self._measuring = False

    @contextlib.contextmanager
    def undisturbed(self) -> Iterator[None]:
        """A part of ``measuring`` in which it may not: a message is sent whole or not at all."""
        self._measuring = False
        try:
            yield
        finally:
            self._measuring = True
        if self.stopped:
            self._measuring = False
            raise Stop


def _wake_main_thread() -> None:
    """Run the main thread's handler of SIGINT; where it can be done, break a blocking call too."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    else:
        _thread.interrupt_main()


class Session:
    """One open device and the models that were built on it."""

    def __init__(self, device: Device, outbox: protocol.Outbox, inbox: Inbox, seed: int) -> None:
        self.device = device
        self.outbox = outbox
        self.inbox = inbox
        self.seed = seed
        self.models: dict[str, Any] = {}
        self._meter: EnergyMeter | None = None
        self._telemetry: Telemetry | None = None

    @property
    def meter(self) -> EnergyMeter:
        """The device's energy counter, opened when the first cell asks for it."""
        if self._meter is None:
            from bench.measure.energy import EnergyMeter

            self._meter = EnergyMeter.open(self.device)
        return self._meter

    @property
    def telemetry(self) -> Telemetry:
        """The device's sampling, whose process runs from the first cell on."""
        if self._telemetry is None:
            from bench.telemetry.monitor import Telemetry

            self._telemetry = Telemetry.of(self.device)
        return self._telemetry

    def rest(self, *, always: bool) -> dict[str, Any]:
        """The device's power at rest (``bench.measure.energy.rest``)."""
        from bench.measure.energy import rest

        return rest(self.meter, self.telemetry, always=always)

    def cell(self, message: protocol.Message) -> None:
        """Measure the cell of a message and send its row's columns."""
        cell = Cell.from_json(message["cell"])
        limits = Limits(**message["limits"])
        self.outbox.send("start", cell_id=cell.cell_id)
        counted = 0
        telemetry = self.telemetry
        telemetry.start()  # it comes up while the model is built

        def report(count: int, seconds: float, low: float, high: float) -> None:
            nonlocal counted
            counted = count
            with self.inbox.undisturbed():
                self.outbox.send(
                    "sample", cell_id=cell.cell_id, count=count, seconds=seconds, low=low, high=high
                )

        try:
            with self.inbox.measuring():
                columns = measure(
                    cell, limits, self.device, self.models, self.seed, self.meter, telemetry, report
                )
        except Stop:
            columns = {"status": "interrupted", "status_detail": f"stopped after {counted} repetitions"}
        except Unsupported as reason:
            columns = {"status": "unsupported", "status_detail": scrub(reason)}
        except BenchError as error:
            columns = {"status": "failed", "status_detail": scrub(error.message)}
        except Exception as error:  # whatever a library raises becomes the cell's row; the run goes on
            columns = self._raised(error)
        gc.collect()
        self.device.empty_cache()
        self.outbox.send("done", cell_id=cell.cell_id, columns=columns)

    def _raised(self, error: Exception) -> dict[str, Any]:
        kind = "oom" if self.device.is_out_of_memory(error) else "failed"
        first = next((line for line in str(error).splitlines() if line.strip()), "no message")
        sys.excepthook(type(error), error, error.__traceback__)  # the whole of it goes to the log
        return {"status": kind, "status_detail": scrub(f"{type(error).__name__}: {first}")}


def hello(device: Device, self_test: bool) -> dict[str, Any]:
    """What the parent must know of the device before it plans."""
    conditions = device.conditions()
    if self_test:
        from bench.measure.selftest import synchronisation_self_test

        for _ in range(SELF_TESTS):
            conditions["sync_self_test"] = found = synchronisation_self_test(device)
            if not found.startswith("failed"):  # noise proves nothing: then rows carry a flag
                break
        else:
            raise BenchError(
                f"Times of {device.kind}:{device.index} cannot be trusted: its self-test {found}.",
                hint="The driver or torch build is at fault: measure with another version.",
            )
    return {
        "device": dataclasses.asdict(device.info()),
        "free_memory_bytes": device.free_memory_bytes(),
        "conditions": conditions,
        "engine_version": importlib.metadata.version("torch"),
    }


def die_with_parent(parent: int) -> None:
    """On Linux, have the kernel kill this process the moment its parent dies, whatever it is doing."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.name == "posix" and os.getppid() != parent:  # it died before we asked
        os._exit(1)


def main() -> None:
    """Serve one parent until it closes the pipe."""
    outbox = protocol.Outbox()
    inbox = Inbox()
    opening = inbox.next()
    if opening is None:
        return
    die_with_parent(opening["parent"])
    from bench.devices import open_device

    try:
        device = open_device(opening["device"], opening["index"])
        session = Session(device, outbox, inbox, opening["seed"])
        idle = session.rest(always=opening["rest"]) if opening["self_test"] else {}
        outbox.send("hello", idle=idle, **hello(device, opening["self_test"]))
    except BenchError as error:
        outbox.send("fatal", message=error.message, exit_code=error.exit_code)
        return
    while (message := inbox.next()) is not None:
        session.cell(message)


def run() -> NoReturn:
    """``main``, and the end of the process."""
    try:
        main()
    except BrokenPipeError:  # the parent is gone: nobody to tell
        os._exit(1)
    except Exception:  # a thread that waits for the parent would keep an ordinary end from coming
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    # Libraries' exit handlers (device contexts, worker pools) can hang; everything is sent already.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    run()
