"""Tables that people work with: sorting, finding, choosing, copying; and what they are without that."""

from __future__ import annotations

import csv
import io

import pytest
from playwright.sync_api import Locator, Page, expect

from guide.evidence import load_evidence


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
    box = page.locator(".data:has(.data__box)").filter(visible=True).first
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


def test_a_folded_table_unfolds_and_search_looks_behind_the_fold(visit) -> None:
    window = visit()

    def fold(route) -> None:  # no table of the example is long enough for a fold of its own
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("data-sortable", "data-sortable data-fold"))

    window.page.route("**/devices/catalog/", fold)
    page = window.open("devices/catalog/")
    box = page.locator(".data:has(table[data-fold])")
    total = box.locator("tbody tr").count()
    assert total > 8
    seen = box.locator("tbody tr").filter(visible=True)
    expect(seen).to_have_count(8)
    last = box.locator("tbody th").last.text_content()
    box.locator(".data__box").fill(last)
    expect(box.locator("tbody tr", has_text=last).filter(visible=True).first).to_be_visible()
    box.locator(".data__box").fill("")
    expect(seen).to_have_count(8)
    box.locator(".data__more").click()
    expect(seen).to_have_count(total)


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


def test_a_library_that_cannot_be_loaded_is_said(visit, worked) -> None:
    window = visit()
    window.page.route("**/vendor/datatables/*", lambda route: route.abort())
    page = window.open(worked[0])
    box = table_with_blanks(page)
    box.locator(".data__sort").first.click()
    expect(box.locator(".data__count")).to_contain_text("could not be loaded")
    window.faults.clear()  # the browser itself reports the request that this test refused
