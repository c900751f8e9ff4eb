"""The build as a pure function: same bytes, whole links, small charts, nothing unescaped."""

from __future__ import annotations

import ast
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bench.project import DataDir
from guide import pages, paths
from guide.build import build
from guide.charts import SPEC_LIMIT_BYTES
from guide.context import Context
from guide.evidence import Evidence, load_evidence
from guide.pages.base import Page
from guide.site_files import Site, SiteFile

GUIDE = Path(pages.__file__).parents[1]


@pytest.fixture(scope="module")
def evidence(example_data: DataDir) -> Evidence:
    return load_evidence(example_data)


@pytest.fixture(scope="module")
def site(evidence: Evidence) -> Site:
    return build(evidence)


def test_the_same_rows_give_the_same_bytes(site: Site, example_data: DataDir) -> None:
    again = build(load_evidence(example_data))
    assert list(again.files) == list(site.files)
    assert [path for path in site.files if again.files[path] != site.files[path]] == []
    assert again.nav == site.nav


def test_the_order_of_the_rows_does_not_matter(site: Site, example_data: DataDir, monkeypatch) -> None:
    from bench import store

    read = store.read_store

    def reversed_store(runs: Path) -> store.Contents:
        contents = read(runs)
        contents.rows.reverse()
        return contents

    monkeypatch.setattr(store, "read_store", reversed_store)
    again = build(load_evidence(example_data))
    assert [path for path in site.files if again.files[path] != site.files[path]] == []


def test_every_page_has_a_title_and_a_description_of_its_own(site: Site) -> None:
    heads = {}
    for path, content in site.files.items():
        if path.endswith(".md"):
            lines = content.decode().split("---\n")[1].splitlines()
            heads[path] = {k: json.loads(v) for k, v in (line.split(": ", 1) for line in lines)}
    assert {"index.md", "methodology.md", "data.md"} <= heads.keys()
    for path, head in heads.items():
        least = 50 if head.get("language") is None else 15  # Chinese says it in fewer signs
        assert least <= len(html.unescape(head["description"])) <= 180, (path, head["description"])
    descriptions = [head["description"] for head in heads.values()]
    assert len(set(descriptions)) == len(descriptions)


def test_specifications_are_small_and_ask_no_other_host(site: Site) -> None:
    charts = {path: c for path, c in site.files.items() if path.startswith("assets/charts/")}
    assert charts, "the example has no chart"
    for path, content in charts.items():
        assert len(content) < SPEC_LIMIT_BYTES, path
        spec = json.loads(content)
        assert spec["width"] == "container", path
        assert '"url"' not in content.decode(), path
        assert not re.search(r'"#[0-9a-fA-F]{3,8}"', content.decode()), f"{path} has a fixed colour"


class _Addresses(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name == "href" and tag == "a" and value:
                self.links.append(value)
            if (name == "src" or (name == "href" and tag == "link")) and value:
                self.loads.append(value)


def read(page: Path) -> _Addresses:
    found = _Addresses()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def test_the_sitemap_tells_the_day_of_the_evidence_not_of_the_build(
    built_site: Path, evidence: Evidence
) -> None:
    sitemap = (built_site / "sitemap.xml").read_text(encoding="utf-8")
    assert set(re.findall("<lastmod>(.*)</lastmod>", sitemap)) == {str(evidence.as_of)}


def test_every_link_of_the_built_site_leads_somewhere(built_site: Path) -> None:
    built = {page: read(page) for page in sorted(built_site.rglob("*.html")) if page.name != "404.html"}
    dead = []
    for page, found in built.items():
        for link in found.links:
            if re.match(r"[a-z]+:", link):
                continue
            address, _, fragment = link.partition("#")
            target = (page.parent / address).resolve() if address else page
            target = target / "index.html" if target.is_dir() else target
            if "=" in fragment:  # what a page's script keeps in the address, not a place on the page
                fragment = ""
            missing_part = fragment and target in built and fragment not in built[target].ids
            if not target.is_file() or missing_part:
                dead.append((page.relative_to(built_site).as_posix(), link))
    assert dead == []


def test_every_page_of_a_language_lists_the_same_pages(built_site: Path) -> None:
    listed: dict[str, set[frozenset[Path]]] = {}
    for page in built_site.rglob("index.html"):
        text = page.read_text(encoding="utf-8")
        drawn = re.search(r'<nav class="md-nav md-nav--primary".*?<div class="md-sidebar', text, re.DOTALL)[0]
        links = re.findall(r'<a href="([^"#]*)" class="md-nav__link', drawn)
        language = re.search(r'<html lang="(\w+)"', text)[1]
        pages = frozenset((page.parent / link).resolve() for link in links)
        listed.setdefault(language, set()).add(pages)
    assert {language: len(found) for language, found in listed.items()} == dict.fromkeys(listed, 1)
    assert all(page.is_dir() for found in listed.values() for pages in found for page in pages)


def test_ids_are_unique_on_every_page(built_site: Path) -> None:
    for page in built_site.rglob("*.html"):
        ids = read(page).ids
        assert sorted(ids) == sorted(set(ids)), page


def test_pages_load_nothing_from_another_host(built_site: Path, site_port: int) -> None:
    for page in built_site.rglob("*.html"):
        outside = [load for load in read(page).loads if re.match(r"(https?:)?//", load)]
        assert [load for load in outside if not load.startswith(f"http://127.0.0.1:{site_port}/")] == [], page
    for sheet in (built_site / "css").glob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_a_hostile_device_name_stays_text(built_site: Path, site: Site) -> None:
    pages_with_it = [p for p in built_site.rglob("*.html") if "Evil" in p.read_text(encoding="utf-8")]
    assert pages_with_it, "the example's hostile device is on no page"
    for page in pages_with_it:
        text = page.read_text(encoding="utf-8")
        assert "<script>alert" not in text, page
        assert 'href="javascript:' not in text, page
        assert "<em>bold</em>" not in text, page
        assert "\u202e" not in text, page
        assert "\x1b" not in text, page
    for path, content in site.files.items():
        if path.endswith(".csv"):
            assert not re.search(rb"(^|,)[=+@]", content, flags=re.MULTILINE), path


def test_a_link_to_a_page_that_nobody_wrote_fails_the_build(evidence: Evidence, monkeypatch) -> None:
    class Broken(Page):
        title, order = "Broken", 99

        def render(self, ctx: Context) -> list[SiteFile]:
            ctx.links.append(("broken.md", paths.device("no-such-device")))
            return [SiteFile("broken.md", b"")]

    monkeypatch.setattr(pages, "PAGES", (*pages.PAGES, Broken()))
    with pytest.raises(LookupError, match=r"broken\.md -> devices/no-such-device\.md"):
        build(evidence)


def test_an_empty_store_says_how_to_collect(built_empty_site: Path) -> None:
    home = (built_empty_site / "index.html").read_text(encoding="utf-8")
    assert "bench collect" in home
    assert not (built_empty_site / "downloads").exists()
    assert (built_empty_site / "data" / "index.html").is_file()


def test_only_the_hook_knows_mkdocs_and_nothing_imports_torch() -> None:
    for path in GUIDE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                top = name.split(".")[0]
                assert top not in ("torch", "transformers", "datasets", "zeus"), path
                assert top not in ("mkdocs", "material") or path.name == "hook.py", path
