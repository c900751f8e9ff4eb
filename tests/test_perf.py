"""The measurements of our own cost can be started, and their sums are right. What they find is not judged."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

PERF = Path(__file__).resolve().parent / "perf"
NAMES = sorted(path.stem for path in PERF.glob("measure_*.py"))


@pytest.fixture
def perf(monkeypatch: pytest.MonkeyPatch):
    """Imports a module of tests/perf by name, as its runner does."""
    monkeypatch.syspath_prepend(str(PERF))
    return importlib.import_module


def test_the_runner_lists_every_measurement() -> None:
    done = subprocess.run([sys.executable, PERF, "--list"], capture_output=True, text=True, check=True)
    assert len(NAMES) >= 3
    for name in NAMES:
        assert f"{name.removeprefix('measure_')}: " in done.stdout


def test_an_unknown_name_is_wrong_usage() -> None:
    done = subprocess.run([sys.executable, PERF, "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "unknown: nonsense" in done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_measurement_is_a_function(perf, name: str) -> None:
    assert callable(perf(name).measure)


def test_both_sides_run_by_turns(perf) -> None:
    order: list[str] = []
    pairs = perf("figures").by_turns(lambda: order.append("a") or 2.0, lambda: order.append("b") or 1.0, 3)
    assert pairs == [(2.0, 1.0)] * 3
    assert "".join(order) == "baabbaab"


def test_a_figure_is_the_median_ratio_with_its_interval(perf) -> None:
    figures = perf("figures")
    ratios = [1.0, 1.1, 1.2, 1.3, 9.0] * 8
    figure = figures.compared("ours", "theirs", [(ratio * 3, 3.0) for ratio in ratios])
    assert figure.value == pytest.approx(1.2)
    assert 1.1 <= figure.low <= figure.value <= figure.high <= 1.3
    assert "| ours | theirs | ×1.2 |" in figures.table([figure])


def test_an_added_cost_is_in_microseconds(perf) -> None:
    figure = perf("figures").added("ours", "theirs", [(3e-6, 1e-6)] * 5)
    assert (figure.value, figure.unit) == (pytest.approx(2), "µs")


def test_another_tool_that_cannot_be_had_is_a_line_with_the_reason(perf, monkeypatch, tmp_path: Path) -> None:
    measure, peer = perf("measure_asv"), perf("peer.environment")

    def none(tool: object) -> None:
        raise peer.CannotRun("no index to install it from")

    monkeypatch.setattr(measure, "environment", none)
    monkeypatch.setattr(measure, "project", lambda *asked: tmp_path)
    lines = list(measure.measure(quick=True))
    assert len(lines) == 2
    for line in lines:
        assert "asv publish" in line.against
        assert line.cells()[2:] == ["not measured", "–", "0", "no index to install it from"]


def test_a_tool_gets_its_own_folder_and_what_it_needs(perf) -> None:
    peer = perf("peer.environment").Peer("tool", "1.2", needs=("other<5",), shared=("duckdb",))
    assert peer.folder.name == "tool-1.2"
    assert peer.requirements() == ["tool==1.2", "other<5", f"duckdb=={version('duckdb')}"]


def test_the_other_tool_has_as_many_results_as_rows(perf) -> None:
    shape = perf("peer.airspeed").shape
    assert str(shape(1, 50, 25_000)) == "one machine × 50 benchmarks × 500 commits"
    assert shape(10, 8, 25_000).commits == 313, "the last commit holds what is left"
