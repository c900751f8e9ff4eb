"""The guide in Simplified Chinese: the same page, its own words around it, and a way there and back."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

CHINESE = re.compile("[\u4e00-\u9fff]")
#: English that names and units do not hold: a small word of a sentence between two others.
ENGLISH = re.compile(r"\b[a-z]+ (?:the|of|is|are|not|with|by|to|from|and|no|in|a) [a-z]+\b")


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


def test_the_chinese_navigation_leads_to_the_devices_in_english(
    visit: Callable,
) -> None:
    page = visit().open("zh/cost/")
    entries = page.locator(".md-nav--primary > .md-nav__list > .md-nav__item")
    chinese = [text.split("\n")[0].strip() for text in entries.all_inner_texts()]
    place = next(i for i, text in enumerate(chinese) if text.startswith("设备"))
    assert "EN" in entries.nth(place).inner_text()
    assert chinese[place + 1] == "比较"
    entries.nth(place).get_by_role("link").click()
    expect(page).to_have_url(re.compile(r":\d+/devices/$"))
    expect(page.locator("html")).to_have_attribute("lang", "en")
    english = page.locator(".md-nav--primary > .md-nav__list > .md-nav__item").all_inner_texts()
    assert [text.strip() for text in english].count("Devices") == 1
    assert not any(CHINESE.search(text) for text in english)


def test_a_page_without_a_version_offers_none(visit: Callable) -> None:
    page = visit().open("devices/")
    page.locator("article a[href*='nvidia']").first.click()
    expect(page).to_have_url(re.compile("/devices/nvidia"))
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


def test_a_readers_numbers_are_answered_in_chinese_and_kept_on_the_way_to_english(visit: Callable) -> None:
    page = visit().open("zh/scenarios/solo/#b=4321&h=7")
    expect(page.locator("[data-yours=flips]")).to_have_text(CHINESE)
    expect(page.get_by_text("正在计算")).to_have_count(0)
    for name in ("verdict", "ways", "ranking", "fallen", "flips", "shares"):
        part = page.locator(f"[data-yours={name}]")
        expect(part).to_have_text(CHINESE)
        assert ENGLISH.findall(part.inner_text()) == [], name
    expect(page.locator(".reader__status")).to_have_text(CHINESE)
    expect(page.locator(".verdict__sure:visible strong").last).to_contain_text("4,321 USD")
    page.locator("#your-h").fill("none")
    expect(page.locator("#your-h-error")).to_contain_text("不是数字")
    page.locator("header").get_by_role("link", name="English").click()
    expect(page).to_have_url(re.compile("/scenarios/solo/#b=4321&h=7$"))
    expect(page.locator(".verdict__sure:visible strong").last).to_contain_text("Your numbers:")
    page.locator("header").get_by_role("link", name="简体中文").click()
    expect(page.locator(".verdict__sure:visible strong").last).to_contain_text("你的数值：")


def test_cards_and_the_tools_of_tables_are_chinese(visit: Callable) -> None:
    page = visit().open("zh/multi-gpu-or-apple/")
    figure = page.locator(".data__table tbody td[data-key]:not([data-key*=':']) a >> visible=true").first
    figure.click()
    card = page.locator("#figure-card")
    expect(card).to_contain_text("来源")
    assert ENGLISH.findall(re.sub("“[^”]*”", "", card.inner_text())) == []
    expect(card).to_have_attribute("aria-label", CHINESE)
    page.keyboard.press("Escape")
    box = page.locator(".data").filter(has=page.locator("[data-do=columns]")).first
    box.locator("[data-do=columns]").click()
    expect(box.locator(".data__panel")).to_have_attribute("aria-label", CHINESE)
    expect(box.locator(".data__panel input[placeholder]").first).to_have_attribute("placeholder", CHINESE)
    box.locator(".data__box").fill("qqqqq")
    expect(box.locator(".data__count")).to_have_text(re.compile(r"^\d+ 行中的 0 行$"))
    expect(box.locator("tbody")).to_contain_text("没有剩余的行")


def test_a_script_that_lacks_a_word_says_it_in_english_and_marks_it(visit: Callable) -> None:
    page = visit().open("zh/scenarios/solo/")
    page.evaluate("delete hwguideCatalogues.zh.words['With your numbers']")
    page.evaluate("hwguideWords.lack(['Never heard of'])")
    page.evaluate("document.querySelector('article').append(hwguideWords.words('With your numbers'), ' ')")
    page.evaluate("document.querySelector('article').append(document.createElement('p'))")
    page.evaluate("document.querySelector('article p:last-child').textContent = 'Never heard of'")
    left = page.locator("article .untranslated")
    expect(left.filter(has_text="With your numbers")).to_have_attribute("lang", "en")
    expect(left.filter(has_text="Never heard of")).to_have_attribute("lang", "en")


def test_links_to_english_pages_say_so(visit: Callable, built_site) -> None:
    page = visit().open("zh/scenarios/solo/#h=7")
    expect(page.locator("[data-yours=ranking]")).to_have_text(CHINESE)
    unmarked = page.locator("article a[href*='devices/']:not([hreflang=en])")
    addresses = unmarked.evaluate_all("links => links.map((a) => new URL(a.href).pathname)")
    assert [address for address in addresses if not address.startswith("/zh/")] == []
    assert page.locator("[data-yours=ranking] a[href*='/devices/'][hreflang=en]").count() > 0


def test_the_list_of_pages_names_the_versions_of_each(built_site) -> None:
    text = (built_site / "sitemap.xml").read_text("utf-8")
    entries = dict(re.findall(r"<loc>([^<]*)</loc>(.*?)</url>", text, re.DOTALL))
    told = {loc: dict(re.findall('hreflang="(.*?)" href="(.*?)"', rest)) for loc, rest in entries.items()}
    both = {loc: found for loc, found in told.items() if found}
    assert both
    for loc, found in both.items():
        assert set(found) == {"en", "zh"}
        assert loc in found.values()
        assert all(told[other] == found for other in found.values())


def test_a_wrong_address_is_told_in_both(visit: Callable, built_site) -> None:
    text = (built_site / "404.html").read_text("utf-8")
    assert '<p lang="zh">没有找到此页。' in text
    assert re.search(r'<a href="[^"]*/zh/">首页</a>', text)
