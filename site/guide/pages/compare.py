"""Compare: any two systems, in the browser; without a script, the pairs that compete."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from guide import paths
from guide.context import Context
from guide.pages.base import Page
from guide.show.traces import Keys
from guide.site_files import SiteFile
from guide.views import own, pairs, rivals


class Compare(Page):
    title = "Compare any two"
    order = 40

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        systems = pairs.rated(ctx.evidence)
        content = pairs.data(ctx.evidence)
        file = SiteFile(f"assets/data/compare-{hashlib.sha256(content).hexdigest()[:12]}.json", content)
        keys = Keys(ctx.ledger)
        told = pairs.keys(ctx.evidence, keys)
        key_file = SiteFile(f"assets/data/compare-keys-{hashlib.sha256(told).hexdigest()[:12]}.json", told)
        asked = rivals.asked_pairs(ctx.evidence)
        start = asked[0] if asked else None
        yield from ctx.handed(file, pairs.WORDING)
        yield key_file
        yield from ctx.handed(SiteFile(own.PATH, own.data(ctx.evidence)), pairs.WORDING)
        yield from ctx.page(
            paths.COMPARE,
            "compare.md",
            title=self.title,
            nav="Compare",
            description="Two devices side by side on every task that both have run: ratios with intervals, "
            "verdicts, prices, memory and power. A file of your own stands among them.",
            # Headings of a table of contents would write themselves into the address, which holds the choice.
            hide=("toc",),
            data_path=file.path,
            keys_path=key_file.path,
            records=sorted(keys.files),
            systems=len(systems),
            first=start.a.key if start else (systems[0].key if systems else ""),
            second=start.b.key if start else (systems[-1].key if systems else ""),
            asked=rivals.pairs_table(asked) if asked else None,
            rule=rivals.PAIR_RULE,
        )


PAGE = Compare()
