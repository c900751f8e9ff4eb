"""An environment of its own for optimum-benchmark, made once and kept in the project's ``.cache``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
VERSION = "0.6.0"
#: As pip resolves 0.6.0 alone it fails at import: it needs transformers 4, which needs datasets 4. The same
#: torch as ours, so that both run the same kernels.
REQUIREMENTS = (f"optimum-benchmark=={VERSION}", "transformers<5", "datasets>=4,<5")
FOLDER = ROOT / ".cache" / "perf" / f"optimum-benchmark-{VERSION}"


class CannotRun(Exception):
    """Why a tool could not be measured, in one line."""


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


def environment() -> Environment:
    """The environment, made where it is not there yet. Raises ``CannotRun`` when it cannot be made."""
    stamp = FOLDER / "hwguide-perf.json"
    if not stamp.is_file():
        _make(stamp)
    return Environment(FOLDER, **json.loads(stamp.read_text("utf-8")))


def _make(stamp: Path) -> None:
    from importlib.metadata import version

    torch = version("torch").partition("+")[0]
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    venv.create(FOLDER, with_pip=True)
    made = Environment(FOLDER, 0, 0.0, {})
    pip = [made.program("python"), "-m", "pip", "--disable-pip-version-check"]
    _run([*pip, "install", "--quiet", *REQUIREMENTS, f"torch=={torch}"])
    taken = time.perf_counter() - begin
    _run([*pip, "check"])
    listed = json.loads(_run([*pip, "list", "--format", "json"]))
    wanted = {"optimum-benchmark", "transformers", "datasets", "torch"}
    versions = {one["name"]: one["version"] for one in listed if one["name"] in wanted}
    size = sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file() and not path.is_symlink())
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
