"""Whether anything that the guide is made from has changed since it was last built."""

from __future__ import annotations

import hashlib
from pathlib import Path


def fingerprint(*folders: Path) -> str:
    """A digest of the names, sizes and times of all files under ``folders``: equal means nothing changed."""
    seen = hashlib.sha256()
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.endswith(".tmp")):
            try:
                status = path.stat()
            except FileNotFoundError:  # a run file was replaced between listing and looking
                continue
            seen.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
    return seen.hexdigest()
