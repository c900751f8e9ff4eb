"""What is said of a tie: one whose interval excludes 1 says that the bands make it one."""

from __future__ import annotations

import pytest

from bench.compare.intervals import Interval
from guide.model import Ratio
from guide.views.speedups import speedup_cell
from guide.views.words import verdict_words


@pytest.mark.parametrize(
    ("interval", "verdict", "said"),
    [
        (Interval(1.015, 1.02, 1.025), "tied", "tied (within the band)"),
        (Interval(0.97, 0.98, 0.99), "tied", "tied (within the band)"),
        (Interval(0.99, 1.02, 1.05), "tied", "tied"),
        (None, "tied", "tied"),
        (Interval(1.4, 1.5, 1.6), "faster", "faster"),
        (None, "unknown", "cannot tell"),
    ],
)
def test_a_tie_that_the_interval_seems_to_contradict_names_the_band(interval, verdict, said) -> None:
    ratio = Ratio(interval.value if interval else 1.02, interval, verdict)
    assert verdict_words(ratio) == said
    cell = speedup_cell(ratio)
    assert cell.sub == {"faster": ""}.get(verdict, said.replace("tied", "tied with it"))
