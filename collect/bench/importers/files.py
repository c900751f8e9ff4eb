"""Reading files that came from elsewhere: bounded, by location, without trust.

JSON is read one entry at a time, so that a list of 100,000 entries takes no more memory than its largest
entry. Everything that cannot be read ends in a ``Fault`` that names the line or key.
"""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from bench.errors import BenchError
from bench.importers._json_stream import CHUNK, MAX_ENTRY, Entry, Fault, JsonStream

__all__ = ["Entry", "Fault", "Source", "read_json"]

#: Larger files are refused: 100,000 llama-bench entries take about 150 MB.
MAX_BYTES = 1 << 30
#: How much is looked at to tell the format.
HEAD = 64 << 10


@dataclass
class Source:
    """A file to import, and others that were named with it."""

    path: Path
    others: tuple[Path, ...] = ()
    #: Set once a list turns out to have no end.
    cut_off: bool = field(default=False)

    @cached_property
    def size(self) -> int:
        """Bytes. Raises ``BenchError`` when the file is missing, no file, empty or too large."""
        try:
            size = self.path.stat().st_size
            regular = self.path.is_file()
        except (OSError, ValueError) as error:
            raise BenchError(f"Cannot read '{self.path}': {_reason(error)}.") from error
        if not regular:
            raise BenchError(f"'{self.path}' is not a file.", hint="Name the files inside it.")
        if size == 0:
            raise BenchError(f"'{self.path}' is empty.")
        if size > MAX_BYTES:
            raise BenchError(
                f"'{self.path}' has {size:,} bytes; at most {MAX_BYTES:,} are read.",
                hint="Split it, or export only the summary.",
            )
        return size

    @cached_property
    def head_bytes(self) -> bytes:
        """The first bytes of the file."""
        assert self.size
        try:
            with self.path.open("rb") as file:
                return file.read(HEAD)
        except OSError as error:
            raise BenchError(f"Cannot read '{self.path}': {_reason(error)}.") from error

    @cached_property
    def encoding(self) -> str:
        """UTF-8, or UTF-16 where the file starts with its mark (a redirect in PowerShell writes that)."""
        if self.head_bytes.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        return "utf-8-sig"

    @cached_property
    def head(self) -> str:
        """The first characters, with what does not decode left out; only for telling the format."""
        return self.head_bytes.decode(self.encoding, errors="ignore")

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits of the file's content."""
        found = hashlib.sha256()
        assert self.size
        with self.path.open("rb") as file:
            while block := file.read(CHUNK):
                found.update(block)
        return found.hexdigest()[:16]

    def chunks(self) -> Iterator[str]:
        """The text, a part at a time. Raises ``Fault`` where it is not text."""
        decoder = codecs.getincrementaldecoder(self.encoding)()
        line = 1
        with self.path.open("rb") as file:
            while block := file.read(CHUNK):
                try:
                    text = decoder.decode(block)
                except UnicodeDecodeError as error:
                    line += block[: error.start].count(b"\n")
                    raise Fault(
                        f"line {line}", f"not {'UTF-16' if self.encoding == 'utf-16' else 'UTF-8'} text"
                    ) from error
                line += text.count("\n")
                yield text
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            raise Fault(f"line {line}", "the text ends within a character") from error

    def text(self, limit: int = MAX_ENTRY) -> str:
        """The whole text. Raises ``Fault`` when it is longer than ``limit`` characters or not text."""
        parts: list[str] = []
        length = 0
        for chunk in self.chunks():
            length += len(chunk)
            if length > limit:
                raise Fault("the file", f"longer than the {limit:,} characters of such a file")
            parts.append(chunk)
        return "".join(parts)

    def lines(self) -> Iterator[tuple[int, str]]:
        """(number, line without its end). Raises ``Fault`` for a line that is too long or not text."""
        number, rest = 0, ""
        for chunk in self.chunks():
            *whole, rest = (rest + chunk).split("\n")
            for line in whole:
                number += 1
                yield number, line.rstrip("\r")
            if len(rest) > MAX_ENTRY:
                raise Fault(f"line {number + 1}", f"longer than {MAX_ENTRY:,} characters")
        if rest:
            yield number + 1, rest.rstrip("\r")

    def entries(self) -> Iterator[Entry]:
        """The values of a JSON list, of JSON lines, or the one JSON value of the file, one at a time.

        A list that is never closed sets ``cut_off``. Raises ``Fault`` for the first value that is not JSON;
        what came before it has been given out by then.
        """
        stream = JsonStream(self.chunks())
        yield from stream.entries()
        self.cut_off = self.cut_off or stream.cut_off

    @cached_property
    def first(self) -> Any:
        """The first JSON value, or None when the file does not start with one."""
        if not self.head.lstrip().startswith(("{", "[")):
            return None
        try:
            return next((entry.value for entry in self.entries()), None)
        except Fault:
            return None
        finally:
            self.cut_off = False

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the first JSON object; of a damaged one, whatever the head holds that looks like it."""
        if isinstance(self.first, dict):
            return frozenset(self.first)
        if self.first is None and self.head.lstrip().startswith(("{", "[")):
            import re

            return frozenset(re.findall(r'"([^"\\\n]{1,80})"\s*:', self.head))
        return frozenset()

    def beside(self, *names: str) -> list[Path]:
        """Files that exist under these names (glob patterns) in the file's folder, or were named with it."""
        found = [path for name in names for path in sorted(self.path.parent.glob(name))]
        given = [path for path in self.others if any(path.match(name) for name in names)]
        return [path for path in dict.fromkeys([*found, *given]) if path != self.path and path.is_file()]


def read_json(path: Path, limit: int = 1 << 20) -> dict[str, Any] | None:
    """A small JSON object of a file beside the imported one; None when it is not one."""
    try:
        if path.stat().st_size > limit:
            return None
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
