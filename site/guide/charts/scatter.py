"""Speed against price: one mark a device, its interval, and the frontier of what nothing beats on both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from guide.charts import Chart, names, theme
from guide.show import figures
from guide.show.tables import Provenance

#: An axis is linear, and starts at zero, unless what is drawn along it spans more than this many times.
LOG_FROM = 20.0
#: Axis -> whether it is logarithmic.
Scales = dict[str, bool]
#: Room that the vertical axis takes of a picture's width.
AXIS_PX = 50
#: How much wider than the static picture the live one may be, on a phone's and on a desk's screen.
STRETCH_NARROW, STRETCH_WIDE = (1.0, 1.08), (1.0, 1.3, 1.5)


@dataclass(frozen=True)
class Point:
    """One device. ``x`` is money (lower is better), ``y`` speed with its interval ``low``–``high``.

    ``x_low``–``x_high`` is the range of prices; ``frontier`` when nothing is both cheaper and faster;
    ``pick`` the one that the guide names.
    """

    label: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    x_low: float | None = None
    x_high: float | None = None
    vendor: str = "other"
    frontier: bool = False
    pick: bool = False
    hollow: bool = False
    note: str = ""
    x_origin: Provenance | None = None
    y_origin: Provenance | None = None


def scatter(
    records: Sequence[Point],
    *,
    title: str,
    x_title: str,
    y_title: str,
    caption: str = "",
    money: bool = True,
) -> Chart:
    """Marks in the plane of price (``x``) and speed (``y``), both from zero.

    An axis whose marks and intervals span more than ``LOG_FROM`` times is logarithmic, and says so.
    Only the pick and the frontier are labelled in the picture; the others are in the tooltip and the table.
    """
    if not records:
        raise ValueError(f"The chart '{title}' has no records")
    ordered = sorted(records, key=lambda p: (p.x, -p.y, p.label))
    show = figures.usd if money else figures.number
    rows = [_row(p, show) for p in ordered]
    log = _scales(rows)
    best = [p for p in ordered if p.frontier]
    alt_text = f"Scatter chart of {y_title} against {x_title}. {len(records)} devices."
    if best:
        alt_text += " Nothing is both cheaper and faster than: "
        alt_text += "; ".join(f"{p.label} ({show(p.x)}, {figures.number(p.y)})" for p in best) + "."
    return Chart(
        title=title,
        caption=caption,
        alt=alt_text,
        wide=_draw(rows, x_title, y_title, log=log, money=money, narrow=False),
        narrow=_draw(rows, x_title, y_title, log=log, money=money, narrow=True),
        headers=("", x_title, y_title, "95 % interval", "On the frontier"),
        figures=[
            (
                p.label,
                show(p.x),
                figures.number(p.y),
                figures.span(p.low, p.high) if p.low is not None and p.high is not None else "not stated",
                "yes" if p.frontier else "no",
            )
            for p in ordered
        ],
        origins=[(None, p.x_origin, p.y_origin) for p in ordered],
    )


def _row(point: Point, show: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "label": point.label,
        "x": point.x,
        "y": point.y,
        "vendor": theme.VENDORS[point.vendor],
        "frontier": point.frontier,
        "hollow": point.hollow,
        "shown_x": show(point.x),
        "shown_y": figures.number(point.y),
        "note": point.note,
    }
    if point.pick:
        row["pick"] = True
    if point.low is not None and point.high is not None:
        row |= {"low": point.low, "high": point.high, "interval": figures.span(point.low, point.high)}
    if point.x_low is not None and point.x_high is not None and point.x_low < point.x_high:
        row |= {"x_low": point.x_low, "x_high": point.x_high}
    return row


def _axes(
    rows: list[dict[str, Any]], x_title: str, y_title: str, log: Scales, money: bool, narrow: bool
) -> Any:
    import altair as alt

    kind: dict[str, dict[str, Any]] = {
        a: {"type": "log", "nice": False} if log[a] else {"zero": True, "nice": False} for a in log
    }
    suffix = {a: " (log scale)" if log[a] else "" for a in log}
    ends = _ends(rows, log)
    count = 4 if narrow else 6
    ticks = {a: {"values": theme.decades(*ends[a], count + 2)} if log[a] else {} for a in ends}
    cash = "$,~s" if ends["x"][1] >= 1e5 else "$,~f"
    return (
        alt.X(
            "x:Q",
            scale=alt.Scale(domain=ends["x"], **kind["x"]),
            axis=alt.Axis(
                title=x_title + suffix["x"], tickCount=count, format=cash if money else "~s", **ticks["x"]
            ),
        ),
        alt.Y(
            "y:Q",
            scale=alt.Scale(domain=ends["y"], **kind["y"]),
            axis=alt.Axis(title=y_title + suffix["y"], tickCount=5, format="~s", **ticks["y"]),
        ),
    )


def _extremes(rows: list[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """The least and the greatest of what is drawn along each axis, intervals included."""
    found = {}
    for axis, low, high in (("x", "x_low", "x_high"), ("y", "low", "high")):
        top = max(max(r[axis], r.get(high, 0)) for r in rows)
        found[axis] = (min(min(r[axis], r.get(low, r[axis])) for r in rows), top)
    return found


def _scales(rows: list[dict[str, Any]]) -> Scales:
    """For each axis whether it must be logarithmic."""
    return {axis: 0 < low < high / LOG_FROM for axis, (low, high) in _extremes(rows).items()}


def _ends(rows: list[dict[str, Any]], log: Scales) -> dict[str, tuple[float, float]]:
    """The ends of both axes, with room for intervals and names."""
    return {
        axis: (low / 1.3, high * (1.3 if axis == "y" else 1.6)) if log[axis] else (0.0, high * 1.12)
        for axis, (low, high) in _extremes(rows).items()
    }


def _named(
    rows: list[dict[str, Any]],
    log: Scales,
    width: float,
    height: float,
    size: float,
    stretch: Sequence[float],
) -> list[dict[str, Any]]:
    """The rows, the pick and those of the frontier with the ``side`` of their mark on which the name stands.
    A name that would cover another or a mark is left out: it is in the tooltip and in the table."""
    ends = _ends(rows, log)

    def share(row: dict[str, Any], axis: str) -> float:
        place = math.log if log[axis] else float
        low, high = (place(end) for end in ends[axis])
        return (place(row[axis]) - low) / (high - low)

    marks = [(share(r, "x") * width, (1 - share(r, "y")) * height) for r in rows]
    wanted = [_short(r) if r["frontier"] or r.get("pick") else "" for r in rows]
    first = [place for place, r in enumerate(rows) if r.get("pick")]
    found = names.sides(wanted, marks, width, size, first=first, height=height, stretch=stretch)
    return [r if side is None else r | {"side": side} for r, side in zip(rows, found, strict=True)]


def _short(row: dict[str, Any]) -> str:
    """The label without what the colour and the rest of it say: ``NVIDIA GeForce RTX 4090`` is RTX 4090."""
    return row["label"].replace(f"{row['vendor']} ", "", 1).replace("GeForce ", "", 1)


#: ``_short`` in the live picture.
SHORT = "replace(replace(datum.label, datum.vendor + ' ', ''), 'GeForce ', '')"


@theme.drafted
def _draw(
    rows: list[dict[str, Any]], x_title: str, y_title: str, *, log: Scales, money: bool, narrow: bool
) -> dict[str, Any]:
    import altair as alt

    height, size = (300, 11) if narrow else (380, 12)
    width, stretch = (theme.NARROW_PX, STRETCH_NARROW) if narrow else (theme.WIDE_PX, STRETCH_WIDE)
    rows = _named(rows, log, width - AXIS_PX, height, size, stretch)
    data = alt.Chart(alt.NamedData("rows"), height=height)
    x, y = _axes(rows, x_title, y_title, log, money, narrow)
    colour = theme.vendor_scale([k for k, n in theme.VENDORS.items() if any(r["vendor"] == n for r in rows)])
    best = data.transform_filter("datum.frontier")
    tips = [
        alt.Tooltip("label:N", title="Device"),
        alt.Tooltip("shown_x:N", title=x_title),
        alt.Tooltip("shown_y:N", title=y_title),
    ]
    tips += [alt.Tooltip("interval:N", title="95 % interval")] if any("low" in r for r in rows) else []
    layers = []
    if any(r["frontier"] for r in rows):
        layers.append(
            best.mark_line(
                interpolate="step-after", color=theme.FRONTIER, strokeWidth=1.5, strokeDash=[5, 4]
            ).encode(x=x, y=y, order=alt.Order("x:Q"))
        )
    if any("low" in r for r in rows):
        only = data.transform_filter("isValid(datum.low)")
        layers.append(
            only.mark_rule(strokeWidth=1.5, opacity=0.8).encode(
                x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour
            )
        )
    if any("x_low" in r for r in rows):
        only = data.transform_filter("isValid(datum.x_low)")
        layers.append(
            only.mark_rule(strokeWidth=1.5, opacity=0.45).encode(
                y=y, x=alt.X("x_low:Q"), x2=alt.X2("x_high:Q"), color=colour
            )
        )
    layers.append(
        data.mark_point(filled=True, size=90, opacity=1, strokeWidth=1.5).encode(
            x=x,
            y=y,
            color=colour,
            stroke=colour.copy(deep=False),
            fillOpacity=alt.condition("datum.hollow", alt.value(0.15), alt.value(1)),
            tooltip=tips,
        )
    )
    for side, (align, right, down) in enumerate(names.SIDES):
        if any(row.get("side") == side for row in rows):
            layers.append(
                data.transform_filter(f"datum.side === {side}")
                .transform_calculate(name=SHORT)
                .mark_text(
                    align=align,
                    dx=right,
                    dy=down,
                    fontWeight=600,
                    fontSize=size,
                    limit=names.LIMIT_PX,
                    # A halo against the lines behind it; the style sheet paints it first.
                    stroke=theme.PAPER,
                    strokeWidth=3,
                )
                .encode(x=x, y=y, text=alt.Text("name:N"))
            )
    return theme.finish(alt.layer(*layers), {"rows": rows}, y_title=True)
