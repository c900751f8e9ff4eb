"""What is told of the machine, and that nothing personal is."""

import getpass
import json
import platform
import re
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from bench.measure import environment as env


def test_the_environment_is_plain_and_names_nobody():
    found = env.environment()
    text = json.dumps(found)
    assert {"os", "cpu", "memory_bytes", "python", "cores_usable"} <= found.keys()
    words = set(re.findall(r"[\w-]+", text.lower()))
    assert socket.gethostname().lower() not in words
    assert getpass.getuser().lower() not in words
    assert "/" not in text.replace("GNU/Linux", "")
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}", text), "a UUID"
    assert None not in found.values()


@pytest.mark.parametrize(
    ("version", "number"), [("6.18.5-joes-laptop", "6.18.5"), ("25.1.0", "25.1.0"), ("custom", None)]
)
def test_free_text_after_a_kernels_number_is_dropped(version, number):
    assert env.numeric(version) == number


def test_a_kernel_named_by_its_builder_is_not_kept(monkeypatch):
    monkeypatch.setattr(platform, "release", lambda: "6.1.0-ada-homebuilt")
    assert "ada" not in json.dumps(env.environment())


def test_one_machine_keeps_its_id_and_salts_tell_users_apart(tmp_path):
    first = env.host_id(tmp_path / "a")
    assert re.fullmatch(r"[0-9a-f]{16}", first)
    assert env.host_id(tmp_path / "a") == first
    assert env.host_id(tmp_path / "b") != first


def test_two_machines_with_one_home_folder_differ(tmp_path, monkeypatch):
    first = env.host_id(tmp_path)
    monkeypatch.setattr(env, "_machine", lambda: "another machine")
    assert env.host_id(tmp_path) != first


def test_the_id_shows_nothing_of_the_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(env, "_machine", lambda: "abcdef0123456789")
    assert env.host_id(tmp_path) not in ("abcdef0123456789", (tmp_path / env.SALT_FILE).read_text())


def test_a_folder_that_cannot_be_written_gives_an_id_for_one_run(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    first, second = env.host_id(blocked), env.host_id(blocked)
    assert re.fullmatch(r"[0-9a-f]{16}", first)
    assert first != second


def test_many_processes_that_start_at_once_agree(tmp_path):
    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(lambda _: env.host_id(tmp_path / "state"), range(64)))
    assert len(found) == 1
    assert [p.name for p in (tmp_path / "state").iterdir()] == [env.SALT_FILE]
