"""The only module that knows MkDocs: it hands the pages of ``guide.build`` to a build of the site."""

from __future__ import annotations

import gc
import html
import logging
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar, Literal
from urllib.parse import urlsplit

import jinja2
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Link, Navigation, get_navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from bench.errors import BenchError
from bench.project import DataDir
from bench.times import latest_day
from guide import paths
from guide.build import build
from guide.context import Publication
from guide.evidence import load_evidence
from guide.model import LeftOut
from guide.publish import downloads, feed, output, pack, snapshot, twins
from guide.publish.changes import fingerprint
from guide.publish.policy import HEADERS, Policy
from guide.publish.settings import listed
from guide.show import aside
from guide.show.compiled import Compiled
from guide.show.drawn_once import draw_once
from guide.show.render import templates_dir
from guide.site_files import Site
from guide.translate.catalogue import LANGUAGES

log = logging.getLogger("mkdocs.plugins.hwguide")  # below "mkdocs", so that --strict counts warnings
#: Site, what is not in it, and the day of its newest evidence.
_Made = tuple[Site, tuple[LeftOut, ...], date | None]
_made: dict[str, _Made] = {}  # survives the rebuilds of `mkdocs serve`
#: Where the theme and its mends write scripts into pages.
_SCRIPTS = ("first", "base", "early", "palette", "content")


class _state:
    """``policy`` is None while serving: live reload writes a script of its own into every page."""

    serving = False
    policy: Policy | None = None
    navs: ClassVar[dict[str, Navigation]] = {}  # of the other languages, by their tags
    blocks: ClassVar[dict[str, list[str]]] = {}  # of pages that are on their way through Markdown


def on_startup(*, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
    _state.serving = command == "serve"
    # Millions of records are made that hold no cycle: to look for one at every 700 costs a build a twentieth.
    gc.set_threshold(50_000, 50, 100)


def on_config(config: MkDocsConfig) -> None:
    # What the theme keeps in the browser has one place, so that its script is the same on all pages.
    config.extra.setdefault("scope", urlsplit(config.site_url or "/").path or "/")
    config.extra.setdefault("alternate", True)  # a word of the theme's: there are other languages
    try:
        output.claim(Path(config.site_dir))
    except BenchError as error:
        raise PluginError(error.message) from None
    theme = str(templates_dir() / "theme")
    if theme not in config.theme.dirs:  # a folder beside an installed package cannot name it
        config.theme.dirs.insert(1 if config.theme.custom_dir else 0, theme)
    for key in ("extra_css", "extra_javascript"):  # the settings of a folder are as old as the folder
        own, named = listed(key), [str(value) for value in config[key]]
        if not set(own) <= set(named):
            config[key] = [*own, *(value for value in config[key] if str(value) not in own)]


def on_pre_build(config: MkDocsConfig) -> None:
    """Read and render everything before MkDocs empties the output folder: a failure keeps the old site."""
    data = DataDir(Path(config.config_file_path).parent / "data")
    try:
        key = fingerprint(data.root, templates_dir(), Path(__file__).parent)
        if key not in _made:
            evidence = load_evidence(data, latest=latest_day())
            site = build(evidence, _publication(data, config))
            _made.clear()
            _made[key] = site, evidence.left_out, evidence.as_of
        output.begin(Path(config.site_dir))
    except BenchError as error:
        raise PluginError(error.message) from None
    site, left_out, _ = _made[key]
    config.nav = site.nav
    for item in left_out:
        log.log(
            logging.INFO if item.rows else logging.WARNING,
            "Left out of the guide: %s: %s",
            item.what,
            item.reason,
        )


def _publication(data: DataDir, config: MkDocsConfig) -> Publication:
    return Publication(
        site_url=config.site_url or "",
        site_name=config.site_name,
        history=snapshot.load(data.root),
        pack=_packs(config),
    )


def _packs(config: MkDocsConfig) -> bool:
    """Whether a build ends with the offline pack: not while serving, nor where mkdocs.yml says no."""
    return not _state.serving and bool(config.extra.get("offline_pack", True))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated files; one of the same name in ``docs_dir`` takes precedence."""
    ((site, *_),) = _made.values()
    for path, content in site.files.items():
        if files.get_file_from_path(path) is None:
            files.append(File.generated(config, path, content=content))
    return files


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files, **_: object) -> Navigation:
    """A page in another language has a navigation in that language."""
    ((site, *_),) = _made.values()
    english = config.nav
    for tag, entries in site.navs.items():
        # A page that is there in English only stays a page of the English navigation; this one leads to it.
        links = [(place, *next(iter(e.items()))) for place, e in enumerate(entries) if _is_english(e, site)]
        config.nav = [entry for entry in entries if not _is_english(entry, site)]
        _state.navs[tag] = get_navigation(files, config)
        _state.navs[tag].homepage = next(iter(_state.navs[tag].pages), nav.homepage)
        for place, title, path in links:
            link = Link(f'{title} <sup class="foreign">EN</sup>', paths.address(str(path)))
            _state.navs[tag].items.insert(place, link)
        for title, path in _titles(config.nav):
            files.get_file_from_path(path).page.title = title  # type: ignore[union-attr]
    config.nav = english
    return nav


def _is_english(entry: dict[str, object], site: Site) -> bool:
    """Whether an entry of another language's navigation is an English page without versions."""
    return any(isinstance(path, str) and path not in site.versions for path in entry.values())


def _titles(entries: object) -> Iterator[tuple[str, str]]:
    """(title, path) of a navigation's pages."""
    for entry in entries if isinstance(entries, list) else [entries]:
        for title, target in entry.items():
            if isinstance(target, str):
                yield title, target
            else:
                yield from _titles(target)


def on_env(env: jinja2.Environment, config: MkDocsConfig, **_: object) -> jinja2.Environment:
    """Keep the theme's compiled templates, draw the list of pages once for many, and name the scripts that
    the theme writes into its pages, for the policy that every page states."""
    draw_once(env, "partials/nav.html", _listed_alike)
    if env.bytecode_cache is None:
        made_by = (version(name) for name in ("mkdocs", "mkdocs-material"))
        env.bytecode_cache = Compiled(*made_by, *sorted(env.extensions))
    if not _state.serving:
        named = {"config": config, "features": config.theme.get("features", [])}
        parts = [env.get_template(f"partials/javascripts/{name}.html").render(named) for name in _SCRIPTS]
        _state.policy = Policy.of(parts)
        env.globals["policy"] = _state.policy.meta
    env.globals["versions_of"] = _versions
    return env


def _listed_alike(nav: Navigation, page: Page | None) -> tuple[int, str] | None:
    """What the list of pages depends on where the page does not stand in it: which list, and the folder that
    its addresses count from. None where the page does."""
    if page is None or page in nav.pages:
        return None
    return id(nav), page.url.rstrip("/").rpartition("/")[0]


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    ((*_, as_of),) = _made.values()
    if as_of is not None:  # MkDocs would take today's date, for the sitemap and its archive
        page.update_date = as_of.isoformat()
    if page.file.generated_by is None:  # a page of somebody's own
        return markdown
    text, _state.blocks[page.file.src_uri] = aside.without_blocks(aside.set_aside(markdown, _finished(page)))
    return text


def on_page_content(html: str, page: Page, **_: object) -> str:
    return aside.with_blocks(html, _state.blocks.pop(page.file.src_uri, ()))


@event_priority(-100)  # after the search plugin has read the page
def on_page_context(context: TemplateContext, page: Page, **_: object) -> TemplateContext:
    page.content = aside.put_back(page.content or "", _finished(page))
    context["guide"] = _head(page.file.src_uri)  # type: ignore[typeddict-unknown-key]
    context["nav"] = _state.navs.get(page.meta.get("language", ""), context["nav"])
    return context


def _versions(path: str) -> dict[str, str]:
    """Language -> address of a page that is there in several, for the list of pages."""
    ((site, *_),) = _made.values()
    return {tag: paths.address(target) for tag, target in site.versions.get(path, {}).items()}


def _head(path: str) -> dict[str, object]:
    """What the head of a page links to."""
    ((site, *_),) = _made.values()
    known = site.versions.get(path, {})
    page = known.get("en", path)
    found = {"twin": twins.path(page), "feed": feed.PATH}
    found = {name: target for name, target in found.items() if target in site.files}
    names = {"en": "English"} | {language.tag: language.name for language in LANGUAGES}
    found["versions"] = [
        {"tag": tag, "path": paths.address(target), "name": names[tag]}
        for tag, target in known.items()
        if target != path
    ]
    card = site.cards.get(page) or site.cards.get(paths.HOME)
    return found | ({"card": card.path, "card_alt": html.escape(card.alt)} if card else {})


def on_post_page(text: str, page: Page, **_: object) -> str:
    if _state.policy is not None:
        for fault in _state.policy.faults(text):
            log.warning("The policy refuses %s on %s", fault, page.file.src_uri)
    return text


def _finished(page: Page) -> tuple[str, ...]:
    ((site, *_),) = _made.values()
    return site.finished.get(page.file.src_uri, ())


def on_post_build(config: MkDocsConfig) -> None:
    folder = Path(config.site_dir)
    ((site, _, as_of),) = _made.values()
    if _state.policy is not None:
        (folder / HEADERS).write_text(_state.policy.headers_file(), encoding="utf-8")
    if _packs(config) and downloads.SUMS in site.files:
        pack.write(folder, as_of, folder / pack.PATH, config.site_url or "")
    output.finish(folder)
