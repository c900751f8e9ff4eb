"""One ``asv publish``: a project full of results, the command, and whether the pages hold all of them."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from peer.environment import CannotRun, Environment, Peer
from peer.processes import run

PEER = Peer("asv", "0.6.6")
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Shape:
    """How the results of a project are made up: those of each machine, of each benchmark, of each commit."""

    machines: int
    benchmarks: int
    commits: int

    def __str__(self) -> str:
        machines = "one machine" if self.machines == 1 else f"{self.machines} machines"
        return f"{machines} × {self.benchmarks} benchmarks × {self.commits} commits"


def shape(machines: int, benchmarks: int, results: int) -> Shape:
    """With as many commits as the results need, the last of them not quite full."""
    return Shape(machines, benchmarks, -(-results // (machines * benchmarks)))


def made(folder: Path, environment: Environment, of: Shape, results: int) -> Path:
    """A project of that many results in its own formats. Raises ``CannotRun``."""
    if shutil.which("git") is None:
        raise CannotRun("no git on the PATH: asv publishes the history of a repository")
    folder.mkdir(parents=True)
    counts = [str(number) for number in (of.machines, of.benchmarks, of.commits, results)]
    done = run([environment.program("python"), str(HERE / "asv_results.py"), str(folder), *counts])
    if done.status:
        raise done.error()
    return folder


def publish(project: Path, environment: Environment) -> float:
    """Wall seconds of ``asv publish``, in a process of its own. Raises ``CannotRun``."""
    done = run([environment.program("python"), "-m", "asv", "publish", "--no-pull"], cwd=project)
    if done.status:
        raise done.error()
    return done.wall_s


def published(project: Path) -> int:
    """How many results its pages plot."""
    graphs = project / "html" / "graphs"
    own = (path for path in graphs.rglob("suite.*.json") if path.parent != graphs / "summary")
    return sum(len(json.loads(path.read_text("utf-8"))) for path in own)
