"""Typed access to what a file states; every fault names the key and what was found there."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import PureWindowsPath
from typing import Any

from bench.importers.files import Fault
from bench.text import scrub

#: Counts and rates outside of these are no measurements.
MOST = 1e15
_CACHED = re.compile(r"models--([\w.-]+?)--([\w.-]+)")
_WHOLE = re.compile(r"[+-]?\d{1,18}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
_WORDS = {"true": True, "false": False, "1": True, "0": False, "on": True, "off": False}


@lru_cache(maxsize=20_000)
def clean(text: str, limit: int = 160) -> str:
    """One line of text from a file, without what names a person or machine and without control characters."""
    return scrub(text[: 20 * limit], limit)


@lru_cache(maxsize=20_000)
def basename(text: str, limit: int = 160) -> str:
    """The last part of a path of any system: folders name people."""
    return clean(PureWindowsPath(text.rstrip("/\\")).name or text, limit)


def public_model(name: str | None) -> str | None:
    """A model's public name, ``owner/name``, also of its place in a cache of Hugging Face's; of any other
    path the last part."""
    if name is None:
        return None
    cached = _CACHED.search(name)
    if cached:
        return clean(f"{cached[1]}/{cached[2]}")
    local = name.startswith(("/", ".", "~", "…")) or "\\" in name or name.count("/") != 1
    return basename(name) if local else clean(name)


class Fields:
    """A mapping from a file. ``where`` is its place; getters return None for a key that is absent or null.

    Numbers may be written as text (CSV and SQL quote every value).
    """

    __slots__ = ("values", "where")

    def __init__(self, values: Any, where: str) -> None:
        if not isinstance(values, Mapping):
            raise Fault(where, f"expected an object, found {_shown(values)}")
        self.values = values
        self.where = where

    def has(self, *names: str) -> bool:
        """Whether all of these are there and not null."""
        return all(self.values.get(name) is not None for name in names)

    def fault(self, name: str, expected: str) -> Fault:
        """A fault at a key."""
        if name not in self.values:
            return Fault(f"{self.where}, key '{name}'", f"is missing, expected {expected}")
        return Fault(f"{self.where}, key '{name}'", f"found {_shown(self.values[name])}, expected {expected}")

    def under(self, name: str) -> Fields:
        """The object at a key; empty when absent or null."""
        value = self.values.get(name)
        return Fields({} if value is None else value, f"{self.where}, key '{name}'")

    def text(self, name: str, limit: int = 160) -> str | None:
        """Text fit to be stored; None when empty."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.fault(name, "text")
        return clean(value, limit) or None

    def file_name(self, name: str) -> str | None:
        """The last part of a path."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.fault(name, "a path")
        return basename(value) or None

    def model_name(self, name: str) -> str | None:
        """A model's public name, also from a path."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, str):
            raise self.fault(name, "a name or path")
        return public_model(value or None)

    def number(self, name: str, low: float = -MOST, high: float = MOST) -> float | None:
        """A finite number from ``low`` to ``high``."""
        value = self.values.get(name)
        if value is None or value == "":
            return None
        found = _number(value)
        if found is None or not math.isfinite(found) or not low <= found <= high:
            raise self.fault(name, f"a number from {low:g} to {high:g}")
        return found

    def positive(self, name: str, high: float = MOST) -> float | None:
        """A number above 0."""
        value = self.number(name, 0, high)
        if value == 0:
            raise self.fault(name, "a number above 0")
        return value

    def need(self, name: str, high: float = MOST) -> float:
        """A number above 0 that must be there."""
        value = self.positive(name, high)
        if value is None:
            raise self.fault(name, "a number above 0")
        return value

    def count(self, name: str, low: int = 0, high: int = 10**15) -> int | None:
        """A whole number from ``low`` to ``high``."""
        value = self.values.get(name)
        if value is None or value == "":
            return None
        if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.fault(name, f"a whole number from {low} to {high}")
        return value

    def switch(self, name: str) -> bool | None:
        """A boolean, also as 0/1 or as text."""
        value = self.values.get(name)
        if value is None or value == "":
            return None
        found = _WORDS.get(str(value).strip().lower())
        if found is None:
            raise self.fault(name, "true or false")
        return found

    def numbers(self, name: str, low: float = 0, high: float = MOST, most: int = 100_000) -> list[float]:
        """A list of finite numbers; empty when absent."""
        value = self.values.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > most:
            raise self.fault(name, f"a list of at most {most} numbers")
        found = [v for v in value if type(v) in (int, float) and low <= v <= high]
        if len(found) != len(value):
            raise self.fault(name, f"numbers from {low:g} to {high:g} only")
        return found

    def time(self, name: str) -> datetime | None:
        """A time in ISO 8601; one without a zone is taken as UTC."""
        value = self.text(name)
        if value is None:
            return None
        return moment(value) or self._no_time(name)

    def _no_time(self, name: str) -> datetime:
        raise self.fault(name, "a time in ISO 8601 between 2000 and 2100")


@lru_cache(maxsize=20_000)
def moment(text: str) -> datetime | None:
    """An ISO 8601 time in UTC; None when it is none, or not of this century."""
    try:
        value = datetime.fromisoformat(text)
        value = value if value.tzinfo else value.replace(tzinfo=UTC)
        value = value.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return value if 2000 <= value.year < 2100 else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value.strip()) else None
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return None
    return None


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    return "nothing" if value is None else f"'{clean(str(value), 60)}'"


def agree(where: str, what: str, stated: float, computed: float, tolerance: float) -> None:
    """Raise ``Fault`` unless two ways to the same figure agree within a relative ``tolerance``."""
    if abs(stated - computed) > tolerance * max(abs(stated), abs(computed)):
        raise Fault(where, f"{what} is stated as {stated:.6g}, but the other figures give {computed:.6g}")
