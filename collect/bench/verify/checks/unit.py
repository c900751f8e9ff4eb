"""The unit of a rate against the one that the workload defines."""

from __future__ import annotations

from collections.abc import Iterator

from bench import units
from bench.verify.base import Context, Problem, Row


class Unit:
    name = "unit"
    what = "The rate of the collector's own row is in the unit of its workload."
    why = "Equal tasks are compared number by number: tokens a minute would pass for tokens a second."
    severity = "wrong"
    physics = False

    def problems(self, row: Row, context: Context) -> Iterator[Problem]:
        if row["source_id"] != units.OWN or row["rate_unit"] is None:
            return
        unit = units.defined(row["workload"], row["settings"])
        if unit is not None and row["rate_unit"] != unit:
            yield Problem(f"rate_unit is {row['rate_unit']}, but the rate of {row['workload']} is in {unit}.")
