"""How a build grows: over rows at the same pages, and over pages, against empty Material sites.

The store is invented, of eight cells a device. Rows grow by repetition, as they do where a machine is
measured every night; devices each bring a page. The empty site has as many pages as the guide, so the last
column of figures is what the guide's own work costs beside the generator's.
"""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, by_turns, compared
from measure_build import build, empty_site
from scale_store import project

ON_REQUEST = "about 10 minutes and 2 GB of memory"
ROWS, QUICK_ROWS = (1_000, 100_000, 1_000_000), (1_000, 3_000)
DEVICES, QUICK_DEVICES = (10, 100, 400), (3, 6)
ROUNDS = 3


def measure(quick: bool = False) -> Iterator[Figure]:
    rows, devices = (QUICK_ROWS, QUICK_DEVICES) if quick else (ROWS, DEVICES)
    rounds = 1 if quick else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        few = devices[0]
        base = project(work / "few", rows[0], few)
        for count in rows[1:]:
            more = project(work / f"rows-{count}", count, few)
            pairs = by_turns(
                lambda more=more: build(more, work / "a"), lambda: build(base, work / "b"), rounds
            )
            what = f"`mkdocs build`, {count:,} rows of {few} devices"
            yield compared(what, f"{rows[0]:,} rows of them", pairs, f"{megabytes(work / 'a')}; {memory()}")
        for count in devices:
            many = project(work / f"devices-{count}", max(rows[0], 16 * count), count)
            build(many, work / "a")
            pages = len(list((work / "a").rglob("index.html")))
            empty = empty_site(work / f"empty-{count}", pages)
            pairs = by_turns(
                lambda many=many: build(many, work / "a"),
                lambda empty=empty: build(empty, work / "b"),
                rounds,
            )
            note = f"{megabytes(work / 'a')}; goal ×1.5"
            against = f"an empty Material site of {pages} pages"
            yield compared(f"`mkdocs build`, {count} devices", against, pairs, note)


def megabytes(site: Path) -> str:
    """What the output takes on disk."""
    return f"{sum(path.stat().st_size for path in site.rglob('*') if path.is_file()) / 1e6:.1f} MB"


def memory() -> str:
    """The most that any build so far held."""
    return f"at most {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6:.2g} GB of memory"
