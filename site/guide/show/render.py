"""From a template and values to a page: the Jinja environment, and what a template may call.

Templates are Markdown with HTML blocks. Every ``{{ value }}`` is escaped for both (``guide.show.markup``), an
undefined name is an error, and so is None.
"""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from guide import paths
from guide.charts import Chart, chart_files
from guide.publish import prose, told, twins
from guide.show import figures, markup, sentences
from guide.show.compiled import Compiled
from guide.show.provenance import Ledger
from guide.show.rows_html import rows_html
from guide.show.sentences import Sentence
from guide.show.tables import Blank, Provenance, Table
from guide.show.traces import Traces
from guide.site_files import SiteFile
from guide.translate.versions import Version, path_in


def templates_dir() -> Path:
    """The folder of the templates: inside the installed package, else at the top of the repository."""
    packaged = Path(__file__).parents[1] / "templates"
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "templates"


def _finalize(value: Any) -> Any:
    return value if isinstance(value, jinja2.Undefined) else markup.escape(value)


_LINK = re.compile(r'<a href="([^"]*)"(?! hreflang)')


@cache
def environment() -> jinja2.Environment:
    """The one environment; formatting helpers of ``guide.show.figures`` are filters in it."""
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir()),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=True,
        bytecode_cache=Compiled(
            *(path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("*.py")))
        ),
    )
    for name in ("number", "ratio", "usd", "duration", "gigabytes", "percent", "day", "si", "plural"):
        env.filters[f"as_{name}"] = getattr(figures, name)
    env.filters["as_json"] = lambda value: json.dumps(value, sort_keys=True, separators=(",", ":"))
    env.tests["blank"] = lambda value: isinstance(value, Blank)
    return env


class View:
    """One page being rendered: resolves its links, collects the files that its charts need."""

    def __init__(self, path: str, ledger: Ledger | None = None, version: Version | None = None) -> None:
        self.path = path_in(version.language.tag, path) if version else path
        self._version = version
        self.traces = Traces(ledger, version)
        self.links: list[str] = []
        self.foreign: set[str] = set()  # addresses of pages that are there in English only
        self.files: dict[str, bytes] = {}
        self.finished: list[str] = []
        self.shown = twins.Shown()
        self._ids = 0
        self._parts: dict[str, jinja2.Template] = {}

    def link(self, target: str) -> Markup:
        """The address of another file of the site as seen from this page; a dead one fails the build."""
        target = self.path + target if target[0] == "#" else target
        target = self._version.link(target) if self._version else target
        self.links.append(target.partition("#")[0])
        address = html.escape(paths.relative(target, self.path))
        if self._version and self._version.is_foreign(target):
            self.foreign.add(address)
        return Markup(address)

    def root(self) -> Markup:
        """The address of the site's root as seen from this page, for scripts that know paths from there."""
        return Markup(html.escape(paths.relative(paths.HOME, self.path)))

    def unique(self, prefix: str) -> str:
        """An ``id`` used once on this page, the same at every build."""
        self._ids += 1
        return f"{prefix}-{self._ids}"

    def part(self, name: str, **values: Any) -> Markup:
        """A partial template of ``templates/parts``, as one HTML block."""
        template = self._parts.get(name)
        if template is None:  # asking the environment looks at the file each time
            template = self._parts[name] = environment().get_template(f"parts/{name}")
        helpers = {"link": self.link, "root": self.root, "unique": self.unique, "number": self.number}
        helpers |= {"traced": self.traced, "sentence": self.sentence, "drawn": self.traces.drawn}
        text = template.render(**helpers, **values)
        # A blank line would end the block for some Markdown parsers, and deep indents would read as code.
        return Markup("\n".join(line.strip() for line in text.splitlines() if line.strip()))

    def number(
        self,
        value: float,
        interval: tuple[float, float] | None = None,
        provenance: Provenance | None = None,
        *,
        unit: str = "",
        style: str = "number",
    ) -> Markup:
        """A figure, its unit, 95 % interval and origin. ``style`` names a formatter of ``show.figures``."""
        shown = getattr(figures, style)(value)
        self.shown.figures.append(twins.figure(value, shown, interval, provenance, unit))
        return self.part(
            "number.html", shown=shown, unit=unit, mark=self.traces.mark_up(provenance),
            interval=figures.span(*interval) if interval else "",
        )  # fmt: skip

    def traced(self, shown: Any, provenance: Provenance | None) -> Markup:
        """A figure or sentence of the text with a way to what it rests on, and a note of it on paper."""
        return self.traces.headline(shown, provenance)

    def sentence(self, told: Sentence) -> Markup:
        """A sentence, each of whose figures leads to what it rests on."""
        return sentences.traced(told, self.traces)

    def table(self, table: Table) -> Markup:
        """A table: sortable, filterable, and readable on a phone as its ``phone`` setting says."""
        self.shown.tables.append(table)
        self.traces.begin_table()
        rows = rows_html(table, self.link, self.traces)
        origin = self.traces.one_origin
        block = self.part("table.html", table=table, id=self.unique("table"), rows=rows, origin=origin)
        if not table.search:
            self.finished.append(block)
        return Markup("\n\n") + block + Markup("\n\n")

    def chart(self, chart: Chart) -> Markup:
        """A chart: its static pictures in the page, its specification in a file of its own."""
        files = chart_files(chart)
        self.files |= files.by_path
        self.shown.charts.append((chart, files.wide))
        figures = (
            self.part("figures.html", chart=chart, mark=self.traces.mark_up) if chart.figures else Markup("")
        )
        block = self.part("chart.html", chart=chart, files=files, id=self.unique("chart"), figures=figures)
        self.finished += [part for part in (files.wide_svg, files.narrow_svg, figures) if part]
        return Markup("\n\n") + block + Markup("\n\n")


def render_page(
    path: str,
    template: str,
    values: Mapping[str, Any],
    *,
    title: str,
    description: str,
    as_of: date | None = None,
    checksum: str = "",
    site_url: str = "",
    ledger: Ledger | None = None,
    nav: str | None = None,
    hide: Iterable[str] = (),
    search: Mapping[str, Any] | None = None,
    version: Version | None = None,
    versions: Sequence[Version] = (),
    words: str = "",
) -> tuple[list[SiteFile], list[str]]:
    """The page, its twin and its charts' files, and the paths that it links to.

    ``title`` and ``description`` go into the page's head; ``hide`` takes Material's ``navigation``, ``toc``.
    ``checksum`` and ``site_url`` are told on paper: which data these are, and where the page is. With a
    ``version`` it is the page in that language; its twin is the English page's. ``versions`` are all that
    the page is made in; ``words`` is the file of its scripts' sentences.
    """
    view = View(path, ledger, version)
    helpers = {"link": view.link, "number": view.number, "table": view.table, "chart": view.chart}
    helpers |= {"root": view.root, "unique": view.unique, "part": view.part, "traced": view.traced}
    helpers |= {"sentence": view.sentence, "drawn": view.traces.drawn, "paths": paths, "figures": figures}
    if taken := sorted(helpers.keys() & values.keys()):
        raise ValueError(f"{template} has helpers of these names, give the values others: {', '.join(taken)}")
    body = environment().get_template(template).render(**helpers, title=title, as_of=as_of, **values)
    if version is None:
        view.shown.text = prose.lines(body, view.finished)
        view.shown.records = told.records(path, values)
    twin = SiteFile(twins.path(path), view.shown.twin(
        path, title=title, description=description, as_of=as_of, links=view.links, ledger=ledger
    ))  # fmt: skip
    origins = view.traces.section(view.link)
    view.finished.append(origins)
    view.files |= view.traces.records()
    address = f"{site_url.rstrip('/')}/{paths.address(view.path)}" if site_url else ""
    others = _others(view, path, versions)
    foot = view.part(
        "foot.html", twin=twin.path, as_of=as_of or "", checksum=checksum, address=address, others=others,
        words=words,
    )  # fmt: skip
    body = f"{body.rstrip()}\n\n{origins}\n\n{foot}\n"
    if "<h1" not in body:  # else the theme would take the page's name in the navigation for its heading
        body = f"# {markup.escape(title)}\n\n{body}"
    finished = tuple(map(str, view.finished))
    extra: dict[str, Any] = {"hide": list(hide)} if hide else {}
    extra |= {"search": dict(search)} if search else {}
    if version:
        body, finished, count = version.page(body, finished)
        body, *finished = (_marked(text, view.foreign) for text in (body, *finished))
        notice = view.part("version.html", english=others[0][2], count=count, words=version.language)
        body = f"{notice}\n\n{body}"
        title, description, nav = (text and version.text(text) for text in (title, description, nav))
        extra |= {"language": version.language.tag, "search": {"exclude": True}}
    # The theme prints these three without escaping them.
    head: dict[str, Any] = {
        "title": html.escape(markup.plain(title)),
        "description": html.escape(textwrap.shorten(markup.plain(description), 180, placeholder=" …")),
    }
    nav = html.escape(markup.plain(nav)) if nav is not None else None
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in (head | extra).items()]
    text = "---\n" + "\n".join(lines) + "\n---\n\n" + body.strip() + "\n"
    page = SiteFile(
        view.path,
        text.encode(),
        nav,
        tuple(finished),
        language=version.language.tag if version else "",
        version_of=path if version else "",
    )
    files = [page, *(SiteFile(name, file) for name, file in sorted(view.files.items()))]
    return [*files, *([] if version else [twin])], view.links


def _marked(text: str, foreign: set[str]) -> str:
    """The links to these addresses, which lead into another language, say so."""
    return _LINK.sub(lambda a: f'{a[0]} hreflang="en"' if a[1] in foreign else a[0], text)


def _others(view: View, path: str, versions: Sequence[Version]) -> list[tuple[str, str, Markup]]:
    """(tag, name, address) of the page in its other languages, English first."""
    known = [("en", "English", path)] if versions else []
    known += [(v.language.tag, v.language.name, path_in(v.language.tag, path)) for v in versions]
    found = [one for one in known if one[2] != view.path]
    view.links += [target for *_, target in found]
    return [(tag, name, Markup(html.escape(paths.relative(to, view.path)))) for tag, name, to in found]
