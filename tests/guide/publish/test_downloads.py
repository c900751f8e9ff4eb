"""The downloads: what a name from a file could do to a terminal or a spreadsheet is taken out."""

from __future__ import annotations

import csv

from guide.publish import downloads


def test_a_name_runs_nothing_in_a_terminal_or_a_spreadsheet(made) -> None:
    hostile = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \u202eback"
    evidence = made.evidence([made.row("dear", 200.0, device_name=hostile, status_detail="=1+1")], [])
    found = {
        file.path: file.content.decode() for file in downloads.files(evidence) if file.path[-4:] == ".csv"
    }
    assert not any(char in text for text in found.values() for char in "\x1b\x07\u202e")
    (row,) = csv.DictReader(found["downloads/results.csv"].splitlines())
    assert row["device_name"] == "red  back"
    assert row["status_detail"] == "'=1+1"
