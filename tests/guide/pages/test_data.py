"""The Data page's counts are those that DuckDB finds in the files that it offers and was made from."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import duckdb
import pytest

from bench.project import DataDir
from guide.build import build
from guide.evidence import load_evidence
from guide.site_files import Site


@pytest.fixture(scope="module")
def site(example_data: DataDir) -> Site:
    return build(load_evidence(example_data))


@pytest.fixture(scope="module")
def facts(site: Site) -> dict[str, tuple[int, ...]]:
    """Heading -> the numbers under it."""
    page = site.files["data.md"].decode()
    block = page[page.index('<dl class="facts">') : page.index("</dl>")]
    found = re.findall(r"<dt>([^<]*)</dt><dd>(.*?)</dd>", block)
    return {name: tuple(map(number, re.findall(r"\d[\d,]*", text))) for name, text in found}


def number(text: str) -> int:
    return int(text.replace(",", ""))


def counted(path: Path, what: str) -> int:
    ((found,),) = duckdb.sql(f"SELECT {what} FROM read_parquet('{path.as_posix()}')").fetchall()
    return found


def test_counts_are_those_of_the_download(site: Site, facts: dict, tmp_path: Path) -> None:
    path = tmp_path / "results.parquet"
    path.write_bytes(site.files["downloads/results.parquet"])

    def n(what: str) -> int:
        return counted(path, what)

    assert facts["Rows"] == (n("count(*)"),)
    assert facts["Measured here"] == (
        n("count(*) FILTER (origin = 'measured')"),
        n("count(DISTINCT run_id) FILTER (origin = 'measured')"),
    )
    assert facts["Published elsewhere"] == (n("count(*) FILTER (origin = 'published')"),)
    # Names that differ in nothing but case and punctuation are one device.
    name = "trim(regexp_replace(lower(device_name), '[^a-z0-9]+', '-', 'g'), '-')"
    assert facts["Devices"] == (
        n(f"count(DISTINCT coalesce(device_id, {name}))"),
        n("count(DISTINCT device_id)"),
    )
    assert facts["Sources"] == (n("count(DISTINCT source_id)"),)
    assert facts["Tasks"] == (n("count(DISTINCT task_key)"),)
    assert all(numbers[0] > 1 for name, numbers in facts.items() if name != "Newest row")


def test_no_row_of_the_files_is_lost(facts: dict, example_data: DataDir) -> None:
    runs = counted(example_data.runs / "*" / "*.parquet", "count(*)")
    tables = ["article1.csv", "xiongjie.csv"]
    published = sum(
        len(list(csv.DictReader((example_data.published / name).read_text("utf-8").splitlines())))
        for name in tables
    )
    assert facts["Measured here"][0] == runs
    assert facts["Published elsewhere"][0] == published


def test_the_sources_rows_add_up(site: Site, facts: dict) -> None:
    page = site.files["data.md"].decode()
    table = page[page.index("<caption", page.index("## Sources")) :]
    table = table[: table.index("</table>")]
    shown = re.findall(r'<td class="data__number"[^>]*>([\d,]+)</td>', table)
    assert sum(map(number, shown)) == facts["Rows"][0]
