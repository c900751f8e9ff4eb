"""Which rows are evidence: what was withdrawn or says too little is left out by name, never in silence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from bench import units
from bench.schema import Row
from bench.verify.gate import FIGURES
from bench.withdrawn import withdrawn_because
from guide.analysis.origins import LeftOut

#: Imported rows that say too little: they stay in the store until somebody adds what their file lacks.
UNSTATED_FLAGS = {
    "device-not-stated": "the imported file names no device",
    "settings-not-stated": "the imported file does not say what was run",
}


def sort_out(
    rows: Iterable[Row], withdrawn: Mapping[tuple[str, str | None], str]
) -> tuple[list[Row], list[LeftOut]]:
    """The rows that count, in their order, and what is left out with its reason, a line a run and reason.

    A row without status ``ok`` stays, to tell of its failure, but loses its figures.
    """
    counted: list[Row] = []
    gone: Counter[tuple[str, str]] = Counter()
    for row in rows:
        reason = withdrawn_because(row, withdrawn)
        if reason is not None:
            gone[row["run_id"], f"withdrawn: {reason}"] += 1
            continue
        unstated = next((why for flag, why in UNSTATED_FLAGS.items() if flag in row["flags"]), None)
        if unstated is not None:
            gone[row["run_id"], unstated] += 1
            continue
        if row["status"] != "ok":
            row = row | dict.fromkeys(FIGURES)
        if row["status"] == "impossible":
            gone[row["run_id"], "impossible figures are kept back"] += 1
        counted.append(row)
    return counted, [LeftOut(run, reason, n) for (run, reason), n in sorted(gone.items())]


def of_one_unit(rows: Sequence[Row]) -> tuple[list[Row], list[LeftOut]]:
    """The rows whose figures are in their task's unit, in their order, and the others with the reason, a
    line a run and reason: nothing is averaged, divided or ranked across units."""
    tasks: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["status"] == "ok":
            tasks[row["task_key"]].append(row)
    several = {
        key: units.unit_of(found) for key, found in tasks.items() if len({r["rate_unit"] for r in found}) > 1
    }
    kept: list[Row] = []
    gone: Counter[tuple[str, str]] = Counter()
    for row in rows:
        unit = several.get(row["task_key"], row["rate_unit"])
        if not units.fits(row, unit):
            gone[row["run_id"], units.why_apart(row, unit)] += 1
        else:
            kept.append(row)
    return kept, [LeftOut(run, reason, n) for (run, reason), n in sorted(gone.items())]
