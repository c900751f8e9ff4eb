"""Tables that people work with: sorting, finding, choosing, copying; and what they are without that."""

from __future__ import annotations

import csv
import io

import pytest
from playwright.sync_api import Locator, Page, expect

from guide.evidence import load_evidence
from guide.show.tables import FOLD_ROWS


@pytest.fixture(scope="module")
def worked(built_site, all_pages) -> list[str]:
    """Pages with a table that has tools, figures and blanks; the richest first."""

    def weight(path: str) -> int:
        text = (built_site / path / "index.html").read_text("utf-8")
        return min(text.count("data__blank"), text.count('data-do="copy"') * 50) if "data-do" in text else 0

    found = sorted((p for p in all_pages if weight(p)), key=lambda p: -weight(p))
    assert found, "no page has a table with tools"
    return found


def table_with_blanks(page: Page) -> Locator:
    """The first table in sight that has figures, blanks and tools."""
    page.locator("details.more").evaluate_all("all => all.forEach((one) => (one.open = true))")
    box = (
        page.locator(".data:has(.data__tools)")
        .filter(has=page.locator("td.data__number.data__blank"))
        .filter(has=page.locator("td.data__number[data-key]"))
    )
    # By its name: a search may take away what it was chosen for.
    return page.locator(f"#{box.filter(visible=True).first.get_attribute('id')}")


def column_with_blanks(box: Locator) -> int:
    return box.evaluate(
        """box => [...box.querySelectorAll("thead th")].findIndex((th, i) => th.dataset.kind === "number"
          && box.querySelectorAll(`tbody tr > :nth-child(${i + 1}).data__blank`).length > 0
          && box.querySelectorAll(`tbody tr > :nth-child(${i + 1})[data-key]`).length > 1)"""
    )


KEYS = """(box, i) => [...box.querySelectorAll("tbody tr")].map(({ cells: { [i]: cell } }) =>
  cell.matches(".data__blank") ? null : Number(cell.dataset.sort ?? cell.textContent))"""


def test_the_library_is_loaded_at_the_first_touch_and_not_before(visit, worked) -> None:
    window = visit()
    page = window.open(worked[0])
    page.wait_for_load_state("networkidle")
    assert [u for u in window.requested if "datatables" in u or "table-work" in u] == []
    box = table_with_blanks(page)
    box.locator(".data__sort").first.click()
    expect(box.locator("th[aria-sort]")).to_have_count(1)
    assert sum("datatables.js" in u for u in window.requested) == 1


def test_blanks_stand_last_in_either_direction_and_a_third_press_restores(visit, worked) -> None:
    page = visit().open(worked[0])
    box = table_with_blanks(page)
    place = column_with_blanks(box)
    assert place > 0, "no column has both figures and blanks"
    before = box.evaluate(KEYS, place)
    heading = box.locator("thead th").nth(place)
    for direction in ("descending", "ascending"):
        if direction == "descending":
            heading.locator(".data__sort").focus()
        page.keyboard.press("Enter")  # the second press finds the focus where it was
        expect(heading).to_have_attribute("aria-sort", direction)
        keys = box.evaluate(KEYS, place)
        numbers = [k for k in keys if k is not None]
        assert numbers == sorted(numbers, reverse=direction == "descending")
        assert keys[len(numbers) :] == [None] * (len(keys) - len(numbers))
    heading.locator(".data__sort").press("Enter")
    expect(box.locator("th[aria-sort]")).to_have_count(0)
    assert box.evaluate(KEYS, place) == before


def test_a_search_counts_what_is_left_and_says_when_nothing_is(visit, worked, built_site) -> None:
    path = next(p for p in worked if "data__box" in (built_site / p / "index.html").read_text("utf-8"))
    page = visit().open(path)
    page.locator("details.more").evaluate_all("all => all.forEach((one) => (one.open = true))")
    box = page.locator(".data:has(.data__filter)").filter(visible=True).first
    box.scroll_into_view_if_needed()
    total = box.locator("tbody tr").count()
    name = box.locator("tbody th").first.inner_text().split("\n")[0]
    box.locator(".data__box").fill(name)
    expect(box.locator(".data__count")).to_contain_text(f"of {total} rows")
    box.locator(".data__box").fill("no such words in any row")
    expect(box.locator(".data__count")).to_have_text(f"0 of {total} rows")
    expect(box.locator("tbody")).to_contain_text("No row is left")
    box.locator(".data__box").fill("")
    expect(box.locator("tbody tr")).to_have_count(total)
    expect(box.locator(".data__count")).to_have_text("")


def test_columns_can_be_hidden_and_filtered_by_their_figures(visit, worked, serious) -> None:
    page = visit().open(worked[0])
    box = table_with_blanks(page)
    columns = box.locator("thead th").count()
    box.locator("[data-do=columns]").click()
    panel = box.locator(".data__panel")
    expect(panel).to_be_visible()
    assert serious(page) == []
    checks = panel.locator("input[type=checkbox]")
    expect(checks).to_have_count(columns)
    expect(checks.first).to_be_disabled()
    checks.last.uncheck()
    expect(box.locator("thead th")).to_have_count(columns - 1)
    checks.last.check()
    expect(box.locator("thead th")).to_have_count(columns)
    total = box.locator("tbody tr").count()
    word = panel.locator("input[type=search]").first
    word.fill(box.locator("tbody th").first.inner_text().split("\n")[0])
    expect(box.locator(".data__count")).to_contain_text(f"of {total} rows")
    word.press("Escape")
    expect(panel).to_be_hidden()
    expect(box.locator("[data-do=columns]")).to_be_focused()


def copied(page: Page, box: Locator) -> list[list[str]]:
    box.locator("[data-do=copy]").click()
    expect(box.locator(".data__count")).to_contain_text("as CSV")
    text = page.evaluate("navigator.clipboard.readText()")
    return list(csv.reader(io.StringIO(text, newline="")))


def test_the_copy_holds_raw_figures_units_and_sources(visit, worked) -> None:
    window = visit(permissions=["clipboard-read", "clipboard-write"])
    page = window.open(worked[0])
    box = table_with_blanks(page)
    place = column_with_blanks(box)
    keys = box.evaluate(KEYS, place)
    title = box.locator("thead th").nth(place).inner_text().split("\n")[0].strip(" ↕")
    unit = box.locator("thead th").nth(place).locator(".data__unit")
    head, *lines = copied(page, box)
    assert len(lines) == len(keys)
    assert {len(line) for line in lines} == {len(head)}
    name = f"{title} ({unit.inner_text()})" if unit.count() else title
    column = head.index(name)
    assert [float(line[column]) if line[column] else None for line in lines] == keys
    assert head[-2:] == ["source", "rows"]
    with_figure = next(line for line, k in zip(lines, keys, strict=True) if k is not None)
    assert with_figure[-1], "no row is named"
    assert f"{title}, why blank" in head


def test_the_copy_holds_the_ends_of_intervals_as_the_rows_have_them(visit, example_data) -> None:
    window = visit(permissions=["clipboard-read", "clipboard-write"])
    page = window.open("workloads/decode/xiongjie/")
    box = page.locator(".data:has([data-do=copy])").filter(visible=True).first
    head, *lines = copied(page, box)
    evidence = load_evidence(example_data)
    tasks = [t for t in evidence.tasks if t.source_ids == ("xiongjie",)]
    known = {f"{s.result.rate:.10g}": s for t in tasks for s in t.standings}
    rate, low = head.index("Rate (tokens/s)"), head.index("Rate, 95 % low")
    ratio = head.index("Speedup, 95 % low")
    assert len(lines) > 3
    for line in lines:
        standing = known[line[rate]]
        assert float(line[low]) == pytest.approx(standing.result.interval.low, rel=1e-9)
        if line[ratio]:
            assert float(line[ratio]) == pytest.approx(standing.speedup.interval.low, rel=1e-9)


def test_what_a_spreadsheet_would_run_is_disarmed(visit, worked) -> None:
    window = visit(permissions=["clipboard-read", "clipboard-write"])
    page = window.open(worked[0])
    box = table_with_blanks(page)
    box.locator("tbody th").first.evaluate("th => (th.textContent = '=1+1, \"x\"')")
    _, first, *_ = copied(page, box)
    assert first[0] == '\'=1+1, "x"'


def test_the_copy_follows_order_search_and_columns(visit, worked) -> None:
    window = visit(permissions=["clipboard-read", "clipboard-write"])
    page = window.open(worked[0])
    box = table_with_blanks(page)
    whole = copied(page, box)
    box.locator("[data-do=columns]").click()
    box.locator(".data__panel input[type=search]").first.fill(whole[1][0])
    expect(box.locator(".data__count")).to_contain_text("of")
    less = copied(page, box)
    assert 1 <= len(less) - 1 <= len(whole) - 1
    assert all(whole[1][0].split()[0].lower() in line[0].lower() for line in less[1:])


@pytest.fixture
def folded(visit):
    """Opens the catalog with its table folded (the example has none long enough); its last row has a name."""

    def open_page(place: str = "", **options) -> tuple[Page, Locator]:
        window = visit(**options)

        def fold(route) -> None:
            answer = route.fetch()
            head, tail = answer.text().replace("data-sortable", "data-sortable data-fold").rsplit("<tr>", 1)
            route.fulfill(response=answer, body=f'{head}<tr id="the-last">{tail}')

        window.page.route("**/devices/catalog/", fold)
        page = window.open(f"devices/catalog/{place}")
        box = page.locator(".data:has(table[data-fold])")
        assert box.locator("tbody tr").count() > FOLD_ROWS
        return page, box

    return open_page


def test_a_folded_table_unfolds_and_search_looks_behind_the_fold(folded) -> None:
    _, box = folded()
    total = box.locator("tbody tr").count()
    seen = box.locator("tbody tr").filter(visible=True)
    expect(seen).to_have_count(FOLD_ROWS)
    last = box.locator("tbody th").last.text_content()
    box.locator(".data__box").fill(last)
    expect(box.locator("tbody tr", has_text=last).filter(visible=True).first).to_be_visible()
    box.locator(".data__box").fill("")
    expect(seen).to_have_count(FOLD_ROWS)
    box.locator(".data__sort").first.click()
    expect(box.locator("th[aria-sort]")).to_have_count(1)
    expect(seen).to_have_count(FOLD_ROWS)
    box.locator(".data__more").click()
    expect(seen).to_have_count(total)


@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_behind_a_fold_is_found_by_the_browser_and_by_an_address(folded, width) -> None:
    page, box = folded(width=width)
    rows = box.locator("tbody tr")
    seen = rows.filter(visible=True)
    expect(rows.last).to_have_attribute("hidden", "until-found")
    expect(seen).to_have_count(FOLD_ROWS)
    # A box that is skipped, not one that is absent: the browser's own search looks into it. It takes no room.
    style = "e => [getComputedStyle(e).display, getComputedStyle(e).contentVisibility, e.offsetHeight]"
    assert rows.last.evaluate(style) == ["block", "hidden", 0]
    end = rows.nth(FOLD_ROWS - 1).bounding_box()
    button = box.locator(".data__more").bounding_box()
    assert button["y"] - end["y"] - end["height"] < 40
    page.evaluate("location.hash = '#the-last'")
    expect(rows.last).to_be_in_viewport()
    expect(seen).to_have_count(rows.count())
    expect(box.locator(".data__more")).to_have_attribute("aria-expanded", "true")


def test_an_address_of_a_folded_row_opens_the_table_at_once(folded) -> None:
    _, box = folded("#the-last")
    expect(box.locator("#the-last")).to_be_in_viewport()
    expect(box.locator(".data__more")).to_have_attribute("aria-expanded", "true")


def test_arrow_keys_stay_before_the_fold(folded) -> None:
    page, box = folded()
    expect(box.locator("tbody tr").last).to_have_attribute("hidden", "until-found")
    figure = box.locator(f"tbody tr:nth-child({FOLD_ROWS}) [data-key] > a").first
    figure.evaluate("e => (e.tabIndex = 0)")
    figure.focus()
    page.keyboard.press("ArrowDown")
    expect(figure).to_be_focused()


def test_a_table_has_its_filter_box_once_it_is_near(visit) -> None:
    """A browser asks each field whether it could be filled in, and lays out what is far away to find out."""
    window = visit(width=390)

    def push(route) -> None:
        answer = route.fetch()
        far = '<div class="far"></div><div class="data"'
        route.fulfill(response=answer, body=answer.text().replace('<div class="data"', far, 1))

    window.page.route("**/devices/catalog/", push)
    window.page.route(
        "**/css/site.css",
        lambda r: r.fulfill(response=r.fetch(), body=r.fetch().text() + ".far{height:9000px}"),
    )
    page = window.open("devices/catalog/")
    expect(page.locator(".data__sort").first).to_be_attached()
    expect(page.locator(".data__box")).to_have_count(0)
    page.locator(".data").first.scroll_into_view_if_needed()
    expect(page.locator(".data__box").first).to_be_visible()


def test_without_a_script_a_table_is_whole_and_has_no_idle_tools(visit, worked) -> None:
    page = visit(java_script_enabled=False).open(worked[0])
    expect(page.locator(".data__tools").first).to_be_hidden()
    rows = page.locator(".data:not(details .data) tbody tr")
    assert rows.count() == rows.filter(visible=True).count()


def test_it_works_from_a_folder_on_a_disk(visit, built_site, worked) -> None:
    page = visit(base=f"{built_site.as_uri()}/").open(f"{worked[0]}index.html")
    box = table_with_blanks(page)
    box.locator(".data__sort").first.click()
    expect(box.locator("th[aria-sort]")).to_have_count(1)


def test_the_first_column_of_a_wide_table_stays(visit, worked, built_site) -> None:
    page = visit(width=390).open(worked[0])
    box = page.locator(".data:not(.data--cards)").filter(visible=True).first
    scroll, first = box.locator(".data__scroll"), box.locator("tbody th").first
    before = first.bounding_box()["x"]
    scroll.evaluate("e => (e.scrollLeft = 120)")
    assert abs(first.bounding_box()["x"] - before) < 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_that_is_cut_is_shaded_there_until_its_end(visit, worked, scheme) -> None:
    page = visit(width=800, scheme=scheme).open(worked[0])
    box = page.locator(".data:not(.data--cards) .data__scroll").filter(visible=True).first
    box.evaluate("e => { e.querySelector('thead th:last-child').style.minWidth = '80rem'; }")
    box.scroll_into_view_if_needed()
    page.mouse.move(0, 0)

    def edge() -> bytes:
        """The last few pixels above the rule beneath the first row, where no text stands."""
        place = box.evaluate(
            """e => { const [b, r] = [e, e.querySelector('tbody tr')].map((x) => x.getBoundingClientRect());
              return { x: b.right - 5, y: r.top + 1.5, width: 4, height: 3 }; }"""
        )
        return page.screenshot(clip=place)

    cut = edge()
    box.evaluate("e => { e.scrollLeft = e.scrollWidth; }")
    end = edge()
    box.evaluate("e => { e.style.background = 'none'; }")
    plain = edge()
    assert end == plain
    assert cut != plain


def test_a_library_that_cannot_be_loaded_is_said(visit, worked) -> None:
    window = visit()
    window.page.route("**/vendor/datatables/*", lambda route: route.abort())
    page = window.open(worked[0])
    box = table_with_blanks(page)
    box.locator(".data__sort").first.click()
    expect(box.locator(".data__count")).to_contain_text("could not be loaded")
    window.faults.clear()  # the browser itself reports the request that this test refused
