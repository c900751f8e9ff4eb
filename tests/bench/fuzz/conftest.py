"""Files damaged in ways that happen: cut off, re-saved, half-converted, or made to harm. Seeded, so that
every run tries the same ones.

A *structural* mutation touches no digit of any number that it leaves in the file; a *digit* mutation may.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

#: Things that stand where a number should, none of them a finite number.
NO_NUMBERS = (
    "nan",
    "NaN",
    "inf",
    "-inf",
    "Infinity",
    "1e999",
    "",
    "null",
    "N/A",
    "-",
    "\u0661\u0662x",
    "0x1F",
    "--5",
    "1_0x",
)
WRONG_TYPES = (
    None,
    True,
    "",
    "abc",
    [],
    {},
    [None],
    {"a": {}},
    float("nan"),
    float("inf"),
    "\x1b[31m",
    "=1+1",
    [[[]]],
)
HUGE = (10**400, -(10**400), 1e308, -1.0, 0, 2**63, 1e-320, "9" * 5000, 10**18, 0.1)
NUMBER = re.compile(rb"[0-9][0-9.eE+\-]*")

Mutation = tuple[str, bytes]


def cut(data: bytes, at: random.Random) -> bytes:
    """The file up to somewhere that is not inside a number."""
    inside = {i for found in NUMBER.finditer(data) for i in range(found.start() + 1, found.end())}
    places = [i for i in range(len(data)) if i not in inside]
    return data[: at.choice(places)]


def splice(data: bytes, at: random.Random) -> bytes:
    """Bytes that belong in no text, between two characters that are no digits."""
    bad = at.choice(
        [b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x1b[2J", b"\xef\xbb\xbf", b"\r", b"\xe2\x80\xae"]
    )
    places = [i for i in range(1, len(data)) if data[i - 1 : i + 1].strip(b"0123456789.eE+-")]
    place = at.choice(places or [0])
    return data[:place] + bad + data[place:]


def drop_line(data: bytes, at: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[at.randrange(len(lines))]
    return b"".join(lines)


def double_line(data: bytes, at: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    lines.insert(at.randrange(len(lines) + 1), at.choice(lines))
    return b"".join(lines)


def line_ends(data: bytes, at: random.Random) -> bytes:
    return data.replace(b"\n", at.choice([b"\r\n", b"\n\n", b"\r"]))


def recode(data: bytes, at: random.Random) -> bytes:
    text = data.decode("utf-8")
    return text.encode(at.choice(["utf-8-sig", "utf-16", "utf-32", "utf-16-le"]))


def delimiter(data: bytes, at: random.Random) -> bytes:
    return data.replace(b",", at.choice([b";", b"\t", b"|", b" ", b",,"]))


def brackets(data: bytes, at: random.Random) -> bytes:
    old = at.choice([b"{", b"}", b"[", b"]", b'"', b":", b","])
    places = [i for i in range(len(data)) if data[i : i + 1] == old]
    if not places:
        return old * at.choice([1, 50, 5000]) + data
    place = at.choice(places)
    return data[:place] + old * at.choice([0, 2, 5000]) + data[place + 1 :]


BINARY = (cut, splice, drop_line, double_line)
TEXTUAL = (*BINARY, cut, line_ends, recode, delimiter, brackets)


def spots(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """The place of every value inside a JSON value."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from spots(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value[:8]):
            yield from spots(item, (*path, index))


def json_structural(documents: list[Any], at: random.Random) -> bytes:
    """One document changed: a key gone, one twice, a value that is no number; or keys in another order."""
    found = copy.deepcopy(documents)
    which = at.randrange(len(found))
    places = list(spots(found[which]))
    path = at.choice(places)
    holder = found[which]
    for step in path[:-1]:
        holder = holder[step]
    kind = at.choice(["drop", "wrong", "wrong", "shuffle", "twice", "wrap", "deep"])
    if kind == "drop" and isinstance(holder, dict):
        del holder[path[-1]]
    elif kind == "wrong":
        holder[path[-1]] = at.choice(WRONG_TYPES)
    elif kind == "wrap":
        holder[path[-1]] = [holder[path[-1]]]
    elif kind == "deep":
        text = "\n".join(json.dumps(d) for d in found)
        return text.replace(": ", ": " + "[" * at.choice([3, 200_000]), 1).encode()
    elif kind == "shuffle":
        found = [shuffled(d, at) for d in found]
    text = "\n".join(json.dumps(d) for d in found)
    if kind == "twice":
        keys = re.findall(r'"[^"\\]+": [^\[{,}]+', text)
        if keys:
            key = at.choice(keys)
            text = text.replace(key, f"{key}, {key}", 1)
    return text.encode()


def shuffled(value: Any, at: random.Random) -> Any:
    """Equal, with the keys of its objects in another order."""
    if isinstance(value, dict):
        items = list(value.items())
        at.shuffle(items)
        return {key: shuffled(item, at) for key, item in items}
    return [shuffled(item, at) for item in value] if isinstance(value, list) else value


def json_digits(documents: list[Any], at: random.Random) -> bytes:
    found = copy.deepcopy(documents)
    which = at.randrange(len(found))
    path = at.choice(list(spots(found[which])))
    holder = found[which]
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = at.choice(HUGE)
    return "\n".join(json.dumps(d) for d in found).encode()


def csv_structural(data: bytes, at: random.Random) -> bytes:
    """Columns dropped, doubled or in another order with their header, or a cell that holds no number."""
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
    width = len(rows[0])
    column = at.randrange(width)
    kind = at.choice(["drop", "double", "order", "cell", "cell", "short", "long", "header"])
    if kind == "drop":
        rows = [row[:column] + row[column + 1 :] for row in rows]
    elif kind == "double":
        rows = [[*row, row[column]] for row in rows if len(row) > column]
    elif kind == "order":
        order = list(range(width))
        at.shuffle(order)
        rows = [[row[i] for i in order] for row in rows if len(row) == width]
    elif kind == "header":
        rows[0][column] = at.choice(["", "x", rows[0][column].upper(), "=a", rows[0][0]])
    else:
        row = at.choice([row for row in rows[1:] if row] or rows)
        if kind == "cell" and row is not rows[0]:
            row[column % len(row)] = at.choice(NO_NUMBERS)
        elif kind == "short":
            del row[at.randrange(len(row)) :]
        else:
            row.append(at.choice(NO_NUMBERS))
    return written(rows)


def csv_digits(data: bytes, at: random.Random) -> bytes:
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
    row = at.choice([row for row in rows[1:] if row] or rows)
    row[at.randrange(len(row))] = str(at.choice(HUGE[2:]))
    return written(rows)


def written(rows: list[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode("utf-8")


def flip(data: bytes, at: random.Random) -> bytes:
    """Some bytes of any kind changed, as a bad disk or a hostile hand does."""
    found = bytearray(data)
    for _ in range(at.choice([1, 1, 2, 8, 64])):
        found[at.randrange(len(found))] = at.randrange(256)
    return bytes(found)


def documents_of(data: bytes) -> list[Any] | None:
    """The JSON values of a file (one, or one a line); None when it is no JSON."""
    try:
        return [json.loads(data)]
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in data.splitlines() if line.strip()] or None
    except ValueError:
        return None


def mutations(data: bytes, count: int, seed: str) -> Iterator[tuple[bool, str, bytes]]:
    """(structural?, name, content) of ``count`` damaged versions of a file; the same for the same seed."""
    at = random.Random(seed)
    documents = documents_of(data)
    binary = data.startswith(b"PAR1")
    tabular = documents is None and not binary and data.count(b",") > 3
    for _ in range(count):  # one choice of a kind, then of a place
        kinds: list[tuple[bool, Callable]] = [(True, at.choice(BINARY if binary else TEXTUAL)), (False, flip)]
        if documents:
            kinds += [(True, json_structural)] * 3 + [(False, json_digits)]
        elif tabular:
            kinds += [(True, csv_structural)] * 3 + [(False, csv_digits)]
        structural, change = at.choice(kinds)
        source = documents if change in (json_structural, json_digits) else data
        yield structural, change.__name__, change(source, at)


@pytest.fixture(scope="session")
def damaged() -> Callable[[bytes, int, str], Iterator[tuple[bool, str, bytes]]]:
    return mutations
