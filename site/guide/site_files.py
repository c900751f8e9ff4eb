"""What a page gives back, and the finished site."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SiteFile:
    """One file of the site. ``path`` is relative, with ``/``; ``nav`` is its title in the navigation.

    ``finished`` are the parts of a page's text that are HTML already: tables and pictures, in which Markdown
    has nothing to do and a search nothing to find. Whoever turns the page into HTML may leave them aside.
    ``version_of`` is the path of the English page that this one says in ``language``.
    """

    path: str
    content: bytes
    nav: str | None = None
    finished: tuple[str, ...] = ()
    language: str = ""
    version_of: str = ""


@dataclass(frozen=True)
class Card:
    """The picture that a link to a page shows elsewhere: its path, and what stands on it in words."""

    path: str
    alt: str


@dataclass(frozen=True)
class Site:
    """All generated files by path, and the navigation as MkDocs' ``nav`` setting wants it.

    ``finished`` has each page's parts that are HTML already, by the page's path (see ``SiteFile``), and
    ``cards`` the cards of those that have one of their own. ``versions`` has, for each page that is there in
    several languages, where it is in each ("en" among them); ``navs`` is each other language's navigation.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    finished: dict[str, tuple[str, ...]] = field(default_factory=dict)
    nav: list[dict[str, object]] = field(default_factory=list)
    cards: dict[str, Card] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    navs: dict[str, list[dict[str, object]]] = field(default_factory=dict)
