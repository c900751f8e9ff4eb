"""What a page gives back, and the finished site."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SiteFile:
    """One file of the site. ``path`` is relative, with ``/``; ``nav`` is its title in the navigation."""

    path: str
    content: bytes
    nav: str | None = None


@dataclass(frozen=True)
class Site:
    """All generated files by path, and the navigation as MkDocs' ``nav`` setting wants it."""

    files: dict[str, bytes] = field(default_factory=dict)
    nav: list[dict[str, object]] = field(default_factory=list)
