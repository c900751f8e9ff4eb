"""The offline pack: a built site as one archive that works from a folder on a disk, without a server.

A browser treats such a folder differently: it opens no page for an address that ends in a folder, starts no
worker and lets no page read a file. So links name their ``index.html``, the search runs in a frame
(``offline/``), charts stay pictures, and what only a server could use is left out. A policy in each page
keeps every request inside the folder. The same site gives the same bytes: fixed order, times and permissions.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import date
from html import escape
from pathlib import Path

from bench.errors import BenchError
from guide.publish.output import MARKER, replace
from guide.publish.policy import HEADERS, on_disk
from guide.show import figures
from guide.translate.catalogue import LANGUAGES

#: Where the pack lies in the site.
PATH = "downloads/guide-offline.zip"
OFFLINE = Path(__file__).parent / "offline"

#: What the pack leaves out: for servers and other programs, or only for drawing charts anew.
_LEFT_OUT = re.compile(
    r".*\.map|sitemap\.xml(\.gz)?|404\.html|robots\.txt|assets/(charts|vega|social)/.*"
    rf"|search/search_index\.json|.*\.zip|{re.escape(HEADERS)}|{re.escape(MARKER)}|objects\.inv"
)
_LINK = re.compile(r'(<a\b[^>]*?\shref=")([^":#?]*)([#?][^"]*)?"')
_META = re.compile(r'(<meta http-equiv="Content-Security-Policy" content=")([^"]*)')
_ABSENT = re.compile(
    r'<p class="twin">.*?</p>|<link rel="alternate[^"]*" type="application/[^>]*>\n?'
    r'|<li><a href="[^"]*guide-offline\.zip".*?</li>\n?'
)
_BUNDLE = re.compile(r'<script src="([^"]*)assets/javascripts/bundle\.')
_FOOT = re.compile(r'(<div class="md-footer-meta__inner md-grid">)')
_LANGUAGE = re.compile(r'<html lang="([^"]*)"')
_PLACE = re.compile(rb'"location":"([^"#]*)')
#: How hard it is pressed: a seventh larger than at the usual level, in half the time.
_LEVEL = 3
_OWN = "assets/offline"
_FRAME = "default-src 'none'; script-src 'self'"
_EARLIEST = date(1980, 1, 1)  # of an archive of this kind


def check(site: Path, target: Path | None = None) -> None:
    """That ``site`` holds a built guide, and that nothing but an older archive stands at ``target``.

    Raises ``BenchError``.
    """
    if not (site / "index.html").is_file():
        raise BenchError(
            f"No built guide in '{site}': it has no index.html.",
            hint="Build it first with 'mkdocs build', then name the folder that it wrote.",
        )
    if target is None or not target.exists():
        return
    try:
        with target.open("rb") as file:
            old = file.read(2)
    except OSError as error:
        raise BenchError(f"Cannot write the offline pack to '{target}': {error.strerror}.") from error
    if old not in (b"PK", b""):
        raise BenchError(
            f"'{target}' is no archive, and is not written over.", hint="Name another file with --out."
        )


def pack(site: Path, as_of: date | None, name: str = "guide", address: str = "") -> bytes:
    """The archive of a built ``site``. ``as_of`` is the day that its files carry; ``name`` its one folder;
    ``address`` where the guide itself is published, if that is known.

    Raises ``BenchError`` when the folder holds no built site.
    """
    check(site)
    day = max(as_of or _EARLIEST, _EARLIEST)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for path, content in _files(site, as_of, address):
            entry = zipfile.ZipInfo(f"{name}/{path}", (day.year, day.month, day.day, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            packed = path.endswith((".parquet", ".png", ".woff2"))
            entry.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=_LEVEL)
    return held.getvalue()


def write(site: Path, as_of: date | None, target: Path, address: str = "") -> int:
    """Write the pack of ``site`` to ``target``; returns its size in bytes.

    Raises ``BenchError`` when there is no built site, when something else than an archive stands at
    ``target``, and when it cannot be written: what stood there is then untouched.
    """
    check(site, target)
    content = pack(site, as_of, address=address)
    try:
        replace(target, content)
    except OSError as error:
        raise BenchError(f"Cannot write the offline pack to '{target}': {error.strerror}.") from error
    return len(content)


def _files(site: Path, as_of: date | None, address: str) -> Iterator[tuple[str, bytes]]:
    """(path, content) of everything in the pack, in order."""
    found = {p.relative_to(site).as_posix(): p for p in site.rglob("*") if p.is_file()}
    twins = {f"{path.removesuffix('/index.html')}.json" for path in found if path.endswith("index.html")}
    twins |= {path.removesuffix(".html") + ".json" for path in found if path.endswith("index.html")}
    kept = {p: file for p, file in found.items() if not _LEFT_OUT.fullmatch(p) and p not in twins}
    made = {f"{_OWN}/{p.name}": p.read_bytes() for p in OFFLINE.iterdir() if p.suffix == ".js"}
    made[f"{_OWN}/frame.html"] = _frame()
    index = found.get("search/search_index.json")
    words = index.read_bytes() if index else b""
    if words:
        made["search/search_index.js"] = b"var __index = " + _PLACE.sub(_place, words) + b";\n"
    if b'"lang":["en"]' in words[:1000]:  # the search knows English by itself, and no other language
        kept = {p: file for p, file in kept.items() if not p.startswith("assets/javascripts/lunr/")}
    made["README.txt"] = _note(as_of, address).encode()
    for path in sorted(kept.keys() | made.keys()):
        content = made[path] if path in made else kept[path].read_bytes()
        if path.endswith(".html") and path not in made:
            content = page(content.decode("utf-8"), as_of, address).encode()
        yield path, content


def page(text: str, as_of: date | None = None, address: str = "") -> str:
    """A page as it works from a folder: links to files, no search that needs a server, no request outside."""
    text = _LINK.sub(lambda m: f'{m[1]}{_file(m[2])}{m[3] or ""}"', text)
    text = _META.sub(lambda m: m[1] + on_disk(m[2]), text, count=1)
    text = _ABSENT.sub("", text)
    text = _BUNDLE.sub(rf'<script src="\1{_OWN}/worker.js"></script>\g<0>', text, count=1)
    tag = _LANGUAGE.search(text)
    language = next((one for one in LANGUAGES if tag and one.tag == tag[1]), None)
    word = language.offline_copy(as_of, address) if language else _word(as_of, address)
    return _FOOT.sub(lambda m: f'{m[1]}<p class="offline">{escape(word)}</p>', text, count=1)


def _file(link: str) -> str:
    """What a link within the site must name so that a disk finds it: ``../devices/`` is a folder there."""
    if not link or link.startswith("/"):
        return link
    if link.endswith("/") or link.rpartition("/")[2] in (".", ".."):
        return f"{link.removesuffix('/')}/index.html"
    return link


def _place(found: re.Match[bytes]) -> bytes:
    """A page's place in the search index, as a file."""
    return b'"location":"' + (_file(found[1].decode()) or "index.html").encode()


def _word(as_of: date | None, address: str) -> str:
    day = f", data as of {figures.day(as_of)}" if as_of else ""
    live = f"; the guide itself: {address}" if address else ""
    return f"Offline copy{day}{live}"


def _note(as_of: date | None, address: str) -> str:
    return (
        f"{_word(as_of, address)}.\n\nOpen index.html in a browser. Nothing on these pages is loaded from a "
        "network.\nCharts are pictures here; tables, search and links work. downloads/ has every row.\n"
    )


def _frame() -> bytes:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{on_disk(_FRAME)}"><title>Search</title>'
        '<script src="frame.js"></script></head><body></body></html>\n'
    ).encode()
