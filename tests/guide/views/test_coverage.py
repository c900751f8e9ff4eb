"""Coverage: every task of a device ends in one column, with its reason."""

from __future__ import annotations

from guide.tables import Blank
from guide.views.coverage import coverage_table, coverage_words
from guide.views.devices import devices
from guide.views.families import families


def evidence(made):
    rows = [made.row("card", 100.0, half=0.01, batch=n) for n in (1, 2)]
    rows += [made.row("card", None, batch=4, status="oom"), made.row("card", None, batch=8, status="timeout")]
    rows += [made.row("other", 9.0, batch=n) for n in (1, 2, 4, 8, 16)]
    return made.evidence(rows, [])


def test_each_task_is_counted_once_under_how_it_ended(made) -> None:
    found = evidence(made)
    card = next(d for d in devices(found.systems.values()) if d.key == "card")
    table = coverage_table(card, families(found.tasks))
    assert [c.key for c in table.columns] == ["family", "ran", "out of memory", "out of time", "not run"]
    (row,) = table.rows
    assert row["ran"].shown.endswith("2 of 5")
    assert [row[end].shown for end in ("out of memory", "out of time", "not run")] == [1, 1, 1]
    assert row["out of memory"].sub == "batch 4"
    assert coverage_words(card, families(found.tasks)) == (
        "2 of 5\u00a0tasks have a figure; 1 out of memory, 1 out of time, 1 not run."
    )


def test_a_device_with_everything_has_no_other_column(made) -> None:
    found = evidence(made)
    other = next(d for d in devices(found.systems.values()) if d.key == "other")
    table = coverage_table(other, families(found.tasks))
    assert [c.key for c in table.columns] == ["family", "ran"]
    assert not isinstance(table.rows[0]["ran"], Blank)
