"""Charts: plain records in, a ``Chart`` out. One file a kind; ``Chart`` is what a page template draws.

A chart exists twice, for a wide and for a narrow screen, each as a Vega-Lite specification in a file of its
own and as a static picture inside the page. The picture is what loads; Vega replaces it when the reader gets
there. Colours are CSS variables throughout, so light, dark and print need no second drawing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from bench.errors import BenchError
from guide.show.markup import plain
from guide.show.tables import Provenance

#: A chart's specification must stay below this: larger data is aggregated before it is drawn.
SPEC_LIMIT_BYTES = 64 * 1024

Spec = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """``wide`` and ``narrow`` are Vega-Lite specifications (``narrow`` may be the same).

    ``alt`` says in a sentence or two what the picture shows, with its main figures. ``headers`` and
    ``figures`` are the same data as a small table for those who cannot or will not read the picture;
    ``origins`` say what each of its cells rests on, row by row. ``own`` says where a reader's own machine
    may enter (``guide.views.matchable``).
    """

    title: str
    alt: str
    wide: Spec
    narrow: Spec
    caption: str | Markup = ""
    headers: Sequence[str] = ()
    figures: Sequence[Sequence[str]] = ()
    origins: Sequence[Sequence[Provenance | None]] = ()
    own: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ChartFiles:
    """The files of a chart: paths of the two specifications and of Vega, and the two static pictures."""

    wide: str
    narrow: str
    vega: str
    wide_svg: Markup
    narrow_svg: Markup
    by_path: dict[str, bytes]


def clean(value: Any) -> Any:
    """A specification without unseen characters: one of them would end the renderer's whole process."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [item if type(item) is float else clean(item) for item in value]
    return value


def spec_bytes(spec: Spec) -> bytes:
    """The specification's file. Raises ``ValueError`` when it is too large for a page."""
    content = json.dumps(spec, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    if len(content) >= SPEC_LIMIT_BYTES:
        raise ValueError(f"A chart's specification has {len(content)} bytes: aggregate its data first")
    return content


def chart_files(chart: Chart) -> ChartFiles:
    """Name the chart's files by their content, and draw its static pictures.

    Raises ``BenchError`` naming the chart when the renderer cannot draw it.
    """
    from guide.charts import static, theme, vega

    by_path: dict[str, bytes] = {}
    names: list[str] = []
    pictures: list[Markup] = []
    for given, width in ((chart.wide, theme.WIDE_PX), (chart.narrow, theme.NARROW_PX)):
        spec = clean(given)
        content = spec_bytes(spec)
        name = f"assets/charts/{hashlib.sha256(content).hexdigest()[:12]}.json"
        by_path[name] = content
        names.append(name)
        try:
            pictures.append(static.picture(spec, width))
        except ValueError as error:
            told = " ".join(plain(str(error)).split())[:200]
            raise BenchError(
                f"The chart '{plain(chart.title)}' cannot be drawn: {told}",
                hint="Look for an unusual name or figure among the rows that it shows, and report it.",
            ) from error
    bundle = vega.bundle()
    by_path[bundle.path] = bundle.content
    return ChartFiles(*names, bundle.path, *pictures, by_path=by_path)
