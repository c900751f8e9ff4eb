"""Compare in a browser: the choice, the address, and the same arithmetic as in Python."""

from __future__ import annotations

import itertools
import re

import pytest
from playwright.sync_api import expect

from bench.project import DataDir
from guide.analysis.ratios import ratio
from guide.evidence import Evidence, load_evidence
from guide.show import figures


@pytest.fixture(scope="module")
def evidence(example_data: DataDir) -> Evidence:
    return load_evidence(example_data)


def test_choosing_changes_the_page_and_the_address_keeps_it(visit, evidence) -> None:
    ran = next(t for t in evidence.tasks if len(t.standings) > 2)  # what three systems have in common
    first, second, third = [s.result.system.key for s in ran.standings][:3]
    page = visit().open(f"compare/#a={first}&b={second}")
    expect(page.locator("#compare-a")).to_have_value(first)
    expect(page.locator(".compare__summary")).to_contain_text(evidence.systems[second].label)
    page.locator("#compare-b").select_option(third)
    expect(page.locator(".compare__summary")).to_contain_text(evidence.systems[third].label)
    expect(page).to_have_url(re.compile(re.escape(f"#a={first}&b={third}") + "$"))
    page.reload()
    expect(page.locator("#compare-b")).to_have_value(third)
    page.locator(".compare__swap").click()
    expect(page.locator("#compare-a")).to_have_value(third)


def test_a_pair_of_the_static_table_opens_itself(visit) -> None:
    page = visit().open("compare/")
    expect(page.locator("#compare-a")).to_be_visible()
    link = page.locator("article .data a[href*='#a=']").last
    wanted = link.get_attribute("href").split("#a=")[1].split("&b=")
    link.click()
    expect(page.locator("#compare-a")).to_have_value(wanted[0])
    expect(page.locator("#compare-b")).to_have_value(wanted[1])


def test_the_browser_and_python_give_the_same_ratios(visit, evidence, until) -> None:
    page = visit().open("compare/")
    until(page, "window.hwguideCompare")
    cases, wanted = [], []
    for task in evidence.tasks:
        for a, b in itertools.islice(itertools.permutations([s.result for s in task.standings], 2), 12):
            found = ratio(a, b)
            cases.append([_side(a), _side(b)])
            interval = found.interval
            wanted.append(
                [
                    figures.ratio(found.value),
                    figures.span(interval.low, interval.high) if interval else None,
                    found.verdict,
                    found.within_band,
                ]
            )
    assert len(cases) > 10
    seen = page.evaluate(
        """cases => cases.map(([a, b]) => {
          const found = hwguideCompare.ratio(a, b);
          const span = found.interval && hwguideCompare.span(...found.interval);
          return [hwguideCompare.times(found.value), span, found.verdict, hwguideCompare.withinBand(found)];
        })""",
        cases,
    )
    assert seen == wanted


def test_a_tie_whose_interval_excludes_one_says_why_it_is_a_tie(visit, until) -> None:
    page = visit().open("compare/")
    until(page, "window.hwguidePairs")
    # Figures 2 % apart, known to within 0.1 %, and bands of ±5 %; then intervals that meet, and none.
    pairs = [
        [[102, 101.9, 102.1, 97, 107], [100, 99.9, 100.1, 95, 105]],
        [[102, 99, 105, 97, 107], [100, 97, 103, 95, 105]],
        [[102, None, None, 97, 107], [100, None, None, 95, 105]],
    ]
    seen = page.evaluate(
        "pairs => pairs.map(([a, b]) => hwguidePairs.verdictOf(hwguideCompare.ratio(a, b)))", pairs
    )
    assert seen == ["tied (within the band)", "tied", "tied"]


def _side(result) -> list[float | None]:
    interval = result.interval
    return [
        result.rate,
        interval.low if interval else None,
        interval.high if interval else None,
        result.band.low,
        result.band.high,
    ]


def test_without_a_script_the_pairs_are_there(visit) -> None:
    page = visit(java_script_enabled=False).open("compare/")
    expect(page.locator("#compare")).to_be_hidden()
    expect(page.locator("article .data table").first).to_be_visible()
