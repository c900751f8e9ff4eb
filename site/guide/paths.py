"""Where each kind of page lives, and how one file's address looks from another.

A page's path is its Markdown source (``devices/nvidia-l4.md``); MkDocs serves it as ``devices/nvidia-l4/``.
"""

from __future__ import annotations

import posixpath
from functools import lru_cache

from guide.show.markup import slug

HOME = "index.md"
METHODOLOGY = "methodology.md"
DATA = "data.md"
CHANGES = "changes.md"
FORMATS = "formats.md"
COST = "cost.md"
COMPARE = "compare.md"
MULTI_GPU = "multi-gpu-or-apple.md"
DEVICES = "devices/index.md"
CATALOG = "devices/catalog.md"
WORKLOADS = "workloads/index.md"
SCENARIOS = "scenarios/index.md"
WHY = "why/index.md"
WHY_CLOSE = "why/hardly-faster.md"
WHY_NEWER = "why/newer-but-slower.md"
WHY_SEVERAL = "why/several-slower-than-one.md"
WHY_APPLE = "why/apple-or-nvidia.md"
WHY_WEIGHTS = "why/random-weights.md"


def device(device_id: str) -> str:
    """The page of a catalog device."""
    return f"devices/{slug(device_id)}.md"


def workload(name: str) -> str:
    """The page of a workload."""
    return f"workloads/{slug(name)}.md"


def workload_source(name: str, source_id: str, part: int = 1) -> str:
    """A page of what one source published about a workload; ``part`` counts them from 1."""
    return f"workloads/{slug(name)}/{slug(source_id)}{f'-{part}' if part > 1 else ''}.md"


def scenario(key: str) -> str:
    """The page of a reader's scenario."""
    return f"scenarios/{slug(key)}.md"


def flag(code: str) -> str:
    """Where a flag of rows is explained."""
    return f"{FORMATS}#flag-{slug(code)}"


def address(path: str) -> str:
    """The address of a site file, from the site's root: ``data.md -> data/``, ``a/index.md -> a/``."""
    if not path.endswith(".md"):
        return path
    folder = posixpath.dirname(path)
    if posixpath.basename(path) == "index.md":
        return f"{folder}/" if folder else ""
    return f"{path.removesuffix('.md')}/"


@lru_cache(maxsize=1 << 14)  # a table names one device on many rows
def relative(target: str, page: str) -> str:
    """The address of ``target`` (a path, with or without ``#fragment``) as a link on ``page``."""
    path, mark, fragment = target.partition("#")
    goal, base = address(path), address(page)
    link = posixpath.relpath(goal or ".", base or ".")
    if goal.endswith("/") or not goal:
        link += "/"
    return f"{link}{mark}{fragment}"
