"""No disk, no memory, and many at once: for real, not by pretended errors."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
from pathlib import Path

import pytest

from bench import store
from bench.runner.process import out_of_memory_kills

NEW = ("collect", "--out", "data", "--device", "fake", "--suite", "tiny")
RESUMED = ("collect", "--out", "data", "--resume")
STARVING = ("collect", "--out", "data", "--device", "fake", "--suite", "quick")


def only_run(folder):
    [path] = [p for p in folder.glob("data/runs/*/*.parquet") if not p.name.startswith(".")]
    return path, {row["cell_id"]: row for row in store.read_run(path)}


def test_sixteen_collectors_in_one_store_lose_nothing(server, tmp_path):
    found = server.run(tmp_path, NEW, times=16)
    assert found["code"] == 0, found["err"]
    contents = store.read_store(tmp_path / "data" / "runs")
    assert len(contents.files) == 16 and contents.left_out == []
    assert len(contents.rows) == 16 * 6
    assert {row["status"] for row in contents.rows} == {"ok"}
    stored = {words for line in found["events"] if line.startswith("stored") for words in line.split()[1:]}
    assert {row["cell_id"] for row in contents.rows} == stored
    assert not list(tmp_path.glob("data/runs/*/.*"))


def check_full(found, folder):
    """What holds after a run that met a full disk; returns what it left."""
    assert found["code"] == 1
    assert "Cannot write the run file" in found["err"]
    assert "--resume" in found["err"]
    assert "Traceback" not in found["err"]
    path, rows = only_run(folder)
    stored = [line.split()[1:] for line in found["events"] if line.startswith("stored")]
    assert {i for i, row in rows.items() if row["status"] == "ok"} == set(stored[-1])
    assert not list(folder.glob("data/runs/*/.*")), "what did not fit is left in the way"
    return path, rows


def check_resumed(server, folder, before):
    assert server.run(folder, RESUMED)["code"] == 0
    _, after = only_run(folder)
    assert {row["status"] for row in after.values()} == {"ok"}
    assert all(after[i] == row for i, row in before.items() if row["status"] == "ok")


@pytest.mark.parametrize("size", [1_000, 6_000, 12_000], ids=["rows", "more-rows", "copy"])
@pytest.mark.parametrize("write", [2, 7, 13])
def test_a_file_that_may_not_grow_ends_the_run_and_resume_completes_it(server, tmp_path, size, write):
    found = server.run(tmp_path, NEW, shortage={"nth": write, "file": size})
    _, before = check_full(found, tmp_path)
    assert sum(row["status"] == "ok" for row in before.values()) == (write - 2) // 2
    check_resumed(server, tmp_path, before)


def mount_small(folder: Path, size: int) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def test_a_disk_that_is_really_full(server, tmp_path):
    disk = tmp_path / "data"
    disk.mkdir()
    if not mount_small(disk, 256 * 1024):
        pytest.skip("only root may mount a small disk; the test above limits files instead")
    try:
        found = server.run(tmp_path, NEW, shortage={"nth": 8, "fill": "data/ballast"})
        assert "the disk is full" in found["err"]
        _, before = check_full(found, tmp_path)
        assert sum(row["status"] == "ok" for row in before.values()) == 3
        (disk / "ballast").unlink()
        check_resumed(server, tmp_path, before)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def check_starved(found, folder):
    """The cells that asked for too much, by batch."""
    assert found["code"] == 0, found["err"]
    _, rows = only_run(folder)
    assert {row["status"] for row in rows.values() if row["model"] == "plain"} == {"ok"}
    hungry = {row["batch"]: row for row in rows.values() if row["model"] == "hungry"}
    smallest = min(b for b, row in hungry.items() if row["status"] == "oom")
    assert {row["status"] for row in hungry.values()} <= {"oom", "skipped"}
    skipped = [row for row in hungry.values() if row["status"] == "skipped"]
    assert skipped and all(row["batch"] > smallest for row in skipped)
    return hungry


def test_memory_that_ends_prunes_the_larger_cells_and_the_run_goes_on(server, tmp_path):
    hungry = check_starved(server.run(tmp_path, STARVING), tmp_path)
    assert any("MemoryError" in row["status_detail"] for row in hungry.values() if row["status"] == "oom")


@contextlib.contextmanager
def small_group(limit: int):
    """A control group with that much memory, of version 1 or 2; None where it may not be made."""
    made = None
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, own = line.split(":", 2)
            root = Path("/sys/fs/cgroup") / controllers / own.lstrip("/")
            files = (
                ("memory.limit_in_bytes",) if controllers == "memory" else ("memory.max", "memory.swap.max")
            )
            if controllers not in ("", "memory") or not (root / files[0]).exists():
                continue
            made = root / f"hwguide-{secrets.token_hex(4)}"
            made.mkdir()
            (made / files[0]).write_text(str(limit))
            for swap in files[1:]:
                (made / swap).write_text("0")
            break
    try:
        yield made if made and made.is_dir() else None
    finally:
        if made is not None and made.is_dir():
            made.rmdir()


def test_the_kernels_out_of_memory_killer(server, tmp_path):
    with small_group(48 * 2**20) as group:
        if group is None or os.geteuid() != 0:
            pytest.skip("no control group may be made here; the test above limits the process instead")
        before = out_of_memory_kills()
        hungry = check_starved(server.run(tmp_path, STARVING, FAKE_CGROUP=str(group)), tmp_path)
    killed = [row for row in hungry.values() if row["status"] == "oom"]
    assert all("out-of-memory killer ended the process" in row["status_detail"] for row in killed)
    assert out_of_memory_kills() >= before + len(killed)
