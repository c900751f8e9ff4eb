"""Every kind of page in a browser: complete, quiet, accessible, and no wider than a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_each_kind_of_page(visit, page_kinds, charts_are_live, serious, width, scheme) -> None:
    window = visit(width=width, scheme=scheme)
    for path in page_kinds:
        page = window.open(path)
        assert page.locator("h1").count() == 1, path
        charts_are_live(page)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{path} is {wide} px wide on a screen of {width}"
        assert serious(page) == [], path


def test_no_page_is_wider_than_the_smallest_phone(visit, all_pages) -> None:
    window = visit(width=360)
    for path in all_pages:
        wide = window.open(path).evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, f"{path} is {wide} px wide"


def test_the_empty_guide_says_how_to_collect(visit, empty_address, serious) -> None:
    window = visit(base=empty_address)
    page = window.open()
    expect(page.locator("article")).to_contain_text("bench collect")
    assert serious(page) == []
    page.locator("article a", has_text="measured and compared").click()
    expect(page.locator("h1")).to_contain_text("Methodology")


def test_a_page_is_whole_without_scripts(visit, page_kinds) -> None:
    window = visit(java_script_enabled=False)
    seen = 0
    for path in page_kinds:
        page = window.open(path)
        expect(page.locator("h1")).to_be_visible()
        for chart in page.locator(".chart").all():
            if not chart.is_visible():  # inside a box that the reader may open
                continue
            box = chart.locator(".chart__static--wide svg").bounding_box()
            assert box is not None, path
            assert box["height"] > 40, path
            seen += 1
    assert seen, "no page of the example has a chart"


def test_the_first_view_loads_no_chart_library(visit, charts_are_live) -> None:
    window = visit()
    window.open("methodology/")
    window.page.wait_for_load_state("networkidle")
    assert [url for url in window.requested if "/assets/vega/" in url] == []
    assert sum("/fonts/" in url for url in window.requested) <= 1


@pytest.mark.parametrize("path", ["cost/", "zh/cost/"])
def test_a_phone_shows_the_guides_name_whole(visit, path) -> None:
    page = visit(width=390).open(path)
    name = page.locator(".md-header__topic .md-ellipsis").first
    expect(name).to_have_text("AI hardware guide")
    cut = "e => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight"
    assert not name.evaluate(cut)
    inside = "e => [e, e.closest('header')].map(b => b.getBoundingClientRect()).map(b => [b.top, b.bottom])"
    (top, bottom), (header_top, header_bottom) = name.evaluate(inside)
    assert header_top <= top < bottom <= header_bottom
