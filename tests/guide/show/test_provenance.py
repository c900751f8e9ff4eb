"""Figures and their records: every key leads to the rows it rests on."""

from __future__ import annotations

import json
import re

import pytest

from bench.project import DataDir
from guide.build import build
from guide.evidence import load_evidence
from guide.show import row_facts
from guide.show.derivations import RULES
from guide.show.provenance import Ledger
from guide.show.tables import Provenance
from guide.show.traces import Traces
from guide.views.raw_rows import row_alone

FILE = re.compile(r'\(window\.hwguideRecords\?\?=\{\}\)\["([^"]+)"\]=(\{.*\});\n', re.DOTALL)


def read(ledger: Ledger, key: str) -> list[list]:
    """The records of a key, texts in place of their numbers where they are texts."""
    found = []
    for part in key.rpartition(":")[2].split(","):
        name, _, place = part.partition(".")
        content = ledger.told()[name][1].decode()
        match = FILE.fullmatch(content)
        assert match, content[:80]
        assert match[1] == name
        held = json.loads(match[2])
        found.append((held["texts"], held["records"][int(place)]))
    return found


def one(made, **values):
    row = made.row("card", 100.0, half=0.01, **values)
    return made.evidence([row, made.row("other", 50.0)], [made.price("card", 1000.0)])


def test_a_results_key_leads_to_its_rows(made) -> None:
    evidence = one(made, sample_count=12, driver_version="570.1", flags=["few-samples"])
    ledger = Ledger(evidence)
    result = evidence.tasks[0].of("card")
    traced = ledger.trace(Provenance((result,)))
    ((texts, record),) = read(ledger, traced.key)
    assert traced.origin == "hwguide"
    assert [record[4], record[5], record[6]] == [100.0, 99.0, 101.0]
    (row,) = record[8]
    assert texts[row[0]] == "hwguide"
    assert texts[row[2]].startswith("bench collect --suite ")
    facts = {row_facts.HEADINGS[row[i]]: texts[row[i + 1]] for i in range(3, len(row), 2)}
    assert facts["Repetitions"] == "12"
    assert facts["Driver"] == "570.1"
    assert "fewer than 6 repetitions" in facts["Flags"]
    assert "--budget" in facts["Flags"], "a flag's advice is told"
    assert facts["Row"] == f"{result.rows[0]['run_id']}, {result.rows[0]['cell_id']}"


def test_a_row_among_several_has_a_record_of_its_own(made) -> None:
    """Two that count and one that was disturbed: each leads to its own figure, not to the median."""
    counted = [made.row("card", rate, half=0.01, run_id=f"run-{rate}") for rate in (100.0, 104.0)]
    busy = made.row("card", 55.0, half=0.01, run_id="busy", flags=["contended"])
    evidence = made.evidence([*counted, busy, made.row("other", 50.0)], [])
    ledger, result = Ledger(evidence), evidence.tasks[0].of("card")
    assert (result.rate, len(result.rows), len(result.passed_over)) == (102.0, 2, 1)

    def record(item) -> tuple[list[str], list]:
        (found,) = read(ledger, ledger.trace(Provenance((item,))).key)
        return found

    texts, whole = record(result)
    assert (whole[4], len(whole[8])) == (102.0, 2)
    for row in (*result.rows, *result.passed_over):
        texts, alone = record(row_alone(result, row))
        assert (alone[4], len(alone[8])) == (row["rate"], 1)
        words = "gives way to others (contended)" if row["run_id"] == "busy" else "one of the 2 rows"
        assert words in texts[alone[7]]
    ratio = ledger.trace(Provenance((result, evidence.tasks[0].of("other")), "ratio"))
    assert read(ledger, ratio.key)[0][1][4] == 102.0


def test_a_derived_figure_names_its_rule_and_parts(made) -> None:
    evidence = one(made)
    ledger = Ledger(evidence)
    task = evidence.tasks[0]
    (price,) = evidence.prices["card"]
    traced = ledger.trace(Provenance((price, task.of("card"), task.of("other")), "per-speedup"))
    assert traced.key.startswith("per-speedup:p.")
    assert traced.origin == "prices"
    assert [record[0][record[1][1]] for record in read(ledger, traced.key)[:1]] == ["$1,000"]


def test_unknown_parts_are_passed_over_and_nothing_known_gives_no_key(made) -> None:
    evidence = one(made)
    ledger = Ledger(evidence)
    result = evidence.tasks[0].of("card")
    assert (
        ledger.trace(Provenance((None, result), "score")).key
        == ledger.trace(Provenance((result,), "score")).key
    )
    assert ledger.trace(Provenance(("a fact",))) is None
    stranger = made.evidence([made.row("third", 7.0, batch=4)], []).tasks[0].of("third")
    assert ledger.trace(Provenance((stranger,))) is None


def test_a_missing_interval_is_said_and_texts_are_said_once(made) -> None:
    evidence = one(made)
    row = evidence.tasks[0].of("other").rows[0]
    assert dict(row_facts.facts(row, {}))["95 % interval"] == "not stated"
    ledger = Ledger(evidence)
    held = json.loads(FILE.fullmatch(ledger.told()["1"][1].decode())[2])
    assert len(set(held["texts"])) == len(held["texts"])


def test_what_came_from_a_file_is_no_markup(made) -> None:
    evidence = one(made, status_detail='<img src=x onerror="alert(1)">\u202e')
    ledger = Ledger(evidence)
    traces = Traces(ledger)
    shown = traces.headline("5 <b>", Provenance((evidence.tasks[0].of("card"),)))
    section = traces.section(lambda target: target)
    assert "<img" not in shown + section
    assert "<b>" not in shown
    assert "\u202e" not in ledger.told()["1"][1].decode()


def test_the_list_of_origins_counts_figures_and_explains_blanks(made) -> None:
    evidence = one(made)
    traces = Traces(Ledger(evidence))
    for _ in range(3):
        assert traces.mark(Provenance((evidence.tasks[0].of("card"),))).href == "#s1"
    traces.reasons |= {"out of memory", "a reason of its own"}
    section = traces.section(lambda target: target)
    assert "3&nbsp;figures here" in section or "3\u00a0figures here" in section
    assert "ran out of memory" in section
    assert "a reason of its own" not in section
    assert "how-" in section


@pytest.fixture(scope="module")
def site(example_data: DataDir):
    return build(load_evidence(example_data))


def test_every_key_of_the_site_is_in_a_file_that_its_page_names(site) -> None:
    records: dict[str, dict] = {}
    for path, content in site.files.items():
        if path.startswith("assets/provenance/"):
            name, held = FILE.fullmatch(content.decode()).groups()
            records[f"{path.rpartition('/')[2]}"] = {"name": name} | json.loads(held)
    seen = 0
    for path, content in site.files.items():
        if not path.endswith(".md"):
            continue
        text = content.decode()
        named = re.search(r'data-files="([^"]*)"', text)
        told = {records[f]["name"]: records[f] for f in named[1].split()} if named else {}
        language = f".{path.partition('/')[0]}" if path in site.versions and path.startswith("zh/") else ""
        assert all(name.endswith(language) and name.count(".") == bool(language) for name in told), path
        files = {name.partition(".")[0]: file for name, file in told.items()}
        for how, parts in re.findall(r'data-key="(?:([a-z-]+):)?([0-9a-z.,]+\.[0-9a-z.,]+)"', text):
            assert not how or how in RULES, (path, how)
            for part in parts.split(","):
                name, place = part.split(".")
                assert int(place) < len(files[name]["records"]), (path, part)
                seen += 1
    assert seen > 200


def test_each_link_of_a_figure_leads_to_a_place_of_its_page(site) -> None:
    for path, content in site.files.items():
        if path.endswith(".md"):
            text = content.decode()
            places = set(re.findall(r'\bid="([^"]+)"', text))
            goals = set(re.findall(r'data-key="[^"]*"[^>]*>(?:<div>)?<a href="#([^"]+)"', text))
            assert goals <= places, (path, goals - places)


def test_rows_that_were_passed_over_are_counted_beside_the_figure(made) -> None:
    rows = [made.row("card", 10.0), made.row("card", 1.0, run_id="busy", flags=["contended"])]
    evidence = made.evidence(rows, [])
    ledger = Ledger(evidence)
    ((texts, record),) = read(ledger, ledger.trace(Provenance((evidence.tasks[0].of("card"),))).key)
    assert texts[record[7]] == "the figure of the one row that counts; passed over: 1\u00a0row (contended)"
