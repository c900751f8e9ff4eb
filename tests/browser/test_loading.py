"""The first moments of a page: what would make a browser style or lay out all of it again does not happen."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

#: Notes what is set anew on the two elements whose attributes concern every other one.
WATCH = """
window.changed = [];
new MutationObserver((all) => {
  for (const { target, attributeName: name, oldValue: before } of all)
    if (["HTML", "BODY"].includes(target.nodeName))
      changed.push([target.nodeName, name, before, target.getAttribute(name)]);
}).observe(document, { attributes: true, attributeOldValue: true, subtree: true });
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_script_says_again_what_the_whole_page_is(visit, scheme) -> None:
    """Class and language of the document: even the same value once more would style every element anew."""
    window = visit(width=390, scheme=scheme)
    window.context.add_init_script(WATCH)
    page = window.open("devices/")
    expect(page.locator(".data__sort").first).to_be_attached()
    seen = page.evaluate("window.changed")
    assert [one for one in seen if one[:2] == ["HTML", "lang"]] == []
    classes = [one[3] for one in seen if one[:2] == ["HTML", "class"]]
    assert set(classes) <= {"js js-focus-visible"}, classes
    assert "js" in page.evaluate("[...document.documentElement.classList]")


def test_a_dark_page_is_dark_before_the_themes_script_has_come(visit) -> None:
    window = visit(scheme="dark")
    window.page.route("**/bundle.*.js", lambda route: route.abort())
    page = window.open()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    assert page.evaluate("getComputedStyle(document.querySelector('article')).color") == "rgb(236, 239, 244)"
    window.faults.clear()  # what the refused script would have brought is missing


def test_what_the_reader_chose_stands_above_what_the_system_prefers(visit) -> None:
    page = visit(scheme="dark").open()
    button = page.locator("label.md-header__button[for^='__palette']:not([hidden])")
    button.click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")
    page.reload(wait_until="load")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")


def test_the_themes_colours_for_the_dark_are_all_given(visit, built_site) -> None:
    """``palette.css`` of the theme is not loaded: its variables for a dark page have a value all the same."""
    (theme,) = built_site.glob("assets/stylesheets/palette.*.css")
    blocks = re.findall(r"\[data-md-color-scheme=slate\]\{([^}]*)\}", theme.read_text("utf-8"))
    names = sorted(set(re.findall(r"(--[a-z0-9-]+):", "".join(blocks))))
    assert len(names) > 30
    own = (built_site / "css" / "site.css").read_text("utf-8")
    given = re.findall(r'\[data-md-color-scheme(?:="slate")?\] \{([^}]*)\}', own)
    assert [name for name in names if f"{name}:" not in "".join(given)] == []
    links = re.findall("<link[^>]*>", (built_site / "index.html").read_text("utf-8"))
    assert "palette." not in "".join(links)
    page = visit(scheme="dark").open()
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"


def test_text_takes_the_same_room_before_its_font_has_come(visit) -> None:
    window = visit(width=390)
    page = window.open()
    if not page.evaluate("document.fonts.load('16px \"Inter Before\"').then((all) => all.length, () => 0)"):
        pytest.skip("none of the fonts that stand in for Inter is on this machine")
    size = "[...document.querySelectorAll('.lede, h1, h2, .card__pick')].map((e) => e.offsetHeight)"
    with_font = page.evaluate(f"document.fonts.ready.then(() => {size})")
    window.page.route("**/inter.woff2", lambda route: route.abort())
    page.reload(wait_until="load")
    without = page.evaluate(f"document.fonts.ready.then(() => {size})")
    window.faults.clear()  # the font that this test refused
    assert len(without) == len(with_font) > 3
    same = sum(abs(a - b) <= 2 for a, b in zip(with_font, without, strict=True))
    assert same >= 0.8 * len(with_font), (with_font, without)
