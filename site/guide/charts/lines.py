"""Lines over a length, a batch or a count: one line a device or model, told apart by colour and dash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from guide.charts import Chart, theme
from guide.show import figures
from guide.show.tables import Provenance

MAX_SERIES = 6


@dataclass(frozen=True)
class Sample:
    """One point of one line, with its 95 % interval."""

    series: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    origin: Provenance | None = None


def lines(
    records: Sequence[Sample],
    *,
    title: str,
    x_title: str,
    y_title: str,
    caption: str = "",
    log_x: bool = False,
) -> Chart:
    """At most six lines, from zero upwards, with their intervals as bands. ``log_x`` says so on the axis.

    Raises ``ValueError`` for more lines than can be told apart, or none.
    """
    names = list(dict.fromkeys(r.series for r in records))
    if not 0 < len(names) <= MAX_SERIES:
        raise ValueError(f"The chart '{title}' has {len(names)} lines; 1 to {MAX_SERIES} can be told apart")
    ordered = sorted(records, key=lambda r: (names.index(r.series), r.x))
    last = {r.series: r for r in ordered}
    rows = [
        {"series": r.series, "x": r.x, "y": r.y, "shown": figures.number(r.y), "last": last[r.series] is r}
        | ({"low": r.low, "high": r.high} if r.low is not None and r.high is not None else {})
        for r in ordered
    ]
    ends = "; ".join(
        f"{name}: {figures.number(points[0].y)} at {figures.number(points[0].x)} to "
        f"{figures.number(points[-1].y)} at {figures.number(points[-1].x)}"
        for name in names
        if (points := [r for r in ordered if r.series == name])
    )
    return Chart(
        title=title,
        caption=caption,
        alt=f"Line chart of {y_title} over {x_title}. {ends}.",
        wide=_draw(rows, names, x_title, y_title, log_x, narrow=False),
        narrow=_draw(rows, names, x_title, y_title, log_x, narrow=True),
        headers=("", x_title, y_title, "95 % interval"),
        figures=[
            (
                r.series,
                figures.number(r.x),
                figures.number(r.y),
                figures.span(r.low, r.high) if r.low is not None and r.high is not None else "not stated",
            )
            for r in ordered
        ],
        origins=[(None, None, r.origin) for r in ordered],
    )


@theme.drafted
def _draw(
    rows: list[dict[str, Any]], names: list[str], x_title: str, y_title: str, log_x: bool, *, narrow: bool
) -> dict[str, Any]:
    import altair as alt

    data = alt.Chart(alt.NamedData("rows"), height=260 if narrow else 340)
    places = sorted({row["x"] for row in rows})
    kind: dict[str, Any] = {"type": "log", "base": 2} if log_x else {"zero": False}
    x = alt.X(
        "x:Q",
        scale=alt.Scale(nice=False, **kind),
        axis=alt.Axis(
            title=x_title + (" (log scale)" if log_x else ""), format=",d", grid=False,
            **({"values": places} if len(places) <= (6 if narrow else 12) else {}),
        ),
    )  # fmt: skip
    top = max(max(r["y"], r.get("high", 0)) for r in rows)
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(domain=[0, top * 1.05], nice=False),
        axis=alt.Axis(title=y_title, tickCount=5, format="~s"),
    )
    shown = alt.Legend(columns=1 if narrow else 3, symbolType="stroke", labelLimit=280)
    legend = shown if len(names) > 1 else None  # one legend for colour and dash
    colour = alt.Color(
        "series:N",
        scale=alt.Scale(domain=names, range=list(theme.SERIES[: len(names)])),
        legend=legend,
    )
    dash = alt.StrokeDash(
        "series:N",
        scale=alt.Scale(domain=names, range=list(theme.DASHES[: len(names)])),
        legend=legend,
    )
    layers = []
    if any("low" in r for r in rows):
        only = data.transform_filter("isValid(datum.low)")
        layers.append(
            only.mark_area(opacity=0.15).encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour)
        )
    layers.append(data.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash))
    layers.append(
        data.mark_point(filled=True, size=45, opacity=1).encode(
            x=x,
            y=y,
            color=colour,
            tooltip=[
                alt.Tooltip("series:N", title=" "),
                alt.Tooltip("x:Q", title=x_title, format=","),
                alt.Tooltip("shown:N", title=y_title),
            ],
        )
    )
    return theme.finish(alt.layer(*layers), {"rows": rows}, y_title=True)
