"""``bench init``: a folder in which everything works at once, also with nothing but an installed package."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from bench.catalog.device_check import check_devices
from bench.cli import main
from bench.errors import BenchError
from bench.project import DataDir
from guide.publish import settings, starter

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "tests" / "guide" / "example"


def init(folder: Path):
    return CliRunner().invoke(main, ["init", str(folder)])


def run(project: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=project,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"} | environment,
        capture_output=True,
        text=True,
    )


def with_little_data(project: Path) -> Path:
    """The project with two of the published tables: what a build costs grows with them."""
    shutil.rmtree(project / "data" / "published")
    shutil.copytree(EXAMPLE / "published", project / "data" / "published")
    return project


def publishing(project: Path) -> list[str]:
    """What the folder's workflow runs before and after it builds the guide."""
    workflow = yaml.safe_load((project / ".github" / "workflows" / "publish.yml").read_text("utf-8"))
    scripts = [step.get("run", "") for step in workflow["jobs"]["build"]["steps"]]
    lines = [line for script in scripts for line in script.splitlines()]
    found = [line for line in lines if line.startswith(("bench ", "mkdocs "))]
    assert found[-2:] == ["mkdocs build --strict", "bench site snapshot"] and len(found) > 3
    return found


@pytest.mark.parametrize("stood", [True, False])
def test_a_full_disk_leaves_nothing_that_blocks_the_next_try(tmp_path: Path, full_disk, stood: bool) -> None:
    folder = tmp_path / "guide"
    if stood:
        (folder / ".git").mkdir(parents=True)
    with full_disk(5000), pytest.raises(BenchError, match="Cannot write"):
        starter.write(folder)
    assert [p.name for p in folder.rglob("*")] == [".git"] if stood else not folder.exists()
    assert "mkdocs.yml" in starter.write(folder)


def test_a_new_folder_is_a_project_that_reads_and_builds(tmp_path: Path) -> None:
    project = tmp_path / "our guide"
    done = init(project)
    assert done.exit_code == 0, done.output
    assert f"cd '{project}'" in done.output
    data = DataDir(project / "data")
    assert check_devices(data.devices) == check_devices(ROOT / "data" / "devices.csv")
    assert all(path.exists() for path in (data.prices, data.electricity, data.scenarios, data.published))
    with_little_data(project)
    for line in publishing(project):  # what the workflow does, in its order
        done = run(project, "-m", *shlex.split(line))
        assert done.returncode == 0, (line, done.stdout, done.stderr)
    assert [path.suffix for path in (project / "data" / "history").iterdir()] == [".json"]
    home = (project / "public" / "index.html").read_text("utf-8")
    assert 'aria-label="Search"' in home, "the theme's mends are missing"
    for name in ("css/guide.css", "js/charts.js", "data/index.html", "scenarios/index.html"):
        assert (project / "public" / name).is_file()
    assert not (project / "public" / "README").exists()


def test_pages_of_ones_own_join_the_generated_ones_and_may_replace_them(tmp_path: Path) -> None:
    init(tmp_path)
    shutil.rmtree(tmp_path / "data" / "published")
    (tmp_path / "docs" / "lab.md").write_text("# Our lab\n")
    (tmp_path / "docs" / "methodology.md").write_text("# Our own way\n")
    built = run(tmp_path, "-m", "mkdocs", "build", "--strict")
    assert built.returncode == 0, built.stderr
    assert "Our lab" in (tmp_path / "public" / "lab" / "index.html").read_text("utf-8")
    assert "Our own way" in (tmp_path / "public" / "methodology" / "index.html").read_text("utf-8")


def test_a_folder_of_an_older_version_gets_the_newer_ones_styles_and_scripts(tmp_path: Path) -> None:
    init(tmp_path)
    shutil.rmtree(tmp_path / "data" / "published")
    settings_file = tmp_path / "mkdocs.yml"
    text = settings_file.read_text("utf-8")
    for key, kept in (
        ("extra_css", "css/site.css, mine.css"),
        ("extra_javascript", "js/site.js, mine.js"),
    ):
        text = re.sub(rf"^{key}:.*$", f"{key}: [{kept}]", text, flags=re.MULTILINE)
    settings_file.write_text(text, "utf-8")
    (tmp_path / "docs" / "mine.css").write_text("p {}")
    (tmp_path / "docs" / "mine.js").write_text("0;")
    built = run(tmp_path, "-m", "mkdocs", "build", "--strict")
    assert built.returncode == 0, built.stderr
    home = (tmp_path / "public" / "index.html").read_text("utf-8")
    for key in ("extra_css", "extra_javascript"):
        wanted = [*settings.listed(key), "mine.css" if key == "extra_css" else "mine.js"]
        places = [home.index(f'"{name}"') for name in wanted]
        assert places == sorted(places) and all(home.count(f'"{name}"') == 1 for name in wanted)


@pytest.mark.parametrize("held", ["notes.txt", ".hidden"])
def test_a_folder_that_is_not_empty_is_refused_and_stays(tmp_path: Path, held: str) -> None:
    (tmp_path / held).write_text("mine")
    done = init(tmp_path)
    assert done.exit_code == 2
    assert held in done.output and "Name a new folder" in done.output
    assert [p.name for p in tmp_path.iterdir()] == [held]
    assert "Traceback" not in done.output


def test_a_new_repository_counts_as_empty_and_a_file_as_no_folder(tmp_path: Path) -> None:
    (tmp_path / "new" / ".git").mkdir(parents=True)
    assert init(tmp_path / "new").exit_code == 0
    (tmp_path / "file").write_text("x")
    for name in ("file", "file/below"):
        done = init(tmp_path / name)
        assert done.exit_code == 2, name
        assert "Traceback" not in done.output and (tmp_path / "file").read_text() == "x"


def test_what_cannot_be_written_is_one_message(tmp_path: Path, monkeypatch) -> None:
    def full(self: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    done = init(tmp_path / "new")
    assert done.exit_code == 1 and "No space left on device" in done.output


def test_settings_differ_from_the_repositorys_only_where_they_must() -> None:
    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!ENV", lambda loader, node: loader.construct_sequence(node))
    ours = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Loader)
    theirs = yaml.load(starter.files()["mkdocs.yml"], Loader)
    assert ours["theme"].pop("custom_dir") and "custom_dir" not in theirs["theme"]
    differ = {key for key in ours | theirs if ours.get(key) != theirs.get(key)}
    assert differ == {"docs_dir", "hooks", "watch"}


def test_a_setting_that_is_not_there_is_an_error() -> None:
    with pytest.raises(BenchError, match="should hold 'nowhere' once"):
        settings.settings({"nowhere": "x"})
    with pytest.raises(BenchError, match="should hold 'plugin' as a list"):
        settings.listed("plugin")


# --- the package -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The content of the wheel, as an installation would lay it out."""
    pytest.importorskip("hatchling", reason="building a wheel needs hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    build = ["-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = run(ROOT, *build)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "lib")
    return folder / "lib"


def of(folder: Path) -> set[str]:
    found = (p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(folder).as_posix() for p in found}


def test_the_package_carries_every_file_it_needs(installed: Path) -> None:
    assert of(ROOT / "collect" / "bench") == of(installed / "bench")
    carried = {f"carried/{name}" for name in of(installed / "guide" / "carried")}
    templates = {f"templates/{name}" for name in of(ROOT / "templates")}
    assert of(ROOT / "site" / "guide") | carried | templates == of(installed / "guide")
    assert not any(name.endswith(".parquet") for name in of(installed)), "runs are each project's own"


def test_an_installed_package_makes_the_same_folder_and_builds_it(installed: Path, tmp_path: Path) -> None:
    where = {"PYTHONPATH": str(installed)}  # before the repository, which this environment has on its path
    told = run(
        tmp_path, "-c", "import bench, guide; print(bench.__file__, guide.__file__, sep='\\n')", **where
    )
    assert all(line.startswith(str(installed)) for line in told.stdout.splitlines()), told.stdout
    done = run(tmp_path, "-m", "bench", "init", "new", **where)
    assert done.returncode == 0, done.stderr
    project = tmp_path / "new"
    assert of(project) == set(starter.files())
    for name, content in starter.files().items():
        assert (project / name).read_bytes() == content, name
    built = run(with_little_data(project), "-m", "mkdocs", "build", "--strict", **where)
    assert built.returncode == 0, built.stderr
    assert (project / "public" / "index.html").is_file()


@pytest.mark.torch
def test_an_installed_package_measures_in_a_new_folder(installed: Path, tmp_path: Path) -> None:
    where = {"PYTHONPATH": str(installed), "HWGUIDE_STATE": str(tmp_path / "state")}
    assert run(tmp_path, "-m", "bench", "init", "new", **where).returncode == 0
    project = tmp_path / "new"
    tiny = ["--device", "cpu", "--suite", "tiny", "--workload", "encode"]
    done = run(project, "-m", "bench", "collect", *tiny, **where)
    assert done.returncode == 0, done.stdout + done.stderr
    (written,) = (project / "data" / "runs").glob("*/*.parquet")
    shown = run(project, "-m", "bench", "show", "--run", written.stem, "--json", **where)
    assert shown.returncode == 0 and '"ok"' in shown.stdout
