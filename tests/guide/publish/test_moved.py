"""What moved between two publications: the right answer changed, for the right reason, told once."""

from __future__ import annotations

import dataclasses
import json
import re
from datetime import date, timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from bench.errors import BenchError
from bench.project import DataDir
from guide import paths
from guide.build import build
from guide.cli import site as site_command
from guide.context import Publication
from guide.evidence import load_evidence
from guide.publish import feed, snapshot
from guide.publish.moved import between, movements
from guide.publish.snapshot import Snapshot, take
from guide.recommend import answers

ATOM = f"{{{feed.NAMESPACE}}}"
URL = "https://guide.example/hardware/"


@pytest.fixture
def state(made):
    """``state(good=…, budget=…)``: the guide's state with these inputs, else with the usual ones."""

    def take_one(*, good=2500.0, twin_rate=100.0, budget=5000, rows=(), prices=(), **values) -> Snapshot:
        found = [
            made.row("dear", 200.0, half=0.01),
            made.row("good", 101.0, half=0.01),
            made.row("twin", twin_rate, half=0.01),
            *rows,
        ]
        seen = [made.price("dear", 9000.0), made.price("good", good), made.price("twin", 1500.0), *prices]
        text = made.scenario_text + f"assumptions = {{ budget_usd = {budget} }}\n" + made.question_text
        evidence = made.evidence(found, seen, text=text)
        now = take(evidence, answers(evidence))
        assert now is not None
        return dataclasses.replace(now, **values)

    return take_one


def published(state: Snapshot, name: str = "") -> Snapshot:
    return dataclasses.replace(state, name=name or state.as_of.isoformat())


def test_a_snapshot_survives_its_file(state, tmp_path: Path) -> None:
    now = state()
    path = snapshot.write(tmp_path, now)
    assert path == tmp_path / "history" / f"{now.as_of}.json"
    (kept,) = snapshot.load(tmp_path)
    assert kept.same_as(now)
    assert kept.name == now.as_of.isoformat()
    assert kept.answers["one"].choices == now.answers["one"].choices
    assert len(path.read_bytes()) < 20_000


def test_nothing_is_written_where_nothing_moved(state, tmp_path: Path) -> None:
    assert snapshot.write(tmp_path, state()) is not None
    assert snapshot.write(tmp_path, state()) is None
    again = snapshot.write(tmp_path, state(budget=20_000))
    assert again is not None
    assert again.name.endswith("-2.json"), "the same day's evidence under other assumptions"
    assert [len(s.name) for s in snapshot.load(tmp_path)] == [10, 12]


def test_a_snapshot_is_never_written_over(state, tmp_path: Path) -> None:
    for budget in (5000, 20_000, 3000):
        third = snapshot.write(tmp_path, state(budget=budget))
    kept = third.read_bytes()
    third.with_name(third.name.replace("-3", "-2")).unlink()
    fourth = snapshot.write(tmp_path, state(budget=4000))
    assert fourth.name.endswith("-4.json")
    assert third.read_bytes() == kept


def test_a_full_disk_leaves_no_half_snapshot(state, tmp_path: Path, full_disk) -> None:
    now = state()
    with full_disk(100), pytest.raises(BenchError, match="Cannot write"):
        snapshot.write(tmp_path, now)
    assert list((tmp_path / "history").iterdir()) == []


def test_an_empty_history_is_the_first_publication(state) -> None:
    (only,) = movements((), state())
    assert only.key == "first"
    assert only.since is None
    assert not only.published
    assert {name: now for name, _, now in only.counts}["rows"] == 3
    assert movements((), None) == ()


def test_a_new_price_changes_the_pick_and_is_the_reason(state) -> None:
    found = between(published(state()), state(good=1200.0))
    (shift,) = found.answers
    assert shift.key == "one"
    assert shift.sentence.startswith("Now GOOD, bought new")
    assert "before, TWIN, bought new" in shift.sentence
    assert any(re.match(r"New price: GOOD.*\$2,500 → \$1,200", line) for line in shift.why)
    assert not any("assumption" in line or "New rows" in line for line in shift.why)
    assert [(p.system, p.before, p.after) for p in found.prices] == [("good", 2500.0, 1200.0)]


def test_a_new_rate_changes_the_pick_and_is_the_reason(state) -> None:
    (shift,) = between(published(state()), state(twin_rate=60.0)).answers
    assert shift.sentence.startswith("Now GOOD")
    assert any(re.match(r"New rows: TWIN.*100 → 60", line) for line in shift.why)


def test_a_changed_assumption_changes_the_pick_and_is_the_reason(state) -> None:
    (shift,) = between(published(state()), state(budget=20_000)).answers
    assert shift.sentence.startswith("Now DEAR")
    assert any(line.startswith("Changed assumption:") and "5000 → 20000" in line for line in shift.why)
    assert any(line.startswith("DEAR") and "over the budget" in line for line in shift.why)


def test_a_device_that_was_not_there_before_is_told_as_new(state, made) -> None:
    best = made.row("best", 400.0, half=0.01)
    found = between(published(state()), state(rows=[best], prices=[made.price("best", 1000.0)]))
    assert found.new_devices == (("best", "BEST"),)
    assert [(key, change) for _, key, _, change in found.rows] == [("best", 1)]
    (shift,) = found.answers
    assert "New rows: BEST, bought new was not measured on this before." in shift.why
    assert found.bests and found.bests[0][1:] == ("DEAR", "BEST")


def test_where_no_input_differs_the_rule_is_named(state) -> None:
    before = state()
    stand = before.answers["one"]
    other = dataclasses.replace(stand, pick=next(k for k in stand.choices if k != stand.pick))
    old = dataclasses.replace(before, made_by="0.0.1", answers={"one": other})
    (shift,) = between(published(old), before).answers
    assert "the rule changed, from hwguide 0.0.1" in shift.why[0]


def test_a_withdrawn_row_and_a_device_that_is_gone_are_told(state, made) -> None:
    more = state(rows=[made.row("best", 90.0, half=0.01)])
    found = between(published(more), state())
    assert found.gone_devices == ("BEST",)
    assert [change for *_, change in found.rows] == [-1]


def test_new_rows_do_not_hide_that_others_are_gone(state, made) -> None:
    before = state(rows=[made.row("gone", 90.0, half=0.01, output_tokens=n) for n in (8, 16)])
    after = state(rows=[made.row("best", 90.0, half=0.01, output_tokens=n) for n in (8, 16, 32)])
    lines = feed.news(between(published(before), after))
    assert "New rows: 3 of This project's collector." in lines
    assert "Rows gone: 2 of This project's collector." in lines


def test_a_row_that_is_gone_is_told_with_the_reason(made) -> None:
    rows = [made.row(name, 100.0 + n, half=0.01) for n, name in enumerate(("a", "b", "c"))]
    withdrawn = {(rows[2]["run_id"], None): "a fan had stopped"}
    before, after = (made.evidence(rows, [], withdrawn=w) for w in ({}, withdrawn))
    states = [take(evidence, answers(evidence)) for evidence in (before, after)]
    said = f"{rows[2]['run_id']}: withdrawn: a fan had stopped (1\u00a0row)."
    assert f"Left out: {said}" in feed.news(between(published(states[0]), states[1]))
    assert f"No longer left out: {said}" in feed.news(between(published(states[1]), states[0]))
    assert not any("left out" in line.lower() for line in feed.news(between(published(states[1]), states[1])))


def test_a_damaged_file_is_told_when_it_comes_and_when_it_goes(state) -> None:
    whole, damaged = state(), state(left_out={"runs/x.parquet: is cut short": 0})
    assert "Left out: runs/x.parquet: is cut short." in feed.news(between(published(whole), damaged))
    assert "No longer left out: runs/x.parquet: is cut short." in feed.news(
        between(published(damaged), whole)
    )
    older = "older records: the newest 12 count"
    more = between(published(state(left_out={older: 3})), state(left_out={older: 5}))
    assert f"Left out: {older} (5\u00a0rows, 3 before)." in feed.news(more)


def test_a_state_that_says_the_same_is_no_movement(state) -> None:
    kept = published(state())
    assert [m.key for m in movements((kept,), state())] == ["first"]


def test_a_movement_keeps_its_key_when_it_is_published(state) -> None:
    first, second = published(state()), state(good=1200.0)
    before = movements((first,), second)
    later = dataclasses.replace(second, name="2026-06-01-2")
    after = movements((first, later), second)
    assert [m.key for m in before] == [m.key for m in after] == ["since-2026-06-01", "first"]
    assert [m.published for m in before] == [False, True]
    assert [m.published for m in after] == [True, True]


HEAD = '"format": 1, "as_of": "2026-06-01", "made_by": "1", "counts": {"rows": 1}'


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"format": 1}',
        '{"format": "x"}',
        '{"format": 99, "as_of": "2026-06-01"}',
        f"{{{HEAD.replace('1}', chr(34) + 'many' + chr(34) + '}')}}}",
        f'{{{HEAD}, "rows": {{"a": 3}}}}',
        f'{{{HEAD}, "answers": {{"…": {{}}}}}}',
        f'{{{HEAD}, "answers": {{"a": {{"choices": {{"x": {{"usd": "dear"}}}}}}}}}}',
        f'{{{HEAD}, "prices": {{"a": 3}}}}',
        f'{{{HEAD}, "bests": {{"a": {{}}}}}}',
    ],
)
def test_a_damaged_snapshot_is_named(content: str, tmp_path: Path) -> None:
    folder = tmp_path / "history"
    folder.mkdir()
    (folder / "2026-06-01.json").write_text(content)
    with pytest.raises(BenchError, match=r"2026-06-01\.json"):
        snapshot.load(tmp_path)


def test_a_snapshot_under_another_days_name_is_refused(state, tmp_path: Path) -> None:
    path = snapshot.write(tmp_path, state())
    assert path is not None
    path.rename(path.with_name("2020-01-01.json"))
    with pytest.raises(BenchError, match="2020-01-01"):
        snapshot.load(tmp_path)


def read(content: bytes) -> ET.Element:
    return ET.fromstring(content)


def test_the_feed_is_valid_atom(state) -> None:
    found = movements((published(state()),), state(good=1200.0))
    root = read(feed.atom(found, URL, "Guide & <co>"))
    assert root.tag == f"{ATOM}feed"
    for name in ("id", "title", "updated"):
        assert len(root.findall(f"{ATOM}{name}")) == 1
    assert root.findtext(f"{ATOM}author/{ATOM}name") == "Guide & <co>"
    links = {link.get("rel"): link.get("href") for link in root.findall(f"{ATOM}link")}
    assert links == {"self": f"{URL}feed.xml", "alternate": f"{URL}changes/"}
    entries = root.findall(f"{ATOM}entry")
    assert len(entries) == 3  # the answer, the evidence, the first publication
    for entry in entries:
        for name in ("id", "title", "updated", "summary"):
            assert len(entry.findall(f"{ATOM}{name}")) == 1, name
            assert entry.findtext(f"{ATOM}{name}")
        assert entry.findtext(f"{ATOM}id").startswith(f"{URL}changes/#")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT00:\d\d:\d\dZ", entry.findtext(f"{ATOM}updated"))
        (link,) = entry.findall(f"{ATOM}link")
        assert link.get("href") == entry.findtext(f"{ATOM}id")
        for content in entry.findall(f"{ATOM}content"):
            assert content.get("type") == "xhtml"
            assert [child.tag for child in content] == ["{http://www.w3.org/1999/xhtml}div"]
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == len(ids)
    days = [entry.findtext(f"{ATOM}updated") for entry in entries]
    assert root.findtext(f"{ATOM}updated") == max(days)
    assert days == sorted(set(days), reverse=True), "readers sort by time"


def test_building_again_tells_nothing_twice(state, made) -> None:
    first = published(state())
    once = feed.atom(movements((first,), state(good=1200.0)), URL, "Guide")
    assert once == feed.atom(movements((first,), state(good=1200.0)), URL, "Guide")
    more = state(good=1100.0, rows=[made.row("best", 90.0, half=0.01)])
    again = feed.atom(movements((first,), more), URL, "Guide")
    assert again != once
    ids = [[e.findtext(f"{ATOM}id") for e in read(c).findall(f"{ATOM}entry")] for c in (once, again)]
    assert ids[0] == ids[1]


def test_the_page_and_the_feed_follow_the_history(example_data: DataDir, tmp_path: Path) -> None:
    evidence = load_evidence(example_data)
    now = take(evidence, answers(evidence))
    assert now is not None
    plain = build(evidence)
    assert "first publication" in plain.files[paths.CHANGES].decode()
    assert feed.PATH not in plain.files, "a feed needs the guide's address"
    snapshot.write(tmp_path, now)
    history = snapshot.load(tmp_path)
    quiet = build(evidence, Publication(site_url=URL, history=history))
    assert "Nothing has moved since" in quiet.files[paths.CHANGES].decode()
    key, stand = next((k, s) for k, s in now.answers.items() if s.pick)
    old = dataclasses.replace(
        history[0],
        as_of=now.as_of - timedelta(days=30),
        name=(now.as_of - timedelta(days=30)).isoformat(),
        answers=history[0].answers | {key: dataclasses.replace(stand, pick="", confidence="", call="none")},
        rows={},
    )
    moved = build(evidence, Publication(site_url=URL, history=(old,)))
    page = moved.files[paths.CHANGES].decode()
    assert f'id="since-{old.name}-{key}"' in page
    assert 'class="data' in page
    told = read(moved.files[feed.PATH])
    assert f"{URL}changes/#since-{old.name}-{key}" in [
        e.findtext(f"{ATOM}id") for e in told.iter(f"{ATOM}entry")
    ]


def test_the_command_writes_a_snapshot_and_says_when_nothing_moved(
    example_data: DataDir, tmp_path: Path
) -> None:
    import shutil

    data = tmp_path / "data"
    shutil.copytree(example_data.root, data)
    first = CliRunner().invoke(site_command, ["snapshot", "--data", str(data)])
    assert first.exit_code == 0, first.output
    (path,) = (data / "history").glob("*.json")
    assert date.fromisoformat(path.stem) == load_evidence(DataDir(data)).as_of
    assert json.loads(path.read_text())["format"] == snapshot.FORMAT
    again = CliRunner().invoke(site_command, ["snapshot", "--data", str(data)])
    assert again.exit_code == 0
    assert "Nothing has moved" in again.output
    assert len(list((data / "history").iterdir())) == 1
