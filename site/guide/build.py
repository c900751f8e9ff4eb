"""From the evidence to the finished site: a pure function. The same evidence gives the same bytes.

Nothing here knows MkDocs: ``guide.hook`` hands the result to it, ``bench site export`` writes it to a folder.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from guide import pages
from guide.context import Context, Publication
from guide.evidence import Evidence
from guide.publish import pack, social
from guide.publish.bundle import bundles
from guide.site_files import Site, SiteFile
from guide.translate.versions import has_versions

ASSETS = Path(__file__).parent / "assets"


def build(evidence: Evidence, publication: Publication | None = None) -> Site:
    """All files of the site, and its navigation; without a ``publication``, of one at no known address.

    Raises ``LookupError`` when a page links to a file that no page wrote, and ``ValueError`` when two pages
    write different content to one path: both are faults of a page, not of the data.
    """
    ctx = Context(evidence, publication or Publication())
    site = Site(files=dict(static_files()))
    sections: dict[str, dict[str, list[dict[str, object]]]] = defaultdict(dict)
    section_in = {version.language.tag: version.text for version in ctx.versions}
    for page in pages.PAGES:
        if page.needs_rows and not evidence.rows:
            continue
        for file in page.render(ctx):
            _add(site, file)
            if file.nav is not None:
                nav = site.navs.setdefault(file.language, []) if file.language else site.nav
                section = page.section and section_in.get(file.language, str)(page.section)
                _list(nav, sections[file.language], section, {file.nav: file.path})
                if not file.language and not has_versions(file.path):  # other languages list the English one
                    for version in ctx.versions:
                        nav = site.navs.setdefault(version.language.tag, [])
                        _list(nav, {}, None, {version.text(file.nav): file.path})
    for words in ctx.words:
        _add(site, words.file)
    cards, pictures = social.cards(ctx)
    site.cards.update(cards)
    for file in [*bundles(ASSETS), *pictures, *_robots(ctx.publication)]:
        _add(site, file)
    known = site.files.keys() | ({pack.PATH} if ctx.publication.pack else set())  # made of the built pages
    dead = [f"{page} -> {target}" for page, target in ctx.links if target not in known]
    if dead:
        raise LookupError("Links to pages that were not written: " + "; ".join(sorted(set(dead))[:10]))
    return site


def _robots(publication: Publication) -> list[SiteFile]:
    """``robots.txt`` for a guide whose address is known: where the list of its pages is."""
    if not publication.site_url:
        return []
    text = f"User-agent: *\nAllow: /\nSitemap: {publication.site_url.rstrip('/')}/sitemap.xml\n"
    return [SiteFile("robots.txt", text.encode())]


def static_files() -> dict[str, bytes]:
    """Style sheet, scripts, fonts and pictures, by their path in the site."""
    found = (p for p in sorted(ASSETS.rglob("*")) if p.is_file() and not p.name.startswith("."))
    return {p.relative_to(ASSETS).as_posix(): p.read_bytes() for p in found}


def _add(site: Site, file: SiteFile) -> None:
    if site.files.setdefault(file.path, file.content) != file.content:
        raise ValueError(f"Two pages write different content to {file.path}")
    if file.finished:
        site.finished[file.path] = file.finished
    if file.version_of:
        known = site.versions.setdefault(file.version_of, {"en": file.version_of})
        known[file.language] = file.path
        site.versions[file.path] = known


def _list(
    nav: list[dict[str, object]],
    sections: dict[str, list[dict[str, object]]],
    section: str | None,
    entry: dict[str, object],
) -> None:
    """Append to the navigation; entries of one section stand together where its first one stood."""
    if section is None:
        nav.append(entry)
        return
    if section not in sections:
        sections[section] = []
        nav.append({section: sections[section]})
    sections[section].append(entry)
