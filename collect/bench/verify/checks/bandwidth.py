"""The weights that generating tokens must read, against the catalog's memory rate."""

from __future__ import annotations

from collections.abc import Iterator

from bench.verify import peaks
from bench.verify.base import Context, Problem, Row
from bench.verify.needs import least_of
from bench.verify.physics import over_bandwidth


class Bandwidth:
    name = "bandwidth"
    what = "Generating reads the working weights once a step, at no more than 105 % of the memory's rate."
    why = "Decoding is bound by memory: a rate above it was not measured on this model or device."
    severity = "impossible"
    physics = True

    def problems(self, row: Row, context: Context) -> Iterator[Problem]:
        device = context.device(row)
        if device is None or row["status"] != "ok":
            return
        count = row["device_count"]
        least = least_of(row, peaks.cache_bytes(device) * count)
        problem = over_bandwidth(device, count, row["rate"], least)
        if problem is not None:
            yield problem
