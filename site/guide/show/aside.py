"""Finished HTML is set aside while a page goes through Markdown and into the search index, then put back.

Both read every tag of a page, which for large tables and pictures is most of the time of a build. What the
search must read stays away from Markdown alone: the blocks of HTML that Markdown would pass on as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_PLACE = re.compile(r'<div data-aside="(\d+)"></div>')
_BLOCK_PLACE = re.compile(r'<div data-block="(\d+)"></div>')
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)\b[^>]*>")
#: Elements that Markdown takes for blocks, and that stand alone; of all others the end is looked for.
_BLOCKS = frozenset({"aside", "div", "dl", "figure", "form", "nav", "ol", "p", "section", "table", "ul"})
_EMPTY = frozenset({"br", "hr", "img", "input", "wbr"})
#: Shorter blocks take Markdown no longer than their place-holder.
_SHORT = 100


def set_aside(text: str, parts: Sequence[str]) -> str:
    """``text`` with a place-holder for each of ``parts``; one that is empty or does not occur is passed
    over."""
    done: list[str] = []
    at = 0
    for number, part in sorted(enumerate(parts), key=lambda item: text.find(item[1])):
        found = text.find(part, at)
        if found < 0 or not part:
            continue
        done += [text[at:found], f'<div data-aside="{number}"></div>']
        at = found + len(part)
    return "".join([*done, text[at:]])


def put_back(text: str, parts: Sequence[str]) -> str:
    """``text`` with each place-holder replaced by its part."""
    return _PLACE.sub(lambda found: parts[int(found[1])], text)


def without_blocks(text: str) -> tuple[str, list[str]]:
    """``text`` with a place-holder for each paragraph of it that is HTML as a whole, and these."""
    blocks: list[str] = []
    shown: list[str] = []
    fenced = False
    for paragraph in text.split("\n\n"):
        fenced ^= paragraph.count("```") % 2 == 1
        if (
            len(paragraph) > _SHORT
            and not fenced
            and "```" not in paragraph
            and _is_html(paragraph.strip("\n"))
        ):
            block = paragraph.strip("\n")
            shown.append(paragraph.replace(block, f'<div data-block="{len(blocks)}"></div>'))
            blocks.append(block)
        else:
            shown.append(paragraph)
    return "\n\n".join(shown), blocks


def with_blocks(text: str, blocks: Sequence[str]) -> str:
    """``text`` with the blocks in their places again."""
    return _BLOCK_PLACE.sub(lambda found: blocks[int(found[1])], text)


def _is_html(paragraph: str) -> bool:
    """Whether it holds whole blocks of HTML, in which Markdown has no say, and nothing beside them."""
    if not paragraph.startswith("<") or not paragraph.endswith(">") or " markdown" in paragraph:
        return False
    open_elements, at = 0, 0
    for tag in _TAG.finditer(paragraph):
        closing, name = tag.groups()
        if not open_elements and (closing or name not in _BLOCKS or paragraph[at : tag.start()].strip()):
            return False
        if name not in _EMPTY:
            open_elements += -1 if closing else 1
        at = tag.end()
    return not open_elements and at == len(paragraph)
