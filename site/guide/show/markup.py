"""Text on its way into a page: every value from outside is escaped for HTML and for Markdown at once.

A page is a Markdown file with HTML blocks in it. A device name with ``|``, ``*``, ``_`` or ``<`` must mean
itself in both, so the characters that either language reads are written as numeric entities, which a browser
(and MkDocs' search index and table of contents) turn back into the characters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from markupsafe import Markup

_SPECIAL = str.maketrans({c: f"&#{ord(c)};" for c in "<>&\"'\\`*_{}[]|~^#!"} | {"\n": " ", "\r": " "})
#: Terminal commands, control characters, the marks that reverse or hide text, and what no XML may hold.
_UNSEEN = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]"
    "|[\ud800-\udfff\ufeff\ufffe\uffff]"
)


def plain(text: str) -> str:
    """``text`` without characters that cannot be seen."""
    if text.isprintable():  # none of them is, and most text holds none
        return text
    return _UNSEEN.sub("", text)


def escape(value: Any) -> Markup:
    """``value`` as safe text; ``Markup`` passes as it is. Raises ``ValueError`` for None.

    A missing value must be shown as a blank with its reason, never as the word "None".
    """
    if isinstance(value, Markup):
        return value
    if value is None:
        raise ValueError("None reached a page: show a blank with its reason instead")
    return _escaped(str(value))


@lru_cache(maxsize=1 << 16)
def _escaped(text: str) -> Markup:
    """The same few words stand in most cells of a site's tables."""
    return Markup(plain(text).translate(_SPECIAL))


def slug(text: str) -> str:
    """A file name made of ``a-z``, ``0-9`` and ``-``. Raises ``ValueError`` when nothing is left."""
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if not name:
        raise ValueError(f"'{text}' holds no letter or digit to name a page with")
    return name
