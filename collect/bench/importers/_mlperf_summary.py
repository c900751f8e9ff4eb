"""The text of a LoadGen summary, read by block: the same key may stand in two of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bench.importers.fields import Fields
from bench.importers.files import Fault, Source

TITLE = "MLPerf Results Summary"
_RULE = re.compile(r"^=+$")
_LINE = re.compile(r"^\s*(?:\* )?([^:]+?)\s*:\s*(.*?)\s*$")
_COUNTED = re.compile(r"^(No|\d+) (warning|error)s? encountered", re.IGNORECASE)


@dataclass(frozen=True)
class Summary:
    """Key -> (text, line) of each block: result, further figures, parameters."""

    result: Mapping[str, tuple[str, int]]
    stats: Mapping[str, tuple[str, int]]
    asked: Mapping[str, tuple[str, int]]
    errors: str | None

    def number(self, block: str, key: str) -> float | None:
        """A figure of 0 or more, None where the block has none. Raises ``Fault``."""
        found = getattr(self, block).get(key)
        return None if found is None else Fields({key: found[0]}, f"line {found[1]}").number(key, 0, 1e18)

    def text(self, block: str, key: str) -> str | None:
        """What is printed there."""
        found = getattr(self, block).get(key)
        return None if found is None else found[0]


def read_summary(source: Source) -> Summary:
    """The three blocks of the file. Raises ``Fault`` where it is not whole or contradicts itself."""
    blocks: list[dict[str, tuple[str, int]]] = []
    errors = None
    for number, line in source.lines():
        text = line.strip()
        if text == TITLE or text.startswith(("Additional Stats", "Test Parameters Used")):
            blocks.append({})
            continue
        counted = _COUNTED.match(text)
        if counted and counted[2].lower() == "error":
            errors = counted[1]
        found = _LINE.match(line)
        if found and blocks and not _RULE.match(text):
            key = found[1]
            if key in blocks[-1] and blocks[-1][key][0] != found[2]:
                raise Fault(f"line {number}", f"'{key[:60]}' stands twice in one block, with two values")
            blocks[-1].setdefault(key, (found[2], number))
    if not blocks or len(blocks) > 3:
        raise Fault("the file", "not one summary of three blocks")
    if len(blocks) < 3 or errors is None:
        raise Fault("the file", "the summary breaks off before its parameters and the count of errors")
    return Summary(*blocks, errors=errors)
