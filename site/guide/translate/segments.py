"""A page's text in segments: Markdown with blocks of HTML in it, as the templates write it.

A segment is what stands between two tags of blocks, or a paragraph, heading or item of Markdown, or what an
attribute says to a screen reader. Pictures, commands (fenced ones too) and scripts are not touched.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from guide.show.markup import escape, slug
from guide.translate.patterns import INLINE, TRACED

#: (segment of HTML, whether a mark may stand around it) -> the segment in another language.
Translate = Callable[[str, bool], str]

_HEADING = re.compile(r"^(#{1,6} )(.*?)((?: \{ #[\w-]+ \})?)$")
_ITEM = re.compile(r"^(\s*(?:[-*]|\d+\.) )(.*)$")
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]*)\)")
_STRONG = re.compile(r"\*\*(.+?)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*]+)\*(?![\w*])")
_BLOCK_TAG = re.compile(rf"({TRACED.pattern}|<[^>]*>)")
_TAG_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")
_ATTRIBUTE = re.compile(r'(\s(?:aria-label|title|placeholder|data-label|alt)=")([^"]*)(")')
_EDGE = re.compile(r"^(\s*)(.*?)(\s*)$", re.DOTALL)
#: Elements whose content is no text, and those in which no element may stand.
_LEFT = frozenset({"svg", "pre", "script", "style", "template"})
_BARE = frozenset({"option", "title", "textarea"})


def translated(text: str, translate: Translate) -> str:
    """The page's text with every segment replaced by what ``translate`` makes of it."""
    out: list[str] = []
    paragraph: list[str] = []
    blocks = _Html(translate)
    fenced = False
    for line in text.split("\n"):
        if line.startswith("```") or fenced:
            _end(paragraph, out, translate)
            out.append(line)
            fenced = fenced != line.startswith("```")
        elif blocks.inside or line.lstrip().startswith("<"):
            _end(paragraph, out, translate)
            out.append(blocks.line(line))
        elif not line.strip():
            _end(paragraph, out, translate)
            out.append(line)
        elif heading := _HEADING.match(line):
            _end(paragraph, out, translate)
            out.append(_heading(heading, translate))
        elif item := _ITEM.match(line):
            _end(paragraph, out, translate)
            paragraph += [item.group(1), item.group(2)]
        elif paragraph:
            paragraph.append(line.strip())
        else:
            paragraph += ["", line]
    _end(paragraph, out, translate)
    return "\n".join(out)


def _end(paragraph: list[str], out: list[str], translate: Translate) -> None:
    if paragraph:
        start, *lines = paragraph
        out.append(start + translate(_as_html(" ".join(lines)), True))
        paragraph.clear()


def _heading(found: re.Match[str], translate: Translate) -> str:
    """A heading keeps the address that it has in English."""
    marks, words, address = found.groups()
    address = address or f" {{ #{slug(html.unescape(re.sub('<[^>]*>', '', words)))} }}"
    return f"{marks}{translate(_as_html(words), False)}{address}"


def _as_html(markdown: str) -> str:
    """Links, emphasis and code as elements; Markdown lets them stand in its text."""
    pieces = _CODE.split(markdown)  # what stands in code is no Markdown
    for place, piece in enumerate(pieces):
        if place % 2:
            pieces[place] = f"<code>{html.escape(piece, quote=False)}</code>"
        else:
            text = _LINK.sub(r'<a href="\2">\1</a>', piece)
            pieces[place] = _EMPHASIS.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", text))
    return "".join(pieces)


class _Html:
    """Lines of HTML, one after another."""

    def __init__(self, translate: Translate) -> None:
        self._translate = translate
        self._left: list[str] = []  # elements that are left alone and have not ended yet
        self._bare = False

    @property
    def inside(self) -> bool:
        """Whether the line before ended in an element that is left alone."""
        return bool(self._left)

    def line(self, line: str) -> str:
        out: list[str] = []
        segment: list[str] = []
        for piece in _BLOCK_TAG.split(line):
            found = _TAG_NAME.match(piece) if piece.startswith("<") else None
            name = found.group(1).lower() if found else ""
            if self._left or name in _LEFT:
                self._flush(segment, out)
                out.append(piece)
                self._follow(piece, name)
            elif name in INLINE:
                segment.append(self._attributes(piece))
            elif piece.startswith("<"):
                self._flush(segment, out)
                out.append(self._attributes(piece))
                self._bare = name in _BARE and not piece.startswith("</")
            elif piece:
                segment.append(piece)
        self._flush(segment, out)
        return "".join(out)

    def _follow(self, piece: str, name: str) -> None:
        if name in _LEFT and not piece.endswith("/>"):
            if piece.startswith("</"):
                self._left.pop()
            else:
                self._left.append(name)

    def _attributes(self, tag: str) -> str:
        def one(found: re.Match[str]) -> str:
            words = self._translate(found.group(2), False)
            return found.group(1) + re.sub("<[^>]*>", "", words) + found.group(3)

        return _ATTRIBUTE.sub(one, tag)

    def _flush(self, segment: list[str], out: list[str]) -> None:
        """The collected pieces, translated. What encloses them, or stands in line without words between, is
        the page's build: an entry of a catalogue holds words."""
        pieces = segment[:]
        segment.clear()
        while pieces:
            take = _first(pieces)
            out.append(self._one(pieces[:take]))
            del pieces[:take]

    def _one(self, pieces: list[str]) -> str:
        if len(pieces) == 1 and _is_space(pieces[0]):
            return pieces[0]
        if _opens(pieces[0]) and _partner(pieces) == len(pieces) - 1:
            inside: list[str] = []
            self._flush(pieces[1:-1], inside)
            return pieces[0] + "".join(inside) + pieces[-1]
        lead, inner, trail = _EDGE.match("".join(pieces)).groups()  # type: ignore[union-attr]
        return lead + self._translate(inner, not self._bare) + trail


def _first(pieces: list[str]) -> int:
    """How many pieces make the first segment: an element alone where only elements and spaces stand beside
    it, else all of them but an element at the beginning that holds no letter."""
    if _is_space(pieces[0]):
        return 1
    if not _opens(pieces[0]):
        return len(pieces)
    end = _partner(pieces) + 1
    if end == 0:
        return len(pieces)
    words = "".join(piece for piece in pieces[:end] if not _is_tag(piece))
    alone, depth = True, 0
    for piece in pieces[end:]:
        if _is_tag(piece):
            depth += -1 if piece.startswith("</") else 1
        elif depth == 0 and piece.strip():
            alone = False
    return end if alone or not re.search(r"[^\W\d_]", html.unescape(words)) else len(pieces)


def _is_space(piece: str) -> bool:
    return not piece.strip()


def _is_tag(piece: str) -> bool:
    """A figure that leads to its origin is text like any other figure."""
    return piece.startswith("<") and not TRACED.match(piece)


def _opens(piece: str) -> bool:
    return _is_tag(piece) and not piece.startswith("</")


def _partner(segment: list[str]) -> int:
    """Where the element ends that begins the segment; -1 where it does not end there."""
    depth = 0
    for place, piece in enumerate(segment):
        if piece.startswith("</"):
            depth -= 1
            if depth == 0:
                return place
        elif _is_tag(piece):
            depth += 1
    return -1


def marked(segment: str) -> str:
    """A segment that has no translation, so that a reader sees it and a screen reader says it in English."""
    return f'<span lang="en" class="untranslated">{segment}</span>'


def as_text(segment: str) -> str:
    """A segment of HTML as plain text, for a page's head."""
    return html.unescape(re.sub("<[^>]*>", "", segment))


def as_segment(text: str) -> str:
    """Plain text as a segment."""
    return str(escape(text))
