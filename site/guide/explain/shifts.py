"""The same two devices under two kinds of software: how much of their distance is the software's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from bench.schema import TASK_FIELDS
from guide.analysis.findings import MIXED_FLAGS
from guide.analysis.ratios import divide, ratio
from guide.analysis.tasks import is_cpu
from guide.analysis.tiers import UNSAFE_FLAGS
from guide.evidence import Evidence
from guide.explain.claims import Claim, Section, claim, ratio_of, rows_page, unknown
from guide.model import Interval, Ratio, Result, Task
from guide.show import figures
from guide.show.tables import Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell

MAX_SHIFTS = 16


@dataclass(frozen=True)
class Shift:
    """Two devices on the same work under two kinds of software: ``first`` and ``second`` are the ratios of
    ``a`` over ``b``, each on one equal task; only the two ratios are compared."""

    work: str
    a: tuple[Result, Result]
    b: tuple[Result, Result]
    names: tuple[str, str]
    first: Ratio
    second: Ratio
    clear: bool

    @property
    def turns(self) -> bool:
        """Whether the order turns round."""
        return {self.first.verdict, self.second.verdict} == {"faster", "slower"}

    @property
    def size(self) -> float:
        """How many times as large one ratio is as the other."""
        change = self.first.value / self.second.value
        return max(change, 1 / change)

    @property
    def second_hand(self) -> bool:
        """Whether one of the four figures was read at second hand, or mixes hosts."""
        return any(MIXED_FLAGS & set(r.flags) for r in (*self.a, *self.b))


def shifts(evidence: Evidence) -> list[Shift]:
    """Every pair of devices that two kinds of software ran on the same work, the largest change first.

    The same work: all task fields are equal, but for the procedure and the software that settings name.
    Tables of two procedures are only put together when they ran the same engine with another backend.
    """
    twins: dict[tuple[object, ...], list[Task]] = {}
    for task in evidence.tasks:
        if task.model and len(task.standings) > 1:
            twins.setdefault(_work_key(task), []).append(task)
    found = [
        shift
        for tasks in twins.values()
        for one, two in combinations(tasks, 2)
        if _may_meet(one, two)
        for shift in _shifts(one, two)
    ]
    return sorted(found, key=lambda s: (-s.size, s.work, s.a[0].system.key, s.b[0].system.key, s.names))


def _work_key(task: Task) -> tuple[object, ...]:
    settings = json.loads(str(task.columns["settings"] or "{}"))
    rest = {name: value for name, value in settings.items() if name != "engine"}
    fields = [task.columns[name] for name in TASK_FIELDS if name not in ("protocol", "settings")]
    return (*fields, json.dumps(rest, sort_keys=True), task.unit)


def _may_meet(one: Task, two: Task) -> bool:
    if software_name(one) == software_name(two):
        return False
    if one.columns["protocol"] == two.columns["protocol"]:
        return True
    engines = [{row["engine"] for s in t.standings for row in s.result.rows} for t in (one, two)]
    return engines[0] == engines[1] and len(engines[0]) == 1


def software_name(task: Task) -> str:
    """What the task's rows ran on: the engine that its settings name, else engine and backend of its rows."""
    settings = json.loads(str(task.columns["settings"] or "{}"))
    if isinstance(settings.get("engine"), str):
        return settings["engine"]
    rows = [row for s in task.standings for row in s.result.rows]
    backends = {json.loads(row["conditions"] or "{}").get("backend") for row in rows}
    engines = {row["engine"] for row in rows}
    named = [names.pop() for names in (engines, backends) if len(names) == 1]
    return ", ".join(str(name) for name in named if name)


def _shifts(one: Task, two: Task) -> Iterator[Shift]:
    names = (software_name(one), software_name(two))
    common = [
        (s.result, other.result)
        for s in one.standings
        if (other := two.standing(s.result.system.key)) is not None
        and s.result.system.count == 1
        and not is_cpu(s.result.system)
        and not UNSAFE_FLAGS & {*s.result.flags, *other.result.flags}
    ]
    for a, b in combinations(common, 2):
        if _older(a[0], b[0]):
            a, b = b, a
        first, second = ratio(a[0], b[0]), ratio(a[1], b[1])
        bands = [_band(a[n], b[n]) for n in (0, 1)]
        if first is None or second is None or bands[0] is None or bands[1] is None:
            continue
        clear = not bands[0].overlaps(bands[1])
        yield Shift(one.short_label, a, b, names, first, second, clear)


def _older(a: Result, b: Result) -> bool:
    """Whether ``a`` came out before ``b``: the newer one is told first."""
    return (a.system.released or "") < (b.system.released or "")


def _band(a: Result, b: Result) -> Interval | None:
    return divide(a.band, b.band) if a.band and b.band else None


def section(evidence: Evidence) -> Section:
    """The same pair of cards under two kinds of software."""
    found = shifts(evidence)
    clear = [s for s in found if s.clear]
    told: list[Claim] = []
    if not found:
        told.append(
            unknown(
                "We do not know yet: no two devices of the store ran the same work with two kinds of "
                "software."
            )
        )
    else:
        told.append(_shift_summary(found, clear))
        best = [s for s in clear if s.turns] or clear
        told += [_told(s, evidence) for s in _spread(best)]
    return Section(
        heading="The same two cards under other software",
        anchor="software",
        intro="Each ratio is of two devices on equal work with one kind of software. If hardware alone "
        "decided, the ratio would be the same with any.",
        claims=told,
        tables=[_shift_table(clear)] if clear else [],
    )


def _spread(found: Sequence[Shift], most: int = 3) -> list[Shift]:
    """The largest ones, no two of one pair of devices or one pair of kinds of software."""
    chosen: list[Shift] = []
    for shift in found:
        pair = {shift.a[0].system.key, shift.b[0].system.key}
        if all(pair != {c.a[0].system.key, c.b[0].system.key} and c.names != shift.names for c in chosen):
            chosen.append(shift)
    return chosen[:most]


def _shift_summary(found: Sequence[Shift], clear: Sequence[Shift]) -> Claim:
    turned = sum(s.turns for s in clear)
    if not clear:
        return claim(
            "In {n} of two devices under two kinds of software the ratio stays the same within what can be "
            "told.",
            n=figures.plural(len(found), "comparison"),
        )
    why = (
        "So part of what looks like a better card is better software for it."
        if turned
        else "The order stays, the distance does not: part of it is software."
    )
    return claim(
        "In {clear} of {n} of two devices under two kinds of software the ratio changes beyond a tie; in "
        "{turned} of them the order turns round.",
        clear=len(clear), n=figures.plural(len(found), "comparison"), turned=turned, why=why,
    )  # fmt: skip


def _told(shift: Shift, evidence: Evidence) -> Claim:
    (a_one, a_two), (b_one, b_two) = shift.a, shift.b
    return claim(
        "{a} over {b} on {work}: {first} with {x}, {second} with {y}{doubt}.",
        a=a_one.system.label, b=b_one.system.label, work=shift.work,
        first=ratio_of(shift.first, a_one, b_one), x=shift.names[0],
        second=ratio_of(shift.second, a_two, b_two), y=shift.names[1],
        doubt=" (some of it read at second hand, once)" if shift.second_hand else "",
        page=rows_page(evidence, a_one),
    )  # fmt: skip


def _shift_table(found: Sequence[Shift]) -> Table:
    """The largest change of each pair of devices and of software, those that turn the order round first."""
    largest: dict[tuple[object, ...], Shift] = {}
    for shift in sorted(found, key=lambda s: not s.turns):
        largest.setdefault((shift.a[0].system.key, shift.b[0].system.key, shift.names), shift)
    rows = []
    for shift in list(largest.values())[:MAX_SHIFTS]:
        doubt = "; ".join(
            words.flag_words(sorted({f for r in (*shift.a, *shift.b) for f in r.flags if f in MIXED_FLAGS}))
        )
        rows.append(
            {
                "a": system_cell(shift.a[0].system, f"over {shift.b[0].system.label}"),
                "work": Cell(shift.work, sub=doubt),
                "first": _cell(shift.first, shift.names[0], (shift.a[0], shift.b[0])),
                "second": _cell(shift.second, shift.names[1], (shift.a[1], shift.b[1])),
                "change": Cell(
                    figures.ratio(shift.size),
                    shift.size,
                    "order turns" if shift.turns else "",
                    provenance=Provenance((shift.a[0], shift.b[0], shift.a[1], shift.b[1]), "distance"),
                ),
            }
        )
    columns = [
        Column("a", "Device"), Column("work", "Work"),
        Column("first", "With one software", "×", "number"),
        Column("second", "With the other", "×", "number"),
        Column("change", "Change", "×", "number"),
    ]  # fmt: skip
    more = f", the first {MAX_SHIFTS} of {len(largest)} pairs" if len(largest) > MAX_SHIFTS else ""
    return Table(
        columns, rows, caption=f"Ratios of two devices that change with the software{more}", fold=True
    )


def _cell(found: Ratio, name: str, results: tuple[Result, Result]) -> Cell:
    interval = figures.span(found.interval.low, found.interval.high) if found.interval else ""
    origin = Provenance(results, "ratio")
    return Cell(figures.ratio(found.value), found.value, name, interval=interval, provenance=origin)
