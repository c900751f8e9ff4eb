"""A language: its entries, and how it says dates."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bench.errors import BenchError

#: Between the parts of a name; what stands in brackets is one part.
_PARTS = re.compile(r", (?![^()]*\))")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True)
class Language:
    """What does not stand in a catalogue: the language's tag, its name for itself, how it writes a date
    (``{year}``, ``{month}``, ``{day}``), what stands between the parts of a label and between sentences, and
    what a page says of itself: that it is a version, how many passages (``{count}``) are in English, and that
    it is an offline copy, of which ``{day}``, of the guide at which ``{address}``."""

    tag: str
    name: str
    date: str
    comma: str = ", "
    semicolon: str = "; "
    colon: str = ": "
    between_sentences: str = " "
    stop: str = "."
    but: str = ", but "
    version: str = ""
    passages: str = ""
    offline: tuple[str, str, str] = ("", "", "")

    def missing(self, count: int) -> str:
        """That so many passages are in English."""
        return self.passages.format(count=count)

    def day(self, day: datetime.date) -> str:
        """A day, as this language writes it."""
        return self.date.format(year=day.year, month=day.month, day=day.day)

    def offline_copy(self, as_of: datetime.date | None, address: str) -> str:
        """That the page is of an offline copy."""
        copy, of, live = self.offline
        told = [
            copy,
            of.format(day=self.day(as_of)) if as_of else "",
            live.format(address=address) if address else "",
        ]
        return "".join(told)


LANGUAGES = (
    Language(
        tag="zh",
        name="简体中文",
        date="{year}\u00a0年\u00a0{month}\u00a0月\u00a0{day}\u00a0日",
        comma="、",
        semicolon="；",
        colon="：",
        between_sentences="",
        stop="。",
        but="，但",
        version="本页译自英文；数字和图表与英文版相同。",
        passages="有 {count} 处尚未翻译，以英文显示，并用虚线标出。",
        offline=("离线副本", "，数据截至 {day}", "；指南本身：{address}"),
    ),
)


@dataclass(frozen=True)
class Catalogue:
    """A language and its entries: msgid -> msgstr, only those that are translated."""

    language: Language
    entries: dict[str, str] = field(repr=False)

    def value(self, kind: str, text: str) -> str:
        """What stands at a place, in this language: dates in its own order, names part by part where the
        catalogue knows the parts (``decode``, ``one stream``), figures as they are."""
        if kind == "date":
            day, month, year = text.split("\u00a0")
            return self.language.date.format(year=year, month=_MONTHS.index(month) + 1, day=day)
        parts = _PARTS.split(text) if kind == "name" else []
        if any(part in self.entries for part in parts[1:]):
            return self.language.comma.join(self.entries.get(part, part) for part in parts)
        return self.entries.get(text, text) if kind == "name" else text


def load(path: Path, language: Language) -> Catalogue:
    """A catalogue from its file. Raises ``BenchError`` naming the line, or the entry whose two sides have
    different places, or whose places cross."""
    from babel.core import UnknownLocaleError
    from babel.messages.pofile import PoFileError, read_po

    from guide.translate.patterns import crossed, places

    try:
        with path.open(encoding="utf-8-sig") as file:
            found = read_po(file, locale=language.tag, abort_invalid=True)
    except FileNotFoundError:
        return Catalogue(language, {})
    except OSError as error:
        raise BenchError(f"Cannot read {path}: {error.strerror}.") from error
    except PoFileError as error:
        raise BenchError(f"{path} is no catalogue of translations: {error}.") from error
    except (ValueError, LookupError, TypeError, AttributeError, UnknownLocaleError) as error:
        raise BenchError(  # Babel lets through whatever goes wrong in a header
            f"{path} is no catalogue of translations: {error}.",
            hint="It must be UTF-8, and the header at its top (Language, PO-Revision-Date, Plural-Forms) "
            "as gettext writes it.",
        ) from error
    entries: dict[str, str] = {}
    for message in found:
        if not message.id or not message.string or message.fuzzy:
            continue
        source, target = str(message.id), str(message.string)
        if places(source) != places(target):
            raise BenchError(
                f"{path}, line {message.lineno}: the translation of '{source}' has other places than it.",
                hint="Each {1} and <2>…</2> of msgid must stand in msgstr, as often, with the same number.",
            )
        if crossed(target):
            raise BenchError(
                f"{path}, line {message.lineno}: the elements of '{target}' cross.",
                hint="<1> opens before </1> closes, and what opens inside closes inside.",
            )
        entries[source] = target
    return Catalogue(language, entries)


@cache
def _loaded(path: Path, language: Language, stamp: tuple[int, int]) -> Catalogue:
    return load(path, language)


def catalogues(folder: Path) -> tuple[Catalogue, ...]:
    """The languages that have a catalogue in the folder, each read again only when its file has changed."""
    found = []
    for language in LANGUAGES:
        path = folder / f"{language.tag}.po"
        if path.is_file():
            status = path.stat()
            found.append(_loaded(path, language, (status.st_size, status.st_mtime_ns)))
    return tuple(found)
