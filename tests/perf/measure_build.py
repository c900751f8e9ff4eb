"""How long ``mkdocs build`` takes, against an empty Material site with as many pages."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, by_turns, compared, seconds

ROUNDS, QUICK_ROUNDS = 5, 1
ROOT = Path(__file__).resolve().parents[2]
CONFIG = """site_name: Empty
site_url: https://example.org/
theme: {name: material, font: false}
"""


def measure(quick: bool = False) -> Iterator[Figure]:
    rounds = QUICK_ROUNDS if quick else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        first = build(ROOT, work / "ours")
        pages = len(list((work / "ours").rglob("index.html")))
        size = sum(path.stat().st_size for path in (work / "ours").rglob("*") if path.is_file())
        empty = empty_site(work / "empty", pages)
        pairs = by_turns(lambda: build(ROOT, work / "ours"), lambda: build(empty, work / "bare"), rounds)
        note = f"{size / 1e6:.1f} MB; the first build took ×{first / pairs[0][0]:.2g} of a later one"
        yield compared("`mkdocs build` of the guide", f"an empty Material site of {pages} pages", pairs, note)


def empty_site(folder: Path, pages: int) -> Path:
    """A project of that many pages of one sentence each."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    (folder / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
    for number in range(pages):
        name = f"page{number}.md" if number else "index.md"
        (docs / name).write_text(f"# Page {number}\n\nNothing.\n", encoding="utf-8")
    return folder


def build(project: Path, out: Path) -> float:
    """Seconds of one build, in a process of its own."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(out)]
    # Modules are compiled once, as they are where nobody forbids it, and not at every build.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return seconds(lambda: subprocess.run(command, cwd=project, env=kept, check=True, capture_output=True))
