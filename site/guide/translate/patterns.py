"""Between what stands on a page and its entry in a catalogue.

What differs from build to build becomes a numbered place: figures, dates and names are ``{1}``, elements in
the line ``<2>…</2>`` and ``<3/>``, counted together from the left. ``fill`` puts a translation together from
the same places, in whatever order its language needs.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from markupsafe import Markup

from guide.show.markup import escape

_DATE = r"\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}"
_UNITS = r"(?:%|[kMGTP]?(?:FLOP|B)/s|G(?:i?B|bit/s)|TB|h|min|ms|µs|ns|s|d|W|kWh|J)(?![A-Za-z/])"
_NUMBER = r"\d+(?:,\d+)*(?:\.\d+)?"  # the comma after a figure is the sentence's
_FIGURE = rf"[×$+±≈−]*{_NUMBER}(?:–[$×]?{_NUMBER})?(?:[\u00a0 ]{_UNITS})?"
#: A figure stands alone: the 3 of ``Llama 3`` is part of a name, the 4 of ``Q4`` of a word.
_CHANGING = re.compile(
    rf"(?<![\w.])(?:(?P<date>{_DATE.replace(' ', chr(0xA0))})|[0-9a-f]{{64}}|{_FIGURE})(?![\w])"
)
#: What is the same in every language: ``task_key``, ``tokens/s``, ``b2824``, ``GPU``.
_CODE = re.compile(r"\S*(?:[\d_@/]|\w\.\w)\S*|\b[A-Z]{1,5}\b|\b[a-z]+(?:-[a-z]+)+\b")
_WORD = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"[^\W\d_]")
#: Elements that stand in a line of text.
INLINE = frozenset({"a", "abbr", "b", "code", "em", "i", "kbd", "small", "span", "strong", "sub", "sup"})
#: Of these the content is not for translators: commands, and numbers of notes.
_OPAQUE = frozenset({"code", "sup", "kbd"})
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)\b[^>]*>")
#: A figure that leads to its origin (``guide.show.sentences``): to a translator it is the figure alone.
TRACED = re.compile(r'<span class="traced traced--in"[^>]*><a [^>]*>[^<]*</a></span>')
_PLACE = re.compile(r"\{(\d+)\}|<(/?)(\d+)(/?)>")


def figures_in(text: str) -> list[tuple[int, int]]:
    """Where numbers stand in a plain text that a catalogue has places for; days are none."""
    return [found.span() for found in _CHANGING.finditer(text) if not found.group("date")]


class Names:
    """The names that stay as they are in every language, found in a text, the longest first."""

    def __init__(self, names: Iterable[str]) -> None:
        by_word: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for name in sorted({n for n in names if _LETTER.search(n)}, key=lambda n: (-len(n), n)):
            first = _WORD.search(name)
            if first:
                by_word[first.group()].append((name, first.start()))
        self._by_word = dict(by_word)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where names stand in ``text``, from the left, without overlap."""
        found, position = [], 0
        for word in _WORD.finditer(text):
            if word.start() < position:
                continue
            for name, before in self._by_word.get(word.group(), ()):
                start = word.start() - before
                end = start + len(name)
                if start >= position and text.startswith(name, start) and not text[end : end + 1].isalnum():
                    found.append((start, end))
                    position = end
                    break
        return found


@dataclass
class Pattern:
    """A segment as a catalogue has it: ``msgid``, and what stands at its numbered places."""

    msgid: str = ""
    values: dict[int, tuple[str, str]] = field(default_factory=dict)  # number -> (kind, text)
    tags: dict[int, tuple[str, str]] = field(default_factory=dict)  # number -> (opening, closing)

    @property
    def has_words(self) -> bool:
        """Whether there is anything to translate."""
        return bool(_LETTER.search(_CODE.sub("", _PLACE.sub("", self.msgid))))


def pattern_of(segment: str, names: Names) -> Pattern:
    """The pattern of a segment of HTML. Elements that enclose a part of the text become places."""
    made, number, position = Pattern(), 0, 0
    parts: list[str] = []
    open_elements: list[tuple[str, int]] = []
    hidden: tuple[str, int] | None = None  # an opaque element and where it begins
    for tag in _TAG.finditer(segment):
        if tag.start() < position:
            continue  # inside a figure
        if figure := TRACED.match(segment, tag.start()):
            number = _add_text(segment[position : tag.start()], names, made, parts, number) + 1
            made.values[number] = ("html", figure.group())
            parts.append(f"{{{number}}}")
            position = figure.end()
            continue
        closing, name = bool(tag.group(1)), tag.group(2)
        if hidden is not None:
            if closing and name == hidden[0]:
                number += 1
                made.tags[number] = (segment[hidden[1] : tag.end()], "")
                parts.append(f"<{number}/>")
                hidden, position = None, tag.end()
            continue
        number = _add_text(segment[position : tag.start()], names, made, parts, number)
        position = tag.end()
        if not closing and name in _OPAQUE:
            hidden = (name, tag.start())
        elif closing:
            if open_elements:
                _, opened = open_elements.pop()
                made.tags[opened] = (made.tags[opened][0], tag.group())
                parts.append(f"</{opened}>")
        else:
            number += 1
            made.tags[number] = (tag.group(), "")
            open_elements.append((name, number))
            parts.append(f"<{number}>")
    _add_text(segment[position:], names, made, parts, number)
    made.msgid = re.sub(r"\s+", " ", "".join(parts)).strip()
    return made


def _add_text(raw: str, names: Names, made: Pattern, parts: list[str], number: int) -> int:
    """Append text, its names and figures as places; returns the last number given."""
    text = html.unescape(raw)
    taken = [(start, end, "name") for start, end in names.spans(text)]
    for found in _CHANGING.finditer(text):
        if not any(start < found.end() and found.start() < end for start, end, _ in taken):
            taken.append((found.start(), found.end(), "date" if found.group("date") else "figure"))
    position = 0
    for start, end, kind in sorted(taken):
        parts.append(_plain(text[position:start]))
        number += 1
        made.values[number] = (kind, text[start:end])
        parts.append(f"{{{number}}}")
        position = end
    parts.append(_plain(text[position:]))
    return number


def _plain(text: str) -> str:
    """Text of an entry: what would look like a place is left out of it."""
    return text.replace("\u00a0", " ").replace("{", "(").replace("}", ")").replace("<", "‹").replace(">", "›")


def places(text: str) -> list[str]:
    """The places that stand in an entry, sorted: both sides of an entry must have the same."""
    return sorted(found.group() for found in _PLACE.finditer(text))


def crossed(text: str) -> bool:
    """Whether an element of an entry closes before it opens, or while one inside it is open."""
    opened: list[str] = []
    for _, closing, number, alone in (found.groups() for found in _PLACE.finditer(text)):
        if not number or alone:
            continue
        if not closing:
            opened.append(number)
        elif not opened or opened.pop() != number:
            return True
    return False


def fill(msgstr: str, pattern: Pattern, shown: Callable[[str, str], str]) -> str:
    """A translation as HTML; ``shown`` says a value (kind, text) in the language."""
    parts, position = [], 0
    for place in _PLACE.finditer(msgstr):
        parts.append(escape(msgstr[position : place.start()]))
        value, closing, tag, _ = place.groups()
        if value:
            kind, text = pattern.values[int(value)]
            parts.append(Markup(text) if kind == "html" else escape(shown(kind, text)))
        else:
            parts.append(pattern.tags[int(tag)][1 if closing else 0])
        position = place.end()
    parts.append(escape(msgstr[position:]))
    return "".join(parts)
