"""Does ``synchronize`` wait for the work? Asked of every device before any of its times count.

A backend that does not wait times how fast work is handed over, not how fast it is done; such figures are
tens of times too good. Two signs give it away: four times the arithmetic in as many calls takes no longer,
and work is left over after ``synchronize`` has returned, which shows when a result is read.

A busy machine adds time, now here and now there, so the shortest times of many rounds are what counts, and
only where several of them agree: then they are the work's own. Where they do not, noise hides the growth:
the outcome is ``unproven``, rows carry a flag, and nothing is refused.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bench.devices.base import Device

MULTIPLES = (1, 2, 4)
#: Times of 2 and 4 times the work over that of once, as far as they may be from 2 and 4: larger products
#: use a device better, and a shared machine is noisy.
GROWTH_2, GROWTH_4 = (1.4, 2.8), (2.4, 5.8)
#: The share of the work that may be left over once ``synchronize`` has returned.
LEFT_OVER = 0.25
#: The shortest times of each multiple that must agree, and within which share of the shortest.
AGREEING, AGREEMENT = 3, 0.1
#: Rounds after which the outcome may be clear, and rounds and seconds after which it is left open.
FEWEST_ROUNDS, MOST_ROUNDS, MOST_S = 4, 200, 4.0
#: Shorter than the slices in which a busy machine hands out its processors, even for 4 times the work.
WINDOW_S = 0.001


class Work(Protocol):
    """Products of which ``multiple`` times as much is computed in the same number of calls."""

    def launch(self, multiple: int, calls: int) -> None:
        """Hand the work over; need not wait."""

    def fetch(self) -> None:
        """Read one number of the last result, which cannot be there before the work is done."""


PASSED, FAILED, UNPROVEN = "passed", "failed", "unproven"


@dataclass(frozen=True)
class SelfTest:
    """``outcome`` is ``passed``, ``failed`` or ``unproven``. ``times_s``, the shortest, belong to
    ``MULTIPLES``; ``left_over`` is a share of the largest."""

    outcome: str
    times_s: tuple[float, ...]
    left_over: float
    detail: str

    @property
    def ok(self) -> bool:
        """Whether it passed."""
        return self.outcome == PASSED


def synchronisation_self_test(device: Device) -> str:
    """``passed``, or ``failed: `` or ``unproven: `` and why: the same text for the same outcome, as
    ``conditions`` needs it."""
    with _one_thread(device):
        found = check_synchronisation(device, Products(device))
    return PASSED if found.ok else f"{found.outcome}: {found.detail}"


def check_synchronisation(
    device: Device, work: Work, clock: Callable[[], int] = time.perf_counter_ns
) -> SelfTest:
    """Time 1, 2 and 4 times the same product in rounds, until the outcome is clear or they end."""
    calls = _calls_for_a_window(device, work, clock)
    seen, end = _Seen(), clock() + MOST_S * 1e9
    for round_number in range(1, MOST_ROUNDS + 1):
        for i, multiple in enumerate(MULTIPLES):
            device.synchronize()
            begin = clock()
            work.launch(multiple, calls)
            device.synchronize()
            waited = clock()
            work.fetch()
            read = clock()
            work.fetch()
            again = clock()
            seen.times_s[i].append((waited - begin) / 1e9)
            if multiple == MULTIPLES[-1]:
                seen.read_s.append((read - waited) / 1e9)
                seen.read_again_s.append((again - read) / 1e9)
        found = seen.verdict()
        if round_number >= FEWEST_ROUNDS and (found.outcome != UNPROVEN or clock() >= end):
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


@dataclass
class _Seen:
    """Seconds of each round: until ``synchronize`` returned, for each multiple; and of reading a result of
    the largest then, and once more, when nothing can be left to wait for."""

    times_s: tuple[list[float], ...] = field(default_factory=lambda: tuple([] for _ in MULTIPLES))
    read_s: list[float] = field(default_factory=list)
    read_again_s: list[float] = field(default_factory=list)

    def left_over(self) -> float:
        """The share of the largest work that reading still had to wait for, in the middle round."""
        waited = statistics.median(self.read_s) - statistics.median(self.read_again_s)
        return max(0.0, waited) / max(statistics.median(self.times_s[-1]) + max(0.0, waited), 1e-9)

    def verdict(self) -> SelfTest:
        """Failed where work is left over, or where it is sure that the times do not grow; passed where it
        is sure that they do; else unproven."""
        left = self.left_over()
        shortest = tuple(map(min, self.times_s))
        if left > LEFT_OVER:
            return SelfTest(FAILED, shortest, left, "synchronize returned before the work was done")
        once, twice, four = (max(seconds, 1e-9) for seconds in shortest)
        growth = f"2 and 4 times the work took {twice / once:.2f} and {four / once:.2f} times as long"
        sure = all(map(_agree, self.times_s))
        if sure and (twice / once < GROWTH_2[0] or four / once < GROWTH_4[0]):
            words = "2 and 4 times the work did not take about 2 and 4 times as long"
            return SelfTest(FAILED, shortest, left, words)
        if sure and twice / once <= GROWTH_2[1] and four / once <= GROWTH_4[1]:
            return SelfTest(PASSED, shortest, left, growth)
        words = "the times of 1, 2 and 4 times the work were too uneven to tell"
        return SelfTest(UNPROVEN, shortest, left, words)


def _agree(times_s: Sequence[float]) -> bool:
    """Whether the shortest times are the work's own, and not cut off from a spread by chance."""
    if len(times_s) < AGREEING:
        return False
    shortest = sorted(times_s)[:AGREEING]
    return shortest[-1] <= (1 + AGREEMENT) * shortest[0] + 1e-6


@contextlib.contextmanager
def _one_thread(device: Device) -> Iterator[None]:
    """On a busy processor the threads of a product wait for each other at each call, however small it is:
    that time does not grow with the work. What is asked is no question of threads."""
    import torch

    before = torch.get_num_threads()
    if device.kind == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Products:
    """fp32 matrix products with once, twice or four times as many rows."""

    def __init__(self, device: Device) -> None:
        import torch

        # A product must keep the whole device busy, yet 4 times as much must stay cheap on one core.
        size = 256 if device.kind == "cpu" else 2048
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
