"""Counters before and after a cell become flags."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from bench.measure.disturbance import Counters, Watch, compare, read_counters
from bench.measure.flags import ADVICE, FLAGS

BEFORE = Counters(at_s=100.0, busy_s=50.0, stolen_s=0.0, own_s=10.0, swapped_bytes=0, thermal_events=3)
QUIET = replace(BEFORE, at_s=110.0, busy_s=70.0, own_s=30.0)


def flags(after, before=BEFORE, cores=2):
    return compare(before, after, cores).flags


def test_own_work_on_all_cores_is_no_disturbance():
    assert flags(QUIET) == ()


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        ({"busy_s": 75.0}, "contended"),
        ({"stolen_s": 1.0}, "contended"),
        ({"swapped_bytes": 2**30}, "swapping"),
        ({"thermal_events": 4}, "throttled"),
        ({"throttle_reasons": ("temperature (hardware)",)}, "throttled"),
        ({"throttle_reasons": ("power limit",)}, "power-limited"),
        ({"power_source": "battery"}, "on-battery"),
        ({"low_power": True}, "low-power-mode"),
        ({"other_processes": 2}, "device-shared"),
    ],
)
def test_each_disturbance_has_its_flag(change, flag):
    assert flags(replace(QUIET, **change)) == (flag,)


def test_clocks_held_down_give_the_throttled_fraction():
    before = replace(BEFORE, held_thermal_s=5.0, held_power_s=1.0)
    after = replace(QUIET, held_thermal_s=7.5, held_power_s=1.0)
    found = compare(before, after, 2)
    assert found.flags == ("throttled",)
    assert found.throttled_fraction == 0.25


def test_what_cannot_be_told_is_no_flag():
    unknown = replace(QUIET, swapped_bytes=None, thermal_events=None)
    assert flags(unknown) == ()
    assert compare(BEFORE, unknown, 2).throttled_fraction is None


def test_a_moment_is_too_short_to_speak_of_others():
    after = replace(BEFORE, at_s=100.1, busy_s=50.2)
    assert flags(after) == ()


def test_this_machines_counters_can_be_read():
    first = read_counters()
    second = read_counters()
    assert second.at_s >= first.at_s
    assert second.own_s >= first.own_s
    assert second.busy_s >= 0


def test_a_watch_reads_twice_and_speaks_the_registrys_codes():
    found = Watch(SimpleNamespace(kind="cpu")).finish()
    assert set(found.flags) <= FLAGS.keys()


def test_every_flag_says_what_to_do():
    assert FLAGS.keys() == ADVICE.keys()
    assert all("\n" not in text for text in (*FLAGS.values(), *ADVICE.values()))
