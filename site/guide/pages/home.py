"""Home: the answer for each reader first; with an empty store, how to fill it."""

from __future__ import annotations

from collections.abc import Iterable

from guide import paths
from guide.context import Context
from guide.pages.base import Page
from guide.site_files import SiteFile


class Home(Page):
    title = "Which hardware should run your AI work?"
    order = 0
    needs_rows = False

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        template = "home.md" if ctx.evidence.rows else "empty.md"
        yield from ctx.page(
            paths.HOME,
            template,
            title=self.title,
            nav="Home",
            description="Measured answers to which hardware to buy or rent for AI work: what is fastest, "
            "what it costs, how sure that is, and what would change it.",
            hide=("navigation", "toc"),
        )


PAGE = Home()
