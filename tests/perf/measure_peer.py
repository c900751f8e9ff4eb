"""Whole runs of `bench collect` and of optimum-benchmark 0.6.0 against a bare loop run in the same minutes.

Each tool measures one cell from its command line, with its own processes around it. Right before and after,
the same bare loop runs in a process of its own with that tool's Python and libraries; the tool's time over
the mean of the two is its bias. The two tools' libraries differ (transformers 5 and 4), so their bare loops
do too.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from figures import Figure, Missing, bias
from peer import optimum
from peer.environment import CannotRun, Environment, environment
from peer.hub import serving
from peer.processes import run, usable_cores
from subjects import BERT, config_of, decode

from bench.cells import Cell
from bench.measure.stats import median_interval

#: It takes too long to belong to the measurements that run when none is named.
ON_REQUEST = "about 40 minutes, and 1.4 GB of another tool's environment in .cache"

ROUNDS, BARE_S = 6, 6.0
QUICK_ROUNDS, QUICK_BARE_S = 1, 1.0
HERE = Path(__file__).parent
NEW = 32
#: What the bare loop hands to the model: what the tool hands to it.
OUR_WAY, PEER_WAY = {"cache": "static", "mask": False}, {"cache": "dynamic", "mask": True}
#: What is run: a name, our cell, the input's tokens, new tokens of the peer (its decode is one less).
SUBJECTS = (
    ("BERT-base, 1 × 128 tokens", BERT, 128, 0),
    (f"decoder of 110 M, {NEW - 1} tokens after 64", decode(NEW - 1), 64, NEW),
)


@dataclass
class Tool:
    """One way to measure, and what came of it."""

    what: str
    measure: Callable[[Path], tuple[float, float, str]]  # folder -> (seconds of a call, wall seconds, note)
    bare: Callable[[], float]
    ratios: list[float] = field(default_factory=list)
    bare_s: list[float] = field(default_factory=list)
    wall_s: list[float] = field(default_factory=list)
    notes: set[str] = field(default_factory=set)
    reason: str = ""


def measure(quick: bool = False) -> Iterator[Figure | Missing]:
    peer = peer_or_reason()
    with tempfile.TemporaryDirectory() as name, serving(hub_of()) as hub:
        for what, cell, tokens, new in SUBJECTS:
            tools = [
                *ours(what, cell, tokens, new, quick),
                *others(what, cell, tokens, new, hub, peer, quick),
            ]
            for round_ in range(QUICK_ROUNDS if quick else ROUNDS):
                print(f"  {what}: round {round_ + 1}", file=sys.stderr, flush=True)
                take_turns(tools, Path(name) / f"{cell.workload}-{round_}")
            for tool in tools:
                yield from told(tool)
        yield wall_with_probe(Path(name), quick)
    if isinstance(peer, Environment):
        versions = ", ".join(f"{name} {version}" for name, version in sorted(peer.versions.items()))
        note = f"{peer.size_bytes / 1e9:.2g} GB; {versions}"
        yield Figure(
            "optimum-benchmark: its environment made", "nothing", peer.install_s, None, None, 1, "s", note
        )


def peer_or_reason() -> Environment | str:
    """The peer's environment, or why there is none."""
    try:
        return environment(optimum.PEER)
    except CannotRun as reason:
        return str(reason)


def hub_of() -> dict[str, dict[str, Any]]:
    """What the loopback hub serves."""
    return {f"perf/{cell.workload}": config_of(cell) for _, cell, _, _ in SUBJECTS}


def take_turns(tools: list[Tool], folder: Path) -> None:
    """Each tool once, its bare loop before and after; one that failed is not tried again."""
    for number, tool in enumerate(tools):
        if tool.reason:
            continue
        try:
            before = tool.bare()
            seconds, wall_s, note = tool.measure(folder / str(number))
            after = tool.bare()
        except CannotRun as reason:
            tool.reason = str(reason)
            continue
        tool.ratios.append(2 * seconds / (before + after))
        tool.bare_s += [before, after]
        tool.wall_s.append(wall_s)
        tool.notes |= {note} - {""}


def told(tool: Tool) -> Iterator[Figure | Missing]:
    """The lines of one tool."""
    if not tool.ratios:
        yield Missing(tool.what, "the bare loop before and after", tool.reason)
        return
    if tool.reason:
        tool.notes.add(f"ended early: {tool.reason}")
    note = "; ".join(sorted(tool.notes))
    against = f"the bare loop before and after, {1e3 * statistics.median(tool.bare_s):.3g} ms a call"
    yield bias(tool.what, against, tool.ratios, note)
    wall = median_interval(tool.wall_s)
    what = f"{tool.what}: from start to a result"
    yield Figure(what, "nothing", wall.value, wall.low, wall.high, wall.count, "s")


def ours(what: str, cell: Cell, tokens: int, new: int, quick: bool) -> Iterator[Tool]:
    """``bench collect`` on all cores, on one, and on two where there are more."""
    cores = usable_cores()
    total = len(cores) or os.cpu_count() or 1
    sets: dict[str, list[int]] = {f"all {total} cores": []}
    if len(cores) > 1:
        sets["one core"] = cores[:1]
    if len(cores) > 2:
        sets["two cores"] = cores[:2]
    for name, some in sets.items():

        def once(folder: Path, some: list[int] = some) -> tuple[float, float, str]:
            return collect(cell, folder, some, quick)

        def bare(some: list[int] = some) -> float:
            return bare_loop(sys.executable, cell, tokens, new, OUR_WAY, quick, some)

        yield Tool(f"`bench collect`, {name}, {what}", once, bare)


def others(
    what: str, cell: Cell, tokens: int, new: int, hub: str, peer: Environment | str, quick: bool
) -> Iterator[Tool]:
    """The peer's default launcher, and the one without a process of its own."""
    for launcher in ("process", "inline"):
        default = " (default)" if launcher == "process" else ""

        def once(folder: Path, launcher: str = launcher) -> tuple[float, float, str]:
            if isinstance(peer, str):
                raise CannotRun(peer)
            model, program = f"perf/{cell.workload}", peer.program("optimum-benchmark")
            seconds, done = optimum.measure(
                program, folder, launcher, model, config_of(cell), tokens, new, hub, quick
            )
            note = f"ends with exit status {done.status} after its report" if done.status else ""
            return seconds, done.wall_s, note

        def bare() -> float:
            if isinstance(peer, str):
                raise CannotRun(peer)
            return bare_loop(peer.program("python"), cell, tokens, new, PEER_WAY, quick)

        yield Tool(
            f"optimum-benchmark {optimum.PEER.version}, launcher {launcher}{default}, {what}", once, bare
        )


def bare_loop(
    python: str,
    cell: Cell,
    tokens: int,
    new: int,
    way: dict[str, Any],
    quick: bool,
    cores: list[int] | None = None,
) -> float:
    """Median seconds of a call of the bare loop, in a process of its own."""
    asked = {
        "config": config_of(cell),
        "tokens": tokens,
        "new": new - 1 if new else 0,
        **way,
        "seconds": QUICK_BARE_S if quick else BARE_S,
    }
    done = run([python, str(HERE / "peer" / "bare.py"), json.dumps(asked)], cores or [])
    if done.status:
        raise done.error()
    return statistics.median(json.loads(done.output))


def collect(
    cell: Cell, folder: Path, cores: list[int], quick: bool, probe: str = "no-probe"
) -> tuple[float, float, str]:
    """One run of ours, to the precision of the suite ``quick``: seconds of a call, wall seconds, a note."""
    own = {"HWGUIDE_STATE": str(folder / "state")}
    arguments = [json.dumps(cell.as_json()), str(folder / "data"), "tiny" if quick else "quick", probe]
    done = run([sys.executable, str(HERE / "peer" / "ours.py"), *arguments], cores, env=os.environ | own)
    if done.status:
        raise done.error()
    row = next(row for row in json.loads(done.output)["rows"] if row["cell_id"] == cell.cell_id)
    if row["status"] != "ok":
        raise CannotRun(f"{row['status']}: {row['status_detail']}")
    return row["work_per_sample"] / row["rate"], done.wall_s, ""


def wall_with_probe(folder: Path, quick: bool) -> Figure | Missing:
    """What the ceiling probe, which every real run begins with, adds to the time until a result."""
    what = "`bench collect`, BERT-base, the ceiling probe before it: from start to a result"
    try:
        _, wall_s, _ = collect(BERT, folder / "probe", [], quick, "probe")
    except CannotRun as reason:
        return Missing(what, "nothing", str(reason))
    return Figure(what, "nothing", wall_s, None, None, 1, "s")
