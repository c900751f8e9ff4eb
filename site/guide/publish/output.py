"""The output folder: a build empties it first, so it must hold nothing but what an earlier build wrote.

A hidden file lists what was written. MkDocs leaves hidden files alone when it empties the folder.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bench.errors import BenchError

MARKER = ".hwguide-site.json"


def claim(folder: Path) -> None:
    """Check that ``folder`` may be emptied. Raises ``BenchError`` naming what stands in it otherwise."""
    if not folder.exists():
        return
    known = _known(folder)
    if known is None:
        return
    foreign = list(islice((name for name in _walk(folder) if name not in known), 4))  # not a whole disk
    if foreign:
        shown = ", ".join(foreign[:3]) + (", …" if len(foreign) > 3 else "")
        raise BenchError(
            f"The output folder '{folder}' holds files that no build of the guide wrote: {shown}.",
            hint="A build empties this folder. Move the files away, or set another 'site_dir' in mkdocs.yml.",
        )


def replace(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all: what stood there stays until the new one is complete.

    Raises ``OSError`` when it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".tmp")
    made = Path(name)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 (a descriptor)
            file.write(content)
        made.chmod(0o644)
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)


def begin(folder: Path) -> None:
    """Note that a build is under way: until ``finish``, everything in the folder is the build's own.

    Raises ``BenchError`` when the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder, None)
    except OSError as error:
        raise BenchError(
            f"Cannot write the guide to '{folder}': {error.strerror}.",
            hint="Name another folder, or see who may write there.",
        ) from error


def finish(folder: Path) -> None:
    """List what the build wrote."""
    _write(folder, _files(folder))


def _write(folder: Path, names: list[str] | None) -> None:
    content = json.dumps({"written_by": "hwguide", "files": names}, indent=0)
    (folder / MARKER).write_text(content + "\n", encoding="utf-8")


def _known(folder: Path) -> set[str] | None:
    """The files that earlier builds wrote; None means all of them (a build was cut short)."""
    try:
        names = json.loads((folder / MARKER).read_text(encoding="utf-8"))["files"]
    except FileNotFoundError:
        return set()
    except (ValueError, KeyError, TypeError):
        return set()
    return None if names is None else set(names)


def _files(folder: Path) -> list[str]:
    return sorted(_walk(folder))


def _walk(folder: Path) -> Iterator[str]:
    """The files in a folder, those at its top first."""
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name != MARKER:
                yield Path(root, name).relative_to(folder).as_posix()


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Replace what an earlier build wrote by ``files``. Raises ``BenchError`` when that fails."""
    try:
        begin(folder)
        for name in _files(folder):
            if name not in files:
                (folder / name).unlink()
        for name, content in files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        finish(folder)
    except OSError as error:
        raise BenchError(f"Cannot write the guide to '{folder}': {error.strerror}.") from error
