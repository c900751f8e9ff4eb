"""The guide in Simplified Chinese: the same page, its own words around it, and a way there and back."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_reader_goes_to_chinese_and_back(visit: Callable, width: int) -> None:
    page = visit(width=width).open("cost/")
    heading = page.locator("h1").inner_text()
    figures = page.locator("table.data__table td[data-key]").all_inner_texts()
    page.locator("header").get_by_role("link", name="简体中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page).to_have_url(re.compile("/zh/cost/$"))
    expect(page.locator("h1")).to_have_text(CHINESE)
    assert len(page.locator("table.data__table td[data-key]").all_inner_texts()) == len(figures)
    assert CHINESE.search(page.locator(".md-nav--primary").text_content() or "")
    page.locator("header").get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("h1")).to_have_text(heading)


def test_a_view_that_the_address_keeps_is_kept(visit: Callable) -> None:
    page = visit().open("cost/#h=3")
    page.locator("header").get_by_role("link", name="简体中文").click()
    expect(page).to_have_url(re.compile("/zh/cost/#h=3$"))


def test_header_and_language_follow_instant_navigation(visit: Callable) -> None:
    page = visit().open("zh/cost/")
    page.locator(
        ".md-nav--primary a[href$='zh/compare/'], .md-nav--primary a[href$='../compare/']"
    ).first.click()
    expect(page).to_have_url(re.compile("/zh/compare/$"))
    link = page.locator("header").get_by_role("link", name="English")
    expect(link).to_have_attribute("href", re.compile("//[^/]+/compare/$"))
    page.locator("a[href*='devices/']").first.click()
    expect(page).to_have_url(re.compile("/devices/"))
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("header").get_by_role("link", name="English")).to_have_count(0)


def test_a_page_without_a_version_offers_none(visit: Callable) -> None:
    page = visit().open("data/")
    expect(page.get_by_role("link", name="简体中文")).to_have_count(0)


def test_what_has_no_translation_is_seen_and_counted(visit: Callable) -> None:
    """The names of the example's invented sources and needs are in no catalogue."""
    page = visit().open("zh/methodology/")
    left = page.locator(".untranslated")
    assert left.count() > 0
    assert left.first.get_attribute("lang") == "en"
    assert "underline" in left.first.evaluate("e => getComputedStyle(e).textDecorationLine")
    (said,) = re.findall(r"\d+", page.locator(".version").inner_text())
    assert int(said) >= left.count()
