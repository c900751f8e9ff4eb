"""Bars from zero with interval whiskers, grouped in tiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from guide.charts import Chart, theme
from guide.show import figures
from guide.show.tables import Provenance


@dataclass(frozen=True)
class Bar:
    """One bar. ``value`` None draws none and prints ``note`` (the reason) in its place.

    ``vendor`` is a key of ``theme.VENDORS``. ``hollow`` marks a figure that was not measured or stated
    (inferred, estimated). ``shown`` replaces the number printed at the bar's end.
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    vendor: str = "other"
    tier: int | None = None
    hollow: bool = False
    note: str = ""
    shown: str = ""
    origin: Provenance | None = None


def bars(
    records: Sequence[Bar],
    *,
    title: str,
    unit: str,
    caption: str = "",
    what: str = "",
    ratio: bool = False,
    whiskers: str = "95 % interval",
) -> Chart:
    """Bars in the order given. ``unit`` heads the axis; ``what`` opens the text alternative.

    Bars of one tier stand on one band; ``whiskers`` says what ``low``–``high`` are.
    Raises ``ValueError`` without records.
    """
    if not records:
        raise ValueError(f"The chart '{title}' has no records")
    names = [r.label for r in records]
    if len(set(names)) != len(names):
        raise ValueError(f"Two bars of the chart '{title}' have the same label")
    show = figures.ratio if ratio else figures.number
    rows = [_row(r, show) for r in records]
    return Chart(
        title=title,
        caption=caption,
        alt=_alt(records, what or title, unit, show),
        wide=_draw(rows, unit, whiskers, narrow=False),
        narrow=_draw(rows, unit, whiskers, narrow=True),
        headers=("", unit, whiskers, "Tier"),
        figures=[
            (
                r.label,
                (r.shown or show(r.value)) if r.value is not None else (r.note or "no figure"),
                figures.span(r.low, r.high) if r.low is not None and r.high is not None else "not stated",
                str(r.tier) if r.tier is not None else "–",
            )
            for r in records
        ],
        origins=[(None, r.origin) for r in records],
    )


def _row(bar: Bar, show: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "label": bar.label,
        "name": theme.NAMED + bar.label,
        "vendor": theme.VENDORS[bar.vendor],
        "value": bar.value or 0,
        "end": max(v for v in (bar.value, bar.high, 0) if v is not None),
        "hollow": bar.hollow,
        "band": bar.tier is not None and bar.tier % 2 == 1,
        "text": (bar.shown or show(bar.value)) if bar.value is not None else bar.note,
        "missing": bar.value is None,
        "note": bar.note,
    }
    if bar.low is not None and bar.high is not None:
        row |= {"low": bar.low, "high": bar.high, "interval": figures.span(bar.low, bar.high)}
    return row


@theme.drafted
def _draw(rows: list[dict[str, Any]], unit: str, whiskers: str, *, narrow: bool) -> dict[str, Any]:
    import altair as alt

    step, thickness = (44, 14) if narrow else (30, 16)
    top = max(row["end"] for row in rows) or 1
    names = [row["name"] for row in rows]
    data = alt.Chart(alt.NamedData("rows"), height=step * len(rows))
    shown = {"labelColor": theme.INK, "labelFontSize": 13, "labelExpr": theme.SHOWN}
    axis_y = None if narrow else alt.Axis(title=None, grid=False, **shown)
    y = alt.Y("name:N", axis=axis_y, scale=alt.Scale(padding=0))
    x = alt.X(
        "value:Q",
        scale=alt.Scale(domain=[0, _end(rows, 325 if narrow else 500) or 1], nice=False),
        axis=alt.Axis(title=unit, tickCount=4 if narrow else 6, **({"format": "~s"} if top >= 1e4 else {})),
    )
    colour = theme.vendor_scale(
        [k for k, name in theme.VENDORS.items() if any(r["vendor"] == name for r in rows)]
    )
    shift = 8 if narrow else 0
    tips = [alt.Tooltip("label:N", title="Device"), alt.Tooltip("text:N", title=unit)]
    tips += [alt.Tooltip("interval:N", title=whiskers)] if any("interval" in r for r in rows) else []
    band = (
        data.transform_filter("datum.band")
        .mark_rect(color=theme.BAND)
        .encode(y=y, x=alt.XValue(0), x2=alt.X2Value("width"))
    )
    mark = data.mark_bar(height=thickness, cornerRadiusEnd=2, yOffset=shift, y2Offset=shift).encode(
        y=y,
        x=x,
        color=colour,
        fillOpacity=alt.condition("datum.hollow", alt.value(0.15), alt.value(1)),
        stroke=colour.copy(deep=False),
        strokeWidth=alt.condition("datum.hollow", alt.value(1.5), alt.value(0)),
        tooltip=tips,
    )
    # A layer without marks would be a picture without a name to assistive technology.
    layers = [band] if any(row["band"] for row in rows) else []
    layers += [mark, *_whiskers(data, y, shift)] if any("low" in row for row in rows) else [mark]
    layers.append(
        data.mark_text(align="left", dx=6, dy=shift, fontWeight=600).encode(
            y=y,
            x=alt.X("end:Q"),
            text=alt.Text("text:N"),
            color=alt.condition("datum.missing", alt.value(theme.MUTED), alt.value(theme.INK)),
        )
    )
    if narrow:
        layers.append(
            data.mark_text(align="left", dy=-9, fontSize=13, limit=theme.NARROW_PX - 20).encode(
                y=y, x=alt.XValue(0), text=alt.Text("label:N")
            )
        )
    spec = theme.finish(alt.layer(*layers), {"rows": rows})
    for layer in spec["layer"]:  # set here and not above: Altair would copy the list with every step
        layer["encoding"]["y"]["sort"] = names
    return spec


def _end(rows: list[dict[str, Any]], plot_px: int) -> float:
    """Where the axis ends, so that the text at the end of each bar stays inside a plot of that width."""
    return max(row["end"] / (1 - min(0.6, (8 + 7 * len(row["text"])) / plot_px)) for row in rows)


def _whiskers(data: Any, y: Any, shift: int) -> list[Any]:
    """The interval of each bar: a wide line of paper under a thin one of ink, so that it reads on any bar."""
    import altair as alt

    only = data.transform_filter("isValid(datum.low)")
    line = {"x": alt.X("low:Q"), "x2": alt.X2("high:Q"), "y": y}
    tick = only.mark_tick(color=theme.INK, thickness=1.5, size=9, yOffset=shift)
    ends = [tick.encode(y=y, x=alt.X(f"{end}:Q")) for end in ("low", "high")]
    return [
        only.mark_rule(color=theme.PAPER, strokeWidth=4, yOffset=shift, opacity=0.7).encode(**line),
        only.mark_rule(color=theme.INK, strokeWidth=1.5, yOffset=shift).encode(**line),
        *ends,
    ]


def _alt(records: Sequence[Bar], what: str, unit: str, show: Any) -> str:
    known = [r for r in records if r.value is not None]
    if not known:
        return f"Bar chart. {what}. No figure is known."
    ordered = sorted(known, key=lambda r: -(r.value or 0))
    first, last = ordered[0], ordered[-1]
    text = f"Bar chart, {unit}. {what}. {len(known)} bars. Longest: {_say(first, show)}"
    if last is not first:
        text += f"; shortest: {_say(last, show)}"
    missing = [f"{r.label} ({r.note})" for r in records if r.value is None]
    return text + "." + (f" Without a figure: {', '.join(missing)}." if missing else "")


def _say(bar: Bar, show: Any) -> str:
    text = f"{bar.label}, {bar.shown or show(bar.value)}"
    if bar.low is not None and bar.high is not None:
        text += f" ({figures.span(bar.low, bar.high)})"
    return text
