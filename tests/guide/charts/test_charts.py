"""Charts: valid, small, without fixed colours, described in words, the same picture every time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import altair
import pytest
import vl_convert

from bench.errors import BenchError
from guide.charts import SPEC_LIMIT_BYTES, Chart, chart_files, spec_bytes, static, svg, theme, vega
from guide.charts.bars import Bar, bars
from guide.charts.heatmap import Tile, heatmap
from guide.charts.lines import MAX_SERIES, Sample, lines
from guide.charts.roofline import Roof, Spot, roofline
from guide.charts.scatter import Point, scatter

HOSTILE = 'Card <b>"x"</b> & \x1b[31mred\x00 \u202eback \ud800'


def some_bars() -> Chart:
    return bars(
        [
            Bar("H100", 25.9, 24.1, 27.2, "nvidia", 1),
            Bar("RX 7900", 14.2, vendor="amd", tier=2, hollow=True),
            Bar("T4", None, note="out of memory", vendor="nvidia"),
            Bar(HOSTILE, 1.0, 0.9, 1.1, "cpu", 3),
        ],
        title="Speedup",
        unit="times as fast",
        ratio=True,
    )


def some_points(*, far: float = 1) -> Chart:
    points = [
        Point("A", 300, 5.5, vendor="intel", frontier=True),
        Point("B", 900, 14, 13, 15, 800, 1000, vendor="amd", frontier=True),
        Point(HOSTILE, 5200 * far, 8.1, vendor="apple"),
    ]
    return scatter(points, title="Money", x_title="Price, USD", y_title="Times the CPU")


def some_tiles() -> Chart:
    tiles = [Tile(length, batch, 1000.0 * batch / length) for length in (128, 512) for batch in (1, 8)]
    return heatmap([*tiles, Tile(2048, 8, None, "oom", detail=HOSTILE)], title="Decode", unit="tokens/s")


def some_lines() -> Chart:
    samples = [
        Sample(s, x, 60 - x / 200, 50 - x / 200, 70 - x / 200) for s in ("A", HOSTILE) for x in (512, 4096)
    ]
    return lines(samples, title="Over length", x_title="Context, tokens", y_title="tokens/s", log_x=True)


def some_roofs() -> Chart:
    roofs = [Roof("fp32", 84e9, 18e9), Roof("bf16", 160e9, 18e9)]
    return roofline(roofs, [Spot("decode", 0.5, 7e9, "memory"), Spot(HOSTILE, 200, 70e9)], title="Roofline")


MAKERS = [some_bars, some_points, lambda: some_points(far=30), some_tiles, some_lines, some_roofs]


def texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [t for v in value.values() for t in texts(v)]
    return [t for v in value for t in texts(v)] if isinstance(value, list) else []


def test_altair_writes_a_version_that_the_renderer_knows() -> None:
    assert vega.vegalite_version() in vl_convert.get_vegalite_versions()
    assert altair.SCHEMA_VERSION.startswith(f"v{vega.vegalite_version()}")


@pytest.mark.parametrize("make", MAKERS)
def test_a_chart_fits_the_schema_and_checking_it_changes_nothing(
    make: Callable[[], Chart], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = make()
    monkeypatch.setattr(theme, "VALIDATE", True)
    checked = make()
    assert checked.wide == quick.wide
    assert checked.narrow == quick.narrow


@pytest.mark.parametrize("make", MAKERS)
def test_every_kind_of_chart(make: Callable[[], Chart]) -> None:
    chart = make()
    files = chart_files(chart)
    assert files.by_path.keys() == {files.wide, files.narrow, files.vega}
    for path in (files.wide, files.narrow):
        content = files.by_path[path]
        assert len(content) < SPEC_LIMIT_BYTES
        found = texts(json.loads(content))
        assert [t for t in found if re.search(r"[\x00-\x1f\u202e\ud800]", t)] == []
        assert [t for t in found if re.fullmatch(r"#[0-9a-f]{3,8}", t)] == []
        assert any(t.startswith("var(--") for t in found)
    for picture in (files.wide_svg, files.narrow_svg):
        assert picture.startswith("<svg ")
        assert "var(--" in picture
        assert "<b>" not in picture
        assert 'width="' not in picture.split(">", 1)[0], "the picture does not scale with its box"
        ids = re.findall(r'\bid="([^"]+)"', picture)
        assert all(name.startswith("c") for name in ids)
    assert len(chart.alt) > 40
    assert chart.figures
    assert all(len(row) == len(chart.headers) for row in chart.figures)
    again = chart_files(make())
    assert again == files


@pytest.mark.parametrize("name", ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"])
def test_a_name_is_never_taken_for_a_property_of_an_object(name: str, capfd: pytest.CaptureFixture) -> None:
    drawn = [
        bars([Bar(name, 2, 1, 3, "nvidia", 1), Bar("B", 1, vendor="amd")], title=name, unit=name),
        scatter(
            [Point(name, 300, 5, 4, 6, pick=True, frontier=True), Point("B", 900, 14, frontier=True)],
            title=name, x_title=name, y_title=name,
        ),
        heatmap([Tile(1, 1, 2.0), Tile(2, 1, None, name, name, name)], title=name, unit=name, x_title=name),
        lines([Sample(s, x, x, x - 1, x + 1) for s in (name, "B") for x in (5, 9)],
              title=name, x_title=name, y_title=name),
        roofline([Roof(name, 84e9, 18e9), Roof("B", 160e9, 18e9)], [Spot(name, 0.5, 7e9)], title=name),
    ]  # fmt: skip
    for chart in drawn:
        files = chart_files(chart)
        for picture in (files.wide_svg, files.narrow_svg):
            assert re.search(rf">{name} ?</text>", picture)
            assert f">={name}" not in picture
    assert "Error" not in capfd.readouterr().err, "the renderer left something out"


def test_a_chart_that_cannot_be_drawn_is_named() -> None:
    broken = bars([Bar("A", 1)], title="Speed of A", unit="x")
    broken.wide["layer"][0]["encoding"]["x"]["axis"]["title"] = "constructor"
    with pytest.raises(BenchError, match="'Speed of A' cannot be drawn"):
        chart_files(broken)


def test_the_text_alternative_names_the_figures_and_what_is_missing() -> None:
    chart = some_bars()
    assert "H100, ×25.9 (24.1–27.2)" in chart.alt
    assert "T4 (out of memory)" in chart.alt
    assert ("T4", "out of memory", "not stated", "–") in chart.figures
    assert "A ($300, 5.50)" in some_points().alt
    assert "1 cell without a figure (OOM)" in some_tiles().alt.replace("\u00a0", " ")


def test_shortening_a_picture_leaves_its_figures_alone() -> None:
    picture = chart_files(bars([Bar("A", 1.0, 0.98, 1.02)], title="One", unit="x", ratio=True)).wide_svg
    assert "×1.00</text>" in picture


def test_bars_start_at_zero_and_log_axes_say_so() -> None:
    for spec in (some_bars().wide, some_bars().narrow):
        scales = [layer["encoding"]["x"].get("scale") for layer in spec["layer"] if "x" in layer["encoding"]]
        assert [s["domain"][0] for s in scales if s] == [0] * sum(bool(s) for s in scales)
    for chart, logs in ((some_points(), 0), (some_points(far=30), 1), (some_roofs(), 2), (some_lines(), 1)):
        text = json.dumps(chart.wide)
        titles = {t for t in texts(chart.wide) if t.endswith("(log scale)")}
        assert len(titles) == logs
        assert ('"type": "log"' in text) == bool(logs)


def test_a_table_of_bars_says_what_its_whiskers_are() -> None:
    prices = bars([Bar("A", 1.0, 0.5, 2.0)], title="T", unit="USD", whiskers="range of prices")
    assert prices.headers[2] == "range of prices"
    assert some_bars().headers[2] == "95 % interval"


def test_the_pick_is_named_though_it_is_off_the_frontier() -> None:
    points = [Point("A", 300, 9.0, frontier=True), Point("B", 900, 5.0, pick=True), Point("C", 600, 4.0)]
    drawn = scatter(points, title="T", x_title="USD", y_title="times")
    for spec in (drawn.wide, drawn.narrow):
        assert {r["label"] for r in spec["datasets"]["rows"] if "side" in r} == {"A", "B"}
        text = [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
        assert text and all(layer["mark"]["stroke"] == theme.PAPER for layer in text)


def test_charts_refuse_what_would_mislead() -> None:
    with pytest.raises(ValueError, match="no records"):
        bars([], title="Nothing", unit="x")
    with pytest.raises(ValueError, match="same label"):
        bars([Bar("A", 1), Bar("A", 2)], title="Twice", unit="x")
    with pytest.raises(ValueError, match="told apart"):
        lines([Sample(str(n), 1, 1) for n in range(MAX_SERIES + 1)], title="T", x_title="x", y_title="y")
    with pytest.raises(ValueError, match="two figures for one cell"):
        heatmap([Tile(1, 1, 1.0), Tile(1, 1, 2.0)], title="T", unit="x")
    with pytest.raises(ValueError, match="aggregate"):
        spec_bytes({"data": {"values": [{"x": n, "label": f"device {n}"} for n in range(5000)]}})


def test_marks_of_a_heat_map_have_ink_that_is_defined_with_their_shade() -> None:
    wide = some_tiles().wide
    values = wide["datasets"]["rows"]
    pairs = {(v["shade"], v["ink"]) for v in values if not v["missing"]}
    assert pairs <= set(theme.SHADES)
    assert len(pairs) > 1


def test_the_bundle_is_one_file_without_an_address_to_load_from() -> None:
    bundle = vega.bundle()
    assert bundle.path.startswith("assets/vega/vega-")
    assert b"vegaEmbed" in bundle.content
    assert b"cdn.jsdelivr.net" not in bundle.content


def test_round_ticks_of_a_log_axis() -> None:
    assert theme.decades(1, 100, 9) == [1, 2, 5, 10, 20, 50, 100]
    assert theme.decades(1, 1e6, 7) == [1, 10, 100, 1e3, 1e4, 1e5, 1e6]


def test_a_cache_that_cannot_be_written_costs_time_only(monkeypatch, tmp_path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("HWGUIDE_CACHE", str(blocked))
    spec = bars([Bar("A", 1.0)], title="One", unit="x").wide
    assert static.picture(spec, 400) == static.picture(spec, 400)


@pytest.mark.parametrize("make", MAKERS)
def test_a_chart_is_the_same_from_an_empty_cache_and_from_a_full_one(make, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("HWGUIDE_CACHE", str(tmp_path))
    monkeypatch.setattr(vega, "bundle", lambda: vega.Bundle("vega.js", b""))  # takes seconds to make
    cold, kept = chart_files(make()), sorted(p.name for p in tmp_path.rglob("*.*"))
    assert chart_files(make()) == cold
    assert sorted(p.name for p in tmp_path.rglob("*.*")) == kept
    assert [name.rpartition(".")[2] for name in kept].count("svg") == 2


def test_a_picture_says_nothing_twice_and_loses_no_mark() -> None:
    raw = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" width="9"><g fill="none">'
        '<g transform="translate(0,0)"><path class="background" d="M0,0h0v16h0Z"/>'
        '<line transform="translate(1,2)" x2="5" y2="0" stroke="red" stroke-width="1"/>'
        '<line transform="translate(1,3.26)" x2="5" y2="0" stroke="red" stroke-width="1"/></g>'
        '<g clip-path="url(#clip7)"><g transform="translate(0,0)"><path d="M0,0h4v2h-4Z" fill="blue" '
        'fill-opacity="0.15" stroke="blue" stroke-width="0"/></g></g>'
        '<text transform="translate(3,4)" font-size="12px" aria-label="1.00">a &lt; ×1.00</text></g>'
        '<defs><clipPath id="clip7"><path d="M0,0L4,0C4,1,4,2,3,2Z"/></clipPath></defs></svg>'
    )
    head, body = svg.smaller(raw, "c", "Inter").split(">", 1)
    assert 'viewBox="0 0 9 9"' in head
    assert 'width="' not in head
    assert body == (
        '<g fill="none"><g stroke="red"><path d="M1,2h5"/><path d="M1,3.3h5"/></g>'
        '<path d="M0,0L4,0C4,1,4,2,3,2Z" fill="blue" fill-opacity="0.15"/>'
        '<text x="3" y="4" font-size="12">a &lt; ×1.00</text></g></svg>'
    )


def test_a_roofline_says_in_its_caption_what_each_numbered_mark_is() -> None:
    roofs = [Roof("A", 84e12, 1e12)]
    spots = [Spot("fine-tune", 47.0, 8e12, "compute"), Spot("summarise", 7.4, 6e11, "memory")]
    assert (
        roofline(roofs, spots, title="Roofline", caption="Jobs.").caption
        == "Jobs. 1: summarise. 2: fine-tune."
    )
