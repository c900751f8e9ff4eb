"""Files that cannot be taken end in one message, and nothing else changes; text of a file is only text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import duckdb
import pytest
from playwright.sync_api import Page, expect

from bench import schema

HOSTILE = "<img src=x onerror=alert(1)><b>RTX</b> \u202e3070 {{7*7}}"


def state(page: Page) -> Any:
    """What must stay as it is."""
    return page.evaluate(
        """() => [document.querySelector(".own__machine").innerHTML, location.hash,
          document.querySelector(".compare__summary").textContent, JSON.stringify(sessionStorage),
          [...document.querySelectorAll("#compare-a option")].map((o) => o.value).join()]"""
    )


def refused(own: Any, path: Any, message: str) -> None:
    """The file ends in that message, and the page is as it was."""
    expect(own.page.locator(".compare__summary")).not_to_be_empty()
    before = state(own.page)
    own.choose(path)
    expect(own.refusal).to_contain_text(message)
    assert state(own.page) == before


def changed(rows: list, **values: Any) -> list:
    return [rows[0] | values, *rows[1:]]


def not_finite(rows: list) -> bytes:
    """JSON with a number that no JSON has."""
    text = json.dumps(changed(rows, rate=float("nan")), default=lambda moment: moment.isoformat())
    assert "NaN" in text
    return text.encode()


#: name -> (content from the rows, part of the message)
BAD: dict[str, tuple[Callable[[list], Any], str]] = {
    "nothing in it": (lambda rows: b"", "empty"),
    "no JSON": (lambda rows: b"hello there", "This is not the Parquet or JSON of bench collect"),
    "a page": (lambda rows: b"<!doctype html><p>no", "This is not the Parquet or JSON of bench collect"),
    "bytes": (lambda rows: bytes(range(256)) * 40, "This is not the Parquet or JSON of bench collect"),
    "other JSON": (lambda rows: [{"a": 1}], "This is not the Parquet or JSON of bench collect"),
    "a number": (lambda rows: 7, "This is not the Parquet or JSON of bench collect"),
    "nested": (lambda rows: b"[" * 200_000, "This is not the Parquet or JSON of bench collect"),
    "many lines": (lambda rows: b"a\n" * 400_000, "This is not the Parquet or JSON of bench collect"),
    "cut off": (lambda rows: json.dumps(rows[0], default=str).encode() + b"\n{\"a\": ", "cut off: line 2"),
    "NaN": (not_finite, "This is not the Parquet or JSON of bench collect"),
    "a newer schema": (lambda rows: changed(rows, schema_version=99), "newer version"),
    "half a Parquet": (lambda rows: b"PAR1" + bytes(2000) + b"PAR1", "damaged"),
}  # fmt: skip

#: name -> (what is wrong with a row, part of the reason)
BAD_ROWS: dict[str, tuple[Callable[[list], list], str]] = {
    "infinite": (lambda rows: changed(rows, rate=10**400), "rate"),
    "beyond any unit": (lambda rows: changed(rows, rate=1e30), "expected a number"),
    "negative": (lambda rows: changed(rows, rate=-5.0), "expected a figure above 0"),
    "text for a rate": (lambda rows: changed(rows, rate="fast"), "expected a number"),
    "an object for a rate": (lambda rows: changed(rows, rate={"a": 1}), "expected a number"),
    "a list for a name": (lambda rows: changed(rows, device_name=["a"]), "expected text"),
    "flags that are none": (lambda rows: changed(rows, flags={"a": 1}), "expected a list of words"),
    "an interval beside the rate": (lambda rows: changed(rows, rate_low=rows[0]["rate"] * 2), "interval"),
    "no name": (lambda rows: changed(rows, device_name="\u200b"), "expected the device’s name"),
    "no such status": (lambda rows: changed(rows, status="splendid"), "expected how the cell ended"),
    "no key": (lambda rows: changed(rows, task_key="<b>"), "expected the digest of its task"),
    "no time": (lambda rows: changed(rows, recorded_at="yesterday"), "expected a time"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_ends_in_one_message(visit, panel, files, mine, name) -> None:
    make, message = BAD[name]
    content = make(mine)
    path = files.raw(content) if isinstance(content, bytes) else files.json(content)
    refused(panel(visit()), path, message)


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_bad_row_is_listed_with_its_reason_and_the_others_stay(visit, panel, files, mine, name) -> None:
    make, message = BAD_ROWS[name]
    own = panel(visit())
    own.choose(files.json(make(mine)))
    expect(own.machine).to_be_visible()
    assert own.count() == len(mine) - 1
    told = own.page.locator(".own__list", has_text="1 row not taken")
    told.locator("summary").click()
    expect(told).to_contain_text("Row 1")
    expect(told).to_contain_text(message)


@pytest.mark.parametrize("name", BAD_ROWS)
def test_where_no_row_fits_the_first_reason_is_given(visit, panel, files, mine, name) -> None:
    make, message = BAD_ROWS[name]
    refused(panel(visit()), files.json(make(mine)[:1]), message)


def test_a_damaged_parquet_ends_in_one_message(visit, panel, files, mine) -> None:
    content = bytearray(files.parquet(mine).read_bytes())
    content[100:400] = bytes(300)
    refused(panel(visit()), files.raw(bytes(content), "damaged.parquet"), "damaged")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT 'k' AS task_key, i AS rate FROM range(300000) t(i)", "at most 200000"),
        ("SELECT repeat('x', 1000) AS task_key FROM range(150000)", "This is not the Parquet or JSON"),
        ("SELECT 1 AS a", "This is not the Parquet or JSON"),
        ("SELECT 1 AS task_key, 2 AS status, 3 AS workload, 4 AS device_name", "expected"),
    ],
    ids=["too many rows", "a bomb", "other columns", "other types"],
)
def test_a_foreign_parquet_ends_in_one_message(visit, panel, tmp_path, query, message) -> None:
    path = tmp_path / "foreign.parquet"
    duckdb.sql(f"COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    refused(panel(visit()), path, message)


def test_a_huge_file_is_not_read(visit, panel, tmp_path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(51_000_000)
    refused(panel(visit()), path, "at most 50 MB")


def test_a_run_without_a_counterpart_says_so(visit, panel, files, mine) -> None:
    odd = [row | {"output_tokens": 7777, "task_key": None} for row in mine]
    rows = [row | {"task_key": schema.task_key(row)} for row in odd]
    refused(panel(visit()), files.parquet(rows), "has a counterpart in the guide")


def test_a_figure_in_another_unit_is_refused(visit, panel, files, mine) -> None:
    rows = [row | {"rate_unit": "tokens/min"} for row in mine]
    refused(panel(visit()), files.parquet(rows), "its figure is in tokens/min, that of its task in tokens/s")


def test_only_rows_that_ended_well_are_taken_and_the_others_say_why(visit, panel, files, mine) -> None:
    first, second, third, *rest = mine
    assert rest
    figures = dict.fromkeys(("rate", "rate_low", "rate_high"))
    broken = first | figures | {"status": "impossible", "status_detail": "it would take 140 % of the probe"}
    oom = second | figures | {"status": "oom", "status_detail": "needs 90 GB"}
    beyond = third | {"achieved_flops": 3e12, "probe_flops": 1e12}
    own = panel(visit())
    own.choose(files.parquet([broken, oom, beyond, *rest]))
    expect(own.machine).to_be_visible()
    assert own.count() == len(rest)
    told = own.page.locator(".own__list", has_text="not taken")
    told.locator("summary").click()
    expect(told).to_contain_text("140 % of the probe")
    expect(told).to_contain_text("needs 90 GB")
    expect(told).to_contain_text("300 % of the arithmetic that the probe")


def test_a_task_key_that_is_not_its_columns_own_is_refused(visit, panel, files, mine, evidence) -> None:
    """A faster test under a slower one's key: the digest gives it away."""
    lying = [row | {"output_tokens": 1} for row in mine]
    refused(panel(visit()), files.json(lying), "the file was changed")


def test_when_every_row_failed_the_first_reason_is_given(visit, panel, files, mine) -> None:
    figures = dict.fromkeys(("rate", "rate_low", "rate_high"))
    rows = [row | figures | {"status": "oom", "status_detail": "needs 90 GB"} for row in mine]
    refused(panel(visit()), files.parquet(rows), "needs 90 GB")


def test_text_of_a_file_is_only_text(visit, panel, files, mine, evidence) -> None:
    rows = [row | {"device_name": HOSTILE, "status_detail": HOSTILE} for row in mine]
    rows[0] |= {"status": "failed", "rate": None, "rate_low": None, "rate_high": None}
    window = visit()
    own = panel(window)
    dialogs: list[str] = []
    own.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    own.choose(files.json(rows))
    expect(own.machine).to_contain_text("<img src=x onerror=alert(1)>")
    assert "\u202e" not in own.machine.inner_text()
    workload = evidence.task(rows[1]["task_key"]).workload
    page = window.open(f"workloads/{workload}/")
    expect(page.locator(".own__row").first).to_contain_text("<img src=x")
    assert page.locator(".own__row img, .own__row b, .own__machine img").count() == 0
    assert dialogs == []


def test_a_good_file_after_a_bad_one_is_taken(visit, panel, files, mine) -> None:
    own = panel(visit())
    own.choose(files.raw(b"no"))
    expect(own.refusal).to_be_visible()
    own.choose(files.parquet(mine))
    expect(own.machine).to_be_visible()
    expect(own.refusal).to_have_count(0)


def test_what_was_in_the_storage_before_does_no_harm(visit, panel) -> None:
    window = visit()
    own = panel(window)
    for text in (
        '"x"',
        "{",
        '{"v": 1, "figures": 3}',
        '{"v": 1, "figures": [{"values": ["<b>", 1, 2, 3, 4]}]}',
    ):
        own.page.evaluate("text => sessionStorage.setItem('hwguide-own', text)", text)
        own.page.reload()
        expect(own.page.locator("#own")).to_be_visible()
        assert own.page.evaluate("hwguideOwn.machine") is None
