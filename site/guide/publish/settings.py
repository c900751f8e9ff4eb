"""MkDocs' settings for other folders than the repository: its own ``mkdocs.yml`` with some of them changed.

So names, looks and extensions cannot drift apart between the repository, a folder that ``bench init`` made
and an export.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import yaml

from bench.errors import BenchError

_HERE = Path(__file__).parent


def carried(name: str) -> Path:
    """A file or folder of the repository's top: inside the installed package, else where it stands."""
    packaged = _HERE.parent / "carried" / name
    return packaged if packaged.exists() else _HERE.parents[2] / name


def read(path: Path) -> bytes:
    """A file of the package. Raises ``BenchError`` when it is not there."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise BenchError(
            f"The installed package lacks {path.name}: {error.strerror}.", hint="Install hwguide again."
        ) from error


def settings(values: Mapping[str, str | None]) -> bytes:
    """``mkdocs.yml`` with other values (as YAML writes them) for these keys; None takes one out, with the
    comment above it. Raises ``BenchError`` when a key is not there exactly once.
    """
    text = read(carried("mkdocs.yml")).decode()
    for key, value in values.items():
        comment = r"(?:^ *#[^\n]*\n)*" if value is None else ""
        line = re.compile(rf"{comment}^( *){re.escape(key)}:[^\n]*\n", re.MULTILINE)
        kept = "" if value is None else rf"\g<1>{key}: {value}\n"
        text, found = line.subn(kept, text)
        if found != 1:
            raise BenchError(f"mkdocs.yml should hold '{key}' once, and holds it {found} times.")
    return text.encode()


def listed(key: str) -> list[str]:
    """The values of a list that stands on one line of ``mkdocs.yml``. Raises ``BenchError``."""
    found = re.search(rf"^{re.escape(key)}:[^\n]*", read(carried("mkdocs.yml")).decode(), re.MULTILINE)
    values = yaml.safe_load(found[0])[key] if found else None
    if not isinstance(values, list):
        raise BenchError(f"mkdocs.yml should hold '{key}' as a list on one line.")
    return values
