"""What a reader wants to know, as records: scenarios, their questions, and the tasks that decide them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from guide.analysis.labels import dtype_words
from guide.decide.cost import Assumptions
from guide.decide.fit import Requirement

#: What a scenario may be decided by: key -> what it means.
OBJECTIVES = {
    "fastest": "the fastest that the budget allows; among equals the cheapest a month",
    "cheapest-work": "the least USD for the same work; among equals the cheapest a month",
    "least-energy": "the least energy for the same work; among equals the cheapest a month",
}
ROUTES = {"buy-new": "bought new", "buy-used": "bought used", "rent": "rented"}


@dataclass(frozen=True)
class Selector:
    """Picks tasks by their columns. A text that starts with ``~`` is searched for, any other must be equal
    (case does not matter); a number must be equal; ``(low, high)`` bounds a number, None meaning open.

    Where the selector says nothing, a task must be plain: eager (or unstated), burst.
    """

    columns: tuple[tuple[str, Any], ...]
    weight: float = 1.0
    min_rate: float | None = None
    because: str = ""

    def matches(self, task: Mapping[str, Any]) -> bool:
        """Whether a task with these columns is one that is meant."""
        wanted = dict(self.columns)
        if "execution" not in wanted and task["execution"] not in (None, "eager"):
            return False
        if "rate_kind" not in wanted and task["rate_kind"] not in (None, "burst"):
            return False
        return all(_equal(value, task[name]) for name, value in self.columns)

    @property
    def label(self) -> str:
        """The selector as words: ``decode, LLaMA 3 8B, Q4_K_M, 1,024 output tokens``."""
        return ", ".join(_words(name, value) for name, value in self.columns)


def _equal(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, tuple):
        low, high = wanted
        return value is not None and (low is None or value >= low) and (high is None or value <= high)
    if isinstance(wanted, str):
        text = str(value or "").lower()
        return wanted[1:].lower() in text if wanted.startswith("~") else wanted.lower() == text
    return wanted == value


def _words(name: str, value: Any) -> str:
    if isinstance(value, tuple):
        low, high = value
        bound = (
            f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
        )
        return f"{name.replace('_', ' ')} {bound}"
    if isinstance(value, str):
        plain = value.removeprefix("~")
        return plain.upper() if name == "model" and re.fullmatch(r"[\d.]+[bm]", plain) else dtype_words(plain)
    return f"{name.replace('_', ' ')} {value:,}"


@dataclass(frozen=True)
class Question:
    """One way of asking: what must fit, which tasks decide, which speed is the least that is usable.

    A scenario lists its questions best first; the first that the evidence can answer is answered: at least
    ``min_systems`` systems must have all of its tasks.
    """

    text: str
    must_fit: tuple[Requirement, ...]
    tasks: tuple[Selector, ...]
    floors: tuple[Selector, ...]
    min_systems: int


@dataclass(frozen=True)
class Scenario:
    """A reader and what they would decide by. ``classes`` are the catalog's device classes that come into
    question; ``whole_machine`` asks about complete computers (cards get the host allowance added);
    ``grid`` holds the plausible values of each input (``price_factor`` multiplies the pick's price)."""

    key: str
    title: str
    reader: str
    objective: str
    routes: tuple[str, ...]
    classes: tuple[str, ...]
    max_power_w: float | None
    max_devices: int | None
    whole_machine: bool
    count_how_many: bool
    given: Assumptions
    grid: tuple[tuple[str, tuple[float, ...]], ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Settings:
    """``scenarios.toml`` as a whole. ``assumption_sources``: field of ``Assumptions`` -> where its value
    comes from; ``references``: keys of systems that speedups are over where they have a result."""

    scenarios: tuple[Scenario, ...]
    given: Assumptions
    assumption_sources: tuple[tuple[str, str], ...]
    references: tuple[str, ...]
