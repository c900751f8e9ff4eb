"""The loop, driven by a clock of the test's own, and the lines it writes."""

import itertools
import json

from bench.telemetry.sample import Sample, parse
from bench.telemetry.sampler import RATE_HZ, SLOW_EVERY, loop


class Machine:
    """A clock that moves when somebody waits or reads, and a source whose readings count themselves."""

    def __init__(self, samples, reading_s=0.0):
        self.now, self.left, self.reading_s = 1000.0, samples, reading_s
        self.lines, self.waits = [], []

    def clock(self):
        return self.now

    def wait(self, seconds):
        assert seconds >= 0
        self.waits.append(seconds)
        self.now += seconds
        self.left -= 1
        return self.left == 0

    def fast(self):
        self.now += self.reading_s
        return {"clock_mhz": 1500.0, "throttle_reasons": ()}

    def slow(self):
        return {"power_source": "mains"}

    def run(self):
        loop(self, self.lines.append, self.wait, self.clock)
        return parse(self.lines)


def test_samples_come_at_the_rate_whatever_a_reading_takes():
    samples = Machine(11, reading_s=0.03).run()
    steps = [b.at_s - a.at_s for a, b in itertools.pairwise(samples)]
    assert len(samples) == 11
    assert all(abs(step - 1 / RATE_HZ) < 1e-9 for step in steps)


def test_late_samples_are_not_made_up_for():
    machine = Machine(4, reading_s=3.0)
    machine.run()
    assert machine.waits == [0.0] * 4


def test_slow_readings_are_in_every_fifth_sample():
    samples = Machine(2 * SLOW_EVERY).run()
    assert [i for i, s in enumerate(samples) if s.power_source] == [0, SLOW_EVERY]


def test_a_sample_is_a_line_of_what_is_known():
    sample = Sample(at_s=1.5, throttle_reasons=("power limit",), low_power=False)
    assert json.loads(sample.line()) == {"at_s": 1.5, "throttle_reasons": ["power limit"], "low_power": False}
    assert sample.line().endswith(b"\n")
    assert parse([sample.line()]) == [sample]


def test_what_a_killed_writer_left_behind_is_passed_over():
    whole = Sample(at_s=2.0, clock_mhz=5.0).line()
    lines = [b"", whole[:-5], b"null", b"[1]", b'{"clock_mhz":1}', b'{"at_s":1,"alien":2}', whole]
    assert parse(lines) == [Sample(at_s=2.0, clock_mhz=5.0)]
