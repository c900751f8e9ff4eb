"""Adding prices: in its place, atomically, and no other byte of the file changes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from bench.catalog import Catalog
from bench.catalog.price_add import add_price
from bench.catalog.price_check import check_prices
from bench.catalog.prices import COLUMNS, PriceBook
from bench.errors import BenchError, UsageError
from bench.state import file_lock

DATA = Path(__file__).parents[3] / "data"
HEAD = ",".join(COLUMNS)
TODAY = date(2026, 12, 1)
KNOWN = {"a", "b", "c"}


def values(**more):
    base = {
        "device_id": "b", "kind": "new", "amount_usd": 120.5, "per": "unit", "device_count": 1,
        "provider": "shop", "region": "US", "observed_on": date(2026, 8, 1), "stat": "list",
        "source": "a source", "note": None,
    }  # fmt: skip
    return base | more


def line(device="a", kind="new", usd="100", day="2026-06-01", note="", stat="list", source="a source"):
    per = "hour" if kind.startswith("rent") else "unit"
    return f"{device},{kind},{usd},{per},1,shop,US,{day},{stat},{source},{note}"


def prices(tmp_path: Path, *lines: str, end: str = "\n") -> Path:
    path = tmp_path / "prices.csv"
    path.write_bytes((end.join([HEAD, *lines]) + end).encode())
    return path


def test_a_price_stands_in_its_place_and_nothing_else_changes(tmp_path):
    odd = 'b,new,1e2,unit,1,"a ""shop""",,2026-06-01,list,"a source",  spaced  '
    path = prices(tmp_path, line("a"), odd, line("b", day="2026-09-01"), line("c"))
    before = path.read_bytes().splitlines(keepends=True)
    _, text = add_price(path, values(note="boxed, sealed"), KNOWN, TODAY)
    after = path.read_bytes().splitlines(keepends=True)
    assert text == 'b,new,120.5,unit,1,shop,US,2026-08-01,list,a source,"boxed, sealed"'
    assert after == [*before[:3], f"{text}\n".encode(), *before[3:]]
    assert not list(tmp_path.glob(".*"))


def test_into_the_projects_own_file(tmp_path):
    path = shutil.copy(DATA / "prices.csv", tmp_path / "prices.csv")
    known = Catalog.load(DATA / "devices.csv").devices
    before = path.read_bytes().splitlines(keepends=True)
    more = values(device_id="nvidia-rtx-4090", kind="used", amount_usd=1650.0)
    add_price(path, more, known, TODAY)
    after = path.read_bytes().splitlines(keepends=True)
    (new,) = set(after) - set(before)
    after.remove(new)
    assert after == before
    keys = [(o.device_id, o.kind) for o in PriceBook.load(path, known=known).observations]
    assert keys == sorted(keys)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_a_missing_last_one(tmp_path, end):
    path = prices(tmp_path, line("a"), end=end)
    path.write_bytes(path.read_bytes().removesuffix(end.encode()))
    add_price(path, values(), KNOWN, TODAY)
    assert path.read_bytes().count(end.encode()) == 3 and len(PriceBook.load(path).observations) == 2


def test_before_the_first_line_and_into_an_empty_book(tmp_path):
    path = prices(tmp_path)
    add_price(path, values(), KNOWN, TODAY)
    add_price(path, values(device_id="a"), KNOWN, TODAY)
    assert [o.device_id for o in PriceBook.load(path).observations] == ["a", "b"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"observed_on": None}, "needs the day"),
        ({"source": ""}, "source: found nothing"),
        ({"observed_on": date(2026, 12, 2)}, "after today"),
        ({"device_id": "x"}, "device_id: found 'x'"),
        ({"amount_usd": 0.0}, "amount_usd: found '0'"),
        ({"amount_usd": float("nan")}, "amount_usd: found 'nan'"),
        ({"amount_usd": -3.0}, "amount_usd: found '-3'"),
        ({"per": "hour"}, "per: found 'hour'"),
        ({"note": "=HYPERLINK(1)"}, "formula"),
        ({"note": "two\nlines"}, "one line"),
        ({"provider": "\x1b[31mred"}, "control characters"),
        ({"source": "x" * 301}, "300 characters"),
    ],
)
def test_what_does_not_fit_is_refused_and_the_file_stays(tmp_path, more, told):
    path = prices(tmp_path, line())
    before = path.read_bytes()
    with pytest.raises(UsageError, match=told):
        add_price(path, values(**more), KNOWN, TODAY)
    assert path.read_bytes() == before


@pytest.mark.parametrize("more", [{}, {"amount_usd": 99.0}, {"note": "again"}])
def test_an_offer_that_is_there_is_refused(tmp_path, more):
    path = prices(tmp_path, line("a"))
    add_price(path, values(), KNOWN, TODAY)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=r"holds this offer already \(120.5 USD, line 3\)"):
        add_price(path, values(**more), KNOWN, TODAY)
    assert path.read_bytes() == before


def test_an_offer_told_apart_by_amount_and_note_is_another(tmp_path):
    path = prices(tmp_path, line("a"))
    add_price(path, values(), KNOWN, TODAY)
    add_price(path, values(amount_usd=150.0, note="the larger cooler"), KNOWN, TODAY)
    assert len(PriceBook.load(path).observations) == 3


def test_a_damaged_file_is_not_added_to(tmp_path):
    path = prices(tmp_path, line("a"), "a,new,1")
    before = path.read_bytes()
    with pytest.raises(BenchError, match="line 3: found 3 values"):
        add_price(path, values(), KNOWN, TODAY)
    assert path.read_bytes() == before


def test_nothing_is_written_when_asked_to_show(tmp_path):
    path = prices(tmp_path, line("a"))
    before = path.read_bytes()
    assert add_price(path, values(), KNOWN, TODAY, dry_run=True)[1].startswith("b,new,120.5")
    assert path.read_bytes() == before


ADD = """
import sys
from datetime import date
from pathlib import Path
from bench.catalog.price_add import add_price
sys.stdin.readline()  # all begin at once
for k in range(5):
    add_price(Path(sys.argv[1]), {
        "device_id": "b", "kind": "new", "amount_usd": 100.0 + k, "per": "unit", "device_count": 1,
        "provider": f"shop {sys.argv[2]}", "observed_on": date(2026, 8, 1 + k), "stat": "list", "source": "s",
    }, {"b"}, date(2026, 12, 1))
"""


def test_processes_that_add_at_once_lose_no_line(tmp_path):
    path = prices(tmp_path)
    adding = [
        subprocess.Popen([sys.executable, "-c", ADD, str(path), str(n)], stdin=subprocess.PIPE, text=True)
        for n in range(6)
    ]
    for process in adding:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.wait() for process in adding] == [0] * 6
    found = PriceBook.load(path).observations
    assert {(o.provider, o.amount_usd) for o in found} == {
        (f"shop {n}", 100.0 + k) for n in range(6) for k in range(5)
    }
    assert len(found) == 30 and [p.name for p in tmp_path.iterdir()] == ["prices.csv"]


def test_a_file_that_another_process_holds_is_left_alone(tmp_path):
    path = prices(tmp_path, line())
    with file_lock(path):
        with pytest.raises(BenchError, match="being changed by another process"), file_lock(path, wait_s=0):
            pass
        assert add_price(path, values(), KNOWN, TODAY, dry_run=True)[1].startswith("b,new")
    with file_lock(path, wait_s=0):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["prices.csv"]


def found(path: Path, **more):
    remarks = check_prices(path, KNOWN, more.get("as_of", TODAY))
    return [(r.severity, r.check, r.line) for r in remarks]


def test_the_check_tells_errors_apart_from_warnings(tmp_path):
    path = prices(
        tmp_path,
        line("a"),
        line("a", source=""),
        line("x"),
        line("a", note="said again"),
        line("a", day="2027-01-01"),
        line("b", day=""),
        line("c", day="2025-01-01"),
        line("c", day="1889-01-01"),
    )
    assert found(path) == [
        ("error", "double", 5),
        ("error", "early", 9),
        ("error", "format", 3),
        ("error", "format", 4),
        ("error", "future", 6),
        ("warning", "stale", 8),
        ("warning", "undated", 7),
    ]


def test_an_outlier_is_far_from_the_others_of_its_kind_and_time(tmp_path):
    near = [line("a", usd=str(usd), source=f"s{usd}") for usd in (90, 100, 110)]
    assert found(prices(tmp_path, *near, line("a", usd="240"))) == []
    assert found(prices(tmp_path, *near, line("a", usd="260"))) == [("warning", "outlier", 5)]
    assert found(prices(tmp_path, *near, line("a", usd="30"))) == [("warning", "outlier", 5)]
    assert found(prices(tmp_path, *near, line("a", usd="30", stat="min"))) == []
    assert found(prices(tmp_path, *near, line("a", "used", usd="30"))) == []
    assert found(prices(tmp_path, *near, line("b", usd="900"))) == []


def test_spot_capacity_dearer_than_on_demand_is_odd(tmp_path):
    day = "2026-11-01"
    path = prices(tmp_path, line("a", "rent-on-demand", "2", day), line("a", "rent-spot", "3", day))
    assert found(path) == [("warning", "spot", 3)]


def test_a_launch_price_does_not_go_stale(tmp_path):
    assert found(prices(tmp_path, line("a", "launch", day="2020-01-01"))) == []


def test_the_projects_prices_have_no_error():
    known = Catalog.load(DATA / "devices.csv").devices
    assert [r for r in check_prices(DATA / "prices.csv", known, TODAY) if r.severity == "error"] == []
