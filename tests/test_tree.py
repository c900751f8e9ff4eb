"""Rules about the repository as a whole: format, who imports whom, and what runs without torch."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "collect" / "bench"
GUIDE = ROOT / "site" / "guide"
HEAVY = ("torch", "transformers", "datasets", "accelerate", "zeus", "ray")


def imports(folder: Path) -> Iterator[tuple[Path, int, str]]:
    """(file, line, top-level package) of every import under a folder, wherever in the file it stands."""
    files = sorted(folder.rglob("*.py"))
    assert files, f"no Python files under {folder}"
    for path in files:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            for name in names:
                yield path, node.lineno, name.split(".")[0]


def found(folder: Path, packages: set[str], allowed: Path | None = None) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line} imports {package}"
        for path, line, package in imports(folder)
        if package in packages and path != allowed
    ]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_bench_never_imports_guide_or_mkdocs() -> None:
    assert found(BENCH, {"guide", "mkdocs"}) == []


def test_guide_never_imports_torch() -> None:
    assert found(GUIDE, set(HEAVY)) == []


def test_only_the_hook_knows_mkdocs() -> None:
    assert found(GUIDE, {"mkdocs", "material"}, allowed=GUIDE / "hook.py") == []


def test_the_tools_need_the_standard_library_alone() -> None:
    ours = {"torch_build", "chromium"}
    for path in (ROOT / "tools" / f"{name}.py" for name in ("setup", "vendor", *sorted(ours))):
        names = {package for p, _, package in imports(path.parent) if p == path}
        assert names - ours <= set(sys.stdlib_module_names), path


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_ruff(command: list[str]) -> None:
    done = run(sys.executable, "-m", "ruff", *command, ".")
    assert done.returncode == 0, done.stdout + done.stderr


# An import of any of these fails in the processes below, as on a machine that only publishes.
WITHOUT = f"import sys; sys.modules.update(dict.fromkeys({HEAVY!r})); "


@pytest.mark.parametrize(
    "arguments", [["--help"], ["show", "--help"], ["list"], ["show", "--json"]], ids=" ".join
)
def test_bench_reads_without_torch(arguments: list[str]) -> None:
    done = run(sys.executable, "-c", f"{WITHOUT}from bench.cli import main; main({arguments!r})")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_guide_builds_strictly_and_without_torch(tmp_path: Path) -> None:
    out = tmp_path / "public"
    arguments = ["build", "--strict", "--site-dir", str(out)]
    done = run(sys.executable, "-c", f"{WITHOUT}from mkdocs.__main__ import cli; cli({arguments!r})")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (out / "index.html").is_file()
