"""Wall-plug readings find their rows, now or later; a broken file ends no run."""

import json

import pytest

from bench.measure.energy import net_energy_j
from bench.runner.wall import PATIENCE_S, WallPower

T = 1_700_000_000.0


def row(begin, end, *, share=1.0, status="ok", **values):
    telemetry = {"window_unix_s": [T + begin, T + end], "timed_share": share, "energy_note": "no counter"}
    return {
        "status": status,
        "environment": json.dumps({"telemetry": telemetry}),
        "energy_j": None,
        "energy_source": None,
        "energy_scope": None,
        "energy_validity": "no-counter",
        "mean_power_w": None,
        "idle_power_w": None,
        "samples_s": [share * (end - begin)],
    } | values


class File:
    """A meter that writes when it is told, and notes what was said of it."""

    def __init__(self, folder):
        self.path, self.notes, self.slept = folder / "meter.csv", [], []
        self.path.write_text("timestamp,watts\n")

    def write(self, *pairs):
        with self.path.open("a") as stream:
            stream.writelines(f"{T + at},{watts}\n" for at, watts in pairs)

    def wall(self, idle=None, then=lambda: None):
        window = None if idle is None else [T + end for end in idle]
        return WallPower(self.path, window, self.notes.append, lambda s: (self.slept.append(s), then()))


@pytest.fixture
def meter(tmp_path):
    return File(tmp_path)


def telemetry(found):
    return json.loads(found["environment"])["telemetry"]


def test_a_covered_window_has_the_walls_energy(meter):
    meter.write(*((s, 20.0 if s <= 10 else 100.0) for s in range(21)))
    [found] = meter.wall(idle=(2, 7)).apply([row(12, 16, share=0.75)])
    assert found["energy_j"] == pytest.approx(300)
    assert (found["mean_power_w"], found["idle_power_w"]) == (pytest.approx(100), pytest.approx(20))
    assert (found["energy_scope"], found["energy_validity"]) == ("wall", "ok")
    assert "energy_note" not in telemetry(found)
    assert net_energy_j(found) == pytest.approx(300 - 20 * 3)


def test_the_counters_figure_is_kept_beside_it(meter):
    meter.write((0, 50.0), (2, 50.0), (4, 50.0))
    counted = row(1, 3, energy_j=70.0, energy_scope="device", energy_validity="ok")
    [found] = meter.wall().apply([counted])
    assert found["energy_j"] == pytest.approx(100)
    assert telemetry(found)["counter_energy_j"] == 70


def test_readings_that_come_later_are_applied_later(meter):
    wall = meter.wall()
    meter.write((0, 50.0), (1, 50.0))
    [early] = wall.apply([row(0.5, 2.5)])
    assert (early["energy_j"], early["energy_validity"]) == (None, "not-bracketed")
    assert wall.apply([early]) == []
    meter.write((2, 50.0), (3, 50.0))
    [late] = wall.apply([early])
    assert late["energy_j"] == pytest.approx(100)
    assert wall.apply([late]) == []


def test_rows_without_a_window_are_left_alone(meter):
    meter.write((0, 1.0), (1, 1.0))
    without = row(0, 1) | {"environment": "{}"}
    assert meter.wall().apply([row(0, 1, status="killed"), without]) == []


def test_at_the_end_the_meter_is_given_time_to_close_the_last_window(meter):
    meter.write((0, 10.0), (1, 10.0))
    rows = [row(0.5, 1.5)]
    wall = meter.wall(then=lambda: meter.write((1 + len(meter.slept), 10.0)))
    wall.finish(lambda: rows, lambda changed: rows.__setitem__(slice(None), changed))
    assert rows[0]["energy_j"] == pytest.approx(10)
    assert len(meter.slept) == 1


def test_a_silent_meter_is_given_up(meter):
    rows = [row(0.5, 1.5)]
    wall = meter.wall()
    wall.finish(lambda: rows, lambda changed: rows.__setitem__(slice(None), changed))
    assert sum(meter.slept) == PATIENCE_S
    assert rows[0]["energy_validity"] == "not-bracketed"
    wall.finish(lambda: rows, rows.__setitem__, wait=False)
    assert sum(meter.slept) == PATIENCE_S


def test_a_broken_file_is_said_once_and_ends_nothing(meter):
    meter.write((0, 10.0))
    with meter.path.open("a") as stream:
        stream.write("what,ever\n")
    wall = meter.wall()
    [found] = wall.apply([row(0.5, 1.5)])
    assert (found["energy_j"], found["energy_validity"]) == (None, "meter-error")
    wall.apply([found, row(2, 3)])
    assert len(meter.notes) == 1
    assert "line 3" in meter.notes[0]
