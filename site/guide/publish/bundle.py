"""The style sheets and scripts that every page loads, as one file each: a phone asks for two, not for twenty.

Their sources stand in ``assets/css`` and ``assets/js``, one idea each; ``mkdocs.yml`` names the two bundles.
Scripts that a page loads only when they are used (``decide.js``, ``own/…``) stay files of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from guide.site_files import SiteFile

STYLES = ("guide", "evidence", "tables", "provenance", "answers", "reader", "own", "version")
SCRIPTS = (
    "language", "words", "drawer", "figures", "charts", "tables", "table-near", "folds", "provenance",
    "reader", "compare-view", "compare", "own",
)  # fmt: skip


def bundles(assets: Path) -> Iterator[SiteFile]:
    """``css/site.css`` and ``js/site.js``: the sources in the order in which they were separate files."""
    styles = (assets / "css" / f"{name}.css" for name in STYLES)
    scripts = (assets / "js" / f"{name}.js" for name in SCRIPTS)
    yield SiteFile("css/site.css", b"\n".join(path.read_bytes() for path in styles))
    yield SiteFile("js/site.js", b"\n;\n".join(path.read_bytes() for path in scripts))
