"""The store's rows of one device, as its page shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.schema import Row
from guide.analysis.tasks import combine
from guide.model import Result, Task
from guide.show import blanks, figures
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import Device
from guide.views.families import results

#: Rows of the store that a page shows; more are counted, and in the downloads.
MAX_ROWS = 60


@dataclass(frozen=True)
class RawRows:
    """``table`` shows the newest rows of ``count``, ``meanings`` are (flag, what it means), and ``anchors``
    the places of the newest row of each result, by task and system."""

    table: Table
    count: int
    meanings: tuple[tuple[str, str], ...]
    anchors: Mapping[tuple[str, str], str]


def raw_rows(tasks: Sequence[Task], device: Device) -> RawRows | None:
    """The store's rows, newest first, at most ``MAX_ROWS``; None where the device has none."""
    keys = {s.key for s in device.systems}
    found = [
        (task, result, row)
        for task in tasks
        for result in results(task)
        if result.system.key in keys
        for row in (*result.rows, *result.passed_over)
    ]
    if not found:
        return None
    found.sort(
        key=lambda f: (-f[2]["recorded_at"].timestamp(), f[0].label, f[1].system.count, f[2]["cell_id"])
    )
    shown = found[:MAX_ROWS]
    anchors: dict[tuple[str, str], str] = {}
    for place, (task, result, row) in enumerate(shown, start=1):
        if row not in result.passed_over:
            anchors.setdefault((task.key, result.system.key), f"#row-{place}")
    columns = (
        Column("task", "Task"), Column("count", "Devices", kind="number", unsourced="named"),
        Column("rate", "Rate", kind="number"), Column("n", "n", kind="number", help="Repetitions"),
        Column("kind", "Kind"), Column("software", "Software"),
        Column("flags", "Flags"), Column("where", "Place in the source, or run"), Column("on", "Day"),
    )  # fmt: skip
    alike = len({s.count for s in device.systems}) < len(device.systems)
    flags = sorted({flag for _, _, row in shown for flag in row["flags"]})
    return RawRows(
        table=Table(
            columns,
            [_line(*one, alike=alike) for one in shown],
            caption="Rows",
            filterable=True,
            row_ids=[f"row-{place}" for place in range(1, len(shown) + 1)],
        ),
        count=len(found),
        meanings=tuple(zip(flags, words.flag_words(flags), strict=True)),
        anchors=anchors,
    )


def _line(task: Task, result: Result, row: Row, *, alike: bool) -> dict[str, object]:
    """``alike``: several systems of the device have one count, so each row says whose it is."""
    alone = row_alone(result, row)
    software = " ".join(row[n] for n in ("engine", "engine_version") if row[n])
    where = row["source_locator"] or row["run_id"]
    return {
        "task": Cell(task.short_label, sub=result.system.label) if alike else task.short_label,
        "count": result.system.count,
        "rate": _rate(row, alone),
        "n": Cell(row["sample_count"], provenance=words.provenance(alone))
        if row["sample_count"]
        else Blank("not stated"),
        "kind": Cell(row["value_kind"] or row["origin"], sub=row["status_detail"] or ""),
        "software": software or Blank("not stated"),
        "flags": Cell(", ".join(row["flags"]), sub="passed over" if row in result.passed_over else "")
        if row["flags"]
        else Blank("none"),
        "where": Cell(words.breakable(where), sort=where, sub=row["source_id"]),
        "on": Cell(figures.day(row["recorded_at"]), sort=row["recorded_at"].isoformat()),
    }


def row_alone(result: Result, row: Row) -> Result:
    """The row as a result by itself, where it is not all that the result rests on."""
    whole = len(result.rows) == 1 and row not in result.passed_over
    return result if whole else combine(result.system, [row])


def _rate(row: Row, result: Result) -> Cell | Blank:
    if row["rate"] is None:
        return Blank(blanks.STATUS_WORDS.get(row["status"], row["status"]))
    low, high = row["rate_low"], row["rate_high"]
    return Cell(
        words.rate_words(row["rate"], row["rate_unit"]),
        sort=row["rate"],
        interval=figures.span(low, high) if low is not None and high is not None else "",
        sub=words.header_unit(row["rate_unit"]),
        provenance=Provenance((result,)),
    )
