"""Tasks in an order that can be read: by origin, then by family, with one headline task a family.

A family holds the tasks that differ in batch and lengths only: its tasks make the columns of a table, the
points of a line, the cells of a heat map. A group holds the families of one origin: what this project's
collector measured, or what one source published. Groups never share a chart.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bench.schema import TASK_FIELDS
from guide.analysis.labels import WORDS, edition, model_words, precision, settings_words, slug
from guide.model import Result, Source, System, Task

#: What may differ between the tasks of a family.
EXTENTS = ("batch", "input_tokens", "output_tokens", "context_depth")
#: The length that a headline task is nearest to, in tokens.
HEADLINE_TOKENS = 1024
#: The collector's own protocol (``bench.cells``).
OWN_PROTOCOL = "hwguide"

HEADLINE_RULE = (
    "The headline task is the one with a figure for most systems; of equals the smallest batch, then the "
    f"length nearest to {HEADLINE_TOKENS:,} tokens."
)


@dataclass(frozen=True)
class Family:
    """``tasks`` are ordered by batch and lengths; ``headline`` is one of them, by ``HEADLINE_RULE``."""

    label: str
    workload: str
    tasks: tuple[Task, ...]
    headline: Task

    @property
    def systems(self) -> tuple[System, ...]:
        """All systems that tried one of the tasks, in the headline's order, then by how many they have."""
        place = {s.result.system.key: n for n, s in enumerate(self.headline.standings)}
        tried: dict[str, System] = {}
        rated: dict[str, int] = {}
        for task in self.tasks:
            for result in results(task):
                tried[result.system.key] = result.system
                rated[result.system.key] = rated.get(result.system.key, 0) + result.ok
        return tuple(
            sorted(tried.values(), key=lambda s: (place.get(s.key, len(place)), -rated[s.key], s.key))
        )

    def rated(self, system_key: str) -> tuple[Task, ...]:
        """The tasks on which a system has a rate."""
        return tuple(t for t in self.tasks if t.standing(system_key))


@dataclass(frozen=True)
class Group:
    """The families of one origin; ``source`` is None for this project's own measurements."""

    key: str
    source: Source | None
    families: tuple[Family, ...]

    @property
    def measured(self) -> bool:
        """Whether this project's collector measured it."""
        return self.source is None

    @property
    def title(self) -> str:
        """A heading: ``Measured here``, or the source's title."""
        return self.source.title if self.source else "Measured here"

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks of all families."""
        return tuple(task for family in self.families for task in family.tasks)

    @property
    def headline(self) -> Task:
        """The headline of the family with most systems."""
        return headline([family.headline for family in self.families])

    @property
    def systems(self) -> int:
        """How many systems have a rate on one of the tasks."""
        return len({s.result.system.key for task in self.tasks for s in task.standings})


def results(task: Task) -> tuple[Result, ...]:
    """Every system's result on the task: with a rate, fastest first, then without."""
    return (*(s.result for s in task.standings), *task.failures)


def is_own(task: Task) -> bool:
    """Whether the collector's own protocol was followed."""
    return task.columns["protocol"] == OWN_PROTOCOL


def origin(task: Task) -> str:
    """What a group is told apart by: the source's id; empty for the collector's own procedure."""
    return "" if is_own(task) else task.source_ids[0]


def tokens(task: Task) -> int:
    """The task's length: tokens fed, generated and already in the cache."""
    return sum(task.columns[name] or 0 for name in EXTENTS[1:])


def headline(tasks: Sequence[Task]) -> Task:
    """The one task to show first (``HEADLINE_RULE``)."""

    def order(task: Task) -> tuple[object, ...]:
        distance = abs(math.log2((tokens(task) or HEADLINE_TOKENS) / HEADLINE_TOKENS))
        return -len(task.standings), task.columns["batch"] or 1, round(distance, 6), task.label, task.key

    return min(tasks, key=order)


def groups(tasks: Iterable[Task], sources: dict[str, Source]) -> tuple[Group, ...]:
    """The tasks by origin: where most systems can be compared first, own measurements before published."""
    by_origin: dict[str, list[Task]] = {}
    for task in tasks:
        by_origin.setdefault(origin(task), []).append(task)
    found = [
        Group(key or "measured", _source(key, sources), families(members))
        for key, members in by_origin.items()
    ]
    return tuple(sorted(found, key=lambda g: (-g.systems, not g.measured, g.key)))


def _source(key: str, sources: dict[str, Source]) -> Source | None:
    return sources.get(key, Source(key, key)) if key else None


def families(tasks: Iterable[Task]) -> tuple[Family, ...]:
    """Families of the tasks, those with most systems first."""
    by_family: dict[tuple[object, ...], list[Task]] = {}
    for task in tasks:
        by_family.setdefault(_family_key(task), []).append(task)
    found = [_family(members) for _, members in sorted(by_family.items(), key=lambda kv: repr(kv[0]))]
    named = Counter((family.tasks[0].source_ids[0], family.label) for family in found)
    found = [
        replace(family, label=f"{family.label}, {edition(family.tasks[0].columns)}")
        if named[family.tasks[0].source_ids[0], family.label] > 1
        else family
        for family in found
    ]
    return tuple(sorted(found, key=lambda f: (-len(f.headline.standings), f.label, f.headline.key)))


def _family_key(task: Task) -> tuple[object, ...]:
    # A probe has no model: its operations and sizes, kept in the settings, are its extents.
    varying = EXTENTS if task.model else (*EXTENTS, "settings")
    return (task.source_ids[0], *(task.columns[name] for name in TASK_FIELDS if name not in varying))


def _family(members: Sequence[Task]) -> Family:
    ordered = sorted(members, key=lambda t: (*(t.columns[n] or 0 for n in EXTENTS), t.label, t.key))
    return Family(family_label(ordered[0]), ordered[0].workload, tuple(ordered), headline(ordered))


def family_label(task: Task) -> str:
    """``Llama 3 8B, Q4_K_M, decode, flash attention on``: a task's label without batch and lengths."""
    columns = task.columns
    parts = [model_words(task.model), precision(columns), WORDS.get(task.workload, task.workload)]
    if (columns["beams"] or 1) > 1:
        parts.append(f"{columns['beams']} beams")
    if columns["execution"] not in (None, "eager"):
        parts.append(columns["execution"])
    if columns["rate_kind"] == "sustained":
        parts.append("sustained")
    if is_own(task) and columns["weights"] == "pretrained":
        parts.append("pretrained weights")
    if task.model:  # a probe's settings are its extents
        parts += settings_words(columns["settings"])
    return ", ".join(str(part) for part in parts if part)


def varying(tasks: Sequence[Task]) -> tuple[str, ...]:
    """The extents in which the tasks differ."""
    return tuple(n for n in EXTENTS if len({task.columns[n] for task in tasks}) > 1)


def extent_label(task: Task, among: Sequence[Task] = ()) -> str:
    """What tells the task apart inside its family: ``batch 8, 512 tokens``; with ``among``, only what
    differs there."""
    columns = task.columns
    wanted = varying(among) if among else EXTENTS
    fed, made, depth = (columns[name] for name in EXTENTS[1:])
    parts = []
    if "batch" in wanted and columns["batch"]:
        parts.append(f"batch {columns['batch']}")
    if (set(wanted) & {"input_tokens", "output_tokens"}) and (fed or made):
        parts.append(" + ".join(f"{n:,}" for n in (fed, made) if n) + " tokens")
    if "context_depth" in wanted and depth:
        parts.append(f"behind {depth:,}")
    if not task.model and columns["settings"]:
        settings = json.loads(columns["settings"])
        parts += [f"{value}" for _, value in sorted(settings.items()) if isinstance(value, str | int | float)]
    return ", ".join(parts) or "as asked"


def anchor(text: str) -> str:
    """A fragment for a heading."""
    return slug(text)
