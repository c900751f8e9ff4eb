"""Software maturity: one device over versions of its software, and what of the possible each reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from bench.compare.effects import History
from bench.compare.figure import Figure
from bench.measure.gate import SLOW
from guide.evidence import Evidence
from guide.explain import effects
from guide.explain.claims import Claim, Section, claim, unknown
from guide.explain.effects import Past, effect_cell, figure_cell
from guide.explain.shares import share_cell, share_num, share_words
from guide.explain.work import Share, share_of
from guide.model import Result
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Table
from guide.views.devices import system_cell

COMMAND = "bench collect --suite standard"


def section(evidence: Evidence) -> Section:
    """One device over versions of its software."""
    found = effects.histories(evidence)
    told: list[Claim] = []
    for past in found[:3]:
        one = past.change
        told.append(
            claim(
                "{task} on {system}: {ratio} with {new} over {old} ({verdict}).",
                task=one.label, system=one.system.label, ratio=one.ratio, new=one.effect.names[1],
                old=one.effect.names[0], verdict=effects.verdicts([one]),
                why="" if past.history.one_host else "The rows do not say that one machine ran both.",
            )
        )  # fmt: skip
        told += _matured(past, evidence)
    if not found:
        told.append(
            unknown(
                "Not measured yet: no device of the store ran the same work with two versions of its "
                "software while "
                "all else stayed equal."
            )
        )
    return Section(
        heading="The same card over versions of its software",
        anchor="versions",
        intro="Only rows of one device, equal in everything but engine, libraries, driver and system, are "
        "put in a row here.",
        claims=told,
        tables=[_table(found, evidence)] if found else [],
        command=COMMAND,
        command_for="The same suite again after an update of driver or libraries: both runs stay in the "
        "store",
    )


def _matured(past: Past, evidence: Evidence) -> list[Claim]:
    """Achieved against possible with either version: whether the software has anything left to give."""
    reached = steps(past, evidence)
    if reached is None:
        return []
    (old, new), names = reached, past.change.effect.names
    left = new.share.high < SLOW
    return [
        claim(
            "Of what is possible it reaches {new} with {new_name}, and reached {old} with {old_name}.",
            new=share_num(new.share, new.result), new_name=names[1],
            old=share_num(old.share, old.result), old_name=names[0],
            why=f"Below {figures.percent(SLOW)} still: later software may give more." if left else "",
        )
    ]  # fmt: skip


@dataclass(frozen=True)
class Step:
    """What of the possible one version of the software reached; ``result`` has its rows among others."""

    result: Result
    share: Share


def steps(past: Past, evidence: Evidence) -> tuple[Step, Step] | None:
    """What the oldest and the newest software reached; None where it cannot be told of both."""
    effect, results = past.change.effect, past.change.results
    found = [
        _step(figure, result, evidence)
        for figure, result in zip((effect.first, effect.second), results, strict=True)
    ]
    return (found[0], found[1]) if found[0] and found[1] else None


def _step(figure: Figure | None, result: Result | None, evidence: Evidence) -> Step | None:
    if figure is None or result is None:
        return None
    known = [row["efficiency"] for row in figure.rows if row["efficiency"] is not None]
    alone = replace(
        result, rate=figure.rate, rows=tuple(figure.rows), efficiency=median(known) if known else None
    )
    share = share_of(evidence.task(figure.rows[0]["task_key"]), alone, evidence)
    return Step(result, share) if share is not None else None


def _table(found: Sequence[Past], evidence: Evidence) -> Table:
    """A row for each task and system: oldest and newest software, both rates and what they reached of the
    possible, the ratio, what changed."""
    rows = []
    for past in found:
        effect, history = past.change.effect, past.history
        assert effect.first is not None
        assert effect.second is not None
        unit = effect.row["rate_unit"]
        old, new = past.change.results
        rows.append(
            {
                "task": past.change.label,
                "system": system_cell(
                    past.change.system, "" if history.one_host else "one machine? not stated"
                ),
                "old": figure_cell(effect.first, unit, old, effect.names[0]),
                "new": figure_cell(effect.second, unit, new, effect.names[1]),
                "ratio": effect_cell(past.change),
                "reached": _reached_cell(steps(past, evidence)),
                "changed": Cell("; ".join(_changes(history)) or "the day alone"),
            }
        )
    columns = [
        Column("task", "Task"), Column("system", "Device"), Column("old", "Oldest software", kind="number"),
        Column("new", "Newest software", kind="number"), Column("ratio", "Newest over oldest", "×", "number"),
        Column("reached", "Of what is possible", kind="number", help="Least time ÷ time taken"),
        Column("changed", "What changed"),
    ]  # fmt: skip
    return Table(columns, rows, caption="The same work over versions of the software", fold=True)


def _reached_cell(reached: tuple[Step, Step] | None) -> Cell | Blank:
    if reached is None:
        return Blank("not known")
    old, new = reached
    return share_cell(new.share, new.result, f"before, {share_words(old.share)}")


def _changes(history: History) -> list[str]:
    found = [d.sentence().removeprefix("conditions.").removeprefix("environment.") for d in history.changed]
    return found[:4] + ([f"and {len(found) - 4} more"] if len(found) > 4 else [])
