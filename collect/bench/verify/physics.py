"""One rate held against one device of the catalog: the one place where that is decided.

Published and imported rows bring no probe of their machine, so what the catalog says stands in for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.catalog import CatalogDevice
from bench.measure.gate import TOLERANCE
from bench.text import rate as shown
from bench.verify import peaks
from bench.verify.base import Problem
from bench.verify.needs import Least


def over_arithmetic(
    device: CatalogDevice, count: int, rate: float, least: Least, arithmetic: str = "any"
) -> Problem | None:
    """A problem when the rate takes more arithmetic than ``count`` devices have."""
    one = peaks.most_flops(device, arithmetic)
    if not one or not least.flops:
        return None
    needed, most = rate * least.flops, one * count
    if needed <= most * TOLERANCE:
        return None
    return Problem(
        f"the figure would take at least {shown(needed, 'FLOP/s')} ({least.formula or 'by its formula'}), "
        f"{needed / most:.0%} of the {shown(most, 'FLOP/s')} that {_named(device, count)} can do at most: "
        "the figure, the device or the model's size is wrong.",
        needed,
        most,
        "FLOP/s",
    )


def over_bandwidth(device: CatalogDevice, count: int, rate: float, least: Least) -> Problem | None:
    """A problem when the rate takes more memory traffic than ``count`` devices have."""
    one = peaks.most_bytes_per_s(device)
    if not one or not least.bytes_moved:
        return None
    needed, most = rate * least.bytes_moved, one * (1 if least.sequential else count)
    if needed <= most * TOLERANCE:
        return None
    return Problem(
        f"the figure would take reading weights at {shown(needed, 'B/s')} at least, {needed / most:.0%} of "
        f"the {shown(most, 'B/s')} that {_named(device, count)} can read from memory at most: the figure, "
        "the device, the batch or the model's size is wrong.",
        needed,
        most,
        "B/s",
    )


def broken(
    device: CatalogDevice, count: int, rate: float, least: Least, arithmetic: str = "any"
) -> Iterator[Problem]:
    """Every way in which the device cannot have had this rate."""
    found = (
        over_arithmetic(device, count, rate, least, arithmetic),
        over_bandwidth(device, count, rate, least),
    )
    yield from (problem for problem in found if problem is not None)


def _named(device: CatalogDevice, count: int) -> str:
    return f"{count} × {device.name}" if count > 1 else device.name
