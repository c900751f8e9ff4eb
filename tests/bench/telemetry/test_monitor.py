"""The sampling process and its owner: what is read, and what is left when either dies. Real processes."""

import os
import select
import signal
import subprocess
import sys

import psutil
import pytest

from bench.telemetry.monitor import MOST_STARTS, Telemetry

#: The real process, hurried, so that no test waits for a second.
QUICK = [sys.executable, "-c", "from bench.telemetry import sampler as s; s.RATE_HZ = 500.0; s.main()"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and select on pipes are POSIX's")


def wait_for(process):
    process.wait()  # a child of this process: no polling, no deadline but the test's own


@pytest.fixture
def telemetry():
    made = []

    def make(*args, **kwargs):
        made.append(Telemetry(*args, **kwargs))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_window_holds_the_samples_that_were_written_in_it(telemetry):
    watched = telemetry("host", command=QUICK)
    window = watched.watch()  # waits for the first sample
    assert watched.is_sampling
    mark = watched.mark()
    while watched.mark() < mark + 200:  # at least two more
        os.sched_yield()
    found = window.finish()
    assert found.detail["samples"] >= 2
    assert "sampled_at_ends_only" not in found.detail


def test_a_killed_sampler_loses_nothing_that_it_wrote(telemetry):
    watched = telemetry("host", command=QUICK)
    window = watched.watch()
    mark = watched.mark()
    while watched.mark() < mark + 200:
        os.sched_yield()
    os.kill(watched.pid, signal.SIGKILL)
    wait_for(watched._process)
    assert window.finish().detail["samples"] >= 2
    assert not watched.is_sampling
    after = watched.watch()  # started again
    assert watched.is_sampling
    assert after.finish().detail["samples"] >= 1


def test_where_no_process_can_run_the_device_is_read_at_both_ends(telemetry, tmp_path):
    watched = telemetry("host", command=[str(tmp_path / "missing")])
    found = watched.watch().finish()
    assert found.detail["samples"] == 2
    assert found.detail["sampled_at_ends_only"] is True


def test_a_process_that_ends_by_itself_is_given_up(telemetry):
    watched = telemetry("host", command=[sys.executable, "-c", "pass"])
    for _ in range(MOST_STARTS + 2):
        if watched._process is not None:
            wait_for(watched._process)
        found = watched.watch().finish()
    assert watched._starts == MOST_STARTS
    assert found.detail["sampled_at_ends_only"] is True


OWNER = """
import sys
from bench.telemetry.monitor import Telemetry
telemetry = Telemetry("host")
telemetry.watch()
print(telemetry.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waiting for a grandchild needs pidfd_open (Linux)")
def test_the_sampler_dies_with_its_owner():
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    pid = int(owner.stdout.readline())
    descriptor = os.pidfd_open(pid)
    owner.kill()
    owner.wait()
    assert select.select([descriptor], [], [], 60)[0], "the sampler outlived its owner"
    os.close(descriptor)
    owner.stdin.close()
    owner.stdout.close()


def test_nothing_is_left_on_the_disk(telemetry, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    watched = telemetry("host")
    watched.watch().finish()
    assert list(tmp_path.iterdir()) == []


def test_the_samplers_own_time_is_not_other_peoples(telemetry):
    watched = telemetry("host")
    watched.watch()
    assert psutil.Process(watched.pid).ppid() == os.getpid()
