"""JSON one value at a time, from text that comes in parts; a fault names the line or key where it stands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

#: One entry of a list, one line, or a file that can only be read whole.
MAX_ENTRY = 64 << 20
#: Text read at a time.
CHUNK = 1 << 20

_SPACE = " \t\r\n"


class Fault(Exception):
    """Something in a file that cannot be taken over: ``where`` (line or key) and ``what`` is wrong."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what


@dataclass(frozen=True)
class Entry:
    """One JSON value of a file and where it stands. ``cut_off``: its list was never closed."""

    value: Any
    where: str


class JsonStream:
    """The JSON values of a text that comes in parts: of one list or several, of lines, or one.

    ``cut_off`` says, once all values are given out, that their list was never closed.
    """

    def __init__(self, chunks: Iterator[str]) -> None:
        self.chunks = chunks
        self.cut_off = False
        self.buffer = ""
        self.at = 0
        self.line = 1
        self.ended = False
        self.decoder = json.JSONDecoder(object_pairs_hook=_unique)

    def entries(self) -> Iterator[Entry]:
        """The values in order. Raises ``Fault`` for the first one that is not JSON."""
        in_list = self._peek() == "["
        if in_list:
            self._advance(1)
        first = True
        while True:
            char = self._peek()
            if in_list and char == "]":
                self._advance(1)
                after = self._peek()
                if not after:
                    return
                if after != "[":
                    raise Fault(f"line {self.line}", "text after the end of the list")
                self._advance(1)  # a second run that was added to the file
                first = True
                continue
            if not char:
                self.cut_off = in_list
                return
            if in_list and not first:
                if char != ",":
                    raise Fault(f"line {self.line}", f"expected a comma between entries, found '{char}'")
                self._advance(1)
                char = self._peek()
                if not char:  # a comma is the last thing before the crash
                    self.cut_off = True
                    return
            elif not in_list and char == "," and not first:
                raise Fault(f"line {self.line}", "a comma between values that are no list")
            first = False
            where = f"line {self.line}"
            yield Entry(self._value(where), where)

    def _peek(self) -> str:
        """The next character that is no blank; empty at the end."""
        while True:
            while self.at < len(self.buffer) and self.buffer[self.at] in _SPACE:
                if self.buffer[self.at] == "\n":
                    self.line += 1
                self.at += 1
            if self.at < len(self.buffer) or not self._more(CHUNK):
                return self.buffer[self.at] if self.at < len(self.buffer) else ""

    def _more(self, wanted: int) -> bool:
        """Add about ``wanted`` characters to the buffer; False when there are none."""
        parts, length = [self.buffer[self.at :]], 0
        while length < wanted and not self.ended:
            chunk = next(self.chunks, None)
            if chunk is None:
                self.ended = True
            else:
                parts.append(chunk)
                length += len(chunk)
        self.buffer, self.at = "".join(parts), 0
        return length > 0

    def _advance(self, count: int) -> None:
        self.at += count

    def _value(self, where: str) -> Any:
        while True:
            try:
                value, end = self.decoder.raw_decode(self.buffer, self.at)
            except json.JSONDecodeError as error:
                if self._grow():
                    continue
                line = self.line + self.buffer.count("\n", self.at, error.pos)
                raise Fault(*self._why(where, line, error)) from error
            except (ValueError, RecursionError) as error:
                text = "nested too deeply" if isinstance(error, RecursionError) else str(error)
                raise Fault(where, f"not JSON that can be taken over ({text[:100]})") from error
            # A number or word may go on in the next chunk.
            if end == len(self.buffer) and not isinstance(value, dict | list | str) and self._grow():
                continue
            self.line += self.buffer.count("\n", self.at, end)
            self._advance(end - self.at)
            return value

    def _grow(self) -> bool:
        held = len(self.buffer) - self.at
        return held < MAX_ENTRY and self._more(max(CHUNK, held))

    def _why(self, where: str, line: int, error: json.JSONDecodeError) -> tuple[str, str]:
        if len(self.buffer) - self.at >= MAX_ENTRY:
            return where, f"an entry of more than {MAX_ENTRY:,} characters"
        if error.pos >= len(self.buffer.rstrip()) - 1 or error.msg.startswith("Unterminated"):
            return where, "the file ends within an entry that begins here"
        return f"line {line}", f"not JSON ({error.msg})"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key '{twice[:40]}' stands twice in one object")
    return found
