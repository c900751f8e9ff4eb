"""The readers' questions, as data: ``scenarios.toml``, checked so that a slip names its file and key."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.errors import BenchError
from bench.schema import TASK_FIELDS
from guide.decide import toml
from guide.decide.cost import Assumptions
from guide.decide.fit import Requirement, need_bytes
from guide.decide.limits import CONTEXT, FLOOR, LIMITS
from guide.decide.questions import OBJECTIVES, ROUTES, Question, Scenario, Selector, Settings
from guide.show.markup import slug

#: What a price may be multiplied with.
PRICE_FACTOR = (0.01, 100.0)
#: Far above any count, power or size that a file can mean, and still a number that a sum takes.
MOST = 1e15

__all__ = [
    "OBJECTIVES", "ROUTES", "Question", "Scenario", "Selector", "Settings", "load_scenarios",
]  # fmt: skip


def load_scenarios(path: Path) -> Settings:
    """The settings in ``scenarios.toml``. Raises ``BenchError`` naming the file and the key at fault."""
    try:
        raw = toml.read(path)
    except FileNotFoundError:
        raise BenchError(
            f"No scenarios at {path}.", hint="Copy data/scenarios.toml of the project there."
        ) from None
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

    def number(
        self, table: Mapping[str, Any], where: str, name: str, kind: type, low: float, high: float = MOST,
        default: Any = ...,
    ) -> Any:  # fmt: skip
        """The same for a number, which must lie within bounds."""
        value = self.take(table, where, name, kind, default)
        if name in table:
            self.within(value, f"{where}.{name}", low, high)
        return value

    def within(self, value: float, key: str, low: float, high: float) -> None:
        if not low <= value <= high:  # what is no number (nan) is not within either
            bounds = f"at least {low:,g}" if high >= MOST else f"from {low:,g} to {high:,g}"
            raise self.fail(key, f"is {str(value)[:20]}; it must be {bounds}")

    def known(self, table: Any, where: str, allowed: set[str]) -> None:
        if not isinstance(table, dict):
            raise self.fail(where, "should be a table")
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
        for name in sources:
            self.take(sources, "assumption_sources", name, str)
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
            low, high = _bounds(name)
            if not isinstance(values, list) or not values or not all(_is_number(v) for v in values):
                raise self.fail(f"{where}.{name}", "should be a list of numbers")
            for value in values:
                self.within(value, f"{where}.{name}", low, high)
        return {name: tuple(float(v) for v in values) for name, values in table.items()}

    def assumptions(self, table: Mapping[str, Any], where: str, base: Assumptions) -> Assumptions:
        self.known(table, where, {f.name for f in dataclasses.fields(Assumptions)})
        for name in table:
            self.number(table, where, name, float, *_bounds(name))
        return base.using(**{name: float(value) for name, value in table.items()})

    def scenario(
        self, table: Any, where: str, given: Assumptions, axes: Mapping[str, tuple[float, ...]]
    ) -> Scenario:
        if not isinstance(table, dict):
            raise self.fail(where, "should be a table")
        fields = {f.name for f in dataclasses.fields(Scenario)} - {"given", "questions"}
        self.known(table, where, fields | {"assumptions", "question"})
        key = self.take(table, where, "key", str)
        try:
            slug(key)
        except ValueError:
            raise self.fail(f"{where}.key", f"is {key!r}; it names a page and needs a-z or 0-9") from None
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
            max_power_w=self.number(table, where, "max_power_w", float, 1, default=None),
            max_devices=self.number(table, where, "max_devices", int, 1, default=None),
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
            min_systems=self.number(table, where, "min_systems", int, 1, default=3),
        )

    def requirement(self, table: Mapping[str, Any], where: str) -> Requirement:
        self.known(table, where, {"model", "dtype", "context", "batch"})
        need = Requirement(
            model=self.take(table, where, "model", str),
            dtype=self.take(table, where, "dtype", str),
            context=self.number(table, where, "context", int, CONTEXT.low, CONTEXT.high),
            batch=self.number(table, where, "batch", int, 1, 1e6, default=1),
        )
        if need_bytes(need) is None:  # a need that nobody can work out would let every device pass
            raise self.fail(where, f"the size of '{need.model}' in '{need.dtype}' is not known to decide.fit")
        return need

    def selector(self, table: Mapping[str, Any], where: str, extra: set[str]) -> Selector:
        self.known(table, where, set(TASK_FIELDS) - {"settings"} | extra)
        self.take(table, where, "workload", str)
        weight = self.number(table, where, "weight", float, 1e-3, 1e3, default=1.0)
        least = None
        if "min_rate" in extra:
            least = float(self.number(table, where, "min_rate", float, FLOOR.low, FLOOR.high))
        return Selector(
            columns=tuple(
                (name, self.bound(table[name], f"{where}.{name}"))
                for name in TASK_FIELDS
                if name in table and name not in extra
            ),
            weight=float(weight),
            min_rate=least,
            because=self.take(table, where, "because", str, ""),
        )

    def bound(self, value: Any, where: str) -> Any:
        if isinstance(value, dict):
            self.known(value, where, {"min", "max"})
            if not value or not all(map(_is_number, value.values())):
                raise self.fail(where, "should have numbers as min and max")
            return (value.get("min"), value.get("max"))
        if not (isinstance(value, str) or _is_number(value)):
            raise self.fail(where, "should be a text, a number, or a table with min and max")
        return value


def _is_number(value: Any) -> bool:
    """Whether it is a number that a sum takes: finite, and no whole number of hundreds of digits."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MOST


def _bounds(name: str) -> tuple[float, float]:
    """Of an assumption, or of what multiplies a price: those of the form in which a reader gives it."""
    return PRICE_FACTOR if name == "price_factor" else (LIMITS[name].low, LIMITS[name].high)
