"""What scripts are handed, in other languages: the same data with its words translated.

A page in another language loads its own copy, in which the texts stand translated where the English file has
English ones; what no entry is found for is listed under ``untranslated``, so that the page can mark it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from guide.site_files import SiteFile
from guide.translate.versions import Version

_SCRIPT = re.compile(r'^(\(.*?\)\[")([^"]*)("\]=)(.*);\n$', re.DOTALL)
_DIGEST = re.compile(r"(.*?)(-?)[0-9a-f]{12}(\.\w+)$")


@dataclass(frozen=True)
class Wording:
    """Where in some data words stand, by the key above them: ``words`` under these keys; ``clauses`` that end
    in a full stop wherever they are shown; ``places`` in lists of lists, by their number from the left or,
    for lists of several lengths, from the right."""

    words: frozenset[str]
    clauses: frozenset[str] = frozenset()
    places: Mapping[str, int] = field(default_factory=dict)


def translated(data: Any, wording: Wording, version: Version) -> dict[str, Any]:
    """The data in the version's language, with what stays English under ``untranslated``."""
    left: set[str] = set()

    def say(text: str, stop: str = "") -> str:
        if not text:
            return text
        found, known = version.said(text + stop)
        if not known:
            left.add(text)
            return text
        return found.removesuffix(version.language.stop) if stop else found

    def below(key: str, name: str, item: Any) -> str:
        listed = key in wording.places and isinstance(item, dict | list)
        return key if key in wording.words or listed else name

    def walk(value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return {name: walk(item, below(key, name, item)) for name, item in value.items()}
        if isinstance(value, list):
            place = wording.places.get(key)
            if place is not None and not any(isinstance(item, dict | list) for item in value):
                at = place % len(value) if -len(value) <= place < len(value) else None
                return [
                    say(item) if number == at and isinstance(item, str) else item
                    for number, item in enumerate(value)
                ]
            return [walk(item, key) for item in value]
        if not isinstance(value, str):
            return value
        if key in wording.clauses:
            return say(value, ".")
        return say(value) if key in wording.words else value

    made = walk(data, "")
    return made | {"untranslated": sorted(left)}


def copies(file: SiteFile, wording: Wording, versions: tuple[Version, ...]) -> Iterator[SiteFile]:
    """The file in each language. A page of that language links to its own copy where it names the English."""
    text = file.content.decode()
    script = _SCRIPT.match(text)
    data = json.loads(script[4] if script else text)
    for version in versions:
        tag = version.language.tag
        body = json.dumps(
            translated(data, wording, version),
            ensure_ascii=False,
            sort_keys=not script,
            separators=(",", ":"),
        )
        content = (f"{script[1]}{script[2]}.{tag}{script[3]}{body};\n" if script else body).encode()
        named = _DIGEST.match(file.path)
        if named:
            digest = hashlib.sha256(content).hexdigest()[:12]
            path = f"{named[1]}{named[2]}{digest}{named[3]}"
        else:
            stem, _, kind = file.path.rpartition(".")
            path = f"{stem}.{tag}.{kind}"
        version.files[file.path] = path
        yield SiteFile(path, content)
