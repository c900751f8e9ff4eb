"""Printing data: tables for people, JSON and CSV for programs. Text from files is made safe on the way."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import click

from bench.measure.energy import net_energy_j
from bench.text import csv_cell, nbytes, plain, rate, significant

Row = Mapping[str, Any]

#: Columns of the usual view of rows.
USUAL = ("cell", "device", "status", "rate", "interval", "memory", "note")


def print_json(value: Any) -> None:
    """One JSON document on standard output. Times are ISO 8601 in UTC; control characters are escaped."""
    click.echo(json.dumps(value, indent=1, ensure_ascii=True, default=_plain_value, allow_nan=False))


def _plain_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"cannot write {type(value).__name__} as JSON")


def print_csv(rows: Iterable[Row], columns: Sequence[str]) -> None:
    """Rows as CSV on standard output; see ``bench.text.csv_safe`` for text that looks like a formula."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([csv_cell(row.get(name)) for name in columns])


def print_table(headers: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """A table on standard output, as wide as the terminal, or as wide as needed where there is none."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 500
    table = Table(title=plain(title) if title else None, title_justify="left", box=None, pad_edge=False)
    for header in headers:
        right = header in ("rate", "interval", "memory", "needs", "expected", "cells", "rows")
        right = right or header.startswith("s/") or header.endswith((" ms", " J"))
        table.add_column(header, justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(plain(value), style=_style(plain(value))) for value in row))
    console.print(table)


def _style(value: str) -> str:
    return {"ok": "green", "failed": "red", "killed": "red", "impossible": "red", "oom": "yellow"}.get(
        value, ""
    )


def usual(row: Row) -> tuple[str, ...]:
    """A row as cells of the usual view (``USUAL``)."""
    return (
        label(row),
        row["device_name"] if row["device_count"] == 1 else f"{row['device_count']} × {row['device_name']}",
        row["status"],
        rate(row["rate"], row["rate_unit"]) if row["rate"] is not None else "",
        interval(row),
        nbytes(row["peak_memory_bytes"]) if row["peak_memory_bytes"] is not None else "",
        note(row),
    )


def _energy(row: Row) -> dict[str, float]:
    """The energy of a row's timed repetitions, and what is left of it without the power at rest."""
    net = net_energy_j(row)
    return {
        header: value for header, value in (("gross J", row["energy_j"]), ("net J", net)) if value is not None
    }


def print_usual(rows: Sequence[Row]) -> None:
    """The usual view as a table. Where all rows but the probe's are of one workload, each row's times that
    follow from its rate (``Workload.times``) stand beside it, under headers with their units; so does energy
    wherever a row has it, gross and above rest."""
    from bench.workloads import WORKLOADS

    names = {row["workload"] for row in rows} - {"probe"}
    workload = WORKLOADS.get(names.pop()) if len(names) == 1 else None
    times = [(workload.times(row) if workload and row["rate"] else {}) | _energy(row) for row in rows]
    headers = list(dict.fromkeys(header for found in times for header in found))
    at = USUAL.index("interval") + 1
    print_table(
        (*USUAL[:at], *headers, *USUAL[at:]),
        [
            (*cells[:at], *(significant(found[h]) if h in found else "" for h in headers), *cells[at:])
            for cells, found in zip(map(usual, rows), times, strict=True)
        ],
    )


def label(row: Row) -> str:
    """The row's cell as ``Cell.label`` names it."""
    from bench.cells import Cell

    settings = json.loads(row["settings"]) if row["settings"] else {}
    names = [n for n in Cell.__dataclass_fields__ if n != "settings" and row.get(n) is not None]
    # What is not stated must not be shown as the collector's default.
    unstated = {"batch": 0, "weights_dtype": "", "compute_dtype": row.get("weights_dtype") or ""}
    return Cell(settings=settings, **unstated | {name: row[name] for name in names}).label


def interval(row: Row) -> str:
    """The 95 % interval relative to the rate: ``−0.8% +1.1%``; an end beyond ten times it says no more."""
    rate_, low, high = row["rate"], row["rate_low"], row["rate_high"]
    if rate_ is None or low is None or high is None:
        return ""
    above = high / rate_ - 1
    return f"−{1 - low / rate_:.1%} {f'+{above:.1%}' if above < 10 else 'over +1000%'}"


def note(row: Row) -> str:
    """Why a row is not a plain result: its detail, and its flags."""
    parts = [row["status_detail"] or "", ", ".join(row["flags"] or ())]
    if row["measured_fraction"] is not None and row["measured_fraction"] < 1:
        parts.append(f"extrapolated from {row['measured_fraction']:.0%}")
    return "; ".join(p for p in parts if p)
