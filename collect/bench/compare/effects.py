"""What one choice is worth on one device: ways of running, kinds of weights, versions of the software.

Two rows make a pair only where everything else is equal: device and count, host, everything that was asked
for but the one thing, and the conditions that came out, apart from those that follow from the choice. Where
only rows with other differences exist, the pair is given with them in ``differs``, and nothing may be claimed
of it.
All functions are pure: rows in, ``Effect`` out, in a stable order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from bench.compare.comparison import Pair, by_device, compare
from bench.compare.conditions import Difference, differences, values_of
from bench.compare.figure import Figure, figure_of
from bench.compare.intervals import divide
from bench.compare.verdicts import judge
from bench.schema import TASK_FIELDS, Row

#: Conditions that follow from the way of running, or say how the measuring went: no difference of their own.
FOLLOWS = ("value_kind", "conditions.compile", "conditions.attention_kernel", "conditions.sync_self_test")
#: Conditions that are software: a claim about versions allows these to differ, and no others.
SOFTWARE = (
    "engine", "engine_version", "driver_version",
    *(f"conditions.{name}" for name in (
        "torch", "transformers", "accelerate", "datasets", "numpy", "triton", "cuda", "rocm", "cudnn",
        "macos", "compiled_for", "cublas_preference", "device.software", "engine_build",
    )),
    *(f"environment.{name}" for name in ("os", "kernel", "python", "cuda")),
)  # fmt: skip
#: Ways of running that are held against the plain one.
PLAIN, OTHERS = "eager", ("compiled", "cuda-graph")

SystemOf = Callable[[Row], str]


@dataclass(frozen=True, kw_only=True)
class Effect(Pair):
    """One choice on one task and system: the pair of its two sides, and the choices' ``names`` (``("eager",
    "compiled")``). ``differs`` holds differences that do not follow from the choice: while there is one, the
    ratio says nothing about the choice alone.
    """

    names: tuple[str, str]

    @property
    def clean(self) -> bool:
        """Whether both sides have a rate and nothing but the choice differs."""
        return self.ratio is not None and not self.differs


@dataclass(frozen=True)
class History:
    """One task on one system over versions of the software.

    ``steps`` are (what the version is called, its figure), oldest first. ``effect`` is the newest over the
    oldest; its ``differs`` holds what is no software, ``changed`` the software that differs between the two.
    ``one_host`` is False where the rows do not say that one machine ran them all (tables seldom do).
    """

    steps: tuple[tuple[str, Figure], ...]
    effect: Effect
    changed: tuple[Difference, ...]
    one_host: bool


def execution_effects(rows: Iterable[Row], system_of: SystemOf = by_device) -> tuple[Effect, ...]:
    """Compiled and captured runs over eager ones: above 1 where the plain way leaves time on the table."""
    known = list(rows)
    found = [_paired(known, "execution", PLAIN, other, system_of) for other in OTHERS]
    return tuple(effect for effects in found for effect in effects)


def weight_effects(rows: Iterable[Row], system_of: SystemOf = by_device) -> tuple[Effect, ...]:
    """Random weights over pretrained ones: 1 where the default without a download tells the truth."""
    return tuple(_paired(rows, "weights", "pretrained", "random", system_of))


def version_effects(rows: Iterable[Row], system_of: SystemOf = by_device) -> tuple[History, ...]:
    """Each task that one system ran with several versions of its software, all else being equal.

    Versions are ordered by the day of their newest row, then by name: version numbers of two makers (and the
    commits that llama.cpp's tables name) have no common order.
    """
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row["status"] == "ok":
            groups[(row["task_key"], *_place(row, system_of))].append(row)
    found = (_history(groups[key]) for key in sorted(groups))
    return tuple(history for history in found if history is not None)


def _paired(
    rows: Iterable[Row], column: str, first: str, second: str, system_of: SystemOf
) -> Iterator[Effect]:
    """Pairs of the two values of ``column``: on equal conditions where there are such, else on any."""
    places: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row[column] in (first, second):
            places[_place(row, system_of)].append(row)
    for place in sorted(places):
        strict: dict[tuple[str, ...], Pair] = {}
        for alike in _alike(places[place]):
            strict |= _pairs(alike, column, first, second)
        loose = _pairs(places[place], column, first, second)
        for task in sorted(strict.keys() | loose.keys()):
            pair = strict.get(task) or loose[task]
            yield _effect(pair, (first, second))


def _place(row: Row, system_of: SystemOf) -> tuple[str, ...]:
    return system_of(row), str(row["device_count"]), row["source_id"], row["host_id"] or ""


def _alike(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows in groups of equal conditions, the one with the newest row last: it is the one that counts."""
    groups: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple((n, v) for n, v in values_of(row) if not _is(n, FOLLOWS))].append(row)
    return sorted(groups.values(), key=lambda g: max((r["recorded_at"], r["run_id"]) for r in g))


def _pairs(rows: Sequence[Row], column: str, first: str, second: str) -> dict[tuple[str, ...], Pair]:
    """The pairs by their task without ``column``, each with all its differences."""
    sides = ([row for row in rows if row[column] == value] for value in (first, second))
    # One place is one system: it is not told apart again.
    found = compare(*sides, across=(column,), system_of=lambda row: "")
    kept = [name for name in TASK_FIELDS if name != column]
    return {
        tuple(str(pair.row[name]) for name in kept): replace(pair, differs=pair.differs + found.common)
        for pair in found.pairs
    }


def _effect(pair: Pair, names: tuple[str, str]) -> Effect:
    own = tuple(d for d in pair.differs if not _is(d.name, FOLLOWS))
    return Effect(**vars(pair) | {"names": names, "differs": own})


def _history(rows: Sequence[Row]) -> History | None:
    """The rows of one task and place by software; None where there is one version only."""
    if len(rows) < 2:
        return None
    by_version: dict[tuple[tuple[str, str], ...], list[Row]] = defaultdict(list)
    for row in rows:
        by_version[tuple((n, v) for n, v in values_of(row) if _is(n, SOFTWARE))].append(row)
    if len(by_version) < 2:
        return None
    groups = sorted(by_version.values(), key=lambda g: (max(r["recorded_at"] for r in g), _called(g)))
    names = _names(groups)
    steps = tuple((n, f) for n, g in zip(names, groups, strict=True) if (f := figure_of(g)) is not None)
    oldest, newest = steps[0][1], steps[-1][1]
    found = differences(oldest.rows, newest.rows)
    effect = Effect(
        names=(names[0], names[-1]),
        row=groups[0][0],
        first=oldest,
        second=newest,
        ratio=newest.rate / oldest.rate,
        interval=divide(newest.interval, oldest.interval) if newest.interval and oldest.interval else None,
        verdict=judge(newest, oldest, names=(names[-1], names[0])),
        outcomes=("ok", "ok"),
        differs=tuple(d for d in found if not _is(d.name, (*SOFTWARE, *FOLLOWS))),
    )
    changed = tuple(d for d in found if _is(d.name, SOFTWARE))
    return History(steps, effect, changed, all(row["host_id"] for row in rows))


def _names(groups: Sequence[Sequence[Row]]) -> list[str]:
    """What each version is called; versions of one name are told apart by their day, then by a number."""
    names = [_called(group) for group in groups]
    days = [max(row["recorded_at"] for row in group).date().isoformat() for group in groups]
    names = [f"{n}, {day}" if names.count(n) > 1 else n for n, day in zip(names, days, strict=True)]
    return [f"{n} ({i})" if names.count(n) > 1 else n for i, n in enumerate(names, 1)]


def _called(rows: Sequence[Row]) -> str:
    row = rows[-1]
    words = [row[name] for name in ("engine", "engine_version") if row[name]]
    return " ".join(words) or (f"driver {row['driver_version']}" if row["driver_version"] else "not stated")


@lru_cache(maxsize=1 << 12)  # a few hundred names, asked for at each row
def _is(name: str, wanted: tuple[str, ...]) -> bool:
    """Whether a condition is one of those, or a part of one (``conditions.compile.graphs``)."""
    return any(name == one or name.startswith(f"{one}.") for one in wanted)
