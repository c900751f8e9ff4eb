"""Wall-plug readings: what a file may hold, and the energy of a window."""

from datetime import UTC, datetime

import pytest

from bench.errors import BenchError
from bench.measure import wallmeter
from bench.measure.energy import VALIDITY
from bench.measure.wallmeter import energy, parse, read

T = 1_700_000_000.0


def readings(*pairs):
    return [(T + at, watts) for at, watts in pairs]


def test_a_constant_load_is_power_times_time():
    found = energy(readings(*((s, 60.0) for s in range(11))), T + 2.5, T + 7.25)
    assert found.energy_j == pytest.approx(60 * 4.75)
    assert found.mean_power_w == pytest.approx(60)
    assert (found.scope, found.source, found.validity) == ("wall", "wall meter", "ok")


def test_both_ends_are_interpolated():
    # A ramp of 10 W a second from 0: its integral is exact by trapezoids, whatever the window.
    ramp = readings(*((2 * s, 20.0 * s) for s in range(6)))
    assert energy(ramp, T + 1, T + 8).energy_j == pytest.approx(5 * (8**2 - 1**2))


def test_a_window_between_two_readings():
    assert energy(readings((0, 10.0), (2, 30.0)), T + 0.5, T + 1.5).energy_j == pytest.approx(20)


def test_readings_exactly_at_the_ends_are_enough():
    assert energy(readings((0, 10.0), (1, 10.0)), T, T + 1).energy_j == pytest.approx(10)


@pytest.mark.parametrize(
    ("pairs", "validity"),
    [
        ([], "not-bracketed"),
        ([(1, 5.0), (2, 5.0)], "not-bracketed"),
        ([(-1, 5.0), (1, 5.0), (3, 5.0)], "not-bracketed"),
        ([(-1, 5.0), (1, 5.0), (4.5, 5.0)], "gap"),
        ([(-3, 5.0), (1, 5.0), (2, 5.0), (4, 5.0)], "gap"),
    ],
    ids=["none", "begins late", "ends early", "silence within", "silence around the begin"],
)
def test_an_incomplete_record_is_no_energy(pairs, validity):
    found = energy(readings(*pairs), T, T + 4)
    assert (found.energy_j, found.mean_power_w, found.validity) == (None, None, validity)
    assert found.reason
    assert validity in VALIDITY


def test_silence_outside_the_window_does_not_matter():
    pairs = readings((-100, 5.0), (-1, 5.0), (1, 5.0), (3, 5.0), (100, 5.0))
    assert energy(pairs, T, T + 2).validity == "ok"


def test_times_are_iso_or_seconds():
    moment = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
    lines = ["timestamp,watts", "# a note", "2026-05-04T12:00:00Z,40.5", "", "2026-05-04T14:00:01+02:00, 41"]
    lines.append(f"{moment.timestamp() + 2.5},42")
    at = moment.timestamp()
    assert parse(lines, "meter.csv") == [(at, 40.5), (at + 1, 41), (at + 2.5, 42)]


def test_a_time_without_an_offset_is_local():
    local = datetime(2026, 5, 4, 12, 0, 0)
    assert parse(["2026-05-04 12:00:00,40"], "meter.csv") == [(local.timestamp(), 40)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1700000001", "1 fields"),
        ("1700000001,5,6", "3 fields"),
        ("noon,5", "'noon' is no time"),
        ("1700000001000,5", "no time"),
        ("1700000001,many", "'many' is no power"),
        ("1700000001,nan", "no power"),
        ("1700000001,-3", "no power"),
        ("1699999999,5", "does not follow"),
        ("1700000000,5", "does not follow"),
        ("timestamp,watts", "no time"),
    ],
)
def test_a_fault_names_its_line(line, words):
    with pytest.raises(BenchError, match=r"meter\.csv, line 3") as caught:
        parse(["timestamp,watts", "1700000000,4", line], "meter.csv")
    assert words in caught.value.message


def test_a_line_that_is_being_written_waits(tmp_path):
    path = tmp_path / "meter.csv"
    path.write_bytes(b"1700000000,4\r\n1700000001,5\r\n17000")
    assert read(path) == [(T, 4), (T + 1, 5)]
    with path.open("ab") as stream:
        stream.write(b"00002,6\r\n")
    assert read(path)[-1] == (T + 2, 6)


@pytest.mark.parametrize("content", [None, b"\xff\xfe1"])
def test_a_file_that_cannot_be_read(tmp_path, content):
    path = tmp_path / "meter.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BenchError, match=r"meter\.csv"):
        read(path)


def test_an_empty_file_has_no_readings(tmp_path):
    path = tmp_path / "meter.csv"
    path.write_text("")
    assert read(path) == []
    assert wallmeter.energy([], T, T + 1).validity == "not-bracketed"
