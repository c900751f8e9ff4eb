"""The physics gate: can the machine have been this fast, and how close did it come to what it can do?

Roofline model: Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for
multicore architectures", Communications of the ACM 52(4) (2009) 65-76. A repetition takes at least its
arithmetic over the highest rate of products, and its traffic over the highest rate of memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

#: A rate may exceed its ceiling by this much: the ceiling is itself a measurement.
TOLERANCE = 1.05
#: Below this share of its roofline a cell is flagged.
SLOW = 0.25
#: A cell may keep part of its working set in cache even where a pass over all of it cannot. So it is called
#: impossible only against the memory rate of a working set of this share, which a cache may serve.
CACHED_PART = 0.25

#: What may explain a slow cell, in the order in which it is named.
CAUSES = {
    "throttled": "the device was throttled",
    "contended": "other programs took processor time",
    "device-shared": "another process used the device",
    "swapping": "memory was swapped to disk",
    "power-limited": "the power limit held clocks down",
    "clocks-held": "the card held its clocks down",
    "low-power-mode": "low-power mode was on",
    "on-battery": "the machine ran on battery",
}


class Ceilings(Protocol):
    """What one machine can do at most: ``bench.workloads.probe.Ceilings`` is one."""

    @property
    def flops(self) -> Mapping[str, float]:
        """FLOP/s by compute type."""

    def memory_at(self, working_set_bytes: float) -> float | None:
        """B/s at a working set; None where memory was not probed, or its probe did not settle."""


@dataclass(frozen=True)
class Verdict:
    """``status`` is ``ok`` or ``impossible``; ``detail`` gives the figures in a sentence, or is None.

    The rest are the row's physics columns. A figure is None where its formula or its ceiling is missing;
    ``bound`` and ``efficiency`` are None when neither ceiling applies.
    """

    status: str
    detail: str | None
    flags: tuple[str, ...]
    achieved_flops: float | None
    achieved_bytes_per_s: float | None
    probe_flops: float | None
    probe_bytes_per_s: float | None
    bound: str | None
    efficiency: float | None

    def columns(self) -> dict[str, Any]:
        """The physics columns of a row (status, detail and flags are the caller's to join)."""
        names = ("achieved_flops", "achieved_bytes_per_s", "probe_flops", "probe_bytes_per_s")
        return {name: getattr(self, name) for name in (*names, "bound", "efficiency")}


def judge(
    ceilings: Ceilings,
    *,
    seconds: float,
    flops: float | None,
    bytes_moved: float | None,
    working_set_bytes: float,
    dtype: str,
    flags: Collection[str] = (),
) -> Verdict:
    """Hold one repetition of ``seconds`` against the ceilings.

    ``flops`` and ``bytes_moved`` are what one repetition needs at least, ``dtype`` the type of its products,
    ``flags`` what is known of the cell already. Raises ``ValueError`` unless ``seconds`` is above 0.
    """
    if not seconds > 0:
        raise ValueError(f"a repetition cannot take {seconds} s")
    achieved_flops = flops / seconds if flops else None
    achieved_bytes = bytes_moved / seconds if bytes_moved else None
    most_flops = ceilings.flops.get(dtype)
    most_bytes = ceilings.memory_at(working_set_bytes)
    cached_bytes = ceilings.memory_at(working_set_bytes * CACHED_PART)
    broken = _broken(achieved_flops, most_flops, f"FLOP/s in {dtype}")
    # Without the rate that a cache may give, that of memory alone would condemn what lives in a cache.
    highest = None if most_bytes is None or cached_bytes is None else max(most_bytes, cached_bytes)
    broken += _broken(achieved_bytes, highest, "B/s of memory traffic")
    least_s = {
        "compute": flops / most_flops if flops and most_flops else None,
        "memory": bytes_moved / most_bytes if bytes_moved and most_bytes else None,
    }
    known = {bound: time_s for bound, time_s in least_s.items() if time_s is not None}
    limit = max(known, key=known.__getitem__, default=None)
    efficiency = None if limit is None else known[limit] / seconds
    slow = efficiency is not None and efficiency < SLOW and not broken
    return Verdict(
        status="impossible" if broken else "ok",
        detail=_sentence(broken) if broken else _why_slow(efficiency, flags) if slow else None,
        flags=("slow-for-hardware",) if slow else (),
        achieved_flops=achieved_flops,
        achieved_bytes_per_s=achieved_bytes,
        probe_flops=most_flops,
        probe_bytes_per_s=most_bytes,
        bound="overhead" if slow else limit,
        efficiency=efficiency,
    )


def _broken(achieved: float | None, most: float | None, what: str) -> list[str]:
    if achieved is None or most is None or achieved <= most * TOLERANCE:
        return []
    return [f"{achieved:.4g} {what}, {achieved / most:.0%} of the {most:.4g} that the probe found"]


def _sentence(broken: list[str]) -> str:
    return f"It would take {' and '.join(broken)}: the time, the formula or the probe is wrong."


def _why_slow(efficiency: float, flags: Collection[str]) -> str:
    causes = [words for flag, words in CAUSES.items() if flag in flags]
    why = ", ".join(causes) if causes else "overhead between operations is likely, as small work has"
    return f"It reached {efficiency:.0%} of this machine's roofline: {why}."
