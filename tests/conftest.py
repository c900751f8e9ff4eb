"""What several test folders share: the example data, and the site built from it once a session."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from bench import schema, store
from bench.project import DataDir

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "tests" / "guide" / "example"

CONFIG = f"""\
INHERIT: {json.dumps(str(ROOT / "mkdocs.yml"))}
docs_dir: {json.dumps(str(ROOT / "site" / "guide" / "assets"))}
hooks: [{json.dumps(str(ROOT / "site" / "guide" / "hook.py"))}]
watch: []
theme: {{custom_dir: {json.dumps(str(ROOT / "templates" / "theme"))}}}
"""


def write_runs(runs: Path) -> list[Path]:
    """Write the example's rows as run files, as the collector would."""
    written = []
    for run in json.loads((EXAMPLE / "runs.json").read_text(encoding="utf-8")):
        at = datetime.fromisoformat(run["recorded_at"])
        fixed = run["common"] | {"run_id": run["run_id"], "recorded_at": at}
        rows = [schema.make_row(**(fixed | row)) for row in run["rows"]]
        written.append(store.run_path(runs, run["run_id"], at))
        store.write_run(written[-1], rows, {"suite": "example"})
    return written


def make_project(folder: Path, *, empty: bool = False) -> Path:
    """A project folder with an ``mkdocs.yml`` and the example's data (without any results if ``empty``)."""
    (folder / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
    data = folder / "data"
    shutil.copytree(EXAMPLE, data, ignore=shutil.ignore_patterns("runs.json"))
    if empty:
        shutil.rmtree(data / "published")
    else:
        write_runs(data / "runs")
    return folder


def mkdocs(project: Path, *arguments: str, port: int = 8000) -> subprocess.CompletedProcess[str]:
    """Run MkDocs in a project, without its notice of another product; everything it says is in ``stderr``."""
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "SITE_URL": f"http://127.0.0.1:{port}/"}
    command = [sys.executable, "-m", "mkdocs", *arguments]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def new_project() -> Callable[..., Path]:
    """``new_project(folder, empty=False)`` makes a project with the example's data."""
    return make_project


@pytest.fixture(scope="session")
def add_runs() -> Callable[[Path], list[Path]]:
    """``add_runs(folder)`` writes the example's run files."""
    return write_runs


@pytest.fixture(scope="session")
def example_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the example's data. Tests must not change it."""
    return make_project(tmp_path_factory.mktemp("example"))


@pytest.fixture(scope="session")
def example_data(example_project: Path) -> DataDir:
    """The example's data folder. Tests must not change it."""
    return DataDir(example_project / "data")


@pytest.fixture(scope="session")
def site_port() -> int:
    """The port on which the browser tests serve the example: instant navigation needs to know it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def built_site(example_project: Path, site_port: int) -> Path:
    """The folder of the example site, built by ``mkdocs build --strict``."""
    done = mkdocs(example_project, "build", "--strict", port=site_port)
    assert done.returncode == 0, done.stderr
    return example_project / "public"


@pytest.fixture(scope="session")
def built_empty_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site of a store without any results."""
    project = make_project(tmp_path_factory.mktemp("empty"), empty=True)
    done = mkdocs(project, "build", "--strict")
    assert done.returncode == 0, done.stderr
    return project / "public"
