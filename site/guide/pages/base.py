"""What a page is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from guide.context import Context
from guide.site_files import SiteFile


class Page(ABC):
    """One page, or one kind of page. ``section`` groups entries of the navigation; ``order`` sorts them.

    Home is 0, scenarios 10, workloads 20, devices 30, other evidence 40 to 70, methodology 80, data 90.
    """

    title: ClassVar[str]
    order: ClassVar[int]
    section: ClassVar[str | None] = None
    needs_rows: ClassVar[bool] = True

    @abstractmethod
    def render(self, ctx: Context) -> Iterable[SiteFile]:
        """The page's files, from ``ctx.page(…)``; nothing when there is no evidence for it."""
