"""A workload and a device without torch, joined in through the same registries as the real ones.

``python fakes.py ARGS`` is ``bench ARGS`` with them, its children included; ``python fakes.py --child`` is
such a child. What a cell does follows from its ``model``, and from the environment:

    FAKE_EVENTS   a named pipe that gets a line ``<model>-<batch> <pid>`` when a cell starts
    FAKE_HANG     cells (``<model>-<batch>``) that, once started, wait for ever
    FAKE_STUCK    the same, and deaf to being asked to end
    FAKE_SAMPLER  start the sampling process; without it the fake device is read at both ends of a cell
    FAKE_PROBE    have a probe workload without cells, so that runs have anchors
    FAKE_PROCESSES  how many processes measure a cell, in every suite; 1 without it
    FAKE_BUDGET   seconds of repetitions of each cell; 0.05 without it
    FAKE_CGROUP   a control group with little memory, in which model ``hungry`` takes all; without it a limit
                  of the process makes it fail
    FAKE_SELF_TEST  what the self-test of the device says; passed without it
    FAKE_AT       ``kill`` or ``full``, and at which write of the run file it happens to the parent
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import itertools
import os
import signal
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import devices, suites, workloads
from bench.cells import Cell, Need
from bench.devices.base import Device, DeviceInfo
from bench.workloads.base import Prepared, Unsupported, Workload

GIB = 2**30
#: Models of suite ``tiny``; each is a group of its own.
TINY = ("plain", "chatty", "other")


class FakeDevice(Device):
    kind = "fake"
    out_of_memory = "fake memory is full"

    def __init__(self, index: int = 0) -> None:
        self.index = index
        self.torch_device = None

    @classmethod
    def unavailable_because(cls) -> str | None:
        return os.environ.get("FAKE_UNAVAILABLE")

    @classmethod
    def device_count(cls) -> int:
        return 1

    def synchronize(self) -> None:
        pass

    def seed(self, seed: int) -> None:
        pass

    def free_memory_bytes(self) -> int:
        return 8 * GIB

    def info(self) -> DeviceInfo:
        return DeviceInfo("fake", self.index, os.environ.get("FAKE_NAME", "Fake 9000"), 16 * GIB)

    def empty_cache(self) -> None:
        pass

    def reset_peak_memory(self) -> None:
        pass

    def peak_memory_bytes(self) -> int | None:
        return 123_456_789

    def supports(self, dtype: str) -> bool:
        return dtype != "int4"

    def is_out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, MemoryError) or self.out_of_memory in str(error)

    def conditions(self) -> dict[str, Any]:
        return {"threads": 1}

    @contextlib.contextmanager
    def compute_dtype(self, dtype: str) -> Iterator[None]:
        yield


class FakeWorkload(Workload):
    name = "fake"
    title = "Fake"
    what = "Nothing, quickly."
    why = "To test what is around a workload."
    rate_unit = "nothings/s"

    def cells(self, suite: str, device_kind: str) -> list[Cell]:
        if suite == "tiny":
            return [Cell("fake", model=model, batch=b) for model in TINY for b in (1, 2)]
        if suite == "full":
            models = (
                "raises",
                "oom",
                "unsupported",
                "exits",
                "segfault",
                "huge",
                "crowded",
                "wrong",
                "plain",
            )
            cells = [Cell("fake", model=model) for model in models]
            cells += [Cell("fake", model="oom", batch=b, input_tokens=n) for b in (2, 8) for n in (16, 64)]
            return [*cells, Cell("fake", model="plain", compute_dtype="int4")]
        if suite == "quick":
            return [Cell("fake", model="hungry", batch=b) for b in (1, 2, 4)] + [Cell("fake", model="plain")]
        return []

    def need(self, cell: Cell) -> Need:
        memory = {"huge": 100 * GIB, "crowded": 12 * GIB}.get(cell.model, 1000)
        return Need(memory, 1e6 * cell.batch, 1e5, cell.batch, 1000, params=7, job_samples=100)

    def prepare(self, cell: Cell, device: Device, models: dict[str, Any]) -> Prepared:
        if events := os.environ.get("FAKE_EVENTS"):
            with Path(events).open("w") as stream:
                stream.write(f"{cell.model}-{cell.batch} {os.getpid()}\n")
        name = f"{cell.model}-{cell.batch}"
        if name in os.environ.get("FAKE_STUCK", "").split():
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            threading.Event().wait()
        if name in os.environ.get("FAKE_HANG", "").split():
            threading.Event().wait()
        if cell.model == "unsupported":
            raise Unsupported("this device cannot do nothing")
        return FakePrepared(cell)


class FakeProbe(FakeWorkload):
    name = "probe"

    def cells(self, suite: str, device_kind: str) -> list[Cell]:
        return []


class FakePrepared(Prepared):
    load_s = 0.5

    def __init__(self, cell: Cell) -> None:
        self.cell = cell

    def step(self) -> None:
        model = self.cell.model
        sum(range(20_000))
        if model == "raises":
            raise ValueError(f"a bad thing in {Path.home()}/secret/file.py\nand more")
        if model == "oom" and (self.cell.batch > 1 or self.cell.input_tokens):
            raise RuntimeError(FakeDevice.out_of_memory)
        if model == "hungry":
            starve()
        if model == "exits":
            print("last words", file=sys.stderr, flush=True)
            os._exit(3)
        if model == "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        if model == "chatty":
            print('{"type": "done", "cell_id": "lies"}', flush=True)
            os.write(1, b"noise without a line end")

    def columns(self, harness: Any) -> dict[str, Any]:
        return {"run_id": "forged"} if self.cell.model == "wrong" else {"flags": ["fake"]}


def register() -> None:
    """Put the fakes into the registries, and nothing else beside them."""
    workloads.WORKLOADS.clear()
    workloads.WORKLOADS["fake"] = FakeWorkload()
    if "FAKE_PROBE" in os.environ:
        workloads.WORKLOADS["probe"] = FakeProbe()
    devices.KINDS["fake"] = ("fakes", "FakeDevice")
    devices.torch_problem = lambda: None  # it would import torch, which takes seconds and is not used
    budget = float(os.environ.get("FAKE_BUDGET", "0.05"))
    short = {"target": 0.5, "cell_budget_s": budget, "processes": int(os.environ.get("FAKE_PROCESSES", "1"))}
    for name, suite in suites.SUITES.items():  # every suite in moments
        suites.SUITES[name] = dataclasses.replace(suite, **short)
    # The self-test multiplies matrices with torch, which the fake device does not have.
    stand_in = types.ModuleType("bench.measure.selftest")
    stand_in.synchronisation_self_test = lambda device: os.environ.get("FAKE_SELF_TEST", "passed")
    sys.modules[stand_in.__name__] = stand_in


def starve() -> None:
    """Take memory until there is none: the kernel's killer ends a control group's process, ``MemoryError``
    one with a limit of its own."""
    if group := os.environ.get("FAKE_CGROUP"):
        (Path(group) / "cgroup.procs").write_text(str(os.getpid()))
    else:
        import resource

        import psutil

        now = psutil.Process().memory_info().vms
        resource.setrlimit(resource.RLIMIT_AS, (now + 64 * 2**20, resource.RLIM_INFINITY))
    taken = []
    while sum(map(len, taken)) < GIB:  # far above either limit, and no harm where neither holds
        taken.append(b"x" * 2**20)


def hasten_child() -> None:
    """What a child would wait for, and a test need not."""
    from bench.measure import energy
    from bench.telemetry import monitor

    if "FAKE_SAMPLER" not in os.environ:  # it would take each of many children a second to start
        monitor.COMMAND[:] = [str(Path(__file__).with_name("no-such-program"))]
    energy.SHORTEST_DEVICE_S = energy.IDLE_MARGIN_S = 0.01  # nobody rests for seconds


def fail_at(what: str, nth: int) -> None:
    """Have the nth write of a run file end in death before the rename, or in a full disk."""
    count = itertools.count(1)

    def replace(source: Path, target: Path) -> None:
        if next(count) == nth:
            if what == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.replace(source, target)  # noqa: PTH105

    Path.replace = replace


if __name__ == "__main__":
    sys.modules["fakes"] = sys.modules["__main__"]
    register()
    if sys.argv[1:] == ["--child"]:
        from bench.runner import child

        hasten_child()
        child.run()
    from bench.cli import main
    from bench.runner import process

    if at := os.environ.get("FAKE_AT"):
        fail_at(at.split()[0], int(at.split()[1]))
    process.COMMAND[:] = [sys.executable, __file__, "--child"]
    main()
