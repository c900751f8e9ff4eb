"""What was withdrawn: results that stay in the store and count for nothing, each with the reason.

``data/withdrawn.csv`` holds a line for a run, or for one cell of it::

    run_id,cell_id,withdrawn_on,reason
    20261201T110959Z-8c72114e,,2026-12-02,another job ran on the card

Whoever measured may also have set the flag ``withdrawn`` in the row itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bench.catalog.table import read_lines
from bench.schema import Row

#: A row with this flag was withdrawn by whoever measured it.
FLAG = "withdrawn"
COLUMNS = ("run_id", "cell_id", "withdrawn_on", "reason")

#: (run, cell or None for the whole run) -> reason.
Withdrawn = Mapping[tuple[str, str | None], str]


def load_withdrawn(path: Path) -> dict[tuple[str, str | None], str]:
    """What the file withdraws. No file means that nothing is withdrawn.

    Raises ``BenchError`` naming line and column where a run or a reason is missing, or the fault of the file.
    """
    if not path.is_file():
        return {}
    return {
        (line.text("run_id", required=True), line.text("cell_id")): line.text("reason", required=True)
        for line in read_lines(path, COLUMNS)
    }


def withdrawn_because(row: Row, withdrawn: Withdrawn) -> str | None:
    """Why a row has been withdrawn; None when it has not."""
    reason = withdrawn.get((row["run_id"], row["cell_id"])) or withdrawn.get((row["run_id"], None))
    if reason is None and FLAG in row["flags"]:
        return row["status_detail"] or "withdrawn"
    return reason
