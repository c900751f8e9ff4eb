"""The card of a figure: by mouse, keyboard and finger, on paper, without a script. Every figure has one."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from guide.show.tables import UNSOURCED

#: Tables of figures that are no measurements: where they stand -> why they have no cards.
NO_MEASUREMENTS = {
    ".inputs": "assumptions: each line names where its value comes from",
    ".winmap": "who wins at assumed inputs: letters, worked out in the grid above it",
    ".compare": "drawn by its script, which gives each figure its key when a reader comes near: tested below",
}
BARE = """exceptions => {
  const bare = [];
  const where = (cell) =>
    `${cell.closest("table").caption?.textContent}: ${cell.textContent.trim().slice(0, 60)}`;
  for (const table of document.querySelectorAll("article table")) {
    if (exceptions.some((one) => table.closest(one)) || table.dataset.unsourced) continue;
    if (table.closest(".figure__data")) {
      for (const row of table.tBodies[0].rows)
        if (!row.querySelector("[data-key] > a")) bare.push(where(row.cells[0]));
      continue;
    }
    [...table.tHead.rows[0].cells].forEach((heading, index) => {
      if (heading.dataset.kind !== "number" || heading.dataset.unsourced) return;
      for (const row of table.tBodies[0].rows) {
        const cell = row.cells[index];
        if (!cell.classList.contains("data__blank") && !cell.matches("[data-key]")) bare.push(where(cell));
      }
    });
  }
  const codes = [...document.querySelectorAll("[data-unsourced]")].map((one) => one.dataset.unsourced);
  return { bare, codes };
}"""


@pytest.fixture(scope="module")
def traced_pages(built_site, all_pages) -> list[str]:
    """Pages with figures of measurements in tables that are seen at once, the ones with most first."""
    count = {
        p: (built_site / p / "index.html").read_text("utf-8").count('<td class="data__number"')
        for p in all_pages
    }
    found = [p for p in all_pages if p.startswith("workloads/") and count[p] > 3]
    assert found
    return sorted(found, key=lambda p: -count[p])


def first_figure(page: Page):
    return page.locator("article td.data__number[data-key]:visible > a").first


def test_no_figure_is_without_its_provenance(visit, all_pages) -> None:
    window = visit()
    seen: set[str] = set()
    for path in all_pages:
        found = window.open(path).evaluate(BARE, list(NO_MEASUREMENTS))
        assert found["bare"] == [], f"figures without provenance on {path}"
        seen |= set(found["codes"])
    assert seen <= set(UNSOURCED), f"reasons that nobody listed: {seen - set(UNSOURCED)}"


def test_the_mouse_shows_a_card_with_what_is_known(visit, traced_pages) -> None:
    window = visit()
    page = window.open(traced_pages[0])
    assert not [url for url in window.requested if "/assets/provenance/" in url], (
        "loaded before anybody asked"
    )
    figure = first_figure(page)
    figure.hover()
    card = page.locator("#figure-card")
    expect(card).to_be_visible()
    for heading in ("Day", "Device", "Method", "Source", "Row"):
        expect(card.locator("dt", has_text=re.compile(f"^{heading}$")).first).to_be_attached()
    loaded = [url for url in window.requested if "/assets/provenance/" in url]
    figure.hover(position={"x": 2, "y": 2})
    page.mouse.move(2, 400)
    expect(card).to_be_hidden()
    figure.hover()
    expect(card).to_be_visible()
    assert [url for url in window.requested if "/assets/provenance/" in url] == loaded, "asked for twice"


def test_the_keyboard_opens_and_leaves_it(visit, traced_pages, serious) -> None:
    page = visit().open(traced_pages[0])
    figure = first_figure(page)
    figure.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    focused = page.locator(":focus")
    card = page.locator("#figure-card")
    expect(card).to_be_visible()
    expect(focused).to_have_attribute("aria-describedby", "figure-card-text")
    page.keyboard.press("Enter")
    expect(card.locator(".provenance__close")).to_be_focused()
    assert serious(page) == []
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.getElementById('figure-card').contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    assert page.evaluate("document.activeElement.closest('[data-key]') !== null"), "focus did not return"


def test_one_stop_of_the_tab_key_for_each_table(visit, traced_pages, until) -> None:
    page = visit().open(traced_pages[0])
    until(page, "document.querySelectorAll('tbody [data-key] a[tabindex]').length > 3")
    stops = """() => [...document.querySelectorAll("article table")]
      .filter((t) => t.querySelector("tbody [data-key] a"))
      .map((t) => [...t.querySelectorAll("tbody [data-key] a")].filter((a) => a.tabIndex === 0).length)"""
    until(page, f"({stops})().every((n) => n === 1)")


def test_a_tap_opens_a_sheet_at_the_bottom(visit, traced_pages) -> None:
    window = visit(width=390, has_touch=True, is_mobile=True)
    page = window.open(traced_pages[0])
    first_figure(page).tap()
    card = page.locator("#figure-card")
    expect(card).to_have_class(re.compile("provenance--sheet"))
    box = card.bounding_box()
    assert box["width"] == 390
    assert round(box["y"] + box["height"]) == 900
    card.locator(".provenance__close").tap()
    expect(card).to_be_hidden()


def test_a_card_of_a_ratio_shows_both_sides(visit, built_site, traced_pages) -> None:
    number = re.compile('<td class="data__number"[^>]*data-key="ratio:')
    path = next(p for p in traced_pages if number.search((built_site / p / "index.html").read_text("utf-8")))
    page = visit().open(path)
    page.locator("article td.data__number[data-key^='ratio:']:visible > a").first.click()
    card = page.locator("#figure-card")
    expect(card).to_contain_text("The reference")
    expect(card.locator("details")).to_have_count(2)


def test_figures_that_compare_draws_have_cards(visit) -> None:
    window = visit()
    page = window.open("compare/")
    figure = page.locator(".compare__tasks td.data__number:not(.data__blank)").filter(visible=True).first
    expect(figure).to_be_visible()
    assert not [url for url in window.requested if "compare-keys" in url], "loaded before anybody asked"
    figure.hover()
    expect(figure).to_have_attribute("data-key", re.compile(r"^\d+\.\d+$"))
    by = page.locator(".compare__tasks td[data-key^='ratio:']").filter(visible=True).first
    by.locator("a").click()
    expect(page.locator("#figure-card")).to_contain_text("The reference")
    page.keyboard.press("Escape")
    bare = ".compare__tasks td.data__number:not(.data__blank):not([data-key])"
    expect(page.locator(bare)).to_have_count(0)


def test_it_outlives_instant_navigation(visit, traced_pages) -> None:
    page = visit().open(traced_pages[0])
    page.evaluate("window.sameDocument = true")
    title = page.title()
    page.locator(".md-header a.md-logo").click()
    expect(page).not_to_have_title(title)
    page.go_back()
    expect(page).to_have_title(title)
    first_figure(page).click()
    expect(page.locator("#figure-card")).to_be_visible()
    assert page.evaluate("window.sameDocument")


def test_without_a_script_a_figure_leads_to_its_origin(visit, traced_pages) -> None:
    page = visit(java_script_enabled=False).open(traced_pages[0])
    figure = first_figure(page)
    goal = figure.get_attribute("href")
    figure.click()
    expect(page).to_have_url(re.compile(f"{re.escape(goal)}$"))
    expect(page.locator(goal)).to_be_in_viewport()


def test_it_works_from_a_folder_on_a_disk(visit, built_site, traced_pages) -> None:
    window = visit(base=f"{built_site.as_uri()}/")
    page = window.open(f"{traced_pages[0]}index.html")
    first_figure(page).click()
    expect(page.locator("#figure-card")).to_contain_text("Source")


def test_on_paper_headline_figures_have_notes_and_the_card_is_gone(visit) -> None:
    page = visit().open()
    assert page.locator(".traced").count() > 0, "no headline figure of the home page is traced"
    expect(page.locator(".origins__notes")).to_be_hidden()
    page.emulate_media(media="print")
    notes = page.locator(".origins__notes > li")
    expect(notes.first).to_be_visible()
    assert notes.count() == page.locator(".traced:not(.traced--in)").count()


def test_a_record_that_cannot_be_loaded_leaves_the_list_of_origins(visit, traced_pages) -> None:
    window = visit()
    window.page.route("**/assets/provenance/*", lambda route: route.abort())
    page = window.open(traced_pages[0])
    figure = first_figure(page)
    goal = figure.get_attribute("href")
    figure.click()
    expect(page).to_have_url(re.compile(f"{goal}$"))
    window.faults.clear()  # the browser itself reports the request that this test refused


def test_a_figure_in_a_sentence_has_a_card_by_mouse_keyboard_and_finger(visit, all_pages, serious) -> None:
    path = next(p for p in all_pages if re.fullmatch(r"scenarios/[^/]+/", p))
    page = visit().open(path)
    figure = page.locator(".verdict__headline .traced--in").first
    card = page.locator("#figure-card")
    figure.hover()
    expect(card).to_be_visible()
    shown = figure.inner_text()
    expect(card.locator(".provenance__value")).to_have_text(shown)
    page.mouse.move(2, 500)
    expect(card).to_be_hidden()
    page.locator("[data-guide=flips] li").filter(has_text=re.compile(" or less .* wins")).locator(
        ".traced--in a"
    ).first.focus()
    page.keyboard.press("Enter")
    expect(card).to_contain_text("by deciding again")
    expect(card).to_contain_text("Who wins then")
    assert serious(page) == []
    phone = visit(width=390, has_touch=True, is_mobile=True).open(path)
    phone.locator(".verdict__headline .traced--in a").first.tap()
    expect(phone.locator("#figure-card .provenance__value")).to_have_text(shown)


def test_a_figure_stays_in_the_line_of_its_sentence(visit, page_kinds) -> None:
    window = visit()
    alone = "all => all.filter(e => getComputedStyle(e).display !== 'inline').map(e => e.textContent)"
    for path in page_kinds:
        found = window.open(path).locator("main .traced").evaluate_all(alone)
        assert found == [], path
