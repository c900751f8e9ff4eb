"""The pages of the guide, one file each. This note is all that writing one takes.

1. Make ``site/guide/pages/<name>.py`` with one subclass of ``guide.pages.base.Page`` and an instance of it
   called ``PAGE``; it is found by itself. Make ``templates/<name>.md`` beside it in ``templates/``::

       class Cost(Page):
           title, order, section = "Cost", 50, None      # section: heading in the navigation, or None

           def render(self, ctx: Context) -> Iterable[SiteFile]:
               chart = bars([...], title="…", unit="tokens/s")
               yield from ctx.page(paths.COST, "cost.md", title=self.title, nav=self.title,
                                   description="One sentence of 50 to 160 characters for search engines.",
                                   costs=costs(ctx), chart_of_costs=chart)

   ``needs_rows = False`` if the page makes sense with an empty store. ``render`` may yield many pages
   (one a device): give those no ``nav``, since every entry of the navigation is repeated in every page.
2. ``ctx.evidence`` has ``rows``, ``systems``, ``tasks``, ``prices``, ``sources``, ``catalog``, ``as_of`` …
   (``guide.evidence``, ``guide.model``). Work out everything in Python: a template only places it. Never
   use the clock, a set's order or anything else that may differ between two builds of the same data.
3. A template is Markdown with HTML blocks, headings from ``##`` on (``title`` becomes the ``#`` heading).
   It may use
   - ``{{ link("data.md#sources") }}`` or ``link(paths.device(id))`` for every address, in Markdown
     (``[Data]({{ link(paths.DATA) }})``) and HTML alike; a link to a page nobody wrote fails the build;
   - ``{{ number(1.23, (1.19, 1.27), provenance, unit="s") }}``: figure, interval, origin (``style="usd"``,
     ``"ratio"``, ``"duration"``, ``"gigabytes"``, ``"percent"`` pick another formatter of show.figures);
   - ``{{ table(t) }}`` with a ``show.tables.Table``; cells are text, numbers, ``Cell`` or ``Blank(reason)``.
     Every figure has a ``Provenance`` (results, prices, devices, and the rule by which it follows from them),
     or its column says with a code of ``UNSOURCED`` why not; a test finds the others;
   - ``{{ traced(text, provenance) }}``: a headline figure of the text, with its card, and a note on paper;
   - ``{{ chart(c) }}`` with a ``Chart`` from ``guide.charts`` (``bars``, ``scatter``, ``heatmap``, ``lines``,
     ``roofline``, each its own module);
   - ``{{ part("card.html", reader=…, pick=…, …) }}``: an answer in brief; in a ``<div class="cards">``;
   - filters ``|as_usd``, ``|as_day``, ``|as_plural("device")`` …
   Put ``table``, ``chart`` and ``part`` on a line of their own at the left margin.
4. Every ``{{ value }}`` is escaped for HTML and Markdown (so write ``<code>{{ x }}</code>``, not backticks).
   Never mark a value ``|safe`` or wrap it in ``Markup`` unless this package made it. None and unknown names
   fail the build: show a blank and its reason. No value may be called like a helper (``table``, ``chart``).
5. HTML in a template starts at the left margin, and has no blank line inside a block. Classes for layout:
   ``lede`` (opening sentence), ``cards``/``card``, ``facts`` (dl), ``note``, ``tag``, ``quiet``, ``vendor
   vendor--nvidia`` (coloured dot); see assets/css/guide.css. No inline script or style, no address of
   another host except in ``<a href>``.
6. A page in the search index must read well there: keep raw tables out (``Table.search`` is off by default).
   Pictures and such tables pass by Markdown and the search index (``show.aside``): it is half of a build.
7. Tests: add the page to the example site in tests/guide; the browser tests open every page by themselves.
"""

from __future__ import annotations

import importlib
import pkgutil

from guide.pages.base import Page


def _find() -> tuple[Page, ...]:
    names = [m.name for m in pkgutil.iter_modules(__path__) if m.name != "base"]
    found = [importlib.import_module(f"{__name__}.{name}").PAGE for name in sorted(names)]
    return tuple(sorted(found, key=lambda page: (page.order, page.title)))


#: All pages, in the order of the navigation.
PAGES: tuple[Page, ...] = _find()
