"""What the sampling process costs: its share of a core, and how much slower a cell runs beside it.

Its share is the processor time that the system counted for it over some seconds of sleep and sampling. For
the slowdown the same product runs by turns with the process sampling and with it stopped (SIGSTOP, so that
its memory and everything else stay the same), on all cores: where a core is taken, it shows.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator

import psutil
from figures import Figure, by_turns, compared, median_of

#: Seconds of each of the periods over which its processor time is counted, in steps of 10 ms.
PERIOD_S, PERIODS, QUICK_PERIODS = 5.0, 6, 1
#: Rounds by turns; each side works about this long, so that every side meets some samples.
ROUNDS, QUICK_ROUNDS, SIDE_S = 120, 6, 0.25
SIZE = 512


def measure(quick: bool = False) -> Iterator[Figure]:
    import torch

    from bench.devices import open_device
    from bench.telemetry.monitor import Telemetry

    device = open_device("cpu")
    telemetry = Telemetry.of(device)
    try:
        telemetry.watch()  # returns once it samples
        process = psutil.Process(telemetry.pid)
        yield share_of_a_core(process, QUICK_PERIODS if quick else PERIODS)
        a, b, out = (torch.rand(SIZE, SIZE) for _ in range(3))
        yield slowdown(process, lambda: torch.mm(a, b, out=out), QUICK_ROUNDS if quick else ROUNDS)
        yield ends(telemetry)
    finally:
        telemetry.close()


def share_of_a_core(process: psutil.Process, periods: int) -> Figure:
    """Its processor time over elapsed time, in per cent, of several periods."""
    shares = []
    for _ in range(periods):
        before, began = cpu_s(process), time.perf_counter()
        time.sleep(PERIOD_S)
        shares.append(100 * (cpu_s(process) - before) / (time.perf_counter() - began))
    low, value, high = median_of(shares)
    return Figure("telemetry: the sampling process", "one core", value, low, high, periods, unit="%")


def cpu_s(process: psutil.Process) -> float:
    """Processor time of all its threads; in nanoseconds where the scheduler tells it (Linux)."""
    try:
        total = 0
        for thread in os.listdir(f"/proc/{process.pid}/task"):  # noqa: PTH208
            with open(f"/proc/{process.pid}/task/{thread}/schedstat") as stream:  # noqa: PTH123
                total += int(stream.read().split()[0])
        return total / 1e9
    except OSError:
        times = process.cpu_times()
        return times.user + times.system


def slowdown(process: psutil.Process, call: Callable[[], object], rounds: int) -> Figure:
    """Seconds a call, while it samples over while it is stopped."""
    begin = time.perf_counter()
    call()
    calls = max(1, round(SIDE_S / max(time.perf_counter() - begin, 1e-6)))

    def timed() -> float:
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - begin) / calls

    def stopped() -> float:
        process.send_signal(signal.SIGSTOP)
        try:
            return timed()
        finally:
            process.send_signal(signal.SIGCONT)

    pairs = by_turns(timed, stopped, rounds)
    note = f"product of {SIZE}×{SIZE} on all cores, {SIDE_S} s a side"
    return compared("telemetry: a repetition while it samples", "the process stopped", pairs, note)


def ends(telemetry) -> Figure:  # type: ignore[no-untyped-def]
    """What the measuring process itself spends before and after a cell, outside the timed part."""
    spent = []
    for _ in range(20):
        before = time.process_time()
        telemetry.watch().finish()
        spent.append(1e3 * (time.process_time() - before))
    low, value, high = median_of(spent)
    what = "telemetry: both ends of a window, in the measuring process"
    return Figure(what, "nothing", value, low, high, len(spent), unit="ms", note="outside the timed part")
