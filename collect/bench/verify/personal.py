"""What may stand in no text of a run: what names a person or machine, and what could harm a reader."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bench.text import plain

_PERSONAL: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (what, re.compile("|".join(patterns), re.IGNORECASE))
    for what, *patterns in (
        ("an e-mail address", r"[\w.+-]+@[\w-]+(\.[\w-]+)+"),
        ("a home folder", r"(/home/|/Users/|/root/|[a-z]:\\+Users\\+)[^/\\\s]+"),
        ("a path", r"(?<![\w.:/~…])/(?:[\w.+-]+/){2,}", r"\b[a-z]:\\\\?\w+\\", r"\\\\\w+\\\w+"),
        ("a MAC address", r"\b([0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b"),
        ("a UUID", r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"),
        (
            "an IPv6 address",
            r"(?<![\w:])([0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}",
            r"(?<![\w:])[0-9a-f]{1,4}(:[0-9a-f]{1,4})*::[0-9a-f:]*\w",
        ),
        (
            "a host name",
            r"\b[\w-]+\.(local|lan|internal|localdomain|corp|home\.arpa)\b",
            r"\b(DESKTOP|LAPTOP)-[A-Z0-9]{6,}\b",
            r"\bip-\d+-\d+-\d+-\d+\b",
        ),
        ("a key", r"\b(hf_|sk-|ghp_|AKIA)[A-Za-z0-9]{12,}"),
    )
)
#: Versions have four numbers too, so an address counts where no version is expected.
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_IPV4 = re.compile(rf"(?<![\d.\w-])(?:{_OCTET}\.){{3}}{_OCTET}(?![\d.\w-])")
_VERSIONED = re.compile(
    r"version|driver|software|kernel|build|libraries|cuda|rocm|cudnn|nccl|os$", re.IGNORECASE
)
_TAGS = "script|img|iframe|svg|object|embed|style|link|meta|base|form|a|b|div|span|!--"
_MARKUP = re.compile(rf"<\s*[/!?]?\s*({_TAGS})(?![\w-])|<!--|javascript:|\bon\w+\s*=\s*[\"'(]", re.IGNORECASE)
_FORMULA = ("=", "+", "-", "@")


def texts_of(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """(where, text) of every text in a value, keys of objects included; however deep it nests."""
    left = [(name, value)]
    while left:
        where, item = left.pop()
        if isinstance(item, str):
            yield where, item
        elif isinstance(item, Mapping):
            for key, inner in item.items():
                yield f"{where} (a key)", str(key)
                left.append((f"{where}.{key}"[:200], inner))
        elif isinstance(item, list | tuple):
            left += [(where, inner) for inner in item]


def personal(name: str, text: str) -> str | None:
    """What in the text names a person or machine, in words; None when nothing does."""
    for what, pattern in _PERSONAL:
        if pattern.search(text):
            return what
    if not _VERSIONED.search(name) and _IPV4.search(text):
        return "an IP address"
    return None


def hostile(text: str) -> str | None:
    """What in the text could act on a terminal, a page or a spreadsheet; None when nothing does."""
    if plain(text) != text:
        return "control characters or terminal escapes"
    if _MARKUP.search(text):
        return "markup"
    if text.lstrip().startswith(_FORMULA) and not _is_number(text):
        return "a spreadsheet's formula"
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def depth_of(text: str) -> int:
    """How deeply the brackets of a JSON text nest, without parsing it; brackets in texts do not count."""
    deepest = depth = 0
    quoted = escaped = False
    for char in text:
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest
