"""The machine-readable twin of every page says what the page shows, with the raw figures behind it."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import Any

import jsonschema
import pytest

from bench import schema
from bench.project import DataDir
from guide import paths
from guide.build import build
from guide.context import Publication
from guide.evidence import Evidence, load_evidence
from guide.publish import twins
from guide.publish.snapshot import take
from guide.recommend import answers
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Table
from guide.site_files import Site
from guide.translate.catalogue import LANGUAGES

#: What may stand between a raw figure and its text in a column without a unit: prefixes, GiB, times.
SCALES = (1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1 / figures.GIB, 1e3, 1e6, 1 / 60, 1 / 3600, 1 / 86400)


@pytest.fixture(scope="module")
def evidence(example_data: DataDir) -> Evidence:
    return load_evidence(example_data)


@pytest.fixture(scope="module")
def site(evidence: Evidence) -> Site:
    return build(evidence)


#: Parts of a cell beside its text: class -> key in the twin.
PARTS = {"num__interval": "interval", "data__sub": "note", "data__ratio": "ratio"}


class _Tables(HTMLParser):
    """The cells of a page's tables: text, interval and second line of each."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[dict[str, str]]]] = []
        self._open: list[tuple[str, str]] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        css = set((dict(attrs).get("class") or "").split())
        if tag == "div" and "data" in css:
            self.tables.append([])
        if tag == "tbody" and self.tables is not None:
            self._inside = dict(attrs).get("id", "").startswith("table-")  # type: ignore[union-attr]
        if not self._inside:
            return
        if tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append({"shown": "", "interval": "", "note": "", "ratio": ""})
        part = next((PARTS[name] for name in css if name in PARTS), "")
        if tag not in ("wbr", "br"):
            self._open.append((tag, part))

    def handle_endtag(self, tag: str) -> None:
        if tag == "tbody":
            self._inside, self._open = False, []
        while self._open and self._inside:
            if self._open.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        if self._inside and self.tables[-1] and self.tables[-1][-1]:
            part = next((part for _, part in reversed(self._open) if part), "shown")
            self.tables[-1][-1][-1][part] += data


def words(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def tells(shown: str, raw: float, unit: str) -> bool:
    """Whether ``shown`` is ``raw`` to the digits that it shows; with a unit in the heading, in that unit."""
    told = re.search(r"-?\d+(?:\.(\d+))?", shown.replace(figures.MINUS, "-").replace(",", ""))
    if told is None:
        return True
    half = 0.5000001 * 10.0 ** -len(told[1] or "")
    scales = (100,) if "%" in shown else (1,) if unit else SCALES
    several = re.match(r"(\d+) of (\d+)", shown)
    if several:
        return math.isclose(int(several[1]) / int(several[2]), raw) or int(several[1]) == raw
    digits = max(half, abs(float(told[0])) * 5.1e-4)  # whole numbers are shown to three digits at least
    return any(abs(float(told[0]) - raw * scale) <= digits for scale in scales)


def pages(site: Site) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Path, text and twin of each page. One in another language shares the twin of the English page."""
    others = tuple(f"{language.tag}/" for language in LANGUAGES)
    for path, content in site.files.items():
        if path.endswith(".md") and not path.startswith(others):
            yield path, content.decode(), json.loads(site.files[twins.path(path)])


def test_every_page_has_a_twin_and_links_to_it(site: Site, evidence: Evidence) -> None:
    seen = 0
    for path, text, twin in pages(site):
        assert twin["format"] == twins.FORMAT
        assert twin["page"] == (paths.address(path) or "./")
        assert twin["as_of"] == evidence.as_of.isoformat()
        assert f'href="{paths.relative(twins.path(path), path)}"' in text, path
        seen += 1
    assert seen > 10


def test_the_tables_of_a_page_and_of_its_twin_are_the_same(site: Site) -> None:
    cells = 0
    for path, text, twin in pages(site):
        page = _Tables()
        page.feed(text)
        assert len(page.tables) == len(twin["tables"]), path
        for shown, table in zip(page.tables, twin["tables"], strict=True):
            keys = [column["key"] for column in table["columns"]]
            assert len(shown) == len(table["rows"]), (path, table["caption"])
            for line, row in zip(shown, table["rows"], strict=True):
                assert list(row) == keys
                for html, cell in zip(line, row.values(), strict=True):
                    assert words(html["shown"]) == words(cell.get("shown", cell.get("missing", ""))), path
                    assert words(html["note"]) == words(cell.get("note", "")), path
                    assert words(html["ratio"]).strip("()") == words(cell.get("ratio", "")), path
                    assert bool(html["interval"]) == ("interval" in cell), (path, cell)
                    cells += 1
    assert cells > 500


def test_raw_figures_are_those_that_the_page_shows(site: Site) -> None:
    checked = 0
    for path, _, twin in pages(site):
        for table in twin["tables"]:
            units = {c["key"]: c.get("unit", "") for c in table["columns"] if c["kind"] == "number"}
            for row in table["rows"]:
                for key, unit in units.items():
                    cell = row[key]
                    if "value" in cell:
                        told = tells(cell["shown"], cell["value"], unit)
                        assert told, (path, table["caption"], key, unit, cell)
                        checked += 1
    assert checked > 300


def test_an_interval_has_its_raw_ends_around_the_value(site: Site) -> None:
    found = 0
    for path, _, twin in pages(site):
        for table in twin["tables"]:
            for cell in (cell for row in table["rows"] for cell in row.values() if "interval" in cell):
                low, high = cell["interval"]
                assert low <= high, (path, cell)
                assert low * 0.999 <= cell["value"] <= high * 1.001, (path, cell)
                found += 1
    assert found > 20


def test_a_figure_leads_to_rows_of_the_downloads(site: Site, evidence: Evidence) -> None:
    known = {f"{row['run_id']}/{row['cell_id']}" for row in evidence.rows}
    named = set()
    for _, text, twin in pages(site):
        for table in twin["tables"]:
            for cell in (cell for row in table["rows"] for cell in row.values()):
                origin = cell.get("provenance", {})
                named.update(origin.get("rows", ()))
                if "key" in origin:
                    assert f'data-key="{origin["key"]}"' in text
    assert named
    assert named <= known


def test_columns_of_the_store_have_the_stores_names(site: Site) -> None:
    used = {c["key"]: c for _, _, twin in pages(site) for table in twin["tables"] for c in table["columns"]}
    of_store = {column.name: column for column in schema.COLUMNS}
    assert {"rate", "status", "workload"} <= used.keys() & of_store.keys()


def test_charts_and_links_of_a_twin_lead_to_files(site: Site) -> None:
    addresses = {paths.address(path) or "./" for path in site.files}
    charts = 0
    for path, _, twin in pages(site):
        assert set(twin["links"]) <= addresses | {"downloads/guide-offline.zip"}, path
        for chart in twin["charts"]:
            assert chart["specification"] in site.files
            assert all(len(row) == len(chart["columns"]) for row in chart["rows"])
            charts += 1
    assert charts


def test_every_twin_is_of_the_schema_that_is_published(site: Site) -> None:
    schema = json.loads(site.files["schema/page.json"])
    check = jsonschema.Draft202012Validator(schema)
    check.check_schema(schema)
    seen: Counter[str] = Counter()
    for path, _, twin in pages(site):
        faults = [f"{path} {fault.json_path}: {fault.message[:200]}" for fault in check.iter_errors(twin)]
        assert not faults, faults[:3]
        seen.update(key for key, value in twin.items() if value)
    assert set(schema["properties"]) <= set(seen), "a field that no page of the example has"
    assert '<a href="../schema/page.json">' in site.files["data.md"].decode()


def test_what_a_page_says_in_words_is_in_its_twin(site: Site) -> None:
    told = {path: [line for part in twin["text"] for line in part["lines"]] for path, _, twin in pages(site)}
    assert all(told.values())
    for path, text, twin in pages(site):
        for sentence in re.findall(r'<p class="lede">([^<]+)</p>', text):
            assert words(unescape(sentence)) in told[path]
        shown = [figure["shown"] for figure in twin["figures"]]
        assert [f for f in shown if not any(words(f) in line for line in told[path])] == [], path


def test_the_answers_are_in_the_twins_of_the_pages_that_give_them(site: Site, evidence: Evidence) -> None:
    found = {answer.scenario_key: answer for answer in answers(evidence)}
    for path, _, twin in pages(site):
        own = [key for key in found if path == paths.scenario(key)]
        expected = list(found) if path in (paths.HOME, paths.SCENARIOS) else own
        assert [one["scenario"] for one in twin.get("answers", ())] == expected, path
        for record in twin.get("answers", ()):
            answer = found[record["scenario"]]
            assert record["headline"] == answer.headline
            assert (record["pick"] or {}).get("system") == (answer.pick.system.label if answer.pick else None)
            assert len(record["flips"]) == len(answer.flips)
            fallen = [c for c in answer.candidates if not c.place]
            assert len(record.get("fallen", ())) == (len(fallen) if own else 0)
    assert any(answer.pick for answer in found.values())


def test_what_moved_is_in_its_twin(evidence: Evidence) -> None:
    now = take(evidence, answers(evidence))
    before = replace(now, name=now.as_of.isoformat(), answers={}, rows={})
    moved = build(evidence, Publication(history=(before,)))
    newest, first = json.loads(moved.files[twins.path(paths.CHANGES)])["movements"]
    assert [one["title"] for one in newest["answers"]] == [stand.title for stand in now.answers.values()]
    assert sum(change for *_, change in newest["rows"]) == evidence.counts.rows
    assert first["since"] is None


def test_text_from_outside_is_text_in_a_twin() -> None:
    shown = twins.Shown(
        tables=[
            Table(
                [Column("a", "<A>"), Column("rate", "Rate", "tokens/s", "number")],
                [
                    {
                        "a": Cell('<b>"x"\u202e</b>'),
                        "rate": Cell("1.23", 1.234567, interval=figures.span(1.1, 1.4)),
                    },
                    {"a": "y", "rate": Blank("out of memory")},
                ],
                "C",
            )
        ]
    )
    made = json.loads(shown.twin("x.md", title="T", description="D", as_of=None, links=["x.md", "index.md"]))
    first, second = made["tables"][0]["rows"]
    assert first["a"] == {"shown": '<b>"x"</b>'}
    assert first["rate"] == {"shown": "1.23", "value": 1.234567, "interval": [1.1, 1.4]}
    assert second["rate"] == {"missing": "out of memory"}
    assert made["links"] == ["./"]


def test_a_figure_that_is_no_number_is_refused() -> None:
    shown = twins.Shown(figures=[Cell("?", sort=math.nan)])
    with pytest.raises(ValueError, match="JSON"):
        shown.twin("x.md", title="T", description="D", as_of=None, links=())
