"""Makes the scripts of others anew that are shipped with the guide, from the npm registry.

    python3 tools/vendor.py              all of them
    python3 tools/vendor.py fzstd        one of them
    python3 tools/vendor.py --check      only hold the files against their checksums; needs no network

Each folder of ``site/guide/assets/vendor`` has a ``vendor.json``: the package and its exact version, its
licence and homepage, and what of it is taken (``take``: a path or pattern in the package -> the file's name
here, or a folder ending in /). The tool adds the package's integrity and each file's checksum. A new one:
write the first part, run the tool, commit the folder. ``npm`` must be on the path; nothing else is needed.
"""

from __future__ import annotations

import argparse
import base64
import fnmatch
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

VENDOR = Path(__file__).resolve().parent.parent / "site" / "guide" / "assets" / "vendor"
NOTE = "vendor.json"
#: What a note must say before the tool can do anything.
NEEDED = ("name", "package", "version", "licence", "homepage", "take")


class VendorError(Exception):
    """Something that a person must put right; the message says what and where."""


def read(folder: Path) -> dict[str, Any]:
    """A folder's note. Raises ``VendorError`` when it is missing, damaged or incomplete."""
    path = folder / NOTE
    try:
        note = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise VendorError(f"{path}: {error}") from error
    missing = [key for key in NEEDED if not note.get(key)]
    if missing:
        raise VendorError(f"{path} does not say: {', '.join(missing)}")
    return note


def problems(folder: Path) -> list[str]:
    """What is wrong with a folder: files that are missing, changed, or in no note."""
    note = read(folder)
    stated = note.get("sha256", {})
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()} - {NOTE}
    found = [f"{folder.name}/{name} is missing" for name in sorted(stated.keys() - there)]
    found += [f"{folder.name}/{name} is in no {NOTE}" for name in sorted(there - stated.keys())]
    found += [
        f"{folder.name}/{name} is not the file that was taken"
        for name in sorted(there & stated.keys())
        if _digest((folder / name).read_bytes()) != stated[name]
    ]
    if not any("licen" in name.lower() for name in stated):
        found.append(f"{folder.name} has no licence file")
    return found


def renew(folder: Path) -> None:
    """Fetch the package and write the folder's files and checksums. Raises ``VendorError``."""
    note = read(folder)
    with tempfile.TemporaryDirectory() as scratch:
        archive = _packed(f"{note['package']}@{note['version']}", Path(scratch))
        content = archive.read_bytes()
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
        if note.get("integrity", integrity) != integrity:
            raise VendorError(f"{folder.name}: the package is not the one that was taken before.")
        files = _taken(archive, note["take"])
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path.name != NOTE:
            path.unlink()
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    note |= {"integrity": integrity, "sha256": {name: _digest(files[name]) for name in sorted(files)}}
    (folder / NOTE).write_text(json.dumps(note, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _packed(package: str, folder: Path) -> Path:
    """The package's archive, as ``npm pack`` fetches it: nothing of it is run."""
    command = ["npm", "pack", package, "--ignore-scripts", "--silent", "--pack-destination", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise VendorError(f"npm cannot be started: {error.strerror}. Install Node.js.") from error
    archives = list(folder.glob("*.tgz"))
    if done.returncode or len(archives) != 1:
        raise VendorError(f"npm pack {package} failed: {done.stderr.strip()[-300:] or 'no archive'}")
    return archives[0]


def _taken(archive: Path, take: dict[str, str]) -> dict[str, bytes]:
    """The wanted files of an archive, by their name here."""
    found: dict[str, bytes] = {}
    with tarfile.open(archive) as package:
        members = {m.name.partition("/")[2]: m for m in package.getmembers() if m.isfile()}
        for pattern, goal in take.items():
            names = sorted(n for n in members if fnmatch.fnmatchcase(n, pattern))
            if not names:
                raise VendorError(f"The package holds nothing that is called {pattern}.")
            for name in names:
                target = f"{goal}{PurePosixPath(name).name}" if goal.endswith("/") else goal
                if target in found or ".." in PurePosixPath(target).parts:
                    raise VendorError(f"{pattern}: cannot be kept as {target}.")
                data = package.extractfile(members[name])
                assert data is not None  # a plain file has content
                found[target] = data.read()
    return found


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def folders(names: list[str]) -> list[Path]:
    """The folders of these names, or all. Raises ``VendorError`` for a name without one."""
    known = sorted(p.parent for p in VENDOR.glob(f"*/{NOTE}"))
    unknown = set(names) - {p.name for p in known}
    if unknown:
        raise VendorError(f"No {NOTE} for {', '.join(sorted(unknown))} below {VENDOR}.")
    return [p for p in known if not names or p.name in names]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="folders below site/guide/assets/vendor; default: all")
    parser.add_argument("--check", action="store_true", help="only hold the files against their checksums")
    given = parser.parse_args(arguments)
    try:
        wrong: list[str] = []
        for folder in folders(given.names):
            if not given.check:
                renew(folder)
            wrong += problems(folder)
    except VendorError as error:
        wrong = [str(error)]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
