"""``bench site export``: the pages as plain files, which other generators show as the hook's build does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from guide.build import build
from guide.cli import site as site_command
from guide.evidence import load_evidence
from guide.publish import output
from guide.show.render import templates_dir


def export(target: Path, data: Path, *options: str):
    return CliRunner().invoke(site_command, ["export", str(target), "--data", str(data), *options])


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory, example_data, site_port: int) -> Path:
    target = tmp_path_factory.mktemp("export") / "out"
    done = export(target, example_data.root, "--site-url", f"http://127.0.0.1:{site_port}/")
    assert done.exit_code == 0, done.output
    return target


def test_the_export_holds_what_the_build_made_and_replaces_only_its_own(tmp_path: Path, example_data) -> None:
    target = tmp_path / "out"
    assert export(target, example_data.root).exit_code == 0
    made = build(load_evidence(example_data)).files
    written = {p.relative_to(target).as_posix(): p for p in target.rglob("*") if p.is_file()}
    written.pop(output.MARKER)
    docs = {name.removeprefix("docs/"): path for name, path in written.items() if name.startswith("docs/")}
    assert docs.keys() == made.keys()
    assert [name for name, path in docs.items() if path.read_bytes() != made[name]] == []
    others = {name.split("/")[0] for name in written if not name.startswith("docs/")}
    assert others == {"mkdocs.yml", "overrides"} and "overrides/main.html" in written
    (target / "mine.md").write_text("mine")
    again = export(target, example_data.root)
    assert again.exit_code == 1
    assert "mine.md" in again.output
    assert (target / "mine.md").read_text() == "mine"


def test_a_folder_of_others_is_refused_before_anything_is_built(tmp_path: Path, monkeypatch) -> None:
    for number in range(50):
        (tmp_path / "disk" / f"{number:02}").mkdir(parents=True)
        (tmp_path / "disk" / f"{number:02}" / "file").write_text("theirs")
    seen = []
    walk = os.walk
    monkeypatch.setattr(os, "walk", lambda folder: (seen.append(found) or found for found in walk(folder)))
    done = export(tmp_path / "disk", tmp_path / "no data, which is read later")
    assert done.exit_code == 1
    assert "00/file, 01/file, 02/file, …" in done.output
    assert len(seen) < 10


def test_export_without_a_data_folder_says_so(tmp_path: Path) -> None:
    done = export(tmp_path / "out", tmp_path / "no")
    assert done.exit_code == 2
    assert "No data folder" in done.output


class _Text(HTMLParser):
    """The words of a page's article, and what it loads."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.loads: set[str] = set()
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.depth += tag == "article"
        given = dict(attrs)
        name = given.get("src") or (given.get("href") if tag == "link" else None)
        if name and re.search(r"(css|js)/[a-z]+\.(css|js)$", name):
            self.loads.add(name.split("/")[-1])

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "article"

    def handle_data(self, data: str) -> None:
        if self.depth:
            self.words += data.split()


def read(page: Path) -> _Text:
    found = _Text()
    found.feed(page.read_text("utf-8"))
    return found


def pages(folder: Path) -> set[str]:
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*.html")}
    return found - {"404.html"}


def run(folder: Path, *command: str) -> None:
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def assert_same_site(built: Path, reference: Path) -> None:
    assert pages(built) == pages(reference)
    for name in sorted(pages(reference)):
        ours, theirs = read(reference / name), read(built / name)
        # Who builds an export packs it on their own.
        told = re.sub(r" guide-offline\.zip .*?(?:open|打开) index\.html", "", " ".join(ours.words))
        assert (" ".join(ours.words) != told) == name.endswith("data/index.html")
        assert " ".join(theirs.words) == told, name
        assert theirs.loads == ours.loads, name


def test_mkdocs_makes_the_same_site_of_the_export(exported: Path, tmp_path: Path, built_site: Path) -> None:
    shutil.copytree(exported, tmp_path / "plain")
    run(tmp_path / "plain", sys.executable, "-m", "mkdocs", "build", "--strict")
    assert_same_site(tmp_path / "plain" / "public", built_site)


def test_zensical_makes_the_same_site_of_the_export(exported: Path, tmp_path: Path, built_site: Path) -> None:
    program = shutil.which("zensical")
    if program is None:
        pytest.skip("zensical is not installed: pip install zensical")
    shutil.copytree(exported, tmp_path / "plain")
    run(tmp_path / "plain", program, "build", "--strict")
    assert_same_site(tmp_path / "plain" / "public", built_site)
    home = (tmp_path / "plain" / "public" / "index.html").read_text("utf-8")
    assert "data-md-color-scheme" in home, "another look than Material's"


def test_the_themes_mends_call_no_methods_that_only_python_has() -> None:
    """Zensical's templates have none; where one is needed, the other way stands beside it."""
    theme = templates_dir() / "theme"
    called = {
        (path.name, call)
        for path in theme.rglob("*.*")
        for code in re.findall(r"\{[{%](.*?)[%}]\}", path.read_text("utf-8"), re.DOTALL)
        for call in re.findall(r"(?:\w+|[)\]}])\.\w+\(", code)
    }
    macros = ("lang.t(", "fallback.t(")  # of the theme's own words
    assert {one for one in called if one[1] not in macros} <= {("main.html", "lines.splitlines(")}
