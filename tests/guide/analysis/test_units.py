"""Figures in two units are never averaged, divided or ranked."""

from datetime import timedelta


def test_a_row_in_another_unit_is_left_out_by_name(made) -> None:
    good, other = made.row("a", 100.0, half=0.01), made.row("b", 50.0, half=0.01)
    odd = made.row("a", 6000.0, half=0.01, rate_unit="tokens/min", run_id="odd", cell_id="odd")
    odd["recorded_at"] = good["recorded_at"] + timedelta(days=1)
    found = made.evidence([odd, good, other], [])
    [task] = found.tasks
    assert task.unit == "tokens/s"
    assert [(s.result.system.key, s.result.rate) for s in task.standings] == [("a", 100.0), ("b", 50.0)]
    [left] = found.left_out
    assert (left.what, left.rows) == ("odd", 1)
    assert left.reason == "its figure is in tokens/min, that of its task in tokens/s"


def test_of_a_source_the_most_common_unit_counts(made) -> None:
    source = {"origin": "published", "source_id": "there", "workload": "render", "rate_unit": "frames/s"}
    rows = [made.row(name, 10.0, **source) for name in "ab"]
    odd = made.row("c", 600.0, **source | {"rate_unit": "frames/min"})
    found = made.evidence([odd, *rows], [])
    assert {s.result.system.key for s in found.tasks[0].standings} == {"a", "b"}
    assert "frames/min" in found.left_out[0].reason
