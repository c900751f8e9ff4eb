"""Achieved against possible: the roofline of a device, and where its workloads stand below it.

The roof is min(peak FLOP/s, intensity x memory rate), after Williams, Waterman and Patterson,
"Roofline: an insightful visual performance model", CACM 52(4), 2009. Both axes are logarithmic, as is
customary for this chart, and say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from guide.charts import Chart, theme
from guide.show import figures
from guide.show.tables import Provenance


@dataclass(frozen=True)
class Roof:
    """A ceiling of the device: peak arithmetic in FLOP/s and memory rate in B/s, for one type."""

    label: str
    flops: float
    bytes_per_s: float


@dataclass(frozen=True)
class Spot:
    """A workload: its arithmetic intensity in FLOP/B and the FLOP/s that it reached. ``share`` says how much
    of its roof that is, where it stands below another than the highest one."""

    label: str
    intensity: float
    flops: float
    bound: str = ""
    share: str = ""
    origin: Provenance | None = None


def roofline(roofs: Sequence[Roof], spots: Sequence[Spot], *, title: str, caption: str = "") -> Chart:
    """Up to six roofs as lines and the workloads as numbered marks below them, named in the caption."""
    if not roofs or not spots:
        raise ValueError(f"The chart '{title}' needs a roof and a workload")
    if len(roofs) > len(theme.SERIES):
        raise ValueError(f"The chart '{title}' has {len(roofs)} roofs; {len(theme.SERIES)} can be told apart")
    ordered = sorted(spots, key=lambda s: (s.intensity, s.flops, s.label))
    left = min(min(s.intensity for s in spots) / 2, min(r.flops / r.bytes_per_s for r in roofs) / 4)
    right = max(max(s.intensity for s in spots) * 2, max(r.flops / r.bytes_per_s for r in roofs) * 4)
    lines = [
        {"roof": r.label, "x": x, "y": min(r.flops, x * r.bytes_per_s)}
        for r in roofs
        for x in sorted({left, r.flops / r.bytes_per_s, right})
    ]
    marks = [
        {"number": str(n), "label": s.label, "x": s.intensity, "y": s.flops, "bound": s.bound or "not known",
         "shown": figures.si(s.flops, "FLOP/s"), "share": _share(s, roofs)}
        for n, s in enumerate(ordered, 1)
    ]  # fmt: skip
    nearest = max(ordered, key=lambda s: _fraction(s, roofs))
    return Chart(
        title=title,
        caption=" ".join([caption, *(f"{m['number']}: {m['label']}." for m in marks)]).strip(),
        alt=f"Roofline chart of {figures.plural(len(spots), 'workload')} under "
        + ", ".join(
            f"{r.label} ({figures.si(r.flops, 'FLOP/s')}, {figures.si(r.bytes_per_s, 'B/s')})" for r in roofs
        )
        + f". Nearest to its roof: {nearest.label}, {_share(nearest, roofs)}.",
        wide=_draw(lines, marks, [r.label for r in roofs], narrow=False),
        narrow=_draw(lines, marks, [r.label for r in roofs], narrow=True),
        headers=("Workload", "No.", "FLOP/B", "Reached", "Of its roof", "Bound"),
        figures=[
            (m["label"], m["number"], figures.number(m["x"]), m["shown"], m["share"], m["bound"])
            for m in marks
        ],
        origins=[(None, None, None, s.origin, s.origin) for s in ordered],
    )


def _fraction(spot: Spot, roofs: Sequence[Roof]) -> float:
    return spot.flops / max(min(r.flops, spot.intensity * r.bytes_per_s) for r in roofs)


def _share(spot: Spot, roofs: Sequence[Roof]) -> str:
    return spot.share or figures.percent(_fraction(spot, roofs))


@theme.drafted
def _draw(
    lines: list[dict[str, Any]], marks: list[dict[str, Any]], names: list[str], *, narrow: bool
) -> dict[str, Any]:
    import altair as alt

    high = max(row["y"] for row in lines) * 1.8
    low = min(row["y"] for row in (*lines, *marks)) / 1.5
    places = [row["x"] for row in (*lines, *marks)]
    x = alt.X(
        "x:Q",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(
            title="Arithmetic intensity, FLOP/B (log scale)",
            format="~g",
            values=theme.decades(min(places), max(places), 5 if narrow else 9),
            grid=False,
        ),
    )
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(title="FLOP/s (log scale)", format="~s", values=theme.decades(low, high, 7)),
    )
    legend = alt.Legend(columns=1 if narrow else 3, symbolType="stroke", labelLimit=280)
    colour = alt.Color(
        "roof:N",
        scale=alt.Scale(domain=names, range=list(theme.SERIES[: len(names)])),
        legend=legend,
    )
    height = 280 if narrow else 360
    roofs = (
        alt.Chart(alt.NamedData("roofs"), height=height)
        .mark_line(strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=colour,
            strokeDash=alt.StrokeDash(
                "roof:N",
                scale=alt.Scale(domain=names, range=list(theme.DASHES[: len(names)])),
                legend=legend,
            ),
        )
    )
    spots = alt.Chart(alt.NamedData("marks"), height=height)
    tips = [
        alt.Tooltip("label:N", title="Workload"),
        alt.Tooltip("shown:N", title="Reached"),
        alt.Tooltip("share:N", title="Of its roof"),
        alt.Tooltip("bound:N", title="Bound"),
    ]
    layers = (
        roofs,
        spots.mark_point(filled=True, size=190, opacity=1, color=theme.INK).encode(x=x, y=y, tooltip=tips),
        spots.mark_text(fontSize=9, fontWeight=700, color=theme.PAPER).encode(
            x=x, y=y, text=alt.Text("number:N")
        ),
    )
    return theme.finish(alt.layer(*layers), {"roofs": lines, "marks": marks}, y_title=True)
