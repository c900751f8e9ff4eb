"""Vega, Vega-Lite and Vega-Embed as one file of the site, so that no page asks another host for them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from guide.charts.cache import kept


@dataclass(frozen=True)
class Bundle:
    """The script and its path in the site."""

    path: str
    content: bytes


@cache
def vegalite_version() -> str:
    """The Vega-Lite version that Altair writes for, as vl-convert names it: ``6.4``.

    Raises ``RuntimeError`` when vl-convert cannot draw what Altair writes.
    """
    name = f"vegalite-of-altair-{version('altair')}-vl-convert-{version('vl-convert-python')}.txt"
    return kept(name, _asked)  # both libraries take half a second to load


def _asked() -> str:
    import altair
    import vl_convert

    major, minor = altair.SCHEMA_VERSION.lstrip("v").split(".")[:2]
    if f"{major}.{minor}" not in vl_convert.get_vegalite_versions():
        raise RuntimeError(
            f"altair {altair.__version__} writes Vega-Lite {major}.{minor}, which vl-convert "
            f"{vl_convert.__version__} does not know: install versions that match"
        )
    return f"{major}.{minor}"


@cache
def bundle() -> Bundle:
    """The bundle, which defines ``vegaEmbed``. Made once per version of vl-convert (it takes seconds)."""

    def make() -> str:
        import vl_convert

        return vl_convert.javascript_bundle(vl_version=vegalite_version())

    name = f"vega-{version('vl-convert-python')}-{vegalite_version()}.js"
    content = kept(name, make).encode()
    return Bundle(f"assets/vega/vega-{hashlib.sha256(content).hexdigest()[:12]}.js", content)
