"""By keyboard alone: what takes focus has a name and is seen; the navigation opens, closes and is left."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

#: What the Tab key reaches although nothing names it, or although it is off the screen's sides.
NAMELESS = """
() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
  .filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({ visibilityProperty: true }))
  .filter((e) => {
    const named = (e.getAttribute("aria-labelledby") || "").split(" ");
    const labelled = named.map((id) => document.getElementById(id));
    const words = [e.getAttribute("aria-label"), e.title, e.placeholder, e.textContent, e.getAttribute("alt")]
      .concat([...(e.labels || []), ...labelled].map((other) => other?.textContent || other?.ariaLabel))
      .concat([...e.querySelectorAll("img[alt], svg title")].map((one) => one.alt || one.textContent));
    const box = e.getBoundingClientRect();
    const beside = !e.closest(".data__scroll") && box.width > 1 && (box.right <= 0 || box.left >= innerWidth);
    return !words.some((text) => (text || "").trim()) || beside;
  })
  .map((e) => e.outerHTML.slice(0, 160))
"""
FOCUSED = "document.activeElement"


@pytest.fixture
def phone(visit):
    def open_page(path: str = "") -> Page:
        page = visit(width=390).open(path)
        expect(page.locator("label[for=__drawer] [role=button]")).to_be_attached()
        return page

    return open_page


@pytest.mark.parametrize("width", [1280, 390])
def test_what_takes_focus_has_a_name_and_a_place(visit, page_kinds, width) -> None:
    window = visit(width=width)
    for path in page_kinds:
        page = window.open(path)
        expect(page.locator("label[for=__drawer] [role=button]")).to_be_attached()
        assert page.evaluate(NAMELESS) == [], path


def test_the_drawer_opens_by_keyboard_and_gives_the_focus_back(phone) -> None:
    page = phone()
    menu = page.get_by_role("button", name="Navigation")
    drawer = page.locator(".md-sidebar--primary")
    expect(drawer).to_be_hidden()
    expect(menu).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Tab")
    for _ in range(4):
        page.keyboard.press("Tab")
        if menu.evaluate("e => e === document.activeElement"):
            break
    expect(menu).to_be_focused()
    page.keyboard.press("Enter")
    expect(menu).to_have_attribute("aria-expanded", "true")
    expect(drawer).to_be_visible()
    assert page.evaluate(f"Boolean({FOCUSED}.closest('.md-sidebar--primary'))")
    page.keyboard.press("Escape")
    expect(menu).to_have_attribute("aria-expanded", "false")
    expect(drawer).to_be_hidden()
    expect(menu).to_be_focused()
    page.keyboard.press(" ")
    expect(drawer).to_be_visible()


def test_a_part_of_the_drawer_opens_and_the_list_behind_it_takes_no_focus(phone) -> None:
    page = phone()
    page.get_by_role("button", name="Navigation").press("Enter")
    part = page.get_by_role("button", name="Why", exact=True)
    inner = page.locator(".md-nav[data-md-level='1'] a", has_text="Hardly faster")
    behind = page.locator(".md-nav--primary > .md-nav__list > .md-nav__item > a", has_text="Compare")
    expect(inner).to_be_hidden()
    expect(behind).to_be_visible()
    part.press("Enter")
    head = page.locator("label.md-nav__title", has_text="Why")
    expect(head.get_by_role("button")).to_be_focused()
    expect(inner).to_be_visible()
    expect(behind).to_be_hidden()
    page.keyboard.press(" ")
    expect(behind).to_be_visible()
    expect(part).to_be_focused()
    expect(part).to_have_attribute("aria-expanded", "false")


def test_a_link_of_the_drawer_leads_on_and_closes_it(phone) -> None:
    page = phone()
    page.get_by_role("button", name="Navigation").press("Enter")
    page.locator(".md-nav--primary > .md-nav__list > .md-nav__item > a", has_text="Compare").press("Enter")
    expect(page.locator("h1")).to_contain_text("Compare")
    expect(page.locator(".md-sidebar--primary")).to_be_hidden()
    expect(page.get_by_role("button", name="Navigation")).to_have_attribute("aria-expanded", "false")


def test_on_a_wide_screen_a_part_says_whether_it_is_open(visit) -> None:
    page = visit().open("devices/")
    part = page.get_by_role("button", name="Workloads", exact=True)
    inner = page.locator(".md-nav[data-md-level='1']").filter(has=page.locator("a[href*='workloads/']")).first
    expect(part).to_have_attribute("aria-expanded", "false")
    expect(inner).to_be_hidden()
    part.press("Enter")
    expect(part).to_have_attribute("aria-expanded", "true")
    expect(part).to_be_focused()
    expect(inner.locator("a").first).to_be_visible()
    part.press(" ")
    expect(part).to_have_attribute("aria-expanded", "false")


def test_without_a_script_nothing_idle_takes_focus_and_links_stay_within_reach(visit) -> None:
    page = visit(width=390, java_script_enabled=False).open()
    assert page.locator("label[tabindex]").count() == 0
    expect(page.locator(".md-nav--primary a", has_text="Compare").first).to_be_visible()
