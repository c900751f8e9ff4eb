"""A folder for things that take seconds to make and follow from their inputs alone. Losing it costs time."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path


def cache_dir() -> Path:
    """``$HWGUIDE_CACHE``, else the platform's folder for caches."""
    if named := os.environ.get("HWGUIDE_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "hwguide"


def kept(name: str, make: Callable[[], str]) -> str:
    """The text kept under ``name``, or ``make()``, which is then kept. An unusable folder is no error.

    ``name`` must say everything that ``make`` depends on.
    """
    path = cache_dir() / name
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if text := path.read_text(encoding="utf-8"):
            return text
    text = make()
    keep(path, text.encode())
    return text


def kept_bytes(name: str, make: Callable[[], bytes]) -> bytes:
    """The same for what is no text."""
    path = cache_dir() / name
    with contextlib.suppress(OSError):
        if content := path.read_bytes():
            return content
    content = make()
    keep(path, content)
    return content


def keep(path: Path, content: bytes) -> None:
    """Write a file of the folder as a whole or not at all. An unusable folder is no error."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            file.write(content)
        Path(file.name).replace(path)
