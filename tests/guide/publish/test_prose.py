"""A page's words for its twin: every line once, without marks, tables, pictures and forms."""

from __future__ import annotations

from guide.publish import prose
from guide.show.markup import escape


def lines(body: str, *finished: str) -> list[tuple[str, list[str]]]:
    return [(part["heading"], part["lines"]) for part in prose.lines(body, finished)]


def test_paragraphs_and_items_stand_under_their_headings() -> None:
    body = """<p class="lede">What to <b>choose</b>.</p>

# Title

First **bold** and `code`, see [there](x.md).

## What fits { #fits }

- one
- two

## Nothing

### { #empty }
"""
    assert lines(body) == [
        ("", ["What to choose."]),
        ("Title", ["First bold and code, see there."]),
        ("What fits", ["one", "two"]),
    ]


def test_what_is_no_prose_is_left_out() -> None:
    table = '<div class="data"><table><tr><td>1</td></tr></table></div>'
    body = f"""{table}

<div class="figure"><p>A chart</p><svg><text>no</text></svg></div>

<form><p>Budget</p></form>

<p>Kept<sup>1</sup><span class="sr">, read aloud</span>.</p>

<table><tr><td>raw</td></tr></table>
"""
    assert lines(body) == [("", ["Kept."])]
    assert lines(body, table) == [("", ["Kept."])]


def test_a_term_and_its_descriptions_are_lines_of_their_own() -> None:
    body = """<dl><div><dt>Rows</dt><dd>9<small>2 runs</small></dd></div>
<dt>Price</dt>
<dd>$5 <span>seen
today</span></dd></dl>"""
    assert lines(body) == [("", ["Rows: 9 2 runs", "Price: $5 seen today"])]


def test_text_from_outside_is_itself() -> None:
    name = "# A*B* `c` [d](e) <f> & {g}"
    assert lines(f"{escape(name)}\n\n<p>{escape(name)}</p>\n") == [("", [name, name])]


def test_a_heading_of_html_is_a_heading() -> None:
    assert lines("<h2>What <em>moved</em></h2><p>All</p>") == [("What moved", ["All"])]


def test_a_command_keeps_its_lines() -> None:
    assert lines("```sh\nbench init\nmkdocs build\n```\n") == [("", ["bench init", "mkdocs build"])]
