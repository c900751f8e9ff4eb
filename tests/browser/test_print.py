"""On paper: no navigation, still charts, reasons unfolded, addresses written out, a scenario on two pages."""

from __future__ import annotations

import hashlib
import re

import pytest
from playwright.sync_api import Page, expect

from guide.build import ASSETS
from guide.show.tables import FOLD_ROWS


def on_paper(page: Page) -> bytes:
    return page.pdf(prefer_css_page_size=True, print_background=True)


def pages_of(document: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", document))


@pytest.fixture
def printed(visit):
    """Opens a page as it is printed, from a dark screen."""

    def open_page(path: str) -> Page:
        page = visit(scheme="dark").open(path)
        page.emulate_media(media="print")
        return page

    return open_page


@pytest.fixture
def scenario_pages(all_pages) -> list[str]:
    return [path for path in all_pages if re.fullmatch(r"scenarios/[^/]+/", path)]


def test_a_scenario_is_a_sheet_of_at_most_two_pages(visit, scenario_pages) -> None:
    assert scenario_pages
    window = visit()
    for path in scenario_pages:
        document = on_paper(window.open(path))
        assert 1 <= pages_of(document) <= 2, path


def test_a_sheet_holds_what_a_purchase_needs(printed, scenario_pages, built_site) -> None:
    sums = (built_site / "downloads" / "SHA256SUMS").read_bytes()
    for path in scenario_pages:
        page = printed(path)
        for part in (".lede", ".verdict__headline", "#assumptions", "#evidence", ".foot__print"):
            expect(page.locator(part).first).to_be_visible()
        foot = page.locator(".foot__print")
        expect(foot).to_contain_text(hashlib.sha256(sums).hexdigest())
        expect(foot).to_contain_text(path)
        for box in page.locator(".fallen details").all():
            reason = box.locator("dd").first
            expect(reason).to_be_visible()
            height = reason.evaluate("e => e.getBoundingClientRect().height")
            assert height > 5, f"a reason is folded away on {path}"


def test_every_flip_point_is_on_the_sheet_and_a_long_list_leaves_it_at_two_pages(
    printed, scenario_pages
) -> None:
    """The longest list of the guide's own answers has 25."""
    for path in scenario_pages:
        page = printed(path)
        flips = page.locator("[data-guide=flips] [data-flip]")
        if not flips.count():
            continue
        page.evaluate(
            """() => {
              const part = document.querySelector("[data-guide=flips]");
              const more = document.createElement("details");
              more.className = "more";
              more.append(document.createElement("summary"), document.createElement("ul"));
              more.lastChild.className = "findings";
              while (part.querySelectorAll("[data-flip]").length + more.querySelectorAll("li").length < 25)
                more.lastChild.append(part.querySelector("[data-flip]").cloneNode(true));
              part.append(more);
            }"""
        )
        assert flips.filter(visible=True).count() == flips.count() == 25, path
        assert pages_of(on_paper(page)) <= 2, path


def test_no_kind_of_page_prints_what_can_only_be_pressed(printed, page_kinds) -> None:
    for path in page_kinds:
        page = printed(path)
        for part in (
            ".md-header",
            ".md-sidebar",
            ".md-footer",
            ".md-search",
            ".twin",
            ".data__box",
            ".data__more",
        ):
            assert page.locator(part).filter(visible=True).count() == 0, (path, part)
        expect(page.locator("h1")).to_be_visible()
        colour = page.evaluate("getComputedStyle(document.querySelector('article')).color")
        assert colour == "rgb(20, 24, 31)", f"{path}: the dark palette's ink on paper"


def test_charts_are_still_on_paper(visit, page_kinds, built_site, charts_are_live) -> None:
    path = max(
        page_kinds, key=lambda p: (built_site / p / "index.html").read_text("utf-8").count("data-spec=")
    )
    page = visit().open(path)
    shown = charts_are_live(page)
    page.emulate_media(media="print")
    assert page.locator(".chart__live").filter(visible=True).count() == 0
    assert page.locator(".chart__static--wide svg").filter(visible=True).count() == shown
    assert page.locator(".chart__static--narrow svg").filter(visible=True).count() == 0


def test_sources_have_their_address_on_paper(printed) -> None:
    page = printed("data/")
    link = page.locator("article a[rel~='noopener']").first
    address = link.get_attribute("href")
    shown = link.evaluate("e => getComputedStyle(e, '::after').content")
    assert address in shown


def test_a_folded_table_is_whole_on_paper(visit) -> None:
    page = visit().open("data/")
    table = page.locator("article > .data table").filter(has=page.locator("tbody tr:nth-child(10)")).first
    table.evaluate("e => e.setAttribute('data-fold', '')")  # the example has no table long enough to fold
    # As folds.js does:
    table.evaluate("e => { for (const row of e.tBodies[0].rows) row.hidden = 'until-found'; }")
    rows = table.locator("tbody tr")
    assert rows.filter(visible=True).count() == FOLD_ROWS
    page.emulate_media(media="print")
    assert rows.filter(visible=True).count() == rows.count() > FOLD_ROWS


def test_a_figure_names_its_own_source_where_a_table_has_several(visit, all_pages, built_site) -> None:
    mixed = re.compile(
        r'<table class="data__table"(?![^>]*data-origin)[^>]*>((?!</table>).)*href="#s\d"', re.S
    )
    path = next(p for p in all_pages if mixed.search((built_site / p / "index.html").read_text("utf-8")))
    page = visit().open(path)
    figure = page.locator(".data__table:not([data-origin]) tbody a[href*='#s']").first
    number = int(figure.get_attribute("href").rpartition("#s")[2])
    page.emulate_media(media="print")
    shown = figure.evaluate("e => getComputedStyle(e, '::after').content")
    assert shown == f'"{"⁰¹²³⁴⁵⁶⁷⁸⁹"[number]}"'


def test_every_kind_of_page_fits_the_paper(printed, page_kinds) -> None:
    for path in page_kinds:
        page = printed(path)
        page.set_viewport_size({"width": 688, "height": 1000})  # A4 less its margins
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 690, f"{path} is {wide} px wide on paper"


def test_what_the_style_sheet_itself_says_is_said_in_chinese_too() -> None:
    sheet = (ASSETS / "css" / "print.css").read_text(encoding="utf-8")
    said = re.findall(r'^([^\n{]+) \{[^}]*content: "([^"]*[A-Za-z]{2}[^"]*)"', sheet, re.M)
    assert len(said) >= 2
    for selector, words in said:
        chinese = selector.replace("article.md-typeset:has", "article.md-typeset:lang(zh):has")
        assert chinese != selector, words
        after = sheet.partition(words)[2]  # of two rules the later one, and the more particular one, holds
        assert re.search(re.escape(chinese) + r' \{ content: "[^"]*[\u4e00-\u9fff][^"]*"', after), words
