"""The row against the schema: types, allowed values, and required columns."""

from __future__ import annotations

from collections.abc import Iterator

from bench import schema
from bench.verify.base import Context, Problem, Row


class Contract:
    name = "schema"
    what = "Every column holds its type and an allowed value, and nothing that is required is missing."
    why = "A value that does not fit is read as something that it is not."
    severity = "wrong"
    physics = False

    def problems(self, row: Row, context: Context) -> Iterator[Problem]:
        for problem in schema.check(row):
            yield Problem(f"{problem}: the row does not fit the schema.")
