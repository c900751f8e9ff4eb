"""The hook and the export: nothing foreign is deleted, a fault is one message and keeps the old site."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mkdocs.config import load_config

from bench.errors import BenchError
from guide import paths
from guide.build import build
from guide.evidence import load_evidence
from guide.publish import changes, output

ROOT = Path(__file__).parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path, new_project: Callable[..., Path]) -> tuple[Path, Run]:
    """A small project of its own, and MkDocs in it."""
    project = new_project(tmp_path, empty=True)

    def mkdocs(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
        command = [sys.executable, "-m", "mkdocs", *arguments]
        return subprocess.run(
            command, cwd=project, env=environment, capture_output=True, text=True, check=False
        )

    return project, mkdocs


def test_a_foreign_file_in_the_output_folder_is_named_and_kept(run: tuple[Path, Run]) -> None:
    project, mkdocs = run
    own = project / "public" / "thesis.tex"
    own.parent.mkdir()
    own.write_text("years of work")
    done = mkdocs("build")
    assert done.returncode == 1
    assert "thesis.tex" in done.stderr
    assert "Traceback" not in done.stderr
    assert own.read_text() == "years of work"


def test_a_built_site_is_built_again_and_a_file_added_to_it_is_noticed(run: tuple[Path, Run]) -> None:
    project, mkdocs = run
    assert mkdocs("build", "--strict").returncode == 0
    again = mkdocs("build", "--strict")
    assert again.returncode == 0, again.stderr
    (project / "public" / "notes.txt").write_text("mine")
    done = mkdocs("build")
    assert done.returncode == 1
    assert "notes.txt" in done.stderr


def test_a_damaged_run_file_is_a_warning_by_name_and_fails_a_strict_build(run: tuple[Path, Run]) -> None:
    project, mkdocs = run
    damaged = project / "data" / "runs" / "20261201" / "broken.parquet"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"PAR1 and then nothing")
    done = mkdocs("build")
    assert done.returncode == 0, done.stderr
    assert "WARNING" in done.stderr
    assert "runs/20261201/broken.parquet" in done.stderr
    page = (project / "public" / "data" / "index.html").read_text(encoding="utf-8")
    assert "runs/20261201/broken.parquet" in page
    assert str(project) not in page, "the page shows where the folder lies on this machine"
    assert mkdocs("build", "--strict").returncode == 1


def test_a_malformed_price_is_one_message_and_the_old_site_stays(run: tuple[Path, Run]) -> None:
    project, mkdocs = run
    assert mkdocs("build", "--strict").returncode == 0
    before = (project / "public" / "index.html").read_bytes()
    prices = project / "data" / "prices.csv"
    lines = prices.read_text(encoding="utf-8").splitlines()
    fields = lines[1].split(",")
    fields[2] = "cheap"
    prices.write_text("\n".join([lines[0], ",".join(fields), *lines[2:]]) + "\n", encoding="utf-8")
    done = mkdocs("build")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "prices.csv" in done.stderr
    assert "line 2" in done.stderr
    assert "amount_usd" in done.stderr
    assert (project / "public" / "index.html").read_bytes() == before


def test_an_output_folder_that_cannot_be_made_is_one_message(run: tuple[Path, Run]) -> None:
    project, mkdocs = run
    (project / "file").write_text("not a folder")
    done = mkdocs("build", "--site-dir", "file/site")
    assert done.returncode == 1
    assert "Cannot write the guide to" in done.stderr
    assert "Traceback" not in done.stderr


def test_claim_accepts_a_build_that_was_cut_short(tmp_path: Path) -> None:
    output.begin(tmp_path / "public")
    (tmp_path / "public" / "half.html").write_text("…")
    output.claim(tmp_path / "public")
    output.finish(tmp_path / "public")
    output.claim(tmp_path / "public")
    (tmp_path / "public" / "mine.html").write_text("…")
    with pytest.raises(BenchError, match=r"mine\.html"):
        output.claim(tmp_path / "public")


def test_a_marker_that_cannot_be_read_protects_everything(tmp_path: Path) -> None:
    (tmp_path / output.MARKER).write_text("not JSON")
    (tmp_path / "index.html").write_text("…")
    with pytest.raises(BenchError, match=r"index\.html"):
        output.claim(tmp_path)


def test_unchanged_data_is_not_read_again_and_a_new_run_is(
    tmp_path: Path, new_project, add_runs, monkeypatch
) -> None:
    project = new_project(tmp_path, empty=True)
    spec = importlib.util.spec_from_file_location("hook_under_test", ROOT / "site" / "guide" / "hook.py")
    assert spec is not None and spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    read: list[object] = []
    monkeypatch.setattr(
        hook, "load_evidence", lambda data, **rest: read.append(data) or load_evidence(data, **rest)
    )
    config = load_config(str(project / "mkdocs.yml"))
    hook.on_pre_build(config)
    hook.on_pre_build(config)
    assert len(read) == 1
    assert [next(iter(entry)) for entry in config.nav] == ["Home", "Methodology", "Data"]
    add_runs(project / "data" / "runs")
    hook.on_pre_build(config)
    assert len(read) == 2
    assert len(config.nav) > 3


def test_tables_and_pictures_reach_the_page_but_neither_markdown_nor_the_search(
    tmp_path: Path, example_project: Path, example_data
) -> None:
    mkdocs = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    subprocess.run(mkdocs, cwd=example_project, check=True, capture_output=True)
    index = json.loads((tmp_path / "search" / "search_index.json").read_text(encoding="utf-8"))
    site = build(load_evidence(example_data))
    assert len(site.finished) > 5
    for path, parts in site.finished.items():
        page = (tmp_path / paths.address(path) / "index.html").read_text(encoding="utf-8")
        assert [part[:80] for part in parts if part not in page] == []
        assert "data-aside" not in page
    assert [entry["location"] for entry in index["docs"] if "data-aside" in entry["text"]] == []
    caption = "All systems:"  # of tables, and of nothing else
    assert any(caption in part for parts in site.finished.values() for part in parts)
    assert [entry["location"] for entry in index["docs"] if caption in entry["text"]] == []


def test_a_fingerprint_sees_changes_and_no_unfinished_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    first = changes.fingerprint(tmp_path)
    (tmp_path / ".b.tmp").write_text("half")
    assert changes.fingerprint(tmp_path) == first
    (tmp_path / "c").write_text("2")
    assert changes.fingerprint(tmp_path) != first
