"""Where a page is cut, and what is left alone."""

from __future__ import annotations

import pytest

from guide.translate.segments import translated


def shouted(segment: str, may_mark: bool) -> str:
    """Every segment in brackets, so that the cuts can be seen."""
    return f"⟦{segment}⟧"


def cut(text: str) -> str:
    return translated(text, shouted)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Do:\n```sh\na  # b\n\nc\n```\nThen.", "⟦Do:⟧\n```sh\na  # b\n\nc\n```\n⟦Then.⟧"),
        ("## Own or rent? { #rent }", "## ⟦Own or rent?⟧ { #rent }"),
        ("## Own or rent?", "## ⟦Own or rent?⟧ { #own-or-rent }"),
        ("One line\nand the next.", "⟦One line and the next.⟧"),
        ("- first\n- second", "- ⟦first⟧\n- ⟦second⟧"),
        (
            "See [Data](../data/) and **this**.",
            '⟦See <a href="../data/">Data</a> and <strong>this</strong>.⟧',
        ),
        ("Run `a *b* <c>` *now*.", "⟦Run <code>a *b* &lt;c&gt;</code> <em>now</em>.⟧"),
        ("<p>Words <em>here</em>.</p>", "<p>⟦Words <em>here</em>.⟧</p>"),
        ("<p><strong>All of it</strong></p>", "<p><strong>⟦All of it⟧</strong></p>"),
        ('<td><a href="x/">A</a><span>B</span></td>', '<td><a href="x/">⟦A⟧</a><span>⟦B⟧</span></td>'),
        ('<p><span><i></i></span>Low: this</p>', "<p><span><i></i></span>⟦Low: this⟧</p>"),
        ("<th>Price <span>USD</span></th>", "<th>⟦Price <span>USD</span>⟧</th>"),
        ('<div aria-label="A chart">', '<div aria-label="⟦A chart⟧">'),
        ("<svg><text>x</text></svg><p>y</p>", "<svg><text>x</text></svg><p>⟦y⟧</p>"),
        ("<pre><code>bench\nend</code></pre>\n\nThen.", "<pre><code>bench\nend</code></pre>\n\n⟦Then.⟧"),
    ],
)  # fmt: skip
def test_cuts(text: str, shown: str) -> None:
    assert cut(text) == shown


def test_an_option_can_hold_no_mark() -> None:
    seen = []
    translated("<option>None</option><p>None</p>", lambda segment, may: seen.append(may) or segment)
    assert seen == [False, True]


def test_nothing_to_do_changes_nothing() -> None:
    text = "# A\n\n<div class=\"x\">\n<p>b <a href='#c'>d</a></p>\n</div>\n\n| e | f |\n"
    kept = translated(text, lambda segment, _: segment)
    assert kept == text.replace("# A\n", "# A { #a }\n")
