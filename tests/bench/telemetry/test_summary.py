"""Counters at both ends and samples in between become columns, flags and figures."""

from dataclasses import replace

import pytest

from bench.measure.flags import FLAGS
from bench.telemetry import KEYS, counters
from bench.telemetry.counters import Counters, read_counters
from bench.telemetry.sample import Sample
from bench.telemetry.summary import ENOUGH_SAMPLES, mean_over_time, reason_shares, summarise

BEFORE = Counters(at_s=100.0, busy_s=50.0, stolen_s=0.0, own_s=10.0, swapped_bytes=0, thermal_events=3)
QUIET = replace(BEFORE, at_s=110.0, busy_s=70.0, own_s=30.0)


def flags(after=QUIET, samples=(), before=BEFORE, cores=2):
    return summarise(before, after, samples, cores).flags


def sampled(count=50, **values):
    """Samples five a second; a callable value is asked with each sample's number."""
    return [
        Sample(at_s=100 + i / 5, **{k: v(i) if callable(v) else v for k, v in values.items()})
        for i in range(count)
    ]


def test_own_work_on_all_cores_is_no_disturbance():
    assert flags(samples=sampled(throttle_reasons=(), other_processes=0, low_power=False)) == ()


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        ({"busy_s": 75.0}, "contended"),
        ({"stolen_s": 1.0}, "contended"),
        ({"swapped_bytes": 2**30}, "swapping"),
        ({"thermal_events": 4}, "throttled"),
    ],
)
def test_counters_have_flags(change, flag):
    assert flags(replace(QUIET, **change)) == (flag,)


@pytest.mark.parametrize(
    ("values", "flag"),
    [
        ({"throttle_reasons": ("temperature (hardware)",)}, "throttled"),
        ({"throttle_reasons": ("power limit",)}, "power-limited"),
        ({"throttle_reasons": ("cause not told",)}, "clocks-held"),
        ({"power_source": "battery"}, "on-battery"),
        ({"low_power": True}, "low-power-mode"),
        ({"other_processes": 2}, "device-shared"),
    ],
)
def test_samples_have_flags(values, flag):
    assert flags(samples=sampled(**values)) == (flag,)


def test_one_sample_in_hundreds_is_no_throttling():
    samples = sampled(300, throttle_reasons=lambda i: ("temperature (hardware)",) if i == 7 else ())
    assert flags(samples=samples) == ()


def test_the_drivers_counter_is_the_throttled_fraction():
    before = replace(BEFORE, held_thermal_s=5.0, held_power_s=1.0)
    after = replace(QUIET, held_thermal_s=7.5, held_power_s=1.0)
    found = summarise(before, after, sampled(throttle_reasons=()), 2)
    assert found.flags == ("throttled",)
    assert found.throttled_fraction == 0.25


def test_without_a_counter_it_is_the_share_of_samples():
    reasons = lambda i: ("power limit", "temperature (software)") if i < 10 else ("power limit",)  # noqa: E731
    found = summarise(BEFORE, QUIET, sampled(40, throttle_reasons=reasons), 2)
    assert found.throttled_fraction == 0.25
    assert found.detail["throttle_reasons"] == {"power limit": 1.0, "temperature (software)": 0.25}
    few = summarise(BEFORE, QUIET, sampled(ENOUGH_SAMPLES - 1, throttle_reasons=()), 2)
    assert few.throttled_fraction is None


def test_a_counter_that_stands_still_hides_no_throttling():
    before, after = (replace(c, held_thermal_s=0.0, held_power_s=0.0) for c in (BEFORE, QUIET))
    found = summarise(before, after, sampled(40, throttle_reasons=("power brake",)), 2)
    assert found.flags == ("throttled",)
    assert found.throttled_fraction == 1
    found = summarise(before, after, sampled(ENOUGH_SAMPLES - 1, throttle_reasons=("power brake",)), 2)
    assert found.throttled_fraction == 0, "few samples tell no share"


def test_clocks_temperature_memory_and_power():
    samples = sampled(
        100,
        clock_mhz=lambda i: 1000 if i < 6 else 2000,
        memory_clock_mhz=9000,
        temperature_c=lambda i: 40 + i / 10,
        power_w=lambda i: 100 + i,
        memory_used_bytes=lambda i: i * 1000,
    )
    found = summarise(BEFORE, QUIET, samples, 2)
    assert found.max_temperature_c == pytest.approx(49.9)
    assert found.sampled_power_w == pytest.approx(149.5)
    assert found.sampled_s == pytest.approx(99 / 5)
    assert found.detail["clock_median_mhz"] == 2000
    assert found.detail["clock_p5_mhz"] == 1000
    assert found.detail["memory_clock_median_mhz"] == 9000
    assert found.detail["memory_used_max_bytes"] == 99_000
    assert found.detail.keys() <= KEYS.keys()


def test_what_cannot_be_told_is_neither_flag_nor_figure():
    unknown = replace(QUIET, swapped_bytes=None, thermal_events=None)
    found = summarise(BEFORE, unknown, sampled(), 2)
    assert (found.flags, found.throttled_fraction, found.max_temperature_c) == ((), None, None)
    assert set(found.detail) == {"others_cpu_share", "stolen_cpu_share", "samples"}


def test_a_counter_that_was_reset_is_no_negative_time():
    before, after = replace(BEFORE, held_thermal_s=9.0), replace(QUIET, held_thermal_s=0.0)
    assert summarise(before, after, sampled(), 2).throttled_fraction == 0


def test_the_time_for_which_heat_held_the_cores_is_the_processors_own(tmp_path, monkeypatch):
    """Two cores, one of them held for 3 s since the machine started."""
    for core, milliseconds in enumerate((3_000, 0)):
        folder = tmp_path / f"cpu{core}" / "thermal_throttle"
        folder.mkdir(parents=True)
        (folder / "core_throttle_total_time_ms").write_text(f"{milliseconds}\n")
        (folder / "core_throttle_count").write_text("5\n")
    monkeypatch.setattr(counters, "THERMAL_COUNTS", str(tmp_path))
    assert read_counters(of_cpu=True).held_thermal_s == 1.5
    assert read_counters(of_cpu=True).thermal_events == 10
    assert read_counters().held_thermal_s is None, "a card's clocks are not held by the processor's heat"
    monkeypatch.setattr(counters, "THERMAL_COUNTS", str(tmp_path / "nothing"))
    assert read_counters(of_cpu=True).held_thermal_s is None


def test_a_moment_is_too_short_to_speak_of_others():
    assert flags(replace(BEFORE, at_s=100.1, busy_s=50.2)) == ()


def test_reasons_count_among_the_samples_that_tell_them():
    told = [Sample(1.0, throttle_reasons=("a",)), Sample(2.0, throttle_reasons=()), Sample(3.0)]
    assert reason_shares(told) == {"a": 0.5}


@pytest.mark.parametrize("points", [[], [(1.0, 5.0)], [(1.0, 5.0), (1.0, 7.0)]])
def test_a_mean_over_no_time_is_none(points):
    assert mean_over_time(points) is None


def test_a_mean_over_time_weighs_by_time():
    assert mean_over_time([(0.0, 0.0), (1.0, 10.0), (3.0, 10.0)]) == pytest.approx(25 / 3)


def test_this_machines_counters_can_be_read_and_only_grow():
    first = read_counters()
    second = read_counters()
    assert second.at_s >= first.at_s
    assert second.own_s >= first.own_s
    assert second.busy_s >= first.busy_s
    assert set(summarise(first, second, [], 2).flags) <= FLAGS.keys()
