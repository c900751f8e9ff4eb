"""Between a segment and its entry: what becomes a place, and that a translation is put together again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guide.show.markup import escape
from guide.translate.patterns import Names, fill, pattern_of, places

NAMES = Names(["RTX 4090", "RTX 4090 D", "[MAX] MS-1", "Llama 3 8B, Q4_K_M, decode", "M2"])


def as_it_is(kind: str, text: str) -> str:
    return text


@pytest.mark.parametrize(
    ("segment", "msgid"),
    [
        ("235\u00a0devices", "{1} devices"),
        ("seen 1\u00a0Feb\u00a02026; $95.74 a month", "seen {1}; {2} a month"),
        ("×200 [190–210]", "{1} [{2}]"),
        (
            "takes $1,500, the budget is $1,499.50; at 2, 3 or 4",
            "takes {1}, the budget is {2}; at {3}, {4} or {5}",
        ),
        ("at 5.96\u00a0h and below", "at {1} and below"),
        ("RTX 4090 D beats RTX 4090", "{1} beats {2}"),
        ("Llama 3 8B, Q4&#95;K&#95;M, decode on M2", "{1} on {2}"),
        ("[MAX] MS-1 and RTX 4090", "{1} and {2}"),
        ("M24 is not M2", "M24 is not {1}"),
        ('by <a href="x/">its <b>own</b> page</a>', "by <1>its <2>own</2> page</1>"),
        ("run <code>bench show --run 3</code> now", "run <1/> now"),
        ('stated<sup class="n">12</sup>', "stated<1/>"),
        ("{curly} &lt;b&gt;", "(curly) ‹b›"),
    ],
)
def test_what_changes_becomes_a_place(segment: str, msgid: str) -> None:
    assert pattern_of(segment, NAMES).msgid == msgid


def test_a_translation_may_order_the_places_anew() -> None:
    pattern = pattern_of('<a href="m/">RTX 4090</a> wins in 62\u00a0% of 30 cells', NAMES)
    assert pattern.msgid == "<1>{2}</1> wins in {3} of {4} cells"
    filled = fill("{4} & {3}: <1>{2}</1>", pattern, as_it_is)
    assert filled == '30 &#38; 62\u00a0%: <a href="m/">RTX 4090</a>'


@pytest.mark.parametrize(
    "text",
    ["1.5 s", "", "×2 [1–3]", "task_key", "tokens/s", "b2824 (4426e298)", "GPU", '<a href="x/">RTX 4090</a>'],
)
def test_figures_and_names_alone_are_no_words(text: str) -> None:
    assert not pattern_of(text, NAMES).has_words


@given(st.text(max_size=60))
def test_an_entry_filled_with_its_own_text_is_the_text(text: str) -> None:
    """Whatever a page says: taken apart and put together in the same words it reads the same, and escaped."""
    segment = str(escape(text))
    pattern = pattern_of(segment, NAMES)
    filled = fill(pattern.msgid, pattern, as_it_is)
    assert "<" not in filled
    again = pattern_of(filled, NAMES)
    assert again.msgid == pattern.msgid
    assert places(pattern.msgid) == places(again.msgid)
