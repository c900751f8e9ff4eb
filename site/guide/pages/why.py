"""Why the figures are as they are: a list of the questions, and a page for each (``guide.explain``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from guide import paths
from guide.context import Context
from guide.evidence import Evidence
from guide.explain import apple, close, newer, several, weights
from guide.explain.claims import Topic
from guide.pages.base import Page
from guide.site_files import SiteFile

#: The questions, in the order of the navigation.
TOPICS: tuple[Callable[[Evidence], Topic], ...] = (
    close.topic,
    newer.topic,
    several.topic,
    apple.topic,
    weights.topic,
)


class Why(Page):
    title = "Why the figures are as they are"
    order = 50
    section = "Why"

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        topics = ctx.topics
        yield from ctx.page(
            paths.WHY,
            "why.md",
            title=self.title,
            nav="Questions",
            description="What surprises people about AI hardware, explained from the rows: hardly faster, "
            "newer "
            "but slower, several slower than one, Apple or NVIDIA, random weights.",
            topics=topics,
        )
        for topic in topics:
            yield from ctx.page(
                topic.path,
                "why-topic.md",
                title=topic.title,
                nav=topic.nav,
                description=topic.description,
                topic=topic,
            )


PAGE = Why()
