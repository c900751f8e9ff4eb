"""Text that came from elsewhere, made fit to be printed or stored, and figures made readable."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

#: Names that tell nothing about a person; replacing them would only damage sentences.
_COMMON_NAMES = {"root", "user", "admin", "ubuntu", "runner", "localhost", "nobody"}

_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
_HOME = re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\Users\\)[^/\\\s'\":,;]+")
_IPV4 = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
_FOLDERS = re.compile(r"(?<![\w.~<])(?:/[^/\s'\":,;()<>]+){2,}/(?=[^/\s'\":,;()<>]+)")


def plain(text: object, *, lines: bool = False) -> str:
    """``text`` without terminal escapes, control or direction-changing characters.

    Line ends become spaces unless ``lines``. What is left prints the same everywhere.
    """
    raw = str(text)
    if raw.isascii() and raw.isprintable():  # nearly all text of a store
        return raw
    shown = _ESCAPE.sub("", raw)
    kept = []
    for char in shown:
        if char == "\n" and lines:
            kept.append(char)
        elif char in "\n\r\t":
            kept.append(" ")
        elif unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
            kept.append(char)
    return "".join(kept)


def brief(text: object, most: int = 80) -> str:
    """A name as a message quotes it: plain, and cut where it is longer than any device is called."""
    shown = plain(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def csv_safe(value: object) -> object:
    """A CSV cell that no spreadsheet takes for a formula: text that starts with = + - @ gets a leading '.

    Numbers stay numbers. The quotation mark is what spreadsheets themselves show for literal text.
    """
    if isinstance(value, str):
        shown = plain(value)
        return f"'{shown}" if shown.lstrip()[:1] in ("=", "+", "-", "@") else shown
    return value


def csv_cell(value: Any) -> Any:
    """A value as it stands in a CSV cell: lists as JSON, times as ISO 8601, missing ones empty."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list):
        return csv_safe(json.dumps(value))
    return csv_safe(value)


@cache
def _personal() -> tuple[tuple[str, str], ...]:
    """What names this person or machine, longest first, with what stands for it."""
    import getpass
    import socket

    found: dict[str, str] = {}
    for path in (os.path.expanduser("~"), os.getcwd()):  # noqa: PTH109, PTH111 (text, may not exist)
        if len(path) > 1:
            found[path] = "~" if path == os.path.expanduser("~") else "."  # noqa: PTH111
    host = socket.gethostname()
    for name in (host, host.partition(".")[0]):
        if len(name) > 2 and name.lower() not in _COMMON_NAMES:
            found[name] = "<host>"
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):  # no name for this user id: nothing to hide
        user = ""
    if len(user) > 2 and user.lower() not in _COMMON_NAMES:
        found[user] = "<user>"
    return tuple(sorted(found.items(), key=lambda item: -len(item[0])))


def scrub(text: object, limit: int = 300) -> str:
    """One line fit to be stored: no control characters, and nothing that names a person or machine.

    Home folders, user and host names, IP addresses and the folders of absolute paths are replaced.
    """
    line = " ".join(plain(text).split())
    for name, stand_in in _personal():
        edge = r"(?![\w-])" if stand_in.startswith("<") else ""
        before = r"(?<![\w-])" if stand_in.startswith("<") else ""
        line = re.sub(before + re.escape(name) + edge, stand_in, line)
    line = _HOME.sub("~", line)
    line = _FOLDERS.sub("…/", line)
    line = _IPV4.sub("<ip>", line)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def nbytes(count: float | None) -> str:
    """Bytes in the decimal units of data sheets: ``16.1 GB``."""
    if count is None:
        return "unknown"
    for unit in ("B", "kB", "MB", "GB"):
        if abs(count) < 1000:
            return f"{significant(count)} {unit}"
        count /= 1000
    return f"{significant(count)} TB"


def duration(seconds: float) -> str:
    """``8 s``, ``3 min 20 s``, ``1 h 05 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{significant(seconds) if seconds < 10 and seconds != whole else whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def significant(value: float, digits: int = 3) -> str:
    """Three significant digits, thousands grouped, no exponent below a thousand billion."""
    if value == 0:
        return "0"
    if abs(value) >= 1e12 or abs(value) < 1e-4:
        return f"{value:.{digits - 1}e}"
    magnitude = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    if magnitude >= digits:
        return f"{round(value, digits - magnitude):,.0f}"
    if magnitude:
        return f"{value:.{digits - magnitude}f}"
    return f"{value:.{digits}g}"


def rate(value: float, unit: str) -> str:
    """A rate with its unit, scaled where the unit counts operations or bytes: ``84.1 GFLOP/s``."""
    if unit in ("FLOP/s", "B/s"):
        for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
            if value >= factor:
                return f"{significant(value / factor)} {prefix}{unit}"
    return f"{significant(value)} {unit}"


def one_path(path: Path) -> str:
    """A path as a person would type it: relative to the working folder where it lies below it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
