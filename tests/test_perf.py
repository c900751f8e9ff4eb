"""The measurements of our own cost can be started, and their sums are right. What they find is not judged."""

from __future__ import annotations

import importlib
import subprocess
import sys
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
