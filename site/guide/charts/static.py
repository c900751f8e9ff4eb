"""The static picture of a chart: an SVG inside the page, there without a script, in print and offline."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

from markupsafe import Markup

from guide.charts import theme
from guide.charts.cache import kept

FONTS = Path(__file__).parent / "fonts"


@cache
def _register_fonts() -> str:
    """Make the site's own font known to the renderer, so that text has one width on every machine.

    Returns a digest of the fonts.
    """
    import vl_convert

    vl_convert.register_font_directory(str(FONTS))
    seen = hashlib.sha256()
    for path in sorted(FONTS.glob("*.ttf")):
        seen.update(path.read_bytes())
    return seen.hexdigest()


def picture(spec: dict[str, object], width_px: int) -> Markup:
    """The specification drawn as SVG, scaling with its box; ``id``s are made unique to the chart."""
    from guide.charts.vega import vegalite_version

    text = json.dumps(spec | {"width": width_px}, sort_keys=True)
    parts = (text, version("vl-convert-python"), vegalite_version(), _register_fonts(), _clean.__doc__ or "")
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]

    def make() -> str:
        import vl_convert

        return vl_convert.vegalite_to_svg(text, vl_version=vegalite_version(), allowed_base_urls=[])

    return Markup(_clean(kept(f"svg/{key}.svg", make), f"c{key[:8]}"))


def _clean(svg: str, prefix: str) -> str:
    """Version 3: no fixed size, hidden from assistive technology (the chart's box has the description)."""
    head, rest = svg.split(">", 1)
    box = re.search(r'viewBox="[^"]*"', head)
    if box is None:
        raise ValueError("The renderer gave a picture without a view box")
    # The renderer counts its ids on from picture to picture: number them anew, so that order does not matter.
    for number, name in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]*)"', rest))):
        rest = rest.replace(f'id="{name}"', f'id="{prefix}-{number}"')
        rest = rest.replace(f"url(#{name})", f"url(#{prefix}-{number})")
        rest = rest.replace(f'href="#{name}"', f'href="#{prefix}-{number}"')
    rest = re.sub(r' (?:aria-[a-z]+|role|aria-roledescription|pointer-events)="[^"]*"', "", rest)
    rest = re.sub(r'<path class="background"[^>]*d="M0,0h0v0h0Z"[^>]*/>', "", rest)
    rest = re.sub(r'<path class="foreground"[^>]*/>', "", rest)
    rest = re.sub(r"<title>.*?</title>", "", rest, flags=re.DOTALL)
    rest = re.sub(r"<[^>]+>", lambda tag: _shorter(tag[0]), rest)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box[0]} font-family="{theme.FONT}" '
        f'aria-hidden="true" focusable="false">{rest}'
    )


def _shorter(tag: str) -> str:
    """A tag without what is the default anyway, its coordinates in tenths of a pixel."""
    tag = re.sub(r' (?:stroke-width="0"|(?:fill-)?opacity="1"|class="[^"]*"|font-family="[^"]*")', "", tag)
    return re.sub(r"-?\d+\.\d{2,}", lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), tag)
