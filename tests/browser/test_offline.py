"""The unpacked offline copy, opened from a disk: it navigates, searches and sorts, and asks nobody."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from guide.publish import pack


@pytest.fixture(scope="module")
def unpacked(built_site: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the unpacked copy."""
    folder = tmp_path_factory.mktemp("offline copy")  # a name that an address must escape
    zipfile.ZipFile(built_site / pack.PATH).extractall(folder)
    return (folder / "guide").as_uri() + "/"


@pytest.fixture
def local(visit: Callable, unpacked: str) -> Callable:
    """``visit``, from the disk. Nothing may be asked for elsewhere, nor be missing."""
    opened = []

    def open_window(**options):
        window = visit(base=unpacked, **options)
        opened.append(window)
        return window

    yield open_window
    asked = [url for window in opened for url in window.requested if not url.startswith((unpacked, "data:"))]
    assert asked == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_kind_of_page_opens_without_an_error(local, page_kinds, scheme) -> None:
    window = local(scheme=scheme)
    for path in page_kinds:
        page = window.open(f"{path}index.html")
        expect(page.locator("h1")).to_be_visible()
        for chart in page.locator(".chart:visible").all():
            assert chart.locator(".chart__static--wide svg").is_visible(), path
            assert chart.locator(".chart__live").count() == 0


def test_links_lead_on(local) -> None:
    page = local().open("index.html")
    page.locator("article .card a").first.click()
    expect(page).to_have_url(re.compile(r"/scenarios/[a-z-]+/index\.html"))
    expect(page.locator("h1")).to_be_visible()
    page.locator(".md-header a.md-logo").click()
    expect(page.locator("h1")).to_contain_text("Which hardware")


def test_the_search_works(local) -> None:
    page = local().open("devices/index.html")
    page.locator("input.md-search__input").focus()
    page.keyboard.type("interrupted")
    result = page.locator(".md-search-result__link").first
    expect(result).to_contain_text("Methodology", timeout=30_000)
    result.click()
    expect(page.locator("h1")).to_contain_text("Methodology")


def test_tables_sort(local, built_site, all_pages) -> None:
    path = next(p for p in all_pages if "data-sortable" in (built_site / p / "index.html").read_text("utf-8"))
    page = local().open(f"{path}index.html")
    page.locator("table[data-sortable] thead th .data__sort:visible").first.click()
    expect(page.locator("table[data-sortable] thead th[aria-sort]").first).to_be_visible()


def test_the_copy_says_what_it_is(local) -> None:
    page = local().open("index.html")
    expect(page.locator(".offline")).to_contain_text("Offline copy, data as of")
    expect(page.get_by_text("This page as JSON")).to_have_count(0)


@pytest.mark.parametrize("language", ["", "zh/"])
def test_the_readers_own_numbers_are_answered(local, built_site, language) -> None:
    """The figures that the form reckons with come as a script here: a page may read no file."""
    scenario = next((built_site / "scenarios").glob("*/index.html")).parent.name
    page = local().open(f"{language}scenarios/{scenario}/index.html")
    said = page.locator(".reader__status")
    expect(said).to_be_visible()
    before = said.inner_text()
    budget = page.locator("form.reader input").first
    budget.fill("1")
    budget.press("Tab")
    expect(said).not_to_have_text(before)
    expect(page).to_have_url(re.compile(r"#.*=1\b"))
    page.locator(".reader__reset").click()
    expect(said).to_have_text(before)


def test_a_chinese_page_of_the_copy_speaks_chinese(local) -> None:
    """Its scripts' words lie beside it, and so do the translated answers."""
    page = local().open("zh/scenarios/solo/index.html#h=7")
    expect(page.locator(".offline")).to_contain_text("离线副本，数据截至")
    expect(page.locator("[data-yours=verdict] .verdict__sure strong").last).to_contain_text("你的数值：")
    page.locator("[data-yours=ranking] a[href*='devices/']").first.click()
    expect(page).to_have_url(re.compile(r"/devices/.*/index\.html"))
