"""Which pages there are in other languages, and a page in one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from guide.translate import segments
from guide.translate.catalogue import Catalogue
from guide.translate.patterns import TRACED, Names, fill, pattern_of

#: Pages without a version in each language: those of single devices and of parts of a workload, which hold
#: hardly a sentence and would double the guide. Links to them lead to the English ones.
_ONE_LANGUAGE = re.compile(r"^(devices/.+|workloads/.+/.+)$")


def has_versions(path: str) -> bool:
    """Whether the page at ``path`` (in English) is made in the other languages too."""
    return path.endswith(".md") and not _ONE_LANGUAGE.match(path)


def path_in(tag: str, path: str) -> str:
    """Where the version of a page lies: ``cost.md -> zh/cost.md``."""
    return f"{tag}/{path}"


class Version:
    """The guide in one language. ``missing`` collects, over all pages, the entries that the catalogue lacks,
    with a segment of each. ``listing``: an entry may say what stands between two places that a comma parts;
    on a page they are a list, and the language says what parts them."""

    def __init__(self, catalogue: Catalogue, names: Iterable[str], *, listing: bool = True) -> None:
        self.catalogue = catalogue
        self.language = catalogue.language
        self.missing: dict[str, str] = {}
        self.files: dict[str, str] = {}  # what scripts are handed: path in English -> path in this language
        self._names = Names(names)
        self._listing = listing
        self._cached = lru_cache(maxsize=1 << 16)(self._translated)

    def is_foreign(self, target: str) -> bool:
        """Whether it is a page, and there in English only."""
        return target.partition("#")[0].endswith(".md") and self.link(target) == target

    def link(self, target: str) -> str:
        """The page of this language where there is one, else the target as it is."""
        path, mark, fragment = target.partition("#")
        if path in self.files:
            return self.files[path]
        return path_in(self.language.tag, path) + mark + fragment if has_versions(path) else target

    def text(self, plain: str) -> str:
        """A title or another text without elements; in English where there is no translation."""
        return self.said(plain)[0]

    def said(self, plain: str) -> tuple[str, bool]:
        """The same, and whether all of it is translated."""
        found, known = self._cached(segments.as_segment(plain))
        return segments.as_text(found), known

    def part(self, plain: str) -> str:
        """A part of a label, which may as well be a name: where no entry is found it stays as it is."""
        found = pattern_of(segments.as_segment(plain), self._names)
        known = found.msgid in self.catalogue.entries
        return (
            segments.as_text(fill(self.catalogue.entries[found.msgid], found, self.catalogue.value))
            if known
            else plain
        )

    def page(self, body: str, finished: Sequence[str]) -> tuple[str, tuple[str, ...], int]:
        """The body of a page, its ``finished`` parts (see ``SiteFile``), and how many segments of the page
        stay in English."""
        count = 0

        def one(segment: str, may_mark: bool) -> str:
            nonlocal count
            found, known = self._cached(segment)
            if known:
                return found
            count += 1
            return segments.marked(segment) if may_mark else segment

        made = {block: segments.translated(block, one) for block in finished if block and block in body}
        # Where the finished parts stand, from the left; the longer one where one stands in another.
        found = sorted((body.index(block), -len(block), block) for block in made)
        parts, position = [], 0
        for begin, length, block in found:
            if begin >= position:
                parts += [segments.translated(body[position:begin], one), made[block]]
                position = begin - length
        parts.append(segments.translated(body[position:], one))
        return "".join(parts), tuple(made.values()), count

    def _paired(self, parts: list[str]) -> list[str]:
        """The parts of a label; two that are one in the catalogue (``RTX 4090, rented``) stay together."""
        made: list[str] = []
        for part in parts:
            pair = f"{made[-1]}, {part}" if made else ""
            if pair and pattern_of(pair, self._names).msgid in self.catalogue.entries:
                made[-1] = pair
            else:
                made.append(part)
        return made

    def _translated(self, segment: str) -> tuple[str, bool]:
        """The segment in this language, and whether all of it is: as a whole, else sentence by sentence."""
        whole = pattern_of(segment, self._names)
        entries = self.catalogue.entries
        if whole.has_words and whole.msgid not in entries:
            for parts, joint in (
                (sentences(segment), self.language.between_sentences),
                (enumeration(segment), self.language.comma),
                (turns(segment), self.language.but),
            ):
                if len(parts) > 1:
                    found = [self._cached(part) for part in self._paired(parts)]
                    known = all(known for _, known in found)
                    told = [text for text, _ in found]
                    if joint == self.language.but:
                        told[:-1] = [text.removesuffix(self.language.stop) for text in told[:-1]]
                    return (joint.join(told) if known else segment), known
            self.missing.setdefault(whole.msgid, segment)
            return segment, False
        told = whole.msgid
        if self._listing and _LIST.match(told):
            told = told.replace(", ", self.language.comma)
            told = told.removesuffix(";") + self.language.semicolon if told.endswith(";") else told
        else:
            told = entries.get(told, told)  # one without a word has at least the language's own marks
        changed = whole.values or told != whole.msgid
        return fill(told, whole, self.catalogue.value) if changed else segment, True


#: Where a sentence or clause ends; the semicolon of a character reference does not.
_ENDS = re.compile(r"(?:[.:?]|(?<!&#\d\d)(?<!&#\d\d\d)(?<!&[a-z]{2})(?<!&[a-z]{3})(?<!&[a-z]{4});)(?= \S)")
_TAG = re.compile(r"<(/?)[a-z][^>]*>")
#: Names one after another, as a clause too.
_LIST = re.compile(r"\{\d+\}(, \{\d+\})+;?$")


def turns(segment: str) -> list[str]:
    """``A wins, but B wins.`` as two sentences."""
    *before, last = segment.split(", but ") if "<" not in TRACED.sub("", segment) else [segment]
    return [*(f"{part}." for part in before), last]


def enumeration(segment: str) -> list[str]:
    """The parts of what is no sentence but a label: ``Llama 3 8B, Q4_K_M, decode, one stream``."""
    parts = re.split(r", (?![^()]*\))", segment)  # what stands in brackets belongs to one name
    label = "<" not in TRACED.sub("", segment) and segment[-1:] not in ".!?:;" and len(parts) > 2
    return parts if label else [segment]


def sentences(segment: str) -> list[str]:
    """The sentences and clauses of a segment, cut only where no element is open."""
    parts, begin = [], 0
    for end in _ENDS.finditer(segment):
        depth = sum(-1 if tag.group(1) else 1 for tag in _TAG.finditer(segment, begin, end.end()))
        inside_tag = segment.rfind("<", begin, end.end()) > segment.rfind(">", begin, end.end())
        if depth == 0 and not inside_tag:
            parts.append(segment[begin : end.end()])
            begin = end.end() + 1
    return [*parts, segment[begin:]]
