"""A part of the theme that many pages share is drawn once for all of them.

The theme draws its list of pages anew on every page, which takes it as long as all the rest of the page. On
pages that do not stand in the list, as those of devices, it differs in the folder alone that its addresses
count from.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import jinja2

#: ``{0}`` is the part's name. The theme's own, or whatever takes its place, is there as ``theme/…``.
_PART = """\
{{%- set alike = parts_alike["{0}"](nav, page) -%}}
{{%- if alike in parts_drawn -%}}
{{{{- parts_drawn[alike] -}}}}
{{%- else -%}}
{{%- set drawn %}}{{% include "theme/{0}" %}}{{% endset -%}}
{{%- if alike %}}{{% set _ = parts_drawn.update({{alike: drawn}}) %}}{{% endif -%}}
{{{{- drawn -}}}}
{{%- endif -%}}
"""


def draw_once(env: jinja2.Environment, part: str, alike: Callable[[Any, Any], Hashable | None]) -> None:
    """Let the theme's ``part`` be drawn once for all pages of which ``alike`` says the same, given the
    navigation and the page; and on each page by itself of which it says None."""
    assert env.loader is not None
    wrapped = jinja2.DictLoader({part: _PART.format(part)})
    env.loader = jinja2.ChoiceLoader([wrapped, env.loader, jinja2.PrefixLoader({"theme": env.loader})])
    env.globals |= {"parts_alike": {part: alike}, "parts_drawn": {}}
