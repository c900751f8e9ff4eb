"""`mkdocs build` of 25,000 rows beside `asv publish` of 25,000 results (airspeed velocity 0.6.6).

Both make a site out of a folder of results, each of its own format and with invented times, by turns. Ours
are 8 cells of each of 10 devices, measured over and over. Theirs are once the same shape, with machines for
devices and commits for days, and once one machine with many benchmarks, which is what asv is mostly used for.
The two do not write the same: asv one page and the points of a graph for each benchmark, the guide its pages.
Pictures that an earlier build drew are kept, here as for anybody; the note says what the first build takes.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from figures import Figure, Missing, by_turns, compared
from measure_build import build
from measure_scale import megabytes
from peer import airspeed
from peer.environment import CannotRun, environment
from scale_store import DEPTHS, project

ON_REQUEST = "about 3 minutes; needs git, and 50 MB of asv in .cache"
RESULTS, QUICK_RESULTS = 25_000, 500
ROUNDS, QUICK_ROUNDS = 7, 1
DEVICES = 10


def measure(quick: bool = False) -> Iterator[Figure | Missing]:
    results, rounds = (QUICK_RESULTS, QUICK_ROUNDS) if quick else (RESULTS, ROUNDS)
    what = f"`mkdocs build`, {results:,} rows of {DEVICES} devices"
    shapes = (airspeed.shape(DEVICES, len(DEPTHS), results), airspeed.shape(1, 50, results))
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        guide = project(work / "guide", results, DEVICES)
        for number, shape in enumerate(shapes):
            against = f"`asv publish` {airspeed.PEER.version}, {results:,} results: {shape}"
            try:
                yield beside(what, against, guide, work / str(number), shape, results, rounds)
            except CannotRun as reason:
                yield Missing(what, against, str(reason))


def beside(
    what: str, against: str, guide: Path, folder: Path, shape: airspeed.Shape, results: int, rounds: int
) -> Figure:
    """The figure of one shape. Raises ``CannotRun``."""
    their = environment(airspeed.PEER)
    other = airspeed.made(folder, their, shape, results)
    site = folder.with_name(f"{folder.name}-guide")
    with mock.patch.dict(os.environ, {"HWGUIDE_CACHE": str(folder.with_name(f"{folder.name}-cache"))}):
        first_s = build(guide, site)
        pairs = by_turns(lambda: build(guide, site), lambda: airspeed.publish(other, their), rounds)
    drawn = airspeed.published(other)
    if drawn != results:
        raise CannotRun(f"its pages hold {drawn:,} of {results:,} results, so the two do not compare")
    ours_s, theirs_s = (statistics.median(side) for side in zip(*pairs, strict=True))
    pages = len(list(site.rglob("index.html")))
    note = (
        f"{ours_s:.3g} s for {pages} pages, {megabytes(site)} (the first time {first_s:.3g} s); "
        f"{theirs_s:.3g} s for one page, {megabytes(other / 'html')}"
    )
    return compared(what, against, pairs, note)
