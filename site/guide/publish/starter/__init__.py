"""A folder for a guide of one's own: what ``bench init`` writes, for those who installed the package.

The settings of MkDocs, the workflows and the data are this repository's own, which the package carries; only
the lines differ in which a folder beside an installed package must.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from bench import __version__
from bench.errors import BenchError, UsageError
from guide.publish.settings import carried, read, settings

HERE = Path(__file__).parent
#: The parts of ``data/`` that a guide starts from. Runs are each project's own.
DATA = ("devices.csv", "prices.csv", "electricity.csv", "scenarios.toml", "published")
WORKFLOWS = ("publish.yml", "submission.yml")
#: What differs in a folder beside an installed package.
SETTINGS = {"docs_dir": "docs", "hooks": "[hook.py]", "watch": "[data]", "custom_dir": None}
#: How the workflows install: from the repository that they stand in, or what the folder asks for.
INSTALL = ("python -m pip install .\n", "python -m pip install -r requirements.txt\n")


def files() -> dict[str, bytes]:
    """Everything that a new folder holds, by path. Raises ``BenchError`` when the package lacks a part."""
    found = {
        "README.md": _own("README.md"),
        "hook.py": _own("hook.txt"),
        "requirements.txt": _own("requirements.txt"),
        ".gitignore": _own("gitignore.txt"),
        "docs/.gitkeep": b"",
        "mkdocs.yml": settings(SETTINGS),
    }
    for name in WORKFLOWS:
        found[f".github/workflows/{name}"] = _workflow(name)
    return found | dict(_data())


def write(folder: Path) -> list[str]:
    """Write the files into ``folder``, which must be new, empty, or hold nothing but ``.git``; their paths.

    Raises ``UsageError`` when something stands there, ``BenchError`` when it cannot be written.
    """
    try:
        held = sorted(p.name for p in folder.iterdir() if p.name != ".git")
    except FileNotFoundError:
        held = []
    except OSError as error:
        raise UsageError(f"Cannot use '{folder}': {error.strerror}.", hint="Name a new folder.") from error
    if held:
        shown = ", ".join(held[:3]) + (", …" if len(held) > 3 else "")
        raise UsageError(
            f"The folder '{folder}' is not empty: it holds {shown}.",
            hint="Name a new folder, or move these files away: nothing is written over them.",
        )
    made = files()
    stood = folder.is_dir()
    new: list[Path] = []  # what stands there now and did not before
    try:
        for name, content in made.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            new.append(target)
            target.write_bytes(content)
    except OSError as error:
        _undo(folder, new, keep=stood)
        raise BenchError(
            f"Cannot write '{folder}': {error.strerror}. Nothing was left there.",
            hint="Make room, or name another folder.",
        ) from error
    return sorted(made)


def _undo(folder: Path, new: list[Path], *, keep: bool) -> None:
    """Take away the files and folders of a write that failed, so that it can be tried again."""
    for path in new:
        with contextlib.suppress(OSError):
            path.unlink()
    parents = {p for path in new for p in path.parents if folder in p.parents or (p == folder and not keep)}
    for path in sorted(parents, key=lambda p: len(p.parts), reverse=True):
        with contextlib.suppress(OSError):  # one that holds something of others stays
            path.rmdir()


def _own(name: str) -> bytes:
    text = (HERE / "project" / name).read_text(encoding="utf-8")
    return text.replace("{version}", __version__).encode()


def _workflow(name: str) -> bytes:
    text = read(carried(f".github/workflows/{name}")).decode()
    if INSTALL[0] not in text:
        raise BenchError(f"{name} should hold '{INSTALL[0].strip()}'.")
    return text.replace(*INSTALL).encode()


def _data() -> Iterator[tuple[str, bytes]]:
    for name in DATA:
        source = carried(f"data/{name}")
        inside = sorted(p for p in source.iterdir() if p.is_file()) if source.is_dir() else [source]
        for path in inside:
            yield f"data/{path.relative_to(source.parent).as_posix()}", read(path)
