"""Pairs, verdicts, repetitions that are missing, and conditions that differ."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.compare import compare
from bench.compare.figure import figure_of
from bench.compare.intervals import Interval, divide
from bench.compare.verdicts import CANNOT_TELL, FASTER, SLOWER, TIED, judge
from bench.errors import UsageError
from bench.schema import to_json


def only(found):
    [pair] = found.pairs
    return pair


def verdict_of(a, b):
    return judge(figure_of([a]), figure_of([b]))


def test_the_ratio_is_the_seconds_over_the_firsts(row):
    pair = only(compare([row(100.0)], [row(150.0, device="b")]))
    assert pair.ratio == pytest.approx(1.5)
    half = math.hypot(math.log(1.005), -math.log(0.995))
    assert pair.interval.high == pytest.approx(1.5 * math.exp(half))
    assert pair.verdict.word == FASTER
    assert only(compare([row(150.0)], [row(100.0, device="b")])).verdict.word == SLOWER


def test_tied_within_what_another_run_differs_by(row):
    assert verdict_of(row(100.0), row(103.0)).word == TIED
    assert verdict_of(row(100.0), row(105.0)).word == SLOWER


def test_wide_intervals_do_not_tell_and_say_how_many_repetitions_would(row):
    a, b = row(100.0, half=0.10), row(108.0, half=0.01, sample_count=5)
    found = verdict_of(b, a)
    assert found.word == CANNOT_TELL
    assert found.more[0] == 0  # 1 % is within the allowance already
    assert found.more[1] > 0 and found.reason.endswith(f"about {found.more[1]} repetitions of the second.")
    # So many more, with a width that falls with their root, do tell; a few less do not.
    for count, word in ((10 + found.more[1], FASTER), (10 + found.more[1] // 2, CANNOT_TELL)):
        low, high = (100 * end ** math.sqrt(10 / count) for end in (0.9, 1.1))
        narrower = row(100.0, sample_count=count, rate_low=low, rate_high=high)
        assert verdict_of(b, narrower).word == word


def test_where_processes_differ_more_processes_are_what_would_tell(row):
    """An interval across three processes is no narrower for more repetitions in each of them."""
    several = to_json({"telemetry": {"process_samples": [40, 40, 40]}})
    a, b = row(100.0, half=0.10, sample_count=120, environment=several), row(108.0, half=0.01)
    found = verdict_of(b, a)
    assert found.units == ("repetitions", "processes")
    assert 0 < found.more[1] < 30
    assert found.reason.endswith(f"about {found.more[1]} processes of the second.")
    for strange in ("[]", '{"telemetry": 3}', '{"telemetry": {"process_samples": 2}}'):
        assert figure_of([row(100.0, environment=strange)]).observations == (10, "repetitions")


def test_equal_figures_need_intervals_within_the_allowance(row):
    found = verdict_of(row(100.0, half=0.08), row(100.0, half=0.08))
    assert found.word == CANNOT_TELL
    count = 10 + found.more[0]
    half = 0.08 * math.sqrt(10 / count)
    assert verdict_of(row(100.0, half=half), row(100.0, half=half)).word == TIED


def test_without_an_interval_the_allowance_decides(row):
    published = {"origin": "published", "half": None, "sample_count": None}
    found = verdict_of(row(100.0, **published), row(104.0, **published))
    assert found.word == TIED and "No interval is stated" in found.reason
    assert verdict_of(row(150.0, **published), row(100.0, **published)).word == FASTER
    once = verdict_of(row(150.0, half=None, sample_count=1), row(100.0))
    assert (once.word, once.more) == (CANNOT_TELL, (2, 0)) and "Too few repetitions" in once.reason
    unknown = verdict_of(row(100.0, half=0.1, sample_count=None), row(101.0, half=0.1, sample_count=None))
    assert unknown.word == CANNOT_TELL and "not stated" in unknown.reason


@given(
    st.floats(0.5, 2.0),
    st.floats(0.001, 0.4),
    st.floats(0.001, 0.4),
    st.integers(2, 500),
    st.integers(2, 500),
)
def test_every_pair_gets_one_of_four_answers(row, ratio, first, second, n, m):
    a, b = row(100 * ratio, half=first, sample_count=n), row(100.0, half=second, sample_count=m)
    there, back = verdict_of(a, b), verdict_of(b, a)
    opposite = {FASTER: SLOWER, SLOWER: FASTER}
    assert back.word == opposite.get(there.word, there.word)
    if there.word == CANNOT_TELL:
        assert there.more == back.more[::-1] and max(there.more) > 0


def test_only_equal_tasks_are_compared(row):
    first = [row(100.0), row(50.0, batch=8), row(10.0, batch=16)]
    found = compare(first, [row(90.0, device="b"), row(5.0, device="b", batch=32)])
    assert len(found.pairs) == 1 and (found.only_first, found.only_second) == (2, 1)
    assert compare([row(100.0)], [row(50.0, device="b", execution="compiled")]).pairs == ()


def test_across_lets_one_part_of_a_task_differ(row):
    eager, compiled = row(100.0), row(140.0, execution="compiled")
    assert only(compare([eager], [compiled], ["execution"])).ratio == pytest.approx(1.4)
    with pytest.raises(UsageError, match="Did you mean 'execution'"):
        compare([eager], [compiled], ["exekution"])


def test_conditions_that_differ_everywhere_are_told_once(row):
    newer = {"conditions": to_json({"torch": "2.13", "attention": "flash"}), "engine_version": "2.13"}
    odd = {
        "conditions": to_json({"torch": "2.13", "attention": "math", "x": {"y": 1}}),
        "engine_version": "2.13",
    }
    found = compare(
        [row(100.0), row(10.0, batch=8)], [row(99.0, day=1, **newer), row(9.0, day=1, batch=8, **odd)]
    )
    assert [d.sentence() for d in found.common] == [
        "conditions.torch: 2.12 → 2.13",
        "engine_version: 2.12 → 2.13",
    ]
    special = next(p for p in found.pairs if p.row["batch"] == 8)
    assert [d.sentence() for d in special.differs] == [
        "conditions.attention: flash → math",
        "conditions.x.y: not stated → 1",
    ]


def test_how_a_cell_went_is_no_condition(row):
    a = row(100.0, environment=to_json({"os": "A", "telemetry": {"x": 1}, "disturbance": {}}))
    b = row(100.0, day=1, environment=to_json({"os": "B", "telemetry": {"x": 2}}))
    assert [d.name for d in compare([a], [b]).common] == ["environment.os"]


def test_the_newest_software_of_a_host_counts(row):
    old, new = row(50.0), row(100.0, day=1, engine_version="2.13")
    assert figure_of([old, new]).rate == 100.0
    assert figure_of([row(None)]) is None


def test_several_devices_on_one_side_are_refused(row):
    with pytest.raises(UsageError, match="several devices"):
        compare([row(100.0), row(50.0, device="card-b")], [row(90.0, device="c")])


def test_figures_in_two_units_are_no_pair(row):
    good, odd = row(100.0), row(100.0, device="card-b", rate_unit="tokens/min")
    for sides in (([good], [odd]), ([odd], [good])):
        found = compare(*sides)
        assert found.pairs == () and found.slower(0.05) == ()
        [(left, reason)] = found.left_out
        assert left is odd and reason == "its figure is in tokens/min, that of its task in tokens/s"
    sound = row(50.0, device="card-b", day=1)
    assert only(compare([good], [odd, sound])).ratio == 0.5


def test_a_failure_has_no_figure_in_any_unit(row):
    failed = row(None, device="card-b", rate_unit="tokens/min")
    assert only(compare([row(100.0)], [failed])).outcomes == ("ok", "oom")


def test_a_regression_is_certain_and_large_enough(row):
    def fails(rate, half=0.005, share=0.05):
        return len(compare([row(100.0)], [row(rate, half, day=1)]).slower(share))

    assert fails(90.0) == 1
    assert fails(97.0) == 0  # within what another run differs by
    assert fails(90.0, half=0.2) == 0  # not certain
    assert fails(94.0, share=0.10) == 0
    assert fails(None) == 1  # it ran, and now runs out of memory
    assert compare([row(None)], [row(100.0, day=1)]).slower(0.05) == ()


def test_dividing_by_itself_is_one():
    found = divide(Interval(9.0, 10.0, 12.0), Interval(9.0, 10.0, 12.0))
    assert found.value == 1.0 and found.low * found.high == pytest.approx(1.0)


def test_disturbed_rows_count_only_where_there_are_no_others(row):
    clean, busy = row(100.0, flags=["anchor-drift"]), row(7.0, flags=["anchor-drift", "contended"])
    found = figure_of([busy, clean])
    assert (found.rate, found.rows, found.passed_over) == (100.0, (clean,), (busy,))
    alone = figure_of([busy])
    assert (alone.rate, alone.rows, alone.passed_over) == (7.0, (busy,), ())
