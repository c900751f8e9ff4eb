"""Finished HTML is set aside while a page goes through Markdown and into the search index, then put back.

Both read every tag of a page, which for large tables and pictures is most of the time of a build.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_PLACE = re.compile(r'<div data-aside="(\d+)"></div>')


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
