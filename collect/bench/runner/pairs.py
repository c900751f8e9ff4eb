"""What random weights cost in truth: cells with both kinds of weights, as ratios kept with the run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bench.compare.comparison import compare
from bench.schema import Row


def weight_ratios(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """One entry a cell of a run that has a rate with random and with pretrained weights, in a stable order.

    ``ratio`` is the rate with random weights over that with pretrained ones: 1 where the default without a
    download tells the truth. ``low`` and ``high`` are its 95 % interval; ids lead to the two rows.
    """
    known = list(rows)
    sides = ([row for row in known if row["weights"] == kind] for kind in ("pretrained", "random"))
    found = compare(*sides, across=("weights",)).pairs
    return [
        {
            "workload": pair.row["workload"],
            "model": pair.row["model"],
            "compute_dtype": pair.row["compute_dtype"],
            "execution": pair.row["execution"],
            "batch": pair.row["batch"],
            "random_cell_id": pair.second.rows[0]["cell_id"],
            "pretrained_cell_id": pair.first.rows[0]["cell_id"],
            "ratio": pair.ratio,
            "low": pair.interval.low if pair.interval else None,
            "high": pair.interval.high if pair.interval else None,
            "verdict": pair.verdict.word if pair.verdict else None,
        }
        for pair in found
        if pair.first is not None and pair.second is not None
    ]
