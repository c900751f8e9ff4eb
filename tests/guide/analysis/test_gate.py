"""No page can show an impossible figure, whoever measured it and whatever its row says."""

import pytest

from bench.verify.gate import FIGURES


@pytest.mark.parametrize("origin", ["measured", "published"])
def test_a_row_that_breaks_the_gate_loses_its_figures(made, origin) -> None:
    """8 B in 4 bits are at least 3.8 GB a token: 10,000 tokens/s need 38 TB/s, and the card has 10."""
    bad = made.row("a", 10_000.0, half=0.01, origin=origin, job_s=1.0)
    good = made.row("b", 100.0, half=0.01, origin=origin)
    found = made.evidence([bad, good], [made.price("a", 1.0), made.price("b", 1.0)])
    kept = next(row for row in found.rows if row["device_id"] == "a")
    assert kept["status"] == "impossible" and "read from memory" in kept["status_detail"]
    assert all(kept[name] is None for name in FIGURES)
    [task] = found.tasks
    assert [s.result.system.key for s in task.standings] == ["b"]
    assert [f.status for f in task.failures] == ["impossible"]
    assert any("impossible figures are kept back" in left.reason for left in found.left_out)


def test_a_row_that_says_it_is_impossible_shows_nothing_either(made) -> None:
    row = made.row("a", 100.0, half=0.01) | {"status": "impossible"}
    found = made.evidence([row, made.row("b", 50.0, half=0.01)], [])
    assert [s.result.system.key for s in found.tasks[0].standings] == ["b"]
