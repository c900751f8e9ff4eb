"""What a reader does: switch the palette, follow links, sort, filter, search, use keys, turn the phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect


@pytest.fixture
def chart_page(built_site, page_kinds) -> str:
    """The page with the most charts."""
    return max(
        page_kinds, key=lambda p: (built_site / p / "index.html").read_text("utf-8").count("data-spec=")
    )


def switch_palette(page: Page) -> None:
    before = page.locator("body").get_attribute("data-md-color-scheme")
    while page.locator("body").get_attribute("data-md-color-scheme") == before:
        page.locator("form[data-md-component=palette] label:visible").click()


def go_home_and_back(page: Page) -> None:
    """Leave the page and return. The content, and the title with it, comes some time after the address."""
    title = page.title()
    page.locator(".md-header a.md-logo").click()
    expect(page).not_to_have_title(title)
    page.go_back()
    expect(page).to_have_title(title)


def ink(page: Page) -> str:
    return page.locator(".chart svg.marks text").first.evaluate("e => getComputedStyle(e).fill")


def test_charts_follow_the_palette_without_being_drawn_again(
    visit, chart_page, charts_are_live, until
) -> None:
    window = visit()
    page = window.open(chart_page)
    assert charts_are_live(page)
    light = ink(page)
    page.evaluate("document.querySelector('.chart svg.marks').dataset.mine = 'yes'")
    switch_palette(page)
    until(page, "getComputedStyle(document.querySelector('.chart svg.marks text')).fill !== arg", light)
    assert page.locator(".chart svg.marks[data-mine=yes]").count() == 1


def test_instant_navigation_keeps_charts_alive_and_lets_old_ones_go(
    visit, chart_page, charts_are_live
) -> None:
    window = visit()
    page = window.open(chart_page)
    shown = charts_are_live(page)
    page.evaluate("window.sameDocument = true")
    for _ in range(2):
        go_home_and_back(page)
        # With the section that was read last: the theme keeps it in the address.
        expect(page).to_have_url(re.compile(re.escape(window.base + chart_page) + "(#.*)?$"))
        # The address changes before the content does.
        expect(page.locator(".chart:visible")).to_have_count(shown)
        assert charts_are_live(page) == shown
    assert page.evaluate("window.sameDocument"), "the page was loaded anew: navigation is not instant"
    assert page.locator(".chart.is-live .chart__live").count() == shown
    assert page.locator("#vg-tooltip-element").count() <= 1


def test_leaving_while_charts_are_being_drawn_leaves_no_error(visit, chart_page) -> None:
    window = visit()
    page = window.open(chart_page)
    page.locator(".chart").first.scroll_into_view_if_needed()
    go_home_and_back(page)
    page.locator(".chart").first.scroll_into_view_if_needed()
    switch_palette(page)
    expect(page.locator(".chart").first).to_have_class("chart is-live", timeout=30_000)


def test_turning_a_phone_changes_the_layout_of_charts(visit, chart_page, charts_are_live) -> None:
    window = visit(width=390)
    page = window.open(chart_page)
    charts_are_live(page)
    expect(page.locator(".chart").first).to_have_attribute("data-layout", "narrow")
    page.set_viewport_size({"width": 900, "height": 500})
    expect(page.locator(".chart").first).to_have_attribute("data-layout", "wide", timeout=30_000)
    page.locator(".chart").first.scroll_into_view_if_needed()


def test_a_chart_that_cannot_be_fetched_stays_a_picture(visit, chart_page) -> None:
    window = visit()
    window.page.route("**/assets/charts/*.json", lambda route: route.abort())
    page = window.open(chart_page)
    chart = page.locator(".chart").first
    chart.scroll_into_view_if_needed()
    expect(chart).to_have_attribute("data-failed", "Failed to fetch", timeout=30_000)
    assert chart.locator(".chart__static--wide svg").is_visible()
    window.faults.clear()  # the browser itself reports the request that this test refused


def test_a_table_sorts_by_its_numbers_and_says_so(visit, built_site, all_pages) -> None:
    window = visit()
    with_numbers = [
        p
        for p in all_pages
        if 'data-kind="number"'
        in (built_site / p / "index.html").read_text("utf-8").split("data-sortable", 1)[-1]
        and "data-sortable" in (built_site / p / "index.html").read_text("utf-8")
    ]
    assert with_numbers, "no page has a sortable table with numbers"
    page = window.open(with_numbers[0])
    table = page.locator("table[data-sortable]").filter(has=page.locator("th[data-kind=number]")).first
    heading = table.locator("thead th[data-kind=number]").first
    column = heading.evaluate("e => e.cellIndex")
    button = heading.get_by_role("button")
    button.focus()
    for direction in ("descending", "ascending"):
        page.keyboard.press("Enter")
        expect(heading).to_have_attribute("aria-sort", direction)
        keys = table.evaluate(
            "(t, i) => [...t.tBodies[0].rows].map(r => r.cells[i].dataset.sort ?? null)", column
        )
        numbers = [float(k) for k in keys if k is not None]
        assert numbers == sorted(numbers, reverse=direction == "descending")
        assert None not in keys[: len(numbers)], "a blank stands among the figures"


def test_search_finds_a_page_and_no_raw_markup(visit) -> None:
    window = visit()
    page = window.open()
    page.keyboard.press("/")
    page.keyboard.type("interrupted")
    result = page.locator(".md-search-result__link").first
    expect(result).to_be_visible()
    expect(result).to_contain_text("Methodology")
    assert "&#" not in page.locator(".md-search-result__list").inner_text()


def test_the_keyboard_reaches_the_content_first(visit) -> None:
    window = visit()
    page = window.open("methodology/")
    page.keyboard.press("Tab")
    expect(page.locator(".md-skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#"))
