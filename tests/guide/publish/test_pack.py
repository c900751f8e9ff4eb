"""The offline pack: links that a disk can follow, nothing that asks a network, the same bytes each time."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import date
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

import pytest
from click.testing import CliRunner

from bench.errors import BenchError
from bench.project import DataDir
from guide.cli import site as site_command
from guide.publish import pack

DAY = date(2026, 6, 1)


@pytest.fixture(scope="module")
def archive(built_site: Path) -> zipfile.ZipFile:
    """The pack that the build made."""
    return zipfile.ZipFile(built_site / pack.PATH)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids.add(given.get("id") or "")
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        if given.get("src"):
            self.loads.append(str(given["src"]))
        if tag == "link" and given.get("rel") in ("stylesheet", "icon"):
            self.loads.append(str(given["href"]))


def read(text: str) -> _Links:
    found = _Links()
    found.feed(text)
    return found


def target(page: str, link: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(page).parent / link).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def test_every_link_and_every_file_that_a_page_loads_is_in_the_pack(archive: zipfile.ZipFile) -> None:
    names = set(archive.namelist())
    pages = {n: read(archive.read(n).decode()) for n in names if n.endswith(".html")}
    assert len(pages) > 10
    dead = []
    for name, page in pages.items():
        for link in [*page.links, *page.loads]:
            if re.match(r"[a-z]+:", link):
                continue
            path, _, fragment = link.partition("#")
            found = target(name, path) if path else name
            fragment = "" if "=" in fragment else fragment
            if found not in names or (fragment and fragment not in pages[found].ids):
                dead.append((name, link))
    assert dead == []


def test_no_page_names_a_folder_or_loads_from_a_network(archive: zipfile.ZipFile) -> None:
    for name in (n for n in archive.namelist() if n.endswith(".html")):
        page = read(archive.read(name).decode())
        assert [link for link in page.links if re.fullmatch(r"[^:#]*(/|\.)", link)] == [], name
        assert [load for load in page.loads if re.match(r"(https?:)?//", load)] == [], name


def test_what_only_a_server_can_use_is_left_out(archive: zipfile.ZipFile, built_site: Path) -> None:
    names = {n.split("/", 1)[1] for n in archive.namelist()}
    assert {"index.html", "README.txt", "search/search_index.js", "downloads/results.csv"} <= names
    assert not [
        n for n in names if n.startswith(("assets/charts/", "assets/vega/")) or n.endswith((".map", ".zip"))
    ]
    assert "index.json" not in names
    assert "This page as JSON" not in archive.read("guide/index.html").decode()
    assert (built_site / "index.json").is_file()


def test_the_same_site_gives_the_same_bytes(built_site: Path) -> None:
    first = pack.pack(built_site, DAY)
    assert pack.pack(built_site, DAY) == first
    entries = zipfile.ZipFile(io.BytesIO(first)).infolist()
    assert {e.date_time for e in entries} == {(2026, 6, 1, 0, 0, 0)}
    assert [e.filename for e in entries] == sorted(e.filename for e in entries)
    assert {e.filename.split("/")[0] for e in entries} == {"guide"}


def test_links_of_a_page_name_files() -> None:
    page = (
        '<a href="..">a</a><a class="x" href="../devices/#y">b</a><a href="#z">c</a><a href="./?q=1">d</a>'
        '<a href="https://example.org/">e</a><a href="../x.csv" download>f</a><a href=".">g</a>'
    )
    assert re.findall('href="([^"]*)"', pack.page(page)) == [
        "../index.html",
        "../devices/index.html#y",
        "#z",
        "./index.html?q=1",
        "https://example.org/",
        "../x.csv",
        "./index.html",
    ]


def test_a_folder_without_a_guide_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"index\.html"):
        pack.pack(tmp_path, DAY)


def test_a_full_disk_leaves_the_older_pack(tmp_path: Path, full_disk) -> None:
    site, out = tmp_path / "site", tmp_path / "guide.zip"
    site.mkdir()
    (site / "index.html").write_text("<p>home</p>")
    pack.write(site, DAY, out)
    kept = out.read_bytes()
    with full_disk(100), pytest.raises(BenchError, match="Cannot write"):
        pack.write(site, DAY, out)
    assert out.read_bytes() == kept
    assert sorted(p.name for p in tmp_path.iterdir()) == ["guide.zip", "site"]


def test_what_is_no_archive_is_not_written_over(tmp_path: Path) -> None:
    home = tmp_path / "index.html"
    home.write_text("<p>home</p>")
    done = CliRunner().invoke(site_command, ["pack", str(tmp_path), "--out", str(home)])
    assert done.exit_code == 1
    assert "is no archive" in done.output
    assert home.read_text() == "<p>home</p>"


def test_a_folder_without_a_guide_is_named_before_the_data(tmp_path: Path) -> None:
    given = ["pack", str(tmp_path / "nope"), "--data", str(tmp_path)]
    done = CliRunner().invoke(site_command, given)
    assert done.exit_code == 1
    assert "No built guide in" in done.output and "devices.csv" not in done.output


def test_the_command_packs_a_built_site(built_site: Path, example_data: DataDir, tmp_path: Path) -> None:
    out = tmp_path / "new" / "guide.zip"
    given = ["pack", str(built_site), "--out", str(out), "--data", str(example_data.root)]
    done = CliRunner().invoke(site_command, given)
    assert done.exit_code == 0, done.output
    assert "guide/index.html" in zipfile.ZipFile(out).namelist()
