"""Scripts of others: each is the file that was taken from its package; the tool finds out one that is not."""

from __future__ import annotations

import importlib.util
import io
import json
import shutil
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def vendor():
    spec = importlib.util.spec_from_file_location("vendor", ROOT / "tools" / "vendor.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_shipped_file_is_the_one_that_was_taken(vendor) -> None:
    folders = vendor.folders([])
    assert {"hyparquet", "fzstd"} <= {folder.name for folder in folders}
    assert {p.name for p in vendor.VENDOR.iterdir()} == {folder.name for folder in folders}
    assert [fault for folder in folders for fault in vendor.problems(folder)] == []
    for folder in folders:
        note = vendor.read(folder)
        assert note["integrity"].startswith("sha512-"), folder.name
        assert note["version"][0].isdigit(), f"{folder.name}: no pinned version"


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda f: (f / "fzstd.js").write_text("alert(1)"), "is not the file that was taken"),
        (lambda f: (f / "fzstd.js").unlink(), "is missing"),
        (lambda f: (f / "more.js").write_text("1"), "is in no vendor.json"),
    ],
    ids=["changed", "missing", "added"],
)
def test_what_was_changed_by_hand_is_found(vendor, tmp_path, damage, expected) -> None:
    folder = shutil.copytree(vendor.VENDOR / "fzstd", tmp_path / "fzstd")
    assert vendor.problems(folder) == []
    damage(folder)
    assert any(expected in fault for fault in vendor.problems(folder))


@pytest.fixture
def packed(vendor, monkeypatch):
    """The registry's place: an archive as npm packs it."""

    def pack(package: str, folder: Path) -> Path:
        archive = folder / "one-1.0.0.tgz"
        with tarfile.open(archive, "w:gz") as made:
            for name, text in {"LICENSE": "free", "src/a.js": "a", "src/b.js": "b", "test.js": "t"}.items():
                entry = tarfile.TarInfo(f"package/{name}")
                entry.size = len(text)
                made.addfile(entry, io.BytesIO(text.encode()))
        return archive

    monkeypatch.setattr(vendor, "_packed", pack)


def note(folder: Path, **more: object) -> Path:
    folder.mkdir(exist_ok=True)
    given = {"name": "one", "package": "one", "version": "1.0.0", "licence": "MIT", "homepage": "https://x"}
    given |= {"take": {"LICENSE": "LICENSE", "src/*.js": "src/"}} | more
    (folder / "vendor.json").write_text(json.dumps(given))
    return folder


def test_a_package_is_taken_with_its_checksums(vendor, packed, tmp_path) -> None:
    folder = note(tmp_path / "one")
    (folder / "old.js").write_text("left over")
    vendor.renew(folder)
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert there == {"LICENSE", "src/a.js", "src/b.js", "vendor.json"}
    assert vendor.problems(folder) == []


@pytest.mark.parametrize(
    "more",
    [
        {"integrity": "sha512-another"},
        {"take": {"LICENSE": "LICENSE", "lib/*.js": "lib/"}},
        {"take": {"LICENSE": "../LICENSE"}},
        {"version": ""},
    ],
    ids=["another package", "nothing of that name", "outside its folder", "no version"],
)
def test_what_cannot_be_taken_is_said(vendor, packed, tmp_path, more) -> None:
    with pytest.raises(vendor.VendorError):
        vendor.renew(note(tmp_path / "one", **more))
