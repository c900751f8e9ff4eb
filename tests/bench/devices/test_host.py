"""Cores and memory of containers, from files as the kernel writes them."""

import pytest

from bench.devices import host

GIB = 2**30


@pytest.fixture
def groups(monkeypatch, tmp_path):
    """A simulated tree of control groups of which this process is in ``/slice/box``."""
    monkeypatch.setattr(host, "CGROUP", tmp_path)

    def make(controllers, files):
        monkeypatch.setattr(host, "CGROUP_OF_SELF", tmp_path / "self", raising=True)
        (tmp_path / "self").write_text("".join(f"{n}:{c}:/slice/box\n" for n, c in enumerate(controllers)))
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return make


def test_no_limits(groups):
    groups([""], {"slice/box/cpu.max": "max 100000\n", "slice/box/memory.max": "max\n"})
    assert host._cpu_quota() is None
    assert host._memory_limits() == []


def test_the_tightest_group_on_the_way_up_counts(groups):
    groups(
        [""],
        {
            "slice/box/cpu.max": "400000 100000\n",
            "slice/cpu.max": "150000 100000\n",
            "slice/box/memory.max": f"{8 * GIB}\n",
            "slice/box/memory.current": f"{5 * GIB}\n",
            "slice/box/memory.stat": f"anon 1\ninactive_file {2 * GIB}\n",
        },
    )
    assert host._cpu_quota() == 1.5
    assert host._memory_limits() == [(8 * GIB, 3 * GIB)]


def test_groups_of_the_first_version(groups):
    groups(
        ["cpu,cpuacct", "memory"],
        {
            "cpu/slice/box/cpu.cfs_quota_us": "200000\n",
            "cpu/slice/box/cpu.cfs_period_us": "100000\n",
            "cpu/cpu.cfs_quota_us": "-1\n",
            "cpu/cpu.cfs_period_us": "100000\n",
            "memory/slice/box/memory.limit_in_bytes": f"{4 * GIB}\n",
            "memory/slice/box/memory.usage_in_bytes": f"{1 * GIB}\n",
            "memory/memory.limit_in_bytes": "9223372036854771712\n",
            "memory/memory.usage_in_bytes": f"{9 * GIB}\n",
        },
    )
    assert host._cpu_quota() == 2
    assert host._memory_limits() == [(4 * GIB, 1 * GIB)]


def test_a_small_share_of_a_core_is_still_one_thread(monkeypatch):
    monkeypatch.setattr(host, "_cpu_quota", lambda: 0.4)
    assert host.usable_cores() == 1


def test_a_limit_shows_in_what_may_be_used(monkeypatch):
    monkeypatch.setattr(host, "_memory_limits", lambda: [(3 * GIB, GIB)])
    monkeypatch.setattr(
        host.psutil, "virtual_memory", lambda: type("M", (), {"total": 64 * GIB, "available": 60 * GIB})
    )
    assert host.total_memory_bytes() == 3 * GIB
    assert host.free_memory_bytes() == 2 * GIB
    assert any("container limits the memory" in note for note in host.notes())


def test_a_missing_or_failing_command_says_nothing():
    assert host.output_of("no-such-command-anywhere") is None
    assert host.output_of("false") is None


def test_this_machine_has_a_name():
    assert host.cpu_name().strip()
    assert 1 <= host.usable_cores() <= host.physical_cores()
