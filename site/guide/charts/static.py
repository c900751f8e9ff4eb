"""The static picture of a chart: an SVG inside the page, there without a script, in print and offline."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path

from markupsafe import Markup

from guide.charts import svg, theme
from guide.charts.cache import kept

FONTS = Path(__file__).parent / "fonts"


@cache
def register_fonts() -> None:
    """Make the site's own font known to the renderer, so that text has one width on every machine."""
    import vl_convert

    vl_convert.register_font_directory(str(FONTS))


@cache
def _tools() -> str:
    """A digest of all that a picture depends on beside its specification."""
    from guide.charts.vega import vegalite_version

    seen = hashlib.sha256(f"{version('vl-convert-python')}\0{vegalite_version()}".encode())
    for path in (*sorted(FONTS.glob("*.ttf")), Path(__file__), Path(svg.__file__)):
        seen.update(path.read_bytes())
    return seen.hexdigest()


def picture(spec: dict[str, object], width_px: int) -> Markup:
    """The specification drawn as SVG, scaling with its box; ``id``s are made unique to the chart."""
    text = json.dumps(spec | {"width": width_px}, sort_keys=True)
    key = hashlib.sha256(f"{text}\0{_tools()}".encode()).hexdigest()[:20]

    def make() -> str:
        import vl_convert

        from guide.charts.vega import vegalite_version

        register_fonts()
        drawn = vl_convert.vegalite_to_svg(text, vl_version=vegalite_version(), allowed_base_urls=[])
        return svg.smaller(drawn, f"c{key[:8]}", theme.FONT)

    return Markup(kept(f"svg/{key}.svg", make))
