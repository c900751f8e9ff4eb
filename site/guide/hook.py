"""The only module that knows MkDocs: it hands the pages of ``guide.build`` to a build of the site."""

from __future__ import annotations

import logging
from datetime import date
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from bench.errors import BenchError
from bench.project import DataDir
from guide import aside, output
from guide.build import build
from guide.changes import fingerprint
from guide.evidence import load_evidence
from guide.model import LeftOut
from guide.render import templates_dir
from guide.site_files import Site

log = logging.getLogger("mkdocs.plugins.hwguide")  # below "mkdocs", so that --strict counts warnings
#: Site, what is not in it, and the day of its newest evidence.
_Made = tuple[Site, tuple[LeftOut, ...], date | None]
_made: dict[str, _Made] = {}  # survives the rebuilds of `mkdocs serve`


def on_config(config: MkDocsConfig) -> None:
    try:
        output.claim(Path(config.site_dir))
    except BenchError as error:
        raise PluginError(error.message) from None
    theme = str(templates_dir() / "theme")
    if theme not in config.theme.dirs:  # a folder beside an installed package cannot name it
        config.theme.dirs.insert(1 if config.theme.custom_dir else 0, theme)


def on_pre_build(config: MkDocsConfig) -> None:
    """Read and render everything before MkDocs empties the output folder: a failure keeps the old site."""
    data = DataDir(Path(config.config_file_path).parent / "data")
    try:
        key = fingerprint(data.root, templates_dir(), Path(__file__).parent)
        if key not in _made:
            evidence = load_evidence(data)
            site = build(evidence)
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


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated files; one of the same name in ``docs_dir`` takes precedence."""
    ((site, *_),) = _made.values()
    for path, content in site.files.items():
        if files.get_file_from_path(path) is None:
            files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    ((*_, as_of),) = _made.values()
    if as_of is not None:  # MkDocs would take today's date, for the sitemap and its archive
        page.update_date = as_of.isoformat()
    return aside.set_aside(markdown, _finished(page))


@event_priority(-100)  # after the search plugin has read the page
def on_page_context(context: TemplateContext, page: Page, **_: object) -> TemplateContext:
    page.content = aside.put_back(page.content or "", _finished(page))
    return context


def _finished(page: Page) -> tuple[str, ...]:
    ((site, *_),) = _made.values()
    return site.finished.get(page.file.src_uri, ())


def on_post_build(config: MkDocsConfig) -> None:
    output.finish(Path(config.site_dir))
