"""What a page says in words outside its tables and charts, for its twin: lines under their headings.

The page is Markdown with HTML blocks. Nothing is translated between the two here: marks of either are taken
off, and what the page's template wrote as one line, item or pair of term and description is one line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

from guide.show.aside import set_aside

#: Elements that are no prose, and classes of such: tables, pictures, forms, what only a screen reader says.
_NO_PROSE = frozenset(
    {"svg", "script", "style", "form", "nav", "table", "template", "button", "select", "sup"}
)
_NO_PROSE_CLASSES = frozenset({
    "data", "figure", "chart", "foot", "sr", "reader__stale", "reader__drawn", "claim__rows", "origins",
})  # fmt: skip
_EMPTY = frozenset({"br", "hr", "img", "input", "i"})
_LINE = frozenset(
    {"p", "li", "dt", "dd", "div", "ul", "ol", "dl", "details", "summary", "pre", "section", "blockquote"}
)
_HEADING = re.compile(r"h[1-6]")
#: Characters that stand for themselves on the page, away from those that Markdown reads.
_KEPT = 0xE000
_MARKS = (
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"(\*\*|__)(.+?)\1"), r"\2"),
    (re.compile(r"`([^`]*)`"), r"\1"),
    (re.compile(r"^\s*(?:[-*] |\d+\. |> )"), ""),
    (re.compile(r"\s*\{\s*#[^}]*\}\s*$"), ""),
)


def lines(body: str, finished: Sequence[Any]) -> list[dict[str, Any]]:
    """``[{"heading": "", "lines": […]}, {"heading": "What fits", "lines": […]}]`` of a page's text.

    ``finished`` are its parts that are no prose; a heading without a line of its own is left out.
    """
    reader = _Reader()
    reader.feed(set_aside(body, [str(part) for part in finished]))
    reader.close()
    reader.end_line()
    return [part for part in reader.parts if part["lines"]]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.parts: list[dict[str, Any]] = [{"heading": "", "lines": []}]
        self._text = ""
        self._blocks: list[str] = []
        self._skipped: list[str] = []
        self._term = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _EMPTY or tag == "wbr":
            self._text += " " if tag != "wbr" else ""
            return
        given = dict(attrs)
        classes = set((given.get("class") or "").split())
        if self._skipped or tag in _NO_PROSE or classes & _NO_PROSE_CLASSES or "data-aside" in given:
            self._skipped.append(tag)
        elif tag == "small" or "num__interval" in classes:  # set off by looks alone
            self._text += " "
        elif tag in _LINE or _HEADING.fullmatch(tag):
            self.end_line()
            self._blocks.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            if self._skipped[-1] == tag:
                self._skipped.pop()
            return
        if self._blocks and self._blocks[-1] == tag:
            self.end_line()
            self._blocks.pop()

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        first, *rest = data.split("\n")
        self._text += first
        for line in rest:  # a line of Markdown ends with its line; inside an element it goes on
            if self._blocks:
                self._text += " "
            else:
                self.end_line()
            self._text += line

    def handle_charref(self, name: str) -> None:
        code = int(name[1:], 16) if name[0] in "xX" else int(name)
        self._add(chr(_KEPT + code) if code < 0x80 else chr(code))

    def handle_entityref(self, name: str) -> None:
        known = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "nbsp": "\u00a0"}
        self._add(known.get(name, f"&{name};"))

    def _add(self, text: str) -> None:
        if not self._skipped:
            self._text += text

    def end_line(self) -> None:
        """Keep what was read since the last line, as a heading or as a line."""
        text, self._text = self._text, ""
        block = self._blocks[-1] if self._blocks else ""
        heading = bool(_HEADING.fullmatch(block)) or (not block and text.startswith("#"))
        if not block:
            if text.startswith("```"):
                return
            text = text.lstrip("#") if heading else text
            for mark, kept in _MARKS:
                text = mark.sub(kept, text)
        text = " ".join(_own(text).split())
        if not text:
            return
        if heading:
            self.parts.append({"heading": text, "lines": []})
        elif block == "dt":
            self._term = text
        else:
            self.parts[-1]["lines"].append(f"{self._term}: {text}" if self._term else text)
            self._term = self._term if block == "" else ""


def _own(text: str) -> str:
    """The characters that were kept away from Markdown's."""
    return "".join(chr(ord(c) - _KEPT) if _KEPT <= ord(c) < _KEPT + 0x80 else c for c in text)
