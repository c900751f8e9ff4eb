"""What every page is given: the inputs, what was derived from them, and the way to render."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from guide.evidence import Evidence
from guide.recommend import answers
from guide.render import render_page
from guide.site_files import SiteFile
from guide.verdicts import Answer


@dataclass
class Context:
    """One build: ``evidence`` is all that a page may say something about, ``page`` is how it says it."""

    evidence: Evidence
    links: list[tuple[str, str]] = field(default_factory=list)

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """The answers to all scenarios, worked out once for all the pages that tell them."""
        return answers(self.evidence)

    def page(
        self,
        path: str,
        template: str,
        *,
        title: str,
        description: str,
        nav: str | None = None,
        hide: Iterable[str] = (),
        search: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> list[SiteFile]:
        """Render ``templates/<template>`` to ``path``; returns the page and the files of its charts.

        ``title`` is the page's heading and ``description`` one sentence for search engines (50 to 160
        characters). ``nav`` puts the page into the navigation under that name; device pages leave it out,
        since each page of the navigation is repeated inside every other page.
        """
        given = {"ctx": self, "evidence": self.evidence, "as_of": self.evidence.as_of} | values
        files, links = render_page(
            path, template, given, title=title, description=description, nav=nav, hide=hide, search=search
        )
        self.links += [(path, target) for target in links]
        return files
