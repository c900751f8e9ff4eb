"""Batch against length: shade and figure in each cell; a cell without a figure says why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from guide.charts import Chart, theme
from guide.show import figures
from guide.show.tables import Provenance

#: What stands in a cell that has no figure, by the row's status.
MARKS = {"oom": "OOM", "skipped": "OOM*", "timeout": "time", "unsupported": "n/a", "failed": "failed",
         "killed": "killed", "interrupted": "–", "impossible": "–"}  # fmt: skip


@dataclass(frozen=True)
class Tile:
    """One cell: ``x`` is a length in tokens, ``y`` a batch, ``status`` the row's status."""

    x: int
    y: int
    value: float | None
    status: str = "ok"
    interval: str = ""
    detail: str = ""
    origin: Provenance | None = None


def heatmap(
    records: Sequence[Tile],
    *,
    title: str,
    unit: str,
    caption: str = "",
    x_title: str = "Length, tokens",
    y_title: str = "Batch",
) -> Chart:
    """Seven shades, equal steps of the logarithm between the least and the greatest figure.

    Out-of-memory cells are outlined and marked; combinations that nobody asked for stay empty.
    """
    if not records:
        raise ValueError(f"The chart '{title}' has no records")
    if len({(t.x, t.y) for t in records}) != len(records):
        raise ValueError(f"The chart '{title}' has two figures for one cell")
    known = [t.value for t in records if t.value is not None]
    rows = [_row(t, known) for t in records]
    missing = [t for t in records if t.value is None]
    alt_text = f"Heat map of {unit} over {y_title.lower()} and {x_title.lower()}."
    if known:
        best = max((t for t in records if t.value is not None), key=lambda t: t.value or 0)
        alt_text += f" {figures.number(min(known))} to {figures.number(max(known))}; "
        alt_text += f"greatest at {y_title.lower()} {best.y}, {x_title.lower()} {best.x}."
    if missing:
        alt_text += f" {figures.plural(len(missing), 'cell')} without a figure (" + ", ".join(
            sorted({MARKS.get(t.status, t.status) for t in missing})
        ) + ")."  # fmt: skip
    return Chart(
        title=title,
        caption=caption,
        alt=alt_text,
        wide=_draw(rows, x_title, y_title, unit, narrow=False),
        narrow=_draw(rows, x_title, y_title, unit, narrow=True),
        headers=(y_title, x_title, unit, "95 % interval"),
        figures=[
            (
                str(t.y),
                figures.number(t.x),
                figures.number(t.value)
                if t.value is not None
                else (t.detail or MARKS.get(t.status, t.status)),
                t.interval or "not stated",
            )
            for t in sorted(records, key=lambda t: (t.y, t.x))
        ],
        origins=[(None, None, t.origin) for t in sorted(records, key=lambda t: (t.y, t.x))],
    )


def _shade(value: float, known: Sequence[float]) -> tuple[str, str]:
    low, high = math.log(min(known)), math.log(max(known))
    place = 0.5 if high - low < 1e-12 else (math.log(value) - low) / (high - low)
    return theme.SHADES[min(len(theme.SHADES) - 1, int(place * len(theme.SHADES)))]


def _row(tile: Tile, known: Sequence[float]) -> dict[str, Any]:
    row: dict[str, Any] = {"x": tile.x, "y": tile.y, "interval": tile.interval, "detail": tile.detail}
    if tile.value is None:
        return row | {"text": MARKS.get(tile.status, tile.status), "shade": "transparent",
                      "ink": theme.MUTED, "missing": True}  # fmt: skip
    shade, ink = _shade(tile.value, known)
    return row | {"text": figures.number(tile.value), "shade": shade, "ink": ink, "missing": False}


@theme.drafted
def _draw(
    rows: list[dict[str, Any]], x_title: str, y_title: str, unit: str, *, narrow: bool
) -> dict[str, Any]:
    import altair as alt

    data = alt.Chart(alt.NamedData("rows"), height=(36 if narrow else 42) * len({row["y"] for row in rows}))
    around = alt.Scale(paddingInner=0.06, paddingOuter=0)
    x = alt.X("x:O", scale=around, axis=alt.Axis(title=x_title, labelAngle=0, orient="bottom", format=",d"))
    y = alt.Y("y:O", scale=around, sort="descending", axis=alt.Axis(title=y_title, format=",d"))
    tips = [
        alt.Tooltip("y:O", title=y_title),
        alt.Tooltip("x:O", title=x_title),
        alt.Tooltip("text:N", title=unit),
    ]
    tips += [alt.Tooltip("interval:N", title="95 % interval")] if any(r["interval"] for r in rows) else []
    tips += [alt.Tooltip("detail:N", title="Why")] if any(r["detail"] for r in rows) else []
    # The dash belongs to the mark: Vega-Lite knows no such channel of a rectangle, and warns of it.
    tiles = data.mark_rect(cornerRadius=3, strokeDash=[3, 3]).encode(
        x=x,
        y=y,
        fill=alt.Fill("shade:N", scale=None, legend=None),
        stroke=alt.condition("datum.missing", alt.value(theme.MUTED), alt.value("transparent")),
        strokeWidth=alt.condition("datum.missing", alt.value(1), alt.value(0)),
        tooltip=tips,
    )
    text = data.mark_text(fontSize=11 if narrow else 13, fontWeight=600).encode(
        x=x, y=y, text=alt.Text("text:N"), color=alt.Color("ink:N", scale=None, legend=None)
    )
    return theme.finish(alt.layer(tiles, text), {"rows": rows})
