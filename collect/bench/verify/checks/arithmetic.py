"""The arithmetic that a rate implies, against the catalog's peak for its number type."""

from __future__ import annotations

from collections.abc import Iterator

from bench.verify import peaks
from bench.verify.base import Context, Problem, Row
from bench.verify.needs import least_of
from bench.verify.physics import over_arithmetic


class Arithmetic:
    name = "arithmetic"
    what = (
        "The operations a second that a rate implies are at most 105 % of what the catalog's device can do."
    )
    why = "A clock that stopped too early, or a run that failed, gives rates beyond any hardware."
    severity = "impossible"
    physics = True

    def problems(self, row: Row, context: Context) -> Iterator[Problem]:
        device = context.device(row)
        if device is None or row["status"] != "ok":
            return
        arithmetic = peaks.arithmetic_of(row["compute_dtype"], row["weights_dtype"])
        problem = over_arithmetic(device, row["device_count"], row["rate"], least_of(row), arithmetic)
        if problem is not None:
            yield problem
