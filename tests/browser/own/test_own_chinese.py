"""A file of one's own on the Chinese page: all that is said of it is Chinese, its figures are the same."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

HAN = re.compile("[\u4e00-\u9fff]")
#: English that names and units do not hold: a small word of a sentence between two others.
ENGLISH = re.compile(r"\b[a-z]+ (?:the|of|is|are|not|with|by|to|from|and|no|in|a) [a-z]+\b")


@pytest.fixture
def chinese(visit, panel):
    found = panel(visit())
    found.page.goto(found.page.url.replace("/compare/", "/zh/compare/"))
    return found


def test_a_machine_is_described_in_chinese(chinese, visit, panel, files, mine) -> None:
    path = files.json(mine)
    chinese.choose(path)
    expect(chinese.machine).to_contain_text("你的机器")
    expect(chinese.page.locator(".own__note").first).to_contain_text("个数据中有")
    expect(chinese.page.locator(".compare__summary")).to_contain_text("共同任务")
    told = chinese.page.locator(".own__machine").inner_text() + chinese.page.locator("#compare").inner_text()
    said = re.sub(r"\([^)]*\)|（[^）]*）", "", told)  # titles of sources are names
    assert ENGLISH.findall(said) == []
    english = panel(visit())
    english.choose(path)
    expect(english.machine).to_contain_text("Your machine")
    figures = [
        one.page.locator(".own__gains td.data__number").all_inner_texts() for one in (chinese, english)
    ]
    numbers = [[re.findall(r"[×$][\d.,]+", text) for text in cells] for cells in figures]
    assert numbers[0] == numbers[1]
    assert any(numbers[0])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "文件为空。"),
        (b"hello there", "这不是 bench collect 的 Parquet 或 JSON"),
        (b"PAR1" + bytes(2000) + b"PAR1", "已损坏"),
    ],
)
def test_a_refusal_is_chinese(chinese, files, content: bytes, message: str) -> None:
    chinese.choose(files.raw(content))
    expect(chinese.refusal).to_contain_text(message)


def test_a_test_without_a_counterpart_says_why_in_chinese(chinese, files, llama) -> None:
    chinese.choose(files.json([llama(n_prompt=0, n_gen=128), llama(n_prompt=77, n_gen=0)]))
    reasons = chinese.page.locator(".own__list dd, .own__said.is-bad")
    expect(reasons.first).to_have_text(HAN)
    for text in reasons.all_inner_texts():
        assert ENGLISH.findall(text) == [], text
