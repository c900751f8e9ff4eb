"""Times the repetitions of one cell."""

from __future__ import annotations

import dataclasses
import gc
import math
import time
from collections.abc import Callable
from typing import Protocol

from bench.measure.stats import Interval
from bench.measure.stopping import StoppingRule


class Synchronizes(Protocol):
    """All that the harness asks of a device."""

    def synchronize(self) -> None: ...


class Harness:
    """Owns the clock: decides what is warm-up, what counts, and when there is enough.

    ``wants_more`` is asked before each repetition; each repetition is either timed by ``sample`` or,
    where a library owns the loop, handed in by ``record``. ``warmup_s`` and ``samples_s`` hold every
    repetition's seconds. ``on_sample(harness)`` is called at most every ``report_every_s``, outside the
    timed part.
    """

    def __init__(
        self,
        device: Synchronizes,
        rule: StoppingRule,
        on_sample: Callable[[Harness], None] | None = None,
        *,
        report_every_s: float = 0.2,
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self.device = device
        self.rule = rule
        self.warmup_s: list[float] = []
        self.samples_s: list[float] = []
        self.warm = False
        self.done = False
        self._on_sample = on_sample
        self._report_every_ns = int(report_every_s * 1e9)
        self._clock = clock
        self._started_ns: int | None = None
        self._reported_ns = 0
        self._look_at = 2 * rule.window_samples
        self._counting = False
        self._timed = _Timed(self)

    def wants_more(self) -> bool:
        """Whether another repetition should run. Once False, it stays False."""
        now = self._clock()
        if self._started_ns is None:
            self._started_ns = self._reported_ns = now
            return True
        if self._on_sample is not None and now - self._reported_ns >= self._report_every_ns:
            self._reported_ns = now
            self._on_sample(self)
        if not self.done and self._is_enough((now - self._started_ns) / 1e9):
            self._finish()
        return not self.done

    def sample(self) -> _Timed:
        """A context that times one repetition, with the device synchronised before and after."""
        return self._timed

    def record(self, seconds: float) -> None:
        """Take one repetition that something else has timed (synchronised at both ends).

        A time below the clock's step counts as one nanosecond. Raises ``ValueError`` for a negative one.
        """
        if not 0 <= seconds < math.inf:
            raise ValueError(f"a repetition cannot take {seconds} s")
        (self.samples_s if self._counting else self.warmup_s).append(seconds or 1e-9)

    def count_together(self, parts: int) -> None:
        """From now on one repetition is ``parts`` of those that the rule counts a job in."""
        job_samples = math.ceil(self.rule.job_samples / parts)
        self.rule = dataclasses.replace(self.rule, job_samples=job_samples)

    def interval(self) -> Interval:
        """The median of the counted repetitions and its interval. ``ValueError`` when there is none."""
        return self.rule.interval(self.samples_s)

    def flags(self) -> list[str]:
        """What a reader should know about the samples: codes of ``bench.measure.flags``."""
        return self.rule.flags(self.samples_s, warm=self.warm)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the first ``wants_more``, warm-up included."""
        return 0.0 if self._started_ns is None else (self._clock() - self._started_ns) / 1e9

    def _is_enough(self, elapsed_s: float) -> bool:
        rule = self.rule
        history = self.samples_s if self._counting else self.warmup_s
        if not history:  # asked twice before the first repetition, or right after warm-up ended
            return False
        last_s = history[-1]
        if not self._counting:
            self._warm_up(elapsed_s, last_s)
        count = len(self.samples_s)
        if rule.out_of_time(count, elapsed_s, last_s) or count >= rule.max_samples:
            return True
        if not self._counting or count < self._look_at:
            return False
        self._look_at = rule.next_look(count)
        return rule.reached(self.samples_s)

    def _warm_up(self, elapsed_s: float, last_s: float) -> None:
        """Begin to count when two windows agree; the later one was warm already, so it counts too."""
        if len(self.warmup_s) >= self._look_at:
            self._look_at = math.ceil(len(self.warmup_s) * 1.1)
            self.warm = self.rule.is_warm(self.warmup_s)
        if self.warm:
            self._count_last(self.rule.window_of(self.warmup_s))
        elif self.rule.warmup_must_end(elapsed_s, last_s):
            self._count_last(0)

    def _count_last(self, count: int) -> None:
        """From now on repetitions count, and so do the last ``count`` of the warm-up."""
        self._counting = True
        self._look_at = self.rule.next_look(0)
        kept = len(self.warmup_s) - count
        self.samples_s[:0] = self.warmup_s[kept:]
        del self.warmup_s[kept:]

    def _finish(self) -> None:
        """End. Where time ran out, the latest warm-up repetitions fill up the few that counted."""
        self.done = True
        missing = self.rule.min_samples - len(self.samples_s)
        if missing > 0:
            self._count_last(min(missing, len(self.warmup_s)))
        if not self.warm:  # no time for two windows then; the counted repetitions may show them now
            size = self.rule.window_of(self.samples_s)
            self.warm = self.rule.is_warm(self.samples_s[: 2 * size])


class _Timed:
    """The timed block. One object serves all repetitions: making a new one would be timed by the next."""

    __slots__ = ("_begin", "_clock", "_collects", "_record", "_synchronize")

    def __init__(self, harness: Harness) -> None:
        self._record = harness.record
        self._clock = harness._clock
        self._synchronize = harness.device.synchronize
        self._collects = False
        self._begin = 0

    def __enter__(self) -> None:
        self._collects = gc.isenabled()
        gc.disable()
        self._synchronize()
        self._begin = self._clock()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._synchronize()
            end = self._clock()
            self._record((end - self._begin) / 1e9)
        if self._collects:
            gc.enable()
