"""The form for a reader's own numbers: what is typed is answered, kept in the address, and taken back."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from bench.project import DataDir
from guide.decide import flips, reader
from guide.decide.fit import Requirement
from guide.evidence import Evidence, load_evidence
from guide.recommend import FLIPS_SHOWN
from guide.show.tables import FOLD_ROWS, TOOL_ROWS

SOLO = "scenarios/solo/"


@pytest.fixture(scope="module")
def evidence(example_data: DataDir) -> Evidence:
    return load_evidence(example_data)


@pytest.fixture(scope="module")
def solo(evidence: Evidence) -> reader.Asked:
    asked = reader.ask(next(s for s in evidence.settings.scenarios if s.key == "solo"), evidence)
    assert asked is not None
    return asked


def article(page: Page) -> list[list[str]]:
    """What stands in the parts that follow a reader's numbers, the guide's own or the reader's."""
    expect(page.get_by_text("Being worked out")).to_have_count(0)
    return page.evaluate(
        """() => [...document.querySelectorAll("[data-guide]:not([hidden]), [data-yours]")].map((part) => [
          part.dataset.guide ?? `yours: ${part.dataset.yours}`,
          ...[...part.querySelectorAll("p, li, dt, dd, th, td")].map((e) => e.textContent.trim()),
        ])"""
    )


def state(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).fragment)


def wait_for_state(page: Page, **wanted: str) -> None:
    """Until the address holds these, and nothing else."""
    expect(page).to_have_url(re.compile(f"#{urlencode(wanted)}$"))


def place(found, number: int = 1):
    return next(c for c in found if c.place == number)


def test_the_answer_follows_a_number_at_once_and_the_address_keeps_it(visit, solo) -> None:
    page = visit().open(SOLO)
    form = page.locator("form.reader")
    expect(form).to_be_visible()
    before = place(reader.candidates(solo, solo.numbers))
    numbers = reader.Numbers(
        solo.numbers.given.using(budget_usd=3_000.0, hours_per_day=8.0),
        solo.numbers.needs,
        solo.numbers.floors,
    )
    found = reader.candidates(solo, numbers)
    assert place(found).system != before.system or place(found).route != before.route
    form.locator("[name=b]").fill("3,000")
    form.locator("[name=h]").fill("8")
    verdict = page.locator(".verdict:visible")
    expect(verdict).to_have_count(1)
    expect(verdict).to_contain_text(place(found).system.label)
    expect(verdict).to_contain_text("Budget over the years: 3,000 USD")
    expect(form.get_by_role("status")).to_contain_text(place(found).system.label)
    rows = page.locator("[data-yours=ranking] tbody tr")
    expect(rows).to_have_count(sum(c.place is not None for c in found))
    for number in range(rows.count()):
        expect(rows.nth(number).locator("th")).to_contain_text(place(found, number + 1).system.label)
        expect(rows.nth(number).locator("td").first).to_have_text(str(place(found, number + 1).tier))
    wait_for_state(page, h="8", b="3000")
    shown = article(page)
    page.reload()
    expect(page.locator("form.reader [name=b]")).to_have_value("3000")
    expect(verdict).to_contain_text(place(found).system.label)
    assert article(page) == shown


def test_reset_gives_back_the_guides_own_page(visit) -> None:
    page = visit().open(SOLO)
    untouched = article(page)
    form = page.locator("form.reader")
    form.locator("[name=b]").fill("700")
    form.locator("[name=m]").select_option("Llama-3.1-70B")
    wait_for_state(page, b="700", m="Llama-3.1-70B")
    assert article(page) != untouched
    form.get_by_role("button", name="Back to the guide's numbers").click()
    expect(form.get_by_role("status")).to_have_text("These are the guide's numbers.")
    assert article(page) == untouched
    expect(page).not_to_have_url(re.compile("#"))
    expect(form.locator("[name=b]")).to_have_value("2500")


def test_typing_the_guides_own_number_again_is_no_change(visit) -> None:
    page = visit().open(SOLO)
    untouched = article(page)
    page.locator("form.reader [name=b]").fill("700")
    wait_for_state(page, b="700")
    page.locator("form.reader [name=b]").fill("2,500")
    expect(page).to_have_url(re.compile("^[^#]*$"))
    assert article(page) == untouched


def test_another_model_changes_the_fit_and_no_speed(visit, solo) -> None:
    page = visit().open(SOLO)
    speeds = page.locator("[data-guide=ranking] tbody tr").first.locator("td").nth(1).inner_text()
    form = page.locator("form.reader")
    form.locator("[name=d]").select_option("q2_k")
    need = solo.numbers.needs[0]
    needs = (Requirement(need.model, "q2_k", need.context),)
    found = reader.candidates(solo, reader.Numbers(solo.numbers.given, needs, solo.numbers.floors))
    expect(page.locator(".verdict:visible")).to_contain_text(place(found).fit.sentence)
    expect(page.locator(".verdict:visible")).to_contain_text("only whether it fits is worked out")
    first = page.locator("[data-yours=ranking] tbody tr").first
    assert first.locator("td").nth(1).inner_text() == speeds
    form.locator("[name=m]").select_option("Llama-3.1-70B")
    form.locator("[name=d]").select_option("fp16")
    form.locator("[name=t]").fill("1,000,000")
    expect(page.locator(".verdict:visible")).to_contain_text("Not enough evidence")
    expect(page.locator("[data-yours=fallen]")).to_contain_text("Too little memory")


@pytest.mark.parametrize("absurd", ["-5", "a lot", "", "1e9", "Infinity", "0x10", "1.2.3", "<b>7</b>"])
def test_an_absurd_number_is_answered_beside_its_field_and_changes_nothing(visit, absurd) -> None:
    page = visit().open(SOLO)
    field = page.locator("form.reader [name=b]")
    field.fill("700")
    wait_for_state(page, b="700")
    before = article(page)
    field.fill(absurd)
    told = page.locator("#your-b-error")
    expect(told).to_be_visible()
    expect(field).to_have_attribute("aria-invalid", "true")
    assert "your-b-error" in field.get_attribute("aria-describedby").split()
    expect(page.locator("form.reader").get_by_role("status")).to_contain_text("makes no sense")
    assert article(page) == before
    assert state(page) == {"b": ["700"]}
    field.fill("800")
    expect(told).to_be_hidden()
    assert field.get_attribute("aria-invalid") is None
    wait_for_state(page, b="800")


HOSTILE = (
    "#b=<img src=x onerror=alert(1)>&h=%3Cscript%3E&m=__proto__&d=constructor&t=1e400&s0=NaN&y=-1",
    "#__proto__=1&constructor=2&given=3&q=4",
    "#b=99999999999999999999&h=25&e=-0.1&t=1.5&s7=3&m=Llama-3.1-70B%22%3E%3Cb%3E",
    "#%",
    "#b=%E0%A4%A",
    "#b",
    "#=&&&==",
)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_address_is_passed_over(visit, hostile) -> None:
    window = visit()
    untouched = article(window.open(SOLO))
    window.page.goto("about:blank")
    page = window.open(SOLO + hostile)
    page.locator("form.reader [name=b]").focus()
    expect(page.locator("form.reader")).to_have_attribute("data-ready", "yes")
    expect(page.locator("form.reader").get_by_role("status")).to_contain_text(
        "These are the guide's numbers."
    )
    assert article(page) == untouched
    assert page.evaluate("({}).polluted") is None


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("#b=-1", "A number in the address was not usable: the guide's stands. "),
        ("#m=__proto__", "A number in the address was not usable: the guide's stands. "),
        ("#b=&h=25&e=nan", "3 numbers in the address were not usable: the guide's stand. "),
        ("#zz=1&b=02500", ""),
    ],
)
def test_what_an_address_could_not_set_is_said(visit, given, told) -> None:
    page = visit().open(SOLO + given)
    page.locator("form.reader [name=b]").focus()
    status = page.locator("form.reader").get_by_role("status")
    expect(status).to_have_text(f"{told}These are the guide's numbers.")
    page.locator("form.reader [name=b]").fill("700")
    expect(status).not_to_contain_text("address")


def test_only_the_sound_part_of_an_address_counts(visit) -> None:
    page = visit().open(f"{SOLO}#b=700&h=99&zz=1")
    expect(page.locator("form.reader [name=b]")).to_have_value("700")
    expect(page.locator("form.reader [name=h]")).to_have_value("4")
    expect(page.locator(".verdict:visible")).to_contain_text("Budget over the years: 700 USD.")


def test_the_numbers_survive_a_visit_elsewhere_and_a_link_to_a_section(visit) -> None:
    page = visit().open(SOLO)
    page.locator("form.reader [name=b]").fill("700")
    wait_for_state(page, b="700")
    page.get_by_role("link", name="Yours", exact=True).click()
    wait_for_state(page, b="700")
    title = page.title()
    page.locator(".md-nav").get_by_role("link", name="Methodology", exact=True).first.click()
    expect(page).not_to_have_title(title)
    page.go_back()
    expect(page).to_have_title(title)
    expect(page.locator("form.reader [name=b]")).to_have_value("700")
    expect(page.locator(".verdict:visible")).to_contain_text("Budget over the years: 700 USD")


def test_the_theme_does_not_write_the_section_into_the_address_while_scrolling(visit) -> None:
    page = visit().open(SOLO)
    assert "navigation.tracking" not in page.locator("#__config").text_content()


def test_the_form_is_used_by_keyboard_and_named_for_screen_readers(visit, serious) -> None:
    page = visit().open(SOLO)
    page.locator("form.reader [name=b]").focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("700")
    wait_for_state(page, b="700")
    for name in ("h", "y", "e", "m", "d", "t"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") == name
    for field in page.locator("form.reader input, form.reader select").all():
        assert field.evaluate("e => e.labels.length") == 1
    expect(page.get_by_role("group", name="Money and use")).to_be_visible()
    expect(page.get_by_role("textbox", name=re.compile("^Budget over the years"))).to_have_value("700")
    page.locator(".reader__rest summary").click()
    assert serious(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_the_form_and_the_answer_without_scrolling_sideways(visit, serious, scheme) -> None:
    for path in (f"{SOLO}#b=3000&h=9", "cost/#h=9&m=Llama-3.1-70B"):
        page = visit(width=390, scheme=scheme).open(path)
        expect(page.locator("[data-yours]").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert serious(page) == []


def test_the_cost_page_follows_the_same_numbers(visit) -> None:
    page = visit().open("cost/")
    untouched = article(page)
    form = page.locator("form.reader")
    owning = page.locator("[data-guide=owning] tbody tr")
    rows = owning.count()
    assert rows
    form.locator("[name=h]").fill("24")
    form.locator("[name=e]").fill("0.45")
    yours = page.locator("[data-yours=owning] tbody tr")
    expect(yours).to_have_count(rows)
    expect(page.locator("[data-yours=owning]")).to_contain_text("24 h a day")
    expect(page.locator("[data-yours='owning-words']")).to_contain_text("$0.450 a kWh")
    expect(form.get_by_role("status")).to_contain_text("under your numbers")
    form.locator("[name=m]").select_option("Llama-3.1-70B")
    expect(yours.filter(has_text="too little memory").first).to_be_visible()
    wait_for_state(page, h="24", e="0.45", m="Llama-3.1-70B")
    form.get_by_role("button", name="Back to the guide's numbers").click()
    assert article(page) == untouched


def test_the_chart_is_drawn_with_the_readers_numbers_and_again_with_the_guides(
    visit, charts_are_live
) -> None:
    page = visit().open(SOLO)
    charts_are_live(page)
    chart = page.locator("[data-reader-chart] .chart")
    own = chart.get_attribute("aria-label")
    page.locator("form.reader [name=h]").fill("20")
    expect(chart).to_have_attribute("aria-label", re.compile("under your numbers, [0-9]+ marks"))
    expect(page.get_by_text("This picture is drawn with your numbers.")).to_be_visible()
    expect(page.get_by_text("This picture is drawn with the guide's numbers")).to_be_hidden()
    pick = page.locator("[data-yours=ranking] tbody th a").first.inner_text()
    short = pick.split(" ", 1)[1][:14]  # a name stands without its maker, and a long one is cut
    names = chart.locator("svg.marks text", has_text=short)
    expect(names).to_have_count(1)
    page.locator(".reader__reset").click()
    expect(chart).to_have_attribute("aria-label", own)
    expect(chart).to_have_class("chart is-live")
    expect(page.get_by_text("This picture is drawn with your numbers.")).to_be_hidden()


def test_the_first_view_loads_neither_the_scripts_nor_the_numbers(visit) -> None:
    window = visit()
    window.open(SOLO)
    window.page.wait_for_load_state("networkidle")
    assert [u for u in window.requested if "/assets/answers/" in u or u.endswith("js/decide.js")] == []


def test_without_a_script_the_page_is_the_guides_own(visit) -> None:
    page = visit(java_script_enabled=False).open(SOLO)
    expect(page.locator("form.reader")).to_be_hidden()
    expect(page.locator(".verdict")).to_be_visible()
    expect(page.locator("[data-guide=ranking] table")).to_be_visible()


def test_a_page_opened_from_a_disk_answers_too(visit, built_site: Path) -> None:
    window = visit(base=built_site.as_uri() + "/")
    page = window.open("scenarios/solo/index.html#b=50000")
    expect(page.locator("form.reader [name=b]")).to_have_value("50000")
    expect(page.locator(".verdict:visible")).to_contain_text("Budget over the years: 50,000 USD")
    link = page.locator("[data-yours=ranking] tbody th a").first.get_attribute("href")
    assert link.endswith("/index.html")
    window.faults.clear()  # the theme's own requests, which a browser refuses to pages from a disk


def test_every_change_under_the_readers_numbers_is_told_the_first_at_once(visit, solo) -> None:
    numbers = reader.Numbers(
        solo.numbers.given.using(hours_per_day=5.0), solo.numbers.needs, solo.numbers.floors
    )
    contenders = reader.screened(solo, numbers).contenders
    expected = [
        f.sentence
        for f in (
            *flips.input_flips(contenders, solo.rule, numbers.given),
            *flips.price_flips(contenders, solo.rule, numbers.given),
        )
    ]
    page = visit().open(f"{SOLO}#h=5")
    yours = page.locator("[data-yours=flips]")
    expect(yours.locator("li")).to_have_text(expected)
    shown = min(len(expected), FLIPS_SHOWN)
    expect(yours.locator("li").filter(visible=True)).to_have_count(shown)
    assert len(expected) > FLIPS_SHOWN
    yours.locator("summary").click()
    expect(yours.locator("li").filter(visible=True)).to_have_count(len(expected))


def test_the_readers_answer_says_how_sure_it_is(visit) -> None:
    """What the guide says against its pick does not vanish with the first number that a reader changes."""
    page = visit().open(SOLO)
    guides = page.locator("[data-guide=verdict] .verdict__sure")
    expect(guides).to_contain_text("confidence.")
    doubts = guides.locator("span", has_text="Against it:").inner_text()
    page.locator("form.reader [name=h]").fill("4.1")
    yours = page.locator("[data-yours=verdict] .verdict__sure").first
    expect(yours).to_contain_text("confidence.")
    expect(yours.locator(".sure i")).to_have_count(3)
    for doubt in re.sub(r"^Against it: |\\.$", "", doubts).split("; "):
        if "source" in doubt or "interval" in doubt or "published" in doubt:
            expect(yours).to_contain_text(doubt)


MANY = """
() => {
  const [key] = Object.keys(window.hwguideAnswers);
  const data = window.hwguideAnswers[key];
  const copies = [1, 2, 3].flatMap((n) => data.systems.map((s) => ({
    ...s, key: `${s.key}-${n}`, device: `${s.device}-${n}`, label: `${s.label} kind${n}x`,
  })));
  data.systems = [...data.systems, ...copies];
}
"""


def test_the_readers_ranking_is_a_table_to_work_with(visit) -> None:
    """It sorts, searches, chooses columns, copies and folds as the guide's, and a new number keeps that."""
    window = visit(permissions=["clipboard-read", "clipboard-write"])
    page = window.open(f"{SOLO}#b=50000")
    box = page.locator("[data-yours=ranking] .data")
    rows = box.locator("tbody tr")
    expect(rows.first).to_be_visible()
    page.evaluate(MANY)  # the example has few systems
    page.locator("form.reader [name=h]").fill("6")
    expect(page.locator("form.reader").get_by_role("status")).to_contain_text("choices in the running")
    expect(box.locator(".data__more")).to_be_visible()
    every = rows.count()
    assert every > FOLD_ROWS + 2
    expect(rows.filter(visible=True)).to_have_count(FOLD_ROWS)
    box.get_by_role("button", name=f"Show all {every} rows").click()
    expect(rows.filter(visible=True)).to_have_count(every)
    place = box.locator("thead th", has_text="A month").evaluate("e => e.cellIndex")
    box.locator("thead th").nth(place).locator(".data__sort").click()
    expect(box.locator("thead th").nth(place)).to_have_attribute("aria-sort", "descending")
    shown = [text.split("\n")[0] for text in rows.locator(f":nth-child({place + 1})").all_inner_texts()]
    amounts = [float(re.sub(r"[^\d.]", "", text)) for text in shown if text.startswith("$")]
    assert len(amounts) == every
    assert amounts == sorted(amounts, reverse=True)
    box.locator("[data-do=copy]").click()
    expect(box.locator(".data__count")).to_contain_text("as CSV")
    head, *lines = csv.reader(io.StringIO(page.evaluate("navigator.clipboard.readText()"), newline=""))
    months = [float(line[head.index("A month (USD)")]) for line in lines]
    assert months == pytest.approx(amounts, rel=0.01)
    assert all(line[head.index("source")] for line in lines)
    box.locator("[data-do=columns]").click()
    box.locator(".data__panel input[type=checkbox]").nth(1).uncheck()
    expect(box.locator("thead th", has_text="Tier")).to_have_count(0)
    box.locator(".data__box").fill("kind2x")
    expect(box.locator(".data__count")).to_contain_text(f"of {every} rows")
    page.locator("form.reader [name=h]").fill("5")
    expect(box.locator(".data__box")).to_have_value("kind2x")
    expect(box.locator(".data__count")).to_contain_text("rows")
    expect(page.get_by_text("Being worked out")).to_have_count(0)
    expect(rows.filter(visible=True).filter(has_not_text="kind2x")).to_have_count(0)
    expect(rows.filter(visible=True).filter(has_text="kind2x").first).to_be_visible()


def test_every_figure_of_the_readers_tables_has_a_card(visit) -> None:
    page = visit().open(f"{SOLO}#b=50000")
    expect(page.locator("[data-yours=ranking] tbody tr").first).to_be_visible()
    bare = page.evaluate(
        """() => [...document.querySelectorAll("[data-yours] table")].flatMap((table) =>
          [...table.tBodies[0].rows].flatMap((row) => [...row.cells].filter((cell) =>
            cell.matches(".data__number:not(.data__blank)") && !cell.querySelector("a")
          ).map((cell) => cell.textContent)))"""
    )
    assert bare == []
    month = page.locator("[data-yours=ranking] thead th", has_text="A month").evaluate("e => e.cellIndex")
    page.locator("[data-yours=ranking] tbody tr").first.locator(f"td:nth-child({month + 1}) a").click()
    card = page.locator("#figure-card")
    expect(card).to_contain_text("the numbers that stand in the form above")
    expect(card).to_contain_text("Price:")


def test_scripts_fold_and_give_tools_from_as_many_rows_as_the_guide() -> None:
    source = (Path(__file__).parents[2] / "site/guide/assets/js/reader.js").read_text(encoding="utf-8")
    for name, value in (("TOOL_ROWS", TOOL_ROWS), ("FOLD_ROWS", FOLD_ROWS)):
        assert f"const {name} = {value};" in source


def test_bounds_are_said_as_they_would_be_typed(visit) -> None:
    page = visit().open(SOLO)
    for name, absurd, told in (
        ("h", "0", "Between 0.1 and 24."),
        ("y", "30", "Between 0.25 and 20."),
        ("b", "0", "Between 1 and 100,000,000."),
    ):
        page.locator(f"form.reader [name={name}]").fill(absurd)
        expect(page.locator(f"#your-{name}-error")).to_have_text(told)
