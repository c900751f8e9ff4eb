"""The time of a row against the clock."""

from __future__ import annotations

from collections.abc import Iterator

from bench import times
from bench.verify.base import Context, Problem, Row


class Time:
    name = "time"
    what = "A row is from 1990 or later, and from no later than a day from now."
    why = "The guide's day is that of its newest row: one of a time to come makes every price look stale."
    severity = "wrong"
    physics = False

    def problems(self, row: Row, context: Context) -> Iterator[Problem]:
        why = None if context.now is None else times.why_not(row["recorded_at"], context.now)
        if why is not None:
            yield Problem(f"recorded_at is {why}.")
