"""A project of airspeed velocity with as many results as are asked for, in asv's own files.

    python asv_results.py FOLDER MACHINES BENCHMARKS COMMITS RESULTS

Runs with asv's Python: what is invented are the times alone, its own code works out their statistics and
writes them. The commits are of a repository made for it. Times wander by 2 % and step once in the history of
every fifth benchmark, so that the search for steps has both to do.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace

from asv.benchmarks import Benchmarks
from asv.config import Config
from asv.machine import Machine
from asv.results import Results

START = datetime(2026, 1, 1, tzinfo=timezone.utc)  # noqa: UP017 - asv runs on older Pythons than ours
HOUR_S = 3_600
PYTHON = "3.11"
#: Timings of one benchmark in one commit, which asv makes a median, quartiles and an interval of.
SAMPLES = 10


def main() -> None:
    folder = Path(sys.argv[1])
    machines, benchmarks, commits, results = map(int, sys.argv[2:])
    hashes = history(folder / "repo", commits)
    (folder / "asv.conf.json").write_text(
        json.dumps({"version": 1, "project": "perf", "repo": "repo", "branches": ["main"]}), encoding="utf-8"
    )
    conf = Config.load(str(folder / "asv.conf.json"))
    conf.results_dir = str(folder / "results")
    listed = [benchmark(number) for number in range(benchmarks)]
    Benchmarks(conf, listed).save()
    left = results
    for commit, name in enumerate(hashes):
        for machine in range(machines):
            if left <= 0:
                return
            fill(conf.results_dir, name, commit, commits, machine, listed[:left])
            left -= len(listed)


def history(repo: Path, commits: int) -> list[str]:
    """A repository of that many commits on one branch, an hour apart; their names, oldest first."""
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(repo)], check=True)
    first = int(START.timestamp())
    lines = []
    for number in range(commits):
        lines += ["commit refs/heads/main", f"committer perf <> {first + number * HOUR_S} +0000"]
        lines += ["data 0", ""]
    git = ["git", "-C", str(repo)]
    subprocess.run([*git, "fast-import", "--quiet"], input="\n".join(lines), text=True, check=True)
    listed = subprocess.run(
        [*git, "rev-list", "--reverse", "main"], check=True, capture_output=True, text=True
    )
    return listed.stdout.split()


def benchmark(number: int) -> dict:
    """What asv's search for benchmarks notes of one without parameters."""
    return {
        "name": f"suite.Suite{number // 10}.time_work{number}",
        "code": f"def time_work{number}(self):\n    work({number})\n",
        "params": [],
        "param_names": [],
        "type": "time",
        "unit": "seconds",
        "version": f"{number:064x}",
        "timeout": 60.0,
        "number": 0,
        "repeat": 0,
        "warmup_time": -1,
        "min_run_count": 2,
        "rounds": 2,
        "sample_time": 0.01,
    }


def fill(folder: str, name: str, commit: int, commits: int, machine: int, listed: list[dict]) -> None:
    """One machine's results of one commit, as ``asv run`` writes them."""
    facts = {"machine": f"machine{machine}", "os": "Linux", "arch": "x86_64", "cpu": "CPU", "num_cpu": "8"}
    facts["ram"] = "16GB"
    of = Path(folder) / facts["machine"]
    if not of.is_dir():
        known = Machine.__new__(Machine)
        known.__dict__.update(facts)
        known.save(folder)
    date = int(START.timestamp() + commit * HOUR_S) * 1000
    params = {**facts, "python": PYTHON}
    results = Results(params, {}, name, date, PYTHON, f"existing-py{PYTHON}", {})
    for number, one in enumerate(listed):
        step = 1.3 if number % 5 == 0 and commit > commits // 2 else 1.0
        base = 1e-3 * (1 + number) * (1 + machine / 10) * step
        times = [base * (1 + 0.02 * math.sin(7 * commit + 3 * number + at)) for at in range(SAMPLES)]
        told = SimpleNamespace(
            result=[times[0]], samples=[times], number=[1], stderr="", errcode=0, profile=None
        )
        results.add_result(one, told, started_at=START, duration=1.0)
    results.save(folder)


if __name__ == "__main__":
    main()
