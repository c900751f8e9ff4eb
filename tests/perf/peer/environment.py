"""An environment of its own for another tool, made once and kept in the project's ``.cache``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import venv
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


class CannotRun(Exception):
    """Why a tool could not be measured, in one line."""


@dataclass(frozen=True)
class Peer:
    """A tool to compare with, at one version.

    ``needs`` is what pip does not work out by itself; ``shared`` are packages that it gets in our own
    version, so that both run the same kernels.
    """

    name: str
    version: str
    needs: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Where its environment is kept."""
        return ROOT / ".cache" / "perf" / f"{self.name}-{self.version}"

    def requirements(self) -> list[str]:
        """What pip is asked for."""
        ours = [f"{package}=={version(package).partition('+')[0]}" for package in self.shared]
        return [f"{self.name}=={self.version}", *self.needs, *ours]


@dataclass(frozen=True)
class Environment:
    """Where it is, and what making it took."""

    folder: Path
    size_bytes: int
    install_s: float
    versions: dict[str, str]

    def program(self, name: str) -> str:
        """Path of a program in it."""
        where = self.folder / ("Scripts" if os.name == "nt" else "bin")
        return str(where / (name + (".exe" if os.name == "nt" else "")))


def environment(peer: Peer) -> Environment:
    """The tool's environment, made where it is not there yet. Raises ``CannotRun`` when it cannot be made."""
    stamp = peer.folder / "hwguide-perf.json"
    if not stamp.is_file():
        _make(peer, stamp)
    return Environment(peer.folder, **json.loads(stamp.read_text("utf-8")))


def _make(peer: Peer, stamp: Path) -> None:
    folder = peer.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    venv.create(folder, with_pip=True)
    made = Environment(folder, 0, 0.0, {})
    pip = [made.program("python"), "-m", "pip", "--disable-pip-version-check"]
    _run([*pip, "install", "--quiet", *peer.requirements()])
    taken = time.perf_counter() - begin
    _run([*pip, "check"])
    listed = json.loads(_run([*pip, "list", "--format", "json"]))
    wanted = {peer.name, *peer.shared, *(need.partition("<")[0].partition(">")[0] for need in peer.needs)}
    versions = {one["name"]: one["version"] for one in listed if one["name"] in wanted}
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    found = {"size_bytes": size, "install_s": taken, "versions": versions}
    stamp.write_text(json.dumps(found), encoding="utf-8")


def _run(command: list[str]) -> str:
    print(f"  {' '.join(command[1:])}", file=sys.stderr, flush=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotRun(f"its environment cannot be made: {last_line(done.stderr or done.stdout)}")
    return done.stdout


def last_line(text: str) -> str:
    """The last line that is not empty, fit for a table's cell."""
    found = next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no output")
    return found.replace("|", "/")[:200]
