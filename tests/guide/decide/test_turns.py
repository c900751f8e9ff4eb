"""The printed value at which the pick turns."""

from __future__ import annotations

import pytest

from guide.decide.turns import places_of_usd, printable
from guide.show.figures import decimals


@pytest.mark.parametrize(
    ("outside", "inside", "edge", "at"),
    [
        (2.0, 0.5, 1.0, 0.999),  # below 1 USD is printed with a digit more
        (2.0, 0.5, 0.9994, 0.999),
        (200.0, 50.0, 100.0, 99.99),
        (200.0, 50.0, 100.3, 100.0),  # "$100.30" is never printed
        (50.0, 200.0, 99.995, 100.0),
        (50.0, 200.0, 100.3, 101.0),
        (50.0, 200.0, 99.5, 99.5),
    ],
)
def test_next_to_a_power_of_ten_the_nearest_printed_value_is_found(outside, inside, edge, at) -> None:
    below = inside < outside

    def holds(value: float) -> bool:
        return value < edge if below else value >= edge

    found = printable(outside, inside, holds, places_of_usd)
    assert found is not None
    assert found[0] == at


@pytest.mark.parametrize("edge", [0.1, 0.0999, 1.0, 1.005, 9.99, 10.0, 10.04, 99.95, 100.0, 123.4])
def test_what_is_printed_flips_and_the_printed_value_before_it_does_not(edge) -> None:
    for outside, inside in ((edge * 3, edge / 3), (edge / 3, edge * 3)):
        below = inside < outside

        def holds(value: float, below: bool = below) -> bool:
            return value <= edge if below else value >= edge

        at, _ = printable(outside, inside, holds, decimals)
        assert holds(at)
        assert float(f"{at:.{decimals(at)}f}") == at
        # On the coarser of the two grids beside it the next value no longer flips.
        step = 10.0 ** -min(decimals(at), decimals(at * 1.01))
        assert not holds(at + (step if below else -step))
