"""What the harness adds to a repetition, and whether the time it records is the call's own.

The same call (a matrix product, on the CPU) runs by turns in a bare loop and through the harness, within
one process: between processes a machine drifts by more than what is looked for.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from figures import Figure, added, by_turns, compared

ROUNDS, QUICK_ROUNDS = 400, 20
SIZES = (64, 256, 512)


def measure(quick: bool = False) -> Iterator[Figure]:
    import torch

    from bench.devices import open_device
    from bench.measure.harness import Harness
    from bench.measure.stopping import StoppingRule

    rounds = QUICK_ROUNDS if quick else ROUNDS
    torch.set_num_threads(1)  # what else runs on the machine then disturbs both sides less
    device = open_device("cpu")
    for size in SIZES:
        a, b, out = (torch.rand(size, size) for _ in range(3))
        # A rule that is never satisfied: the harness does all its sums, and never ends.
        rule = StoppingRule(target=0.0, budget_s=1e9, max_samples=10**9)
        call = Calls(lambda a=a, b=b, out=out: torch.mm(a, b, out=out), Harness(device, rule))
        pairs = by_turns(call.harnessed, call.bare, rounds)
        typical = sorted(other for _, other in pairs)[len(pairs) // 2]
        bare = f"a bare loop, product of {size}×{size}, {typical * 1e6:.0f} µs"
        recorded = [
            (mine, other) for mine, (_, other) in zip(call.recorded_s()[-rounds:], pairs, strict=True)
        ]
        yield compared("harness: the time it records of a repetition", bare, recorded)
        yield compared("harness: a whole repetition, its own work included", bare, pairs)
        yield added("harness: its own work in a repetition", bare, pairs)


@dataclass
class Calls:
    """One repetition each way; seconds."""

    call: object
    harness: object

    def bare(self) -> float:
        begin = time.perf_counter()
        self.call()
        return time.perf_counter() - begin

    def harnessed(self) -> float:
        begin = time.perf_counter()
        if self.harness.wants_more():
            with self.harness.sample():
                self.call()
        return time.perf_counter() - begin

    def recorded_s(self) -> list[float]:
        return [*self.harness.warmup_s, *self.harness.samples_s]
