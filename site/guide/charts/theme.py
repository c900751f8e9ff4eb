"""What all charts share: type, axes, colours. Every colour is a CSS variable that the style sheet defines."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from guide.charts.cache import kept

FONT = "Inter, system-ui, sans-serif"
INK, MUTED, GRID, PAPER = (f"var(--chart-{name})" for name in ("ink", "muted", "grid", "paper"))
BAND = "var(--chart-band)"
FRONTIER = "var(--chart-frontier)"
#: Widths of the static pictures in pixels; in the browser a chart fills its box.
WIDE_PX, NARROW_PX = 760, 340
#: Shades of a heat map from least to most, and the ink that reads on each.
SHADES = tuple((f"var(--heat-{n})", f"var(--heat-{n}-ink)") for n in range(1, 8))
SERIES = tuple(f"var(--series-{n})" for n in range(1, 7))
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3])

#: Before each value by which a chart sorts or groups, and an axis's expression that leaves it out again. Vega
#: keeps such values as properties of plain objects, which have a ``constructor`` and a ``toString`` already.
NAMED, SHOWN = "=", "slice(datum.label, 1)"

#: Whether charts are held against the schema while they are made (the tests do).
VALIDATE = False

VENDORS = {
    "nvidia": "NVIDIA",
    "amd": "AMD",
    "intel": "Intel",
    "apple": "Apple",
    "cpu": "CPU",
    "other": "Other",
}


def vendor_key(vendor: str | None, device_class: str | None = None) -> str:
    """The palette's key for a vendor; processors share one colour whoever makes them."""
    if device_class == "cpu":
        return "cpu"
    name = (vendor or "").strip().lower()
    return name if name in VENDORS else "other"


def vendor_colour(key: str) -> str:
    """The CSS colour of a palette key."""
    return f"var(--vendor-{key})"


def config() -> dict[str, Any]:
    """The Vega-Lite configuration of every chart."""
    axis = {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "gridColor": GRID,
        "domain": False,
        "ticks": False,
        "labelFont": FONT,
        "titleFont": FONT,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelPadding": 6,
        "titlePadding": 10,
        "labelLimit": 240,
    }
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "axis": axis,
        "axisY": {"titleAnchor": "end", "titleAngle": 0, "titleAlign": "left", "titleY": -14, "titleX": 0},
        "text": {"font": FONT, "fontSize": 12, "color": INK},
        "legend": {
            "labelColor": MUTED,
            "titleColor": MUTED,
            "labelFont": FONT,
            "titleFont": FONT,
            "labelFontSize": 12,
            "orient": "top",
            "direction": "horizontal",
            "symbolSize": 80,
            "symbolOpacity": 1,
            "title": None,
            "offset": 4,
        },
    }


def decades(low: float, high: float, most: int) -> list[float]:
    """Round ticks (1, 2, 5 times a power of ten) of a logarithmic axis; powers of ten where they are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [
            step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high
        ]
        if len(ticks) <= most:
            break
    return ticks


def drafted(draw: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A function that puts a specification together with Altair, asked only once for the same arguments.

    Its arguments must be what JSON can hold. Altair takes 100 ms a chart, a third of a build without this,
    and does not hold each part against its schema here: the tests do, for every kind of chart.
    """

    @functools.wraps(draw)
    def made(*args: Any, **named: Any) -> dict[str, Any]:
        def make() -> str:
            from altair.utils import schemapi

            with schemapi.debug_mode(VALIDATE):
                return json.dumps(draw(*args, **named))

        if VALIDATE:
            return json.loads(make())
        asked = json.dumps([draw.__module__, args, named], sort_keys=True)
        key = hashlib.sha256(f"{asked}\0{_tools()}".encode()).hexdigest()[:20]
        return json.loads(kept(f"draft/{key}.json", make))

    return made


@functools.cache
def _tools() -> str:
    """A digest of what a specification depends on beside its data: Altair, and this package's own text."""
    seen = hashlib.sha256(version("altair").encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        seen.update(path.read_bytes())
    return seen.hexdigest()


def finish(chart: Any, datasets: dict[str, list[dict[str, Any]]], *, y_title: bool = False) -> dict[str, Any]:
    """An Altair chart as a specification that fills its box, without Altair's own configuration.

    ``datasets`` are the rows by the names under which the chart uses them: Altair would copy them again
    and again. ``y_title`` leaves room for a title of the vertical axis between the legend and the plot.
    """
    spec = chart.to_dict(validate=VALIDATE)
    for layer in spec["layer"]:
        for channel in layer["encoding"].values():
            axis = channel.get("axis") if isinstance(channel, dict) else None
            if axis and (axis.get("title") or "").isidentifier():
                axis["title"] += " "  # what Vega looks up is then no property of an object
    spec["datasets"] = datasets
    spec |= {
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": 4,
        "config": config(),
    }
    if y_title:
        spec["config"]["legend"]["offset"] = 36
    return spec


def vendor_scale(keys: list[str]) -> Any:
    """The colour scale and legend of the vendors that occur, in the palette's fixed order."""
    import altair as alt

    present = [key for key in VENDORS if key in keys]
    scale = alt.Scale(domain=[VENDORS[key] for key in present], range=[vendor_colour(key) for key in present])
    legend = alt.Legend(title=None) if len(present) > 1 else None
    return alt.Color("vendor:N", scale=scale, legend=legend)
