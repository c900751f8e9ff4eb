"""The sentences that scripts write: found in their sources, and handed to pages in other languages.

A script says a sentence through one of three functions of ``assets/js/words.js``, each with the English as
it stands: ``words("{count} of {all} rows", …)``, ``counted(n, "{count} row", "{count} rows")`` and
``phrase("over the budget")``. Their catalogue is made here from that of the pages: a name in braces is taken
for a name on a page, and the sentence goes the way of all others (``Version.said``), so that one entry serves
a sentence of Python and the same one of a script.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from guide.site_files import SiteFile
from guide.translate.catalogue import Catalogue
from guide.translate.versions import Version

SOURCES = Path(__file__).parents[1] / "assets" / "js"
_COMMENT = re.compile(r"^\s*//[^\n]*|/\*\*.*?\*/", re.MULTILINE | re.DOTALL)
_TEXT = r'"(?:[^"\\\n]|\\.)*"(?:\s*\+\s*"(?:[^"\\\n]|\\.)*")*'
_ONE = re.compile(rf"(?<![\w.])(?:words|phrase)\(\s*({_TEXT})")
_TWO = re.compile(rf"(?<![\w.])counted\(\s*[^\"`;]+?,\s*({_TEXT}),\s*({_TEXT})")
#: A sentence that is given by name: ``phrase`` says it elsewhere.
_NAMED = re.compile(r"(?<![\w.])words\(\s*[A-Za-z_][\w.\[\]?]*\s*[,)]")
_CALL = re.compile(r"(?<![\w.])(?:words|phrase|counted)\(")
_PLACE = re.compile(r"\{(\w+)\}")
#: Stands for the names in braces while a sentence is translated: letters of no language of the guide.
_STAND_IN = [chr(0xA000 + number) for number in range(16)]


def sentences(source: str) -> Iterator[str]:
    """The sentences that a script says, in order. Raises ``ValueError`` for a call that says none plainly."""
    text = _COMMENT.sub("", source)
    calls = len(_CALL.findall(text))
    one, two = list(_ONE.finditer(text)), list(_TWO.finditer(text))
    known = {match.start() for match in (*one, *two, *_NAMED.finditer(text))}
    if len(known) != calls:
        at = next(match.start() for match in _CALL.finditer(text) if match.start() not in known)
        raise ValueError(f"A script says no plain sentence at: {text[at : at + 80]}")
    for match in sorted((*one, *two), key=lambda found: found.start()):
        for written in match.groups():
            yield "".join(json.loads(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', written))


def every(folder: Path = SOURCES) -> dict[str, str]:
    """Each sentence of the scripts -> the script that says it first."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.js")):
        if path.name == "words.js":
            continue
        for sentence in sentences(path.read_text(encoding="utf-8")):
            found.setdefault(sentence, path.relative_to(folder).as_posix())
    return found


class Words:
    """The scripts' sentences in one language, and what the catalogue lacks for them."""

    def __init__(self, catalogue: Catalogue, sentences: Iterable[str]) -> None:
        self.language = catalogue.language
        self._version = Version(catalogue, _STAND_IN, listing=False)
        told = ((sentence, self._one(sentence)) for sentence in sentences)
        self.told = {sentence: found for sentence, found in told if found is not None}

    @property
    def missing(self) -> dict[str, str]:
        """Entry -> a sentence for it."""
        return self._version.missing

    def _one(self, sentence: str) -> str | None:
        names = list(dict.fromkeys(_PLACE.findall(sentence)))
        standing = dict(zip(names, _STAND_IN, strict=False))
        found, known = self._version.said(_PLACE.sub(lambda place: standing[place[1]], sentence))
        if not known:
            return None
        for name, letter in standing.items():
            found = found.replace(letter, f"{{{name}}}")
        return found

    @cached_property
    def file(self) -> SiteFile:
        """The script that assigns them: a page of a folder on a disk may load one that lies beside it."""
        marks = {", ": self.language.comma, "; ": self.language.semicolon, ": ": self.language.colon}
        held = {"marks": marks | {" ": self.language.between_sentences}, "words": self.told}
        body = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
        tag = self.language.tag
        content = f"(window.hwguideCatalogues??={{}})[{json.dumps(tag)}]={body};\n".encode()
        return SiteFile(f"assets/words/{tag}-{hashlib.sha256(content).hexdigest()[:10]}.js", content)
