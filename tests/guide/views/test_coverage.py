"""Coverage: every task of a device ends in one column, with its reason."""

from __future__ import annotations

from guide.views.coverage import coverage_table, coverage_words, lines
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
    ended = lines(card, families(found.tasks))
    table = coverage_table(card, ended)
    assert [c.key for c in table.columns] == ["family", "ran", "out of memory", "out of time", "not run"]
    (row,) = table.rows
    assert row["ran"].shown == "2 of 5"
    assert [row[end].shown for end in ("out of memory", "out of time", "not run")] == [1, 1, 1]
    assert row["out of memory"].sub == "batch 4"
    assert coverage_words(ended) == (
        "2 of 5\u00a0tasks have a figure; 1 out of memory, 1 out of time, 1 not run."
    )


def test_a_device_with_everything_has_no_other_column(made) -> None:
    found = evidence(made)
    other = next(d for d in devices(found.systems.values()) if d.key == "other")
    table = coverage_table(other, lines(other, families(found.tasks)))
    assert [c.key for c in table.columns] == ["family", "ran"]
    assert [row["ran"].shown for row in table.rows] == ["5 of 5"]


def test_complete_families_of_one_source_share_a_line(made) -> None:
    rows = [made.row("card", 100.0, model=name) for name in ("Llama-3-8B", "Llama-3-70B")]
    found = made.evidence([*rows, made.row("card", None, model="Llama-2-7B", status="oom")], [])
    (card,) = devices(found.systems.values())
    first, second = coverage_table(card, lines(card, families(found.tasks))).rows
    assert first["out of memory"].shown == 1
    assert second["family"].shown == "2 other kinds of task, all of them"
    assert second["ran"].shown == "2 of 2"


def test_withdrawn_is_not_called_not_run(made) -> None:
    gone = made.row("card", 70.0, batch=2)
    rows = [made.row("card", 100.0), gone, made.row("other", 50.0), made.row("other", 40.0, batch=2)]
    found = made.evidence(rows, [], withdrawn={(gone["run_id"], gone["cell_id"]): "a slip"})
    card = next(d for d in devices(found.systems.values()) if d.key == "card")
    (row,) = coverage_table(card, lines(card, families(found.tasks))).rows
    assert row["withdrawn"].shown == 1
    assert "not run" not in row
