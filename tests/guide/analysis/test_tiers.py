"""Bands, tiers and ratios against worked examples."""

from __future__ import annotations

import math
import random

import pytest

from guide.analysis import tiers
from guide.analysis.ratios import combine, divide, verdict
from guide.model import Interval


def band(value: float, share: float = 0.05) -> Interval:
    return Interval(value * (1 - share), value, value * (1 + share))


def test_a_chain_of_overlaps_does_not_collapse_into_one_tier() -> None:
    # 100 ties with 92, 92 with 85, 85 with 78: but 85 does not tie with 100.
    assert tiers.tiers([band(v) for v in (100, 92, 85, 78)]) == [1, 1, 2, 2]


def test_tiers_do_not_depend_on_the_order_they_are_given_in() -> None:
    values = [100.0, 97.0, 92.0, 85.0, 60.0, 58.0, 10.0]
    expected = dict(zip(values, tiers.tiers([band(v) for v in values]), strict=True))
    shuffled = values[:]
    random.Random(3).shuffle(shuffled)
    assert dict(zip(shuffled, tiers.tiers([band(v) for v in shuffled]), strict=True)) == expected


def test_of_equal_values_the_surer_one_is_the_anchor_whatever_the_order() -> None:
    sure, vague, slower = band(100, 0.01), band(100, 0.3), band(80, 0.05)
    assert tiers.tiers([sure, vague, slower]) == [1, 1, 2]
    assert tiers.tiers([vague, sure, slower]) == [1, 1, 2]


def test_a_wide_band_ties_with_the_best_across_a_narrow_one_that_does_not() -> None:
    # 94 is surely slower than 100; 93 is not known so well and may be as fast.
    assert tiers.tiers([band(100, 0.02), band(94, 0.02), band(93, 0.1)]) == [1, 2, 1]


def test_no_bands_no_tiers() -> None:
    assert tiers.tiers([]) == []


@pytest.mark.parametrize(
    ("origin", "kind", "half", "expected"),
    [
        ("measured", "measured", 0.001, tiers.MEASURED_ALLOWANCE),
        ("published", "stated", None, tiers.PUBLISHED_ALLOWANCE),
        ("published", "stated", 0.2, 0.2),
        ("published", "inferred", None, tiers.INDIRECT_ALLOWANCE),
        ("measured", "extrapolated", 0.01, tiers.INDIRECT_ALLOWANCE),
    ],
)
def test_a_band_is_never_narrower_than_its_allowance(made, origin, kind, half, expected) -> None:
    found = tiers.band_of(made.row("a", 100.0, half=half, origin=origin, value_kind=kind))
    assert found.low == pytest.approx(100 * (1 - expected))
    assert found.high == pytest.approx(100 * (1 + expected))


def test_the_interval_of_a_ratio_adds_logarithmic_half_widths_in_quadrature() -> None:
    a, b = Interval(100 / 1.1, 100, 100 * 1.1), Interval(50 / 1.2, 50, 50 * 1.2)
    found = divide(a, b)
    expected = math.exp(math.hypot(math.log(1.1), math.log(1.2)))
    assert found.value == 2
    assert found.high == pytest.approx(2 * expected)
    assert found.low == pytest.approx(2 / expected)


def test_a_skewed_interval_stays_skewed() -> None:
    found = divide(Interval(90, 100, 100), Interval(50, 50, 50))
    assert (found.low, found.high) == (pytest.approx(1.8), pytest.approx(2.0))


def test_combining_equal_ratios_changes_nothing_but_the_width() -> None:
    one = Interval(1.8, 2.0, 2.2)
    found = combine([(1.0, one), (1.0, one)])
    assert found.value == pytest.approx(2.0)
    assert one.low < found.low < found.value < found.high < one.high


def test_weights_are_shares() -> None:
    found = combine([(3.0, Interval(2, 2, 2)), (1.0, Interval(32, 32, 32))])
    assert found.value == pytest.approx((2**3 * 32) ** 0.25)


def test_verdicts() -> None:
    assert verdict(band(100), band(50)) == "faster"
    assert verdict(band(50), band(100)) == "slower"
    assert verdict(band(100), band(95)) == "tied"


def test_the_methodology_text_states_the_constants() -> None:
    text = " ".join(tiers.rules())
    for share in (tiers.MEASURED_ALLOWANCE, tiers.PUBLISHED_ALLOWANCE, tiers.INDIRECT_ALLOWANCE):
        assert f"±{share:.0%}" in text
