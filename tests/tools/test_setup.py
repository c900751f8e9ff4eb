"""The installer's decisions, on made-up machines; nothing is installed here."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load("torch_build", monkeypatch)


@pytest.fixture
def setup(build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The installer with an environment of its own that does not exist yet."""
    load("chromium", monkeypatch)
    module = load("setup", monkeypatch)
    monkeypatch.setattr(module, "VENV", tmp_path / "venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / "venv" / "hwguide-setup.json")
    return module


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def nvidia_smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts a program that prints the given line on the PATH."""

    def install(line: str) -> None:
        path = tmp_path / "nvidia-smi"
        path.write_text(f"#!/bin/sh\necho '{line}'\n")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    return install


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("595.71.05, 9.0", "cuda"),  # H100 or H200
        ("580.65.06, 7.5", "cuda"),  # T4
        ("550.144.03, 8.9", "cu126"),  # RTX 4090, a driver older than CUDA 13
        ("580.65.06, 7.0", "cu126"),  # V100, which CUDA 13 leaves out
        ("570.133.07, 12.0", "cuda"),  # RTX 5090, which CUDA 12.6 does not know
        ("590.44, [N/A]", "cuda"),
    ],
)
def test_nvidia_build_follows_driver_and_card(
    build: ModuleType, nvidia_smi, line: str, expected: str
) -> None:
    nvidia_smi(line)
    assert build.nvidia() == expected


def test_an_nvidia_tool_that_finds_no_gpu_is_no_gpu(build: ModuleType, nvidia_smi, monkeypatch) -> None:
    nvidia_smi("No devices were found")
    monkeypatch.setattr(build.Path, "exists", lambda self: False)
    assert build.nvidia() is None


@pytest.mark.parametrize(
    ("system", "gpus", "expected"),
    [
        ("Linux", {}, "cpu"),
        ("Linux", {"nvidia": "cu126", "amd": "rocm"}, "cu126"),
        ("Linux", {"amd": "rocm", "intel": "xpu"}, "rocm"),
        ("Linux", {"intel": "xpu"}, "xpu"),
        ("Windows", {"nvidia": "cuda"}, "cuda"),
        ("Windows", {"amd": "rocm"}, "default"),
        ("Darwin", {}, "default"),
    ],
)
def test_build_by_system_and_gpu(
    build: ModuleType, monkeypatch, system: str, gpus: dict, expected: str
) -> None:
    monkeypatch.setattr(build, "torch_of", lambda python: None)
    monkeypatch.setattr(build.platform, "system", lambda: system)
    for vendor in ("nvidia", "amd", "intel"):
        monkeypatch.setattr(build, vendor, lambda vendor=vendor: gpus.get(vendor))
    assert build.detect(sys.executable) == expected


def test_a_torch_that_is_there_is_kept(build: ModuleType, monkeypatch) -> None:
    monkeypatch.setattr(build, "torch_of", lambda python: ("2.8.0a0+vendor", "/somewhere"))
    assert build.detect(sys.executable) == "keep"


@pytest.mark.parametrize(
    ("version", "old"), [("2.5.1+cu124", True), ("2.6.0", False), ("2.7.0a0+nv25.2", False), ("3.0", False)]
)
def test_which_torch_is_too_old(build: ModuleType, version: str, old: bool) -> None:
    assert build.is_old(version) == old


def test_every_build_but_the_kept_one_can_be_installed(build: ModuleType) -> None:
    for name in set(build.BUILDS) - {"keep"}:
        for arguments in build.attempts(name):
            assert arguments[0].startswith("torch")
            assert arguments[1:] == [] or arguments[2].startswith("https://download.pytorch.org/whl/")
    assert build.attempts("cpu")[0] == [f"torch=={build.TORCH}+cpu"]


def test_the_oldest_torch_is_that_of_pyproject(build: ModuleType) -> None:
    text = (TOOLS.parent / "pyproject.toml").read_text("utf-8")
    assert '"torch>={}.{}"'.format(*build.OLDEST_TORCH) in text


def test_the_oldest_python_is_that_of_pyproject(setup: ModuleType) -> None:
    text = (TOOLS.parent / "pyproject.toml").read_text("utf-8")
    assert 'requires-python = ">={}.{}"'.format(*setup.OLDEST) in text


def test_no_python_that_is_new_enough_is_one_clear_message(setup: ModuleType, monkeypatch, capsys) -> None:
    monkeypatch.setattr(setup, "new_enough", lambda python: False)
    assert setup.main([]) == 1
    text = capsys.readouterr().out
    assert text.startswith("Error: Python 3.11 or newer is needed")
    assert "PYTHON=" in text


def test_a_folder_that_is_no_environment_is_left_alone(setup: ModuleType, monkeypatch, capsys) -> None:
    monkeypatch.setattr(setup.torch_build, "detect", lambda python: "cpu")
    setup.VENV.mkdir()
    (setup.VENV / "mine.txt").write_text("mine")
    assert setup.main([]) == 1
    assert "is not a Python environment" in capsys.readouterr().out
    assert (setup.VENV / "mine.txt").read_text() == "mine"


class Steps:
    """Stands for what would be installed, and keeps what was asked for."""

    def __init__(self, setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[tuple] = []
        self.setup = setup
        monkeypatch.setattr(setup, "new_enough", lambda python: Path(python).exists())
        monkeypatch.setattr(setup, "output", lambda command: "an answer")
        monkeypatch.setattr(setup, "create", self.create)
        monkeypatch.setattr(setup, "install_torch", lambda build: self.done.append(("torch", build)))
        monkeypatch.setattr(setup, "install_project", lambda extras, build: self.done.append((*extras,)))
        monkeypatch.setattr(setup, "pip", lambda *arguments, **_: self.done.append(arguments) or 0)

    def create(self, python: str, build: str) -> None:
        self.done.append(("create", build))
        program = self.setup.program("python")
        program.parent.mkdir(parents=True, exist_ok=True)
        program.unlink(missing_ok=True)
        program.symlink_to(sys.executable)

    def take(self) -> list[tuple]:
        done, self.done = self.done, []
        return done


@pytest.fixture
def steps(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Steps:
    monkeypatch.setattr(setup.torch_build, "detect", lambda python: "cpu")
    return Steps(setup, monkeypatch)


def test_nothing_is_done_twice(setup: ModuleType, steps: Steps) -> None:
    setup.install(["collect"], "auto")
    assert steps.take() == [("create", "cpu"), ("torch", "cpu"), ("collect",)]
    setup.install(["collect"], "auto")
    assert steps.take() == []


def test_extras_are_added_and_never_lost(setup: ModuleType, steps: Steps) -> None:
    setup.install(["collect", "dev"], "auto")
    steps.take()
    setup.install(["collect"], "auto")
    assert steps.take() == []
    stamp = json.loads(setup.STAMP.read_text())
    setup.STAMP.write_text(json.dumps(stamp | {"sources": "older"}))
    setup.install(["collect"], "auto")
    assert steps.take() == [("torch", "cpu"), ("collect", "dev")]


def test_another_build_replaces_torch_only(setup: ModuleType, steps: Steps) -> None:
    setup.install(["collect"], "auto")
    steps.take()
    setup.install(["collect"], "cuda")
    assert steps.take() == [("uninstall", "--yes", "torch"), ("torch", "cuda"), ("collect",)]


def test_an_install_that_failed_is_taken_up_again(setup: ModuleType, steps: Steps, monkeypatch) -> None:
    def fails(extras: list[str], build: str) -> None:
        raise setup.SetupError("no network")

    with monkeypatch.context() as patch:
        patch.setattr(setup, "install_project", fails)
        with pytest.raises(setup.SetupError):
            setup.install(["collect"], "auto")
    steps.take()
    setup.install(["collect"], "auto")
    assert steps.take() == [("torch", "cpu"), ("collect",)]


def test_an_environment_made_by_hand_keeps_its_torch(setup: ModuleType, steps: Steps, monkeypatch) -> None:
    steps.create(sys.executable, "by hand")
    steps.take()
    monkeypatch.setattr(setup, "torch_of", lambda python: ("2.9.0", "/somewhere"))
    setup.install(["collect"], "auto")
    assert steps.take() == [("torch", "keep"), ("collect",)]


def test_a_kept_torch_of_another_environment_is_visible(
    setup: ModuleType, tmp_path: Path, monkeypatch
) -> None:
    """A new environment made from one that has a torch of its own (a stand-in package here) sees it."""
    where = tmp_path / "vendor"
    (where / "torch").mkdir(parents=True)
    (where / "torch" / "__init__.py").write_text("__version__ = '2.9.0+vendor'\n")
    monkeypatch.setattr(
        setup, "torch_of", lambda python: ("2.9.0+vendor", str(where)) if python == "base" else None
    )
    real = setup.run
    this = {"base": [sys.executable], "venv": ["venv", "--without-pip"]}
    monkeypatch.setattr(
        setup, "run", lambda command, **o: real([word for c in command for word in this.get(c, [c])], **o)
    )
    setup.create("base", "keep")
    seen = subprocess.run(
        [setup.program("python"), "-c", "import torch; print(torch.__version__)"],
        capture_output=True,
        text=True,
    )
    assert seen.stdout.strip() == "2.9.0+vendor"


def test_a_kept_torch_that_is_too_old_is_said(setup: ModuleType, monkeypatch, capsys) -> None:
    monkeypatch.setattr(setup, "torch_of", lambda python: ("2.4.1", "/somewhere"))
    assert setup.main(["--torch", "keep"]) == 1
    text = capsys.readouterr().out
    assert "torch 2.4.1 is installed here, and 2.6 or newer is needed" in text
    assert not setup.VENV.exists()


def test_missing_chromium_that_cannot_be_installed_fails(setup: ModuleType, monkeypatch, capsys) -> None:
    monkeypatch.setattr(setup, "install", lambda extras, build: None)
    monkeypatch.setattr(setup, "has_chromium", lambda: False)
    monkeypatch.setattr(setup, "run", lambda command, **options: subprocess.CompletedProcess(command, 1))
    assert setup.main(["test"]) == 1
    text = capsys.readouterr().out
    assert "apt install chromium" in text
    assert "playwright install" in text


def test_options_are_for_pytest_only_with_test(setup: ModuleType) -> None:
    assert setup.parse(["test", "-k", "store"]).pytest == ["-k", "store"]
    with pytest.raises(SystemExit):
        setup.parse(["guide", "-k", "store"])


@pytest.mark.parametrize(
    ("codes", "expected", "ran"),
    [
        ({"bench": 0, "mkdocs": 0}, 0, ["bench", "mkdocs"]),
        ({"bench": 1, "mkdocs": 0}, 1, ["bench", "mkdocs"]),  # a cell failed: the rest is published
        ({"bench": 2}, 2, ["bench"]),  # wrong usage: nothing was measured
        ({"bench": 0, "mkdocs": 1}, 1, ["bench", "mkdocs"]),
    ],
)
def test_guide_publishes_what_was_measured(
    setup: ModuleType, monkeypatch, capsys, codes: dict, expected: int, ran: list[str]
) -> None:
    seen = []

    def step(command: Path, *_: str) -> int:
        seen.append(command.stem)
        return codes[command.stem]

    monkeypatch.setattr(setup, "install", lambda extras, build: None)
    monkeypatch.setattr(setup, "step", step)
    assert setup.main(["guide"]) == expected
    assert seen == ran
    assert ("http://localhost:8000/" in capsys.readouterr().out) == (codes.get("mkdocs") == 0)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal that reaches one process alone")
def test_ctrl_c_is_left_to_the_program_that_runs(setup: ModuleType, capsys) -> None:
    """The program ends in its own time, with the signal seen by both, and only then does the installer."""
    code = "import os, signal; os.kill(os.getppid(), signal.SIGINT); print('ended by itself', flush=True)"
    with pytest.raises(KeyboardInterrupt):
        setup.step(sys.executable, "-c", code)
