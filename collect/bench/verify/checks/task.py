"""The task key, which decides what is compared with what, against the columns that it is made of."""

from __future__ import annotations

from collections.abc import Iterator

from bench import schema
from bench.verify.base import Context, Problem, Row


class Task:
    name = "task"
    what = "task_key is the digest of what was asked for."
    why = "Rows are compared where their keys are equal: a wrong key compares different work."
    severity = "wrong"
    physics = False

    def problems(self, row: Row, context: Context) -> Iterator[Problem]:
        key = schema.task_key(row)
        if row["task_key"] != key:
            yield Problem(
                f"task_key is {row['task_key']}, but what the row says was asked for gives {key}: it would "
                "be compared with other work."
            )
