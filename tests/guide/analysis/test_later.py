"""Rows and prices of days to come move nothing: a wrong clock must not age every price of the guide."""

from __future__ import annotations

import csv
import shutil
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from bench import store
from bench.project import DataDir
from guide.analysis.later import REASON, later_rows, not_later, prices_by
from guide.build import build
from guide.evidence import load_evidence
from guide.recommend import answers

LATEST = date(2026, 12, 2)


@pytest.fixture
def data(example_data: DataDir, tmp_path: Path) -> DataDir:
    return DataDir(Path(shutil.copytree(example_data.root, tmp_path / "data")))


def test_a_run_and_a_price_of_2099_leave_the_guide_as_it_was(data: DataDir, example_data: DataDir) -> None:
    before = load_evidence(example_data, latest=LATEST)
    known = next(path for path in sorted(data.runs.glob("*/*.parquet")))
    moment = datetime(2099, 1, 1, tzinfo=UTC)
    rows = [row | {"run_id": "clock", "recorded_at": moment} for row in store.read_run(known)]
    store.write_run(data.runs / "20990101" / "clock.parquet", rows, {})
    with data.prices.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    row = next(row for row in table if row["observed_on"])
    with data.prices.open("a", encoding="utf-8", newline="") as file:
        csv.DictWriter(file, list(row), lineterminator="\n").writerow(row | {"observed_on": "2099-01-01"})

    found = load_evidence(data, latest=LATEST)
    assert found.as_of == before.as_of and found.rows == before.rows
    assert answers(found) == answers(before)
    told = {left.what: left for left in found.left_out if left.reason == REASON}
    assert told["clock"].rows == len(rows)
    assert told[f"prices.csv, line {len(table) + 2}"].rows == 0
    assert load_evidence(data).as_of == date(2099, 1, 1)  # who gives no day gets no judgement
    pages = build(found).files
    assert any(REASON.encode() in content for content in pages.values())


def test_the_day_itself_counts_and_the_day_after_does_not(made) -> None:
    rows = [made.row("a", 1.0, recorded_at=datetime(2026, 12, day, 23, tzinfo=UTC)) for day in (1, 2, 3)]
    kept, later = not_later(rows, LATEST)
    assert kept == rows[:2]
    [left] = later_rows(later)
    assert (left.reason, left.rows) == (REASON, 1)
    assert not_later(rows, None) == (rows, {})


def test_prices_without_a_day_stay(made) -> None:
    from bench.catalog.prices import PriceBook

    days = (None, LATEST, date(2027, 1, 1), date(2028, 1, 1))
    book = PriceBook(made.price("a", 1.0, observed_on=day, line=n) for n, day in enumerate(days, 2))
    kept, [left] = prices_by(book, "prices.csv", LATEST)
    assert [o.line for o in kept.observations] == [2, 3]
    assert left.what == "prices.csv, lines 4, 5"
    assert prices_by(book, "prices.csv", None) == (book, [])
