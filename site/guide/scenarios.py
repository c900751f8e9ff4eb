"""The readers' questions, as data: ``scenarios.toml``, checked so that a slip names its file and key."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.errors import BenchError
from bench.schema import TASK_FIELDS
from guide.cost import Assumptions
from guide.fit import Requirement, need_bytes
from guide.labels import dtype_words
from guide.markup import slug

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


def load_scenarios(path: Path) -> Settings:
    """The settings in ``scenarios.toml``. Raises ``BenchError`` naming the file and the key at fault."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BenchError(
            f"No scenarios at {path}.", hint="Copy data/scenarios.toml of the project there."
        ) from None
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BenchError(f"{path} is not valid TOML: {error}") from error
    return _Reader(path).settings(raw)


class _Reader:
    """Turns tables into records; every complaint names the file and the key."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fail(self, key: str, expected: str) -> BenchError:
        return BenchError(f"{self.path}, key '{key}': {expected}.")

    def take(self, table: Mapping[str, Any], where: str, name: str, kind: type, default: Any = ...) -> Any:
        """A value of a table; ``default`` (if given) when it is missing. A whole number is also a float."""
        value = table.get(name, default)
        if value is ...:
            raise self.fail(f"{where}.{name}", "is missing")
        if name not in table:
            return value
        good = isinstance(value, kind) or (kind is float and isinstance(value, int))
        if not good or (isinstance(value, bool) and kind is not bool):
            raise self.fail(f"{where}.{name}", f"should be {kind.__name__}, not {type(value).__name__}")
        return value

    def known(self, table: Mapping[str, Any], where: str, allowed: set[str]) -> None:
        for name in table:
            if name not in allowed:
                raise self.fail(f"{where}.{name}", f"is not known; known are {', '.join(sorted(allowed))}")

    def choices(self, table: Mapping[str, Any], where: str, name: str, allowed: Mapping[str, Any] | None):
        values = self.take(table, where, name, list, [])
        for value in values:
            if not isinstance(value, str) or (allowed is not None and value not in allowed):
                known = "" if allowed is None else f", not one of {', '.join(allowed)}"
                raise self.fail(f"{where}.{name}", f"holds {value!r}{known}")
        return tuple(values)

    def settings(self, raw: Mapping[str, Any]) -> Settings:
        self.known(raw, "", {"guide", "assumptions", "assumption_sources", "grid", "scenario"})
        guide = self.take(raw, "", "guide", dict, {})
        self.known(guide, "guide", {"references"})
        given = self.assumptions(self.take(raw, "", "assumptions", dict, {}), "assumptions", Assumptions())
        sources = self.take(raw, "", "assumption_sources", dict, {})
        self.known(sources, "assumption_sources", {f.name for f in dataclasses.fields(Assumptions)})
        axes = self.grid(self.take(raw, "", "grid", dict, {}), "grid")
        scenarios = [
            self.scenario(table, f"scenario[{place}]", given, axes)
            for place, table in enumerate(self.take(raw, "", "scenario", list), start=1)
        ]
        if len({slug(s.key) for s in scenarios}) < len(scenarios):
            raise self.fail("scenario", "two scenarios have the same key, or keys that give one page address")
        return Settings(
            scenarios=tuple(scenarios),
            given=given,
            assumption_sources=tuple(sorted(sources.items())),
            references=self.choices(guide, "guide", "references", None),
        )

    def grid(self, table: Mapping[str, Any], where: str) -> dict[str, tuple[float, ...]]:
        allowed = {"price_factor"} | {f.name for f in dataclasses.fields(Assumptions)}
        self.known(table, where, allowed)
        for name, values in table.items():
            if not isinstance(values, list) or not values or not all(_is_number(v) for v in values):
                raise self.fail(f"{where}.{name}", "should be a list of numbers")
        return {name: tuple(float(v) for v in values) for name, values in table.items()}

    def assumptions(self, table: Mapping[str, Any], where: str, base: Assumptions) -> Assumptions:
        self.known(table, where, {f.name for f in dataclasses.fields(Assumptions)})
        for name in table:
            if self.take(table, where, name, float) < 0:
                raise self.fail(f"{where}.{name}", "is negative")
        given = base.using(**{name: float(value) for name, value in table.items()})
        if given.years <= 0 or not 0 < given.hours_per_day <= 24 or given.on_hours_per_day > 24:
            raise self.fail(where, "years must be above 0 and hours a day between 0 and 24")
        return given

    def scenario(
        self, table: Any, where: str, given: Assumptions, axes: Mapping[str, tuple[float, ...]]
    ) -> Scenario:
        if not isinstance(table, dict):
            raise self.fail(where, "should be a table")
        fields = {f.name for f in dataclasses.fields(Scenario)} - {"given", "questions"}
        self.known(table, where, fields | {"assumptions", "question"})
        key = self.take(table, where, "key", str)
        where = f"scenario '{key}'"
        objective = self.take(table, where, "objective", str)
        if objective not in OBJECTIVES:
            raise self.fail(f"{where}.objective", f"is {objective!r}, not one of {', '.join(OBJECTIVES)}")
        own = self.grid(self.take(table, where, "grid", dict, {}), f"{where}.grid")
        questions = self.take(table, where, "question", list)
        if not questions:
            raise self.fail(f"{where}.question", "is empty")
        return Scenario(
            key=key,
            title=self.take(table, where, "title", str),
            reader=self.take(table, where, "reader", str),
            objective=objective,
            routes=self.choices(table, where, "routes", ROUTES) or tuple(ROUTES),
            classes=self.choices(table, where, "classes", None),
            max_power_w=self.take(table, where, "max_power_w", float, None),
            max_devices=self.take(table, where, "max_devices", int, None),
            whole_machine=self.take(table, where, "whole_machine", bool, True),
            count_how_many=self.take(table, where, "count_how_many", bool, False),
            given=self.assumptions(
                self.take(table, where, "assumptions", dict, {}), f"{where}.assumptions", given
            ),
            grid=tuple(sorted((axes | own).items())),
            questions=tuple(
                self.question(q, f"{where}.question[{place}]") for place, q in enumerate(questions, start=1)
            ),
        )

    def question(self, table: Mapping[str, Any], where: str) -> Question:
        self.known(table, where, {"text", "must_fit", "tasks", "floors", "min_systems"})
        tasks = tuple(
            self.selector(t, f"{where}.tasks", {"weight"}) for t in self.take(table, where, "tasks", list)
        )
        if not tasks:
            raise self.fail(f"{where}.tasks", "is empty")
        if len({dict(t.columns).get("workload") for t in tasks}) > 1:
            raise self.fail(f"{where}.tasks", "mixes workloads, which are never blended into one score")
        floors = self.take(table, where, "floors", list, [])
        needs = self.take(table, where, "must_fit", list, [])
        return Question(
            text=self.take(table, where, "text", str),
            must_fit=tuple(self.requirement(need, f"{where}.must_fit") for need in needs),
            tasks=tasks,
            floors=tuple(self.selector(f, f"{where}.floors", {"min_rate", "because"}) for f in floors),
            min_systems=self.take(table, where, "min_systems", int, 3),
        )

    def requirement(self, table: Mapping[str, Any], where: str) -> Requirement:
        self.known(table, where, {"model", "dtype", "context", "batch"})
        need = Requirement(
            model=self.take(table, where, "model", str),
            dtype=self.take(table, where, "dtype", str),
            context=self.take(table, where, "context", int),
            batch=self.take(table, where, "batch", int, 1),
        )
        if need_bytes(need) is None:  # a need that nobody can work out would let every device pass
            raise self.fail(where, f"the size of '{need.model}' in '{need.dtype}' is not known to guide.fit")
        return need

    def selector(self, table: Mapping[str, Any], where: str, extra: set[str]) -> Selector:
        self.known(table, where, set(TASK_FIELDS) - {"settings"} | extra)
        self.take(table, where, "workload", str)
        weight = self.take(table, where, "weight", float, 1.0)
        if weight <= 0:
            raise self.fail(f"{where}.weight", "should be above 0")
        return Selector(
            columns=tuple(
                (name, self.bound(table[name], f"{where}.{name}"))
                for name in TASK_FIELDS
                if name in table and name not in extra
            ),
            weight=float(weight),
            min_rate=float(self.take(table, where, "min_rate", float)) if "min_rate" in extra else None,
            because=self.take(table, where, "because", str, ""),
        )

    def bound(self, value: Any, where: str) -> Any:
        if isinstance(value, dict):
            self.known(value, where, {"min", "max"})
            return (value.get("min"), value.get("max"))
        if not (isinstance(value, str) or _is_number(value)):
            raise self.fail(where, "should be a text, a number, or a table with min and max")
        return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
