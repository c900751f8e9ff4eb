"""Figures, escaping, addresses and tables: the small parts that every page is made of."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown import Markdown
from markupsafe import Markup

from guide import paths
from guide.show import aside, figures, markup, render
from guide.show.provenance import Ledger
from guide.show.tables import Blank, Cell, Column, Provenance, Table, as_cell


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.2345, "1.23"), (12.345, "12.3"), (1234567, "1,234,567"), (1234.5, "1,234"), (0.012345, "0.0123"),
        (100, "100"), (0, "0"), (-3.456, "−3.46"), (9.999, "10.0"), (0.9996, "1.00"), (5.0, "5"),
    ],
)  # fmt: skip
def test_three_significant_digits(value: float, shown: str) -> None:
    assert figures.number(value) == shown


def test_units_and_money() -> None:
    assert figures.span(1.186, 1.274) == "1.19–1.27"
    assert figures.span(0.9966, 1.0002) == "0.997–1.000"
    assert figures.span(99, 101) == "99–101"
    assert figures.ratio(22.94) == "×22.9"
    assert [figures.usd(v) for v in (1820, 35.4, 0.1236, 0)] == ["$1,820", "$35.40", "$0.124", "$0"]
    times = [figures.duration(v).replace("\u00a0", " ") for v in (0.00123, 59, 90, 7200)]
    assert times == ["1.23 ms", "59 s", "1.50 min", "2 h"]
    assert figures.gigabytes(25769803776) == "24\u00a0GB"
    assert [figures.percent(v) for v in (0.834, 0.05, 0.034)] == ["83\u00a0%", "5\u00a0%", "3.4\u00a0%"]
    assert figures.si(1.6e13, "FLOP/s") == "16\u00a0TFLOP/s"
    assert figures.day(date(2026, 12, 1)) == "1\u00a0Dec\u00a02026"
    assert figures.plural(1, "device") == "1\u00a0device"
    with pytest.raises(ValueError, match="cannot be shown"):
        figures.number(float("nan"))


@given(st.floats(min_value=1e-9, max_value=1e15))
def test_a_shown_number_is_the_number_to_three_digits(value: float) -> None:
    shown = float(figures.number(value).replace(",", ""))
    assert shown == pytest.approx(value, rel=0.0051)


@given(st.text(max_size=60))
def test_escaped_text_means_itself_in_markdown_and_html(text: str) -> None:
    page = Markdown(extensions=["tables", "attr_list", "md_in_html", "toc"]).convert(
        f"x {markup.escape(text)} y"
    )
    inside = page.removeprefix("<p>").removesuffix("</p>")
    assert "<" not in inside
    assert ">" not in inside


def test_escaping_refuses_none_and_lets_markup_pass() -> None:
    with pytest.raises(ValueError, match="None"):
        markup.escape(None)
    assert markup.escape(Markup("<b>")) == "<b>"
    assert markup.escape("a|b_c*\x1b[31m\u202e") == "a&#124;b&#95;c&#42;"


def test_slugs() -> None:
    assert markup.slug("NVIDIA RTX 4090 (×2)!") == "nvidia-rtx-4090-2"
    with pytest.raises(ValueError, match="no letter"):
        markup.slug("漢")


@pytest.mark.parametrize(
    ("target", "page", "link"),
    [
        ("data.md", "index.md", "data/"),
        ("index.md", "data.md", "../"),
        ("index.md", "index.md", "./"),
        ("devices/nvidia-l4.md", "devices/amd-x.md", "../nvidia-l4/"),
        ("devices/index.md", "devices/amd-x.md", "../"),
        ("assets/charts/a.json", "devices/amd-x.md", "../../assets/charts/a.json"),
        ("data.md#sources", "cost.md", "../data/#sources"),
    ],
)
def test_addresses_as_seen_from_a_page(target: str, page: str, link: str) -> None:
    assert paths.relative(target, page) == link


def test_a_table_says_why_a_cell_is_blank_and_sorts_by_numbers() -> None:
    table = Table(
        columns=(Column("name", "Device"), Column("rate", "Rate", unit="tokens/s", kind="number")),
        rows=[
            {"name": "A <i>", "rate": Cell("1,234", sort=1234.5, interval="1,200–1,300")},
            {"name": "B", "rate": Blank("out of memory")},
        ],
        caption="Rates",
    )
    shown = render.View("devices/a.md").table(table)
    assert 'data-sort="1234.5"' in shown
    assert "A &#60;i&#62;" in shown
    assert "[1,200–1,300]" in shown
    assert 'data__blank">out of memory' in shown
    cards = render.View("devices/a.md").table(replace(table, phone="cards"))
    assert 'data__blank" data-label="Rate (tokens/s)">out of memory' in cards
    assert "tokens/s</span>" in shown
    with pytest.raises(ValueError, match="Blank"):
        as_cell(None)


def test_a_cell_names_its_key_for_sorting_only_where_its_text_is_another() -> None:
    columns = (Column("a", "A"),)
    rows = [{"a": "plain"}, {"a": Cell("x", sort="y")}, {"a": Cell("x", sub="more")}, {"a": 12}, {"a": 1234}]
    shown = str(render.View("a.md").table(Table(columns, rows, "T")))
    assert [part.partition("</th>")[0] for part in shown.split('<th scope="row"')[1:]] == [
        ">plain",
        ' data-sort="y">x',
        ' data-sort="x">x<span class="data__sub">more</span>',
        ">12",
        ' data-sort="1234">1,234',
    ]


def test_what_was_set_aside_comes_back_in_its_place() -> None:
    text = "one <b>1</b> two <b>2</b> three <b>1</b>"
    parts = ["<b>2</b>", "<b>1</b>", "<i>nowhere</i>", ""]
    short = aside.set_aside(text, parts)
    assert "<b>2" not in short
    assert short.startswith("one ")  # one before the heading would part the page in the search
    assert aside.put_back(short, parts) == text


@pytest.mark.parametrize(
    ("paragraph", "alone"),
    [
        ("<p>one</p>\n<dl><div>two<br>three</div></dl>", True),
        ("<p>one</p>\nand *text* of Markdown", False),
        ("<p>one</p> between <p>two</p>", False),
        ("<span>in a line</span>", False),
        ("<details><summary>begins here and ends elsewhere</summary>", False),
        ("</details>", False),
        ('<div markdown="1">*Markdown* in HTML</div>', False),
        ("```\n<p>one</p>\n```", False),
        ("```\n<p>one</p>\n\n<p>two</p>\n```", False),
        ("- <p>one</p>", False),
        ("    <p>code</p>", False),
    ],
)
def test_a_block_of_html_passes_markdown_by_if_nothing_in_it_is_markdown(paragraph, alone) -> None:
    long = paragraph.replace("one", "one " * 40).replace("two", "two " * 40)
    text = f"# Heading\n\n{long}\n\nEnd\n"
    short, blocks = aside.without_blocks(text)
    assert bool(blocks) is alone
    assert ("<p>" in short) is (not alone and "<p>" in text)
    assert aside.with_blocks(short, blocks) == text


def test_a_number_carries_its_interval_and_origin(made) -> None:
    evidence = made.evidence([made.row("card", 1.234, half=0.03)], [])
    view = render.View("index.md", Ledger(evidence))
    shown = view.number(1.234, (1.19, 1.27), Provenance((evidence.tasks[0].of("card"),)), unit="s")
    assert "[1.19–1.27]" in shown
    assert 'data-key="1.0"><a href="#s1"><span class="num__value">1.23</span>' in shown
    assert "data-key" not in render.View("index.md").number(1.2, None, Provenance(("nothing known",)))


def test_a_template_cannot_use_a_name_that_nobody_gave() -> None:
    with pytest.raises(ValueError, match="helpers of these names"):
        render.render_page("x.md", "empty.md", {"table": 1}, title="T", description="D")
