"""Effects of one choice as sentences and tables: ways of running, versions of the software, kinds of weights.

The pairs come from ``bench.compare.effects``: equal everything but the choice. Pairs that differ in more
stand in the tables with what differs; no sentence rests on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bench.compare.effects import Effect, History, execution_effects, version_effects, weight_effects
from bench.compare.figure import Figure
from bench.compare.verdicts import CANNOT_TELL, FASTER, SLOWER, TIED
from bench.schema import Row
from guide.analysis.labels import task_label
from guide.evidence import Evidence
from guide.explain.claims import Claim, Num, claim, ends
from guide.model import Result, System, Task
from guide.show import figures
from guide.show.blanks import NOT_RUN, STATUS_WORDS
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell

#: How a way is called at the head of a column.
WAYS = {"cuda-graph": "CUDA graph"}


@dataclass(frozen=True)
class Measured:
    """An effect, the system that it was measured on, and the results that its two sides belong to."""

    effect: Effect
    system: System
    results: tuple[Result | None, Result | None]

    @property
    def label(self) -> str:
        """The task without the choice: ``Llama 3.2 1B, BF16, decode, 8 tokens, one stream``."""
        return task_label(self.effect.row | {"execution": None})

    @property
    def ratio(self) -> Num:
        """The ratio with its interval and where both sides come from."""
        assert self.effect.ratio is not None
        return Num(self.effect.ratio, "ratio", interval=ends(self.effect.interval), origin=self.origin)

    @property
    def origin(self) -> Provenance:
        """Both sides' rows."""
        first, second = self.results
        return Provenance((second, first), "choice")


def measured(evidence: Evidence, find: Callable[..., Sequence[Effect]]) -> list[Measured]:
    """The effects of all systems, clean ones first, then by system and task."""
    tasks = {task.key: task for task in evidence.tasks}
    found = [
        _placed(effect, system, tasks)
        for key, system in evidence.systems.items()
        for effect in find(_own(evidence.rows_by_system[key]), system_of=lambda row: "")
    ]
    return sorted(found, key=lambda m: (not m.effect.clean, m.system.label, m.label, m.effect.names))


def _placed(effect: Effect, system: System, tasks: Mapping[str, Task]) -> Measured:
    """The effect with the results of its two sides."""

    def result(figure: Figure | None) -> Result | None:
        return tasks[figure.rows[0]["task_key"]].of(system.key) if figure else None

    return Measured(effect, system, (result(effect.first), result(effect.second)))


def _own(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["origin"] == "measured"]


def executions(evidence: Evidence) -> list[Measured]:
    """Compiled and captured runs over eager ones."""
    return measured(evidence, execution_effects)


def weights(evidence: Evidence) -> list[Measured]:
    """Random weights over pretrained ones."""
    return measured(evidence, weight_effects)


@dataclass(frozen=True)
class Past:
    """A task's history on one system, and its newest over its oldest figure as an effect."""

    history: History
    change: Measured


def histories(evidence: Evidence) -> list[Past]:
    """Each task that one system ran with several versions of its software, the largest change first.

    Only where nothing but software differs; published rows count where they say so much.
    """
    tasks = {task.key: task for task in evidence.tasks}
    found = [
        Past(history, _placed(history.effect, system, tasks))
        for key, system in evidence.systems.items()
        for history in version_effects(evidence.rows_by_system[key], system_of=lambda row: "")
        if history.effect.clean
    ]
    return sorted(
        found, key=lambda p: (-abs((p.change.effect.ratio or 1) - 1), p.change.system.label, p.change.label)
    )


def verdicts(found: Sequence[Measured]) -> str:
    """``3 faster, 1 slower, 2 tied``; those that cannot be told are named as such. Of one, the word alone."""
    order = {FASTER: "faster", SLOWER: "slower", TIED: "tied", CANNOT_TELL: "cannot be told yet"}
    if len(found) == 1:
        return order[_word(found[0])]
    counts = {word: sum(_word(m) == word for m in found) for word in order}
    return ", ".join(f"{n} {order[word]}" for word, n in counts.items() if n)


def _word(one: Measured) -> str:
    return one.effect.verdict.word if one.effect.verdict else ""


def summary(found: Sequence[Measured], opening: str, why: str = "") -> Claim | None:
    """``opening`` and the range of the clean effects, with the verdicts; None where there is none."""
    clean = [m for m in found if m.effect.clean]
    if not clean:
        return None
    ordered = sorted(clean, key=lambda m: (m.effect.ratio or 0, m.system.key, m.label))
    if len(clean) == 1:
        one = clean[0]
        return claim(
            opening + ": {ratio} on {system}, {task} ({verdict}).",
            ratio=one.ratio, system=one.system.label, task=one.label, verdict=verdicts(clean), why=why,
        )  # fmt: skip
    return claim(
        opening + ": {n} on {devices}, {least} ({least_on}) to {most} ({most_on}), median {middle}; "
        "{verdicts}.",
        n=figures.plural(len(clean), "cell"),
        devices=figures.plural(len({m.system.key for m in clean}), "system"),
        least=ordered[0].ratio, least_on=f"{ordered[0].system.label}, {ordered[0].label}",
        most=ordered[-1].ratio, most_on=f"{ordered[-1].system.label}, {ordered[-1].label}",
        middle=middle(clean), verdicts=verdicts(clean), why=why,
    )  # fmt: skip


def middle(clean: Sequence[Measured]) -> Num:
    """The median ratio, with the pair nearest to it."""
    value = median(m.effect.ratio or 0 for m in clean)
    nearest = min(clean, key=lambda m: (abs((m.effect.ratio or 0) - value), m.system.key, m.label))
    return Num(value, "ratio", origin=nearest.origin)


def table(found: Sequence[Measured], first: str, ways: Sequence[str], caption: str) -> Table:
    """A row for each task and system: the rate of ``first``, and what each other way makes of it."""
    by_cell: dict[tuple[str, str], dict[str, Measured]] = {}
    for one in found:
        by_cell.setdefault((one.label, one.system.key), {})[one.effect.names[1]] = one
    rows = []
    for (label, _), others in sorted(by_cell.items(), key=lambda c: (c[0][1], c[0][0])):
        any_one = next(iter(others.values()))
        row: dict[str, object] = {
            "task": label,
            "system": system_cell(any_one.system),
            "first": _rate_cell(any_one),
        }
        for way in ways:
            row[way] = effect_cell(others.get(way))
        rows.append(row)
    columns = [Column("task", "Task"), Column("system", "Device"), Column("first", first, kind="number")]
    columns += [Column(way, f"{WAYS.get(way, way.capitalize())} over it", "×", "number") for way in ways]
    return Table(columns, rows, caption=caption, filterable=len(rows) > 12, fold=True)


def _rate_cell(one: Measured) -> Cell | Blank:
    effect = one.effect
    if effect.first is None:
        return Blank(STATUS_WORDS.get(effect.outcomes[0], effect.outcomes[0]))
    return figure_cell(effect.first, effect.row["rate_unit"], one.results[0])


def figure_cell(figure: Figure, unit: str, result: Result | None, sub: str = "") -> Cell:
    """A side's rate with its interval."""
    interval = figures.span(figure.interval.low, figure.interval.high) if figure.interval else ""
    return Cell(
        words.rate_words(figure.rate, unit),
        sort=figure.rate,
        sub=" · ".join(part for part in (words.header_unit(unit), sub) if part),
        interval="" if unit in words.PREFIXED else interval,
        provenance=Provenance((result,)),
    )


def effect_cell(one: Measured | None) -> Cell | Blank:
    """What the choice is worth, with the verdict; a blank says why it cannot be told."""
    if one is None:
        return Blank(NOT_RUN)
    effect = one.effect
    if effect.ratio is None:
        status = next(s for s in reversed(effect.outcomes) if s != "ok")
        return Blank(STATUS_WORDS.get(status, status))
    interval = figures.span(effect.interval.low, effect.interval.high) if effect.interval else ""
    if effect.differs:
        named = ", ".join(d.name.removeprefix("conditions.") for d in effect.differs[:3])
        sub = f"says little: {named} differ too"
        return Cell(figures.ratio(effect.ratio), effect.ratio, sub, tone="quiet", interval=interval)
    return Cell(
        figures.ratio(effect.ratio), effect.ratio, _word(one), interval=interval, provenance=one.origin
    )
