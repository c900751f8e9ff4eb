"""Does ``synchronize`` wait for the work? Asked of every device before any of its times count.

A backend that does not wait times how fast work is handed over, not how fast it is done; such figures are
tens of times too good. Two signs give it away: four times the arithmetic in as many calls takes no longer,
and work is left over after ``synchronize`` has returned, which shows when a result is read.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bench.devices.base import Device

MULTIPLES = (1, 2, 4)
#: Times of 2 and 4 times the work over that of once, as far as they may be from 2 and 4: larger products
#: use a device better, and a shared machine is noisy.
GROWTH_2, GROWTH_4 = (1.4, 2.8), (2.4, 5.8)
#: The share of the work that may be left over once ``synchronize`` has returned (reading costs a little).
LEFT_OVER = 0.25
#: Rounds after which a device may pass, and after which it has failed. The shortest times count, so on a
#: busy machine more rounds come closer to the truth.
FEWEST_ROUNDS, MOST_ROUNDS = 4, 60
#: Shorter than the slices in which a busy machine hands out its processors.
WINDOW_S = 0.004


class Work(Protocol):
    """Products of which ``multiple`` times as much is computed in the same number of calls."""

    def launch(self, multiple: int, calls: int) -> None:
        """Hand the work over; need not wait."""

    def fetch(self) -> None:
        """Read one number of the last result, which cannot be there before the work is done."""


@dataclass(frozen=True)
class SelfTest:
    """``times_s`` belong to ``MULTIPLES``; ``left_over`` is a share of the largest."""

    ok: bool
    times_s: tuple[float, ...]
    left_over: float
    detail: str


def synchronisation_self_test(device: Device) -> str:
    """``passed``, or ``failed: `` and why: the same text for the same outcome, as ``conditions`` needs it."""
    found = check_synchronisation(device, Products(device))
    return "passed" if found.ok else f"failed: {found.detail}"


def check_synchronisation(
    device: Device, work: Work, clock: Callable[[], int] = time.perf_counter_ns
) -> SelfTest:
    """Time 1, 2 and 4 times the same product on the device, in rounds, until it passes or has failed."""
    calls = _calls_for_a_window(device, work, clock)
    best = [float("inf")] * len(MULTIPLES)
    left: list[float] = []
    for round_number in range(1, MOST_ROUNDS + 1):
        for i, multiple in enumerate(MULTIPLES):
            device.synchronize()
            begin = clock()
            work.launch(multiple, calls)
            device.synchronize()
            waited = clock()
            work.fetch()
            read = clock()
            best[i] = min(best[i], (waited - begin) / 1e9)
            if multiple == MULTIPLES[-1]:
                left.append((read - waited) / max(read - begin, 1))
        found = _verdict(tuple(best), statistics.median(left))
        if found.ok and round_number >= FEWEST_ROUNDS:
            break
    return found


def _calls_for_a_window(device: Device, work: Work, clock: Callable[[], int]) -> int:
    """How many calls fill a window well above the clock's step. Ends with a read, so it cannot be fooled."""
    work.launch(1, 1)
    work.fetch()
    calls = 1
    while calls < 4096:
        begin = clock()
        work.launch(1, calls)
        work.fetch()
        if (clock() - begin) / 1e9 >= WINDOW_S:
            break
        calls *= 2
    device.synchronize()
    return calls


def _verdict(times_s: tuple[float, ...], left: float) -> SelfTest:
    twice, four = (t / max(times_s[0], 1e-9) for t in times_s[1:])
    grows = GROWTH_2[0] <= twice <= GROWTH_2[1] and GROWTH_4[0] <= four <= GROWTH_4[1]
    if grows and left <= LEFT_OVER:
        return SelfTest(
            True, times_s, left, f"2 and 4 times the work took {twice:.2f} and {four:.2f} times as long"
        )
    if left > LEFT_OVER:
        detail = "synchronize returned before the work was done"
    else:
        detail = "2 and 4 times the work did not take about 2 and 4 times as long"
    return SelfTest(False, times_s, left, detail)


class Products:
    """fp32 matrix products with once, twice or four times as many rows."""

    def __init__(self, device: Device) -> None:
        import torch

        # A product must keep the whole device busy, yet 4 times as much must stay cheap on two cores.
        size = 512 if device.kind == "cpu" else 2048
        where = {"device": device.torch_device, "dtype": torch.float32}
        self._left = torch.ones(MULTIPLES[-1] * size, size, **where)
        self._right = torch.ones(size, size, **where)
        self._results = {m: torch.empty(m * size, size, **where) for m in MULTIPLES}
        self._lefts = {m: self._left[: m * size] for m in MULTIPLES}
        self._last = self._results[1]

    def launch(self, multiple: int, calls: int) -> None:
        import torch

        left, self._last = self._lefts[multiple], self._results[multiple]
        for _ in range(calls):
            torch.mm(left, self._right, out=self._last)

    def fetch(self) -> None:
        self._last[-1, -1].item()
