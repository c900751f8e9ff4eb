"""How a comparison is printed: what differs first, then the tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click

from bench import schema
from bench.cli._tables import label, print_json, print_table
from bench.compare.comparison import Comparison, Pair
from bench.compare.figure import Figure
from bench.compare.select import Side
from bench.newest import KEPT
from bench.text import plain, rate, significant

HEADERS = ("task", "A", "B", "B / A", "95 %", "B is", "note")


def print_comparison(a: Side, b: Side, found: Comparison, across: Sequence[str]) -> None:
    """The comparison for a person, on standard output."""
    for place, (name, side) in enumerate((("A", a), ("B", b))):
        click.echo(plain(f"{name}: {side.name} ({', '.join(side.devices[:3])})"))
        if told := passed_over_words(passed_over(side, found, place)):
            click.echo(f"   {told}")
    if across:
        click.echo(f"May differ within a task: {', '.join(across)}")
    if found.common:
        click.echo("\nConditions that differ (A → B) in every task:")
        for difference in found.common:
            click.echo(plain(f"  {difference.sentence()}"))
    else:
        click.echo("\nNo condition differs in every task.")
    named = list(zip(_names(found.pairs), found.pairs, strict=True))
    parts = [(name, pair.differs) for name, pair in named if pair.differs]
    if parts:
        click.echo("Conditions that differ in some:")
        for name, differs in parts:
            click.echo(plain(f"  {name}: {'; '.join(d.sentence() for d in differs)}"))
    click.echo()
    print_table(HEADERS, [_line(name, pair) for name, pair in named])
    for count, which in ((found.only_first, "A"), (found.only_second, "B")):
        if count:
            click.echo(f"{count} {'task' if count == 1 else 'tasks'} only in {which}.")


def passed_over(side: Side, found: Comparison, place: int) -> dict[str, int]:
    """How many of a side's rows do not count, by reason; of the last two, those of the tasks compared."""
    figures = [figure for pair in found.pairs if (figure := (pair.first, pair.second)[place]) is not None]
    return {
        "withdrawn": side.withdrawn,
        "older": side.older,
        "disturbed": sum(len(figure.passed_over) for figure in figures),
        "superseded": sum(len(figure.superseded) for figure in figures),
    }


def passed_over_words(counts: Mapping[str, int]) -> str:
    """That in a line; empty where every row counts."""
    reasons = {
        "withdrawn": "{} withdrawn",
        "older": f"{{}} older than the newest {KEPT} of the same task, machine and software",
        "disturbed": "{} disturbed while measuring",
        "superseded": "{} of an earlier state of the machine, or scaled up",
    }
    told = [words.format(counts[reason]) for reason, words in reasons.items() if counts[reason]]
    if not told:
        return ""
    total = sum(counts.values())
    return f"{total} {'row does' if total == 1 else 'rows do'} not count: {', '.join(told)}."


def _names(pairs: Sequence[Pair]) -> list[str]:
    """What each task is called, told apart by its source and settings where the usual label is not enough."""
    names = [label(p.row) for p in pairs]
    names = [
        name if p.row["origin"] == "measured" else f"{name} [{p.row['source_id']}]"
        for name, p in zip(names, pairs, strict=True)
    ]
    seen = Counter(names)
    return [
        f"{name} {p.row['settings'] or ''}".strip() if seen[name] > 1 else name
        for name, p in zip(names, pairs, strict=True)
    ]


def _line(name: str, pair: Pair) -> tuple[str, ...]:
    unit = pair.row["rate_unit"]
    rates = (
        rate(figure.rate, unit) if figure is not None else outcome
        for figure, outcome in zip((pair.first, pair.second), pair.outcomes, strict=True)
    )
    return (
        name,
        *rates,
        "" if pair.ratio is None else f"× {significant(pair.ratio)}",
        ""
        if pair.interval is None
        else f"{significant(pair.interval.low)} to {significant(pair.interval.high)}",
        "" if pair.verdict is None else pair.verdict.word,
        "" if pair.verdict is None else pair.verdict.reason or "",
    )


def print_check(slower: Sequence[Pair], share: float) -> None:
    """What the regression check found, on standard error."""
    if not slower:
        click.echo(f"No task is slower by more than {share:.1%} for certain.", err=True)
        return
    for pair in slower:
        why = pair.outcomes[1] if pair.ratio is None else f"{1 - pair.ratio:.1%} slower"
        click.echo(plain(f"Slower: {label(pair.row)}: {why}."), err=True)


def print_document(
    a: Side, b: Side, found: Comparison, across: Sequence[str], slower: Sequence[Pair]
) -> None:
    """The comparison as one JSON document."""
    print_json(
        {
            "first": _side(a, found, 0),
            "second": _side(b, found, 1),
            "across": across,
            "differences": [asdict(d) for d in found.common],
            "tasks": [_entry(pair) | {"fails": pair in slower} for pair in found.pairs],
            "only_first": found.only_first,
            "only_second": found.only_second,
        }
    )


def _side(side: Side, found: Comparison, place: int) -> dict[str, Any]:
    told = {"name": side.name, "devices": side.devices, "rows": len(side.rows)}
    return told | {"passed_over": passed_over(side, found, place)}


def _entry(pair: Pair) -> dict[str, Any]:
    return {
        "task": {name: pair.row[name] for name in schema.TASK_FIELDS},
        "rate_unit": pair.row["rate_unit"],
        "first": _figure(pair.first, pair.outcomes[0]),
        "second": _figure(pair.second, pair.outcomes[1]),
        "ratio": pair.ratio,
        "ratio_low": pair.interval.low if pair.interval else None,
        "ratio_high": pair.interval.high if pair.interval else None,
        "verdict": pair.verdict.word if pair.verdict else None,
        "reason": pair.verdict.reason if pair.verdict else None,
        "more": pair.verdict.more if pair.verdict else None,
        "more_of": pair.verdict.units if pair.verdict and pair.verdict.more else None,
        "differences": [asdict(d) for d in pair.differs],
    }


def _figure(figure: Figure | None, outcome: str) -> dict[str, Any]:
    if figure is None:
        return {"status": outcome, "rate": None, "rate_low": None, "rate_high": None}
    stated = figure.interval
    return {
        "status": "ok",
        "rate": figure.rate,
        "rate_low": stated.low if stated else None,
        "rate_high": stated.high if stated else None,
        "sample_count": figure.sample_count,
        "rows": len(figure.rows),
    }
