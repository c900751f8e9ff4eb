"""Messages between parent and child: one JSON object a line, each with a ``type``.

Parent to child (its standard input):
    open   device, index, seed, self_test, rest    once, first; rest: whether to rest for a meter elsewhere
    cell   cell, suite fields, budget_s            measure this cell
    stop                                           end the current cell, then end
    (end of file)                                  end; in the middle of a cell: the parent died
Child to parent (a pipe of its own; libraries that print reach standard error instead):
    hello  device, conditions, engine_version, free_memory_bytes, idle
    start  cell_id                                 the cell's model is about to be built
    sample cell_id, count, seconds, low, high      now and then between repetitions
    done   cell_id, columns                        how the cell ended, as columns of its row
    fatal  message, hint, exit_code                nothing can be measured
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import IO, Any

Message = dict[str, Any]


def encode(message: Message) -> bytes:
    """One line. Figures that are not finite numbers are refused: a row could not hold them."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def decode(line: bytes) -> Message | None:
    """The message on a line; None for a line that is cut short or is not a message."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("type"), str) else None


def messages(stream: IO[bytes]) -> Iterator[Message]:
    """Messages until the stream ends; lines that are none are passed over."""
    for line in stream:
        message = decode(line)
        if message is not None:
            yield message


class Outbox:
    """The child's way to its parent. Takes over the process's standard output: from then on whatever
    prints there, in Python or in C, reaches standard error and cannot damage a message.
    """

    def __init__(self) -> None:
        sys.stdout.flush()
        self._descriptor = os.dup(1)
        os.dup2(2, 1)

    def send(self, type: str, **fields: Any) -> None:
        """Write one message. Raises ``BrokenPipeError`` when the parent is gone."""
        line = memoryview(encode({"type": type} | fields))
        while line:
            line = line[os.write(self._descriptor, line) :]
