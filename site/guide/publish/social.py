"""Social cards: the picture that a link to a page shows elsewhere, with the page's own figures on it.

The home page, the answers, the workloads and the questions under Why have one each; other pages show the home
page's. A card is an SVG
put together here and drawn by the charts' renderer in the site's own font, kept as long as nothing on it
changes: drawing takes 0.1 s a card.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.metadata import version
from pathlib import Path

from guide import paths
from guide.charts.cache import kept_bytes
from guide.context import Context
from guide.decide.verdicts import Answer
from guide.model import Task
from guide.show import figures
from guide.show.markup import plain
from guide.site_files import Card, SiteFile
from guide.views import answers, families, words

WIDTH_PX, HEIGHT_PX = 1200, 630
#: Lines of figures that a card has room for.
ROWS = 5
_INK, _SOFT, _LINE, _ACCENT, _PAPER = "#14181f", "#4b5462", "#c9ced6", "#1d4f91", "#ffffff"
_LEFT, _RIGHT = 80, 1120
#: What stands before a pick that is no plain one.
_CALLS = {"close": "a close call", "depends": "it depends", "alone": "hardly a choice"}
#: Widths of letters in ems: close enough to know when a line is full.
_NARROW, _WIDE, _OTHER = 0.34, 0.92, 0.6


@dataclass(frozen=True)
class Picture:
    """What stands on a card: what it is about, the page's own line, figures with what each is of."""

    kicker: str
    title: str
    rows: tuple[tuple[str, str], ...]
    foot: str

    @property
    def alt(self) -> str:
        """The card in words."""
        told = "; ".join(f"{name}: {value}" if value else name for name, value in self.rows)
        return plain(f"{self.title}. {told}. {self.foot}" if told else f"{self.title}. {self.foot}")


def cards(ctx: Context) -> tuple[dict[str, Card], list[SiteFile]]:
    """The card of each page that has one, by the page's path, and the cards' files."""
    by_page: dict[str, Card] = {}
    files: dict[str, SiteFile] = {}
    for page, picture in _pictures(ctx):
        text = svg(picture)
        path = f"assets/social/{_key(text)[:12]}.png"
        by_page[page] = Card(path, picture.alt)
        files[path] = SiteFile(path, drawn(text))
    return by_page, [files[path] for path in sorted(files)]


def _pictures(ctx: Context) -> Iterator[tuple[str, Picture]]:
    evidence = ctx.evidence
    if not evidence.rows or evidence.as_of is None:
        return
    name = ctx.publication.site_name
    counts = evidence.counts
    foot = (
        f"Data as of {figures.day(evidence.as_of)} · {figures.plural(counts.devices, 'device')} · "
        f"{figures.plural(counts.ok_rows, 'figure')} · {figures.plural(counts.sources, 'source')}"
    )
    picks = tuple((answer.title, _pick(answer)) for answer in ctx.answers)
    yield paths.HOME, Picture(name, "Which hardware should run your AI work?", picks[:ROWS], foot)
    yield paths.SCENARIOS, Picture(name, "Answers for each reader", picks[:ROWS], foot)
    for answer in ctx.answers:
        yield paths.scenario(answer.scenario_key), _answer(answer, ctx, name, foot)
    yield from _workloads(ctx, name, foot)
    yield from _why(ctx, name, foot)


def _pick(answer: Answer) -> str:
    shown = answers.route_words(answer.pick) if answer.pick else "not enough evidence yet"
    return f"{_CALLS[answer.call]}: {shown}" if answer.call in _CALLS else shown


def _answer(answer: Answer, ctx: Context, name: str, foot: str) -> Picture:
    scenario = next(s for s in ctx.evidence.settings.scenarios if s.key == answer.scenario_key)
    card = answers.card(answer, scenario)
    rows = []
    if card.options:
        rows += [(f"wins in {share}", option) for option, share in card.options]
    if card.price:
        rows.append(("Price", f"{card.price} ({card.seen.split(';')[0].split(',')[0]})"))
    rows += card.facts
    rows += [("Confidence", card.sure)] if card.sure else []
    title = card.pick if answer.pick else "Not enough evidence yet"
    return Picture(f"{name} · {answer.title} · {card.call_words}", title, tuple(rows[:ROWS]), foot)


def _workloads(ctx: Context, name: str, foot: str) -> Iterator[tuple[str, Picture]]:
    from guide.pages.workloads import title_of

    evidence = ctx.evidence
    by_workload: dict[str, list[Task]] = {}
    for task in evidence.tasks:
        by_workload.setdefault(task.workload, []).append(task)
    best = []
    for workload, tasks in by_workload.items():
        headline = families.groups(tasks, dict(evidence.sources))[0].headline
        if not headline.standings:
            continue
        title = title_of(workload)
        best.append((-len(headline.standings), title, _standing(headline, 0)))
        rows = tuple(_standing(headline, place) for place in range(min(ROWS - 1, len(headline.standings))))
        picture = Picture(f"{name} · {title}", f"Fastest on {headline.short_label}", rows, foot)
        yield paths.workload(workload), picture
    rows = tuple((title, f"{system}, {rate}") for _, title, (system, rate) in sorted(best))
    yield paths.WORKLOADS, Picture(name, "Workloads", rows[:ROWS], foot)


def _why(ctx: Context, name: str, foot: str) -> Iterator[tuple[str, Picture]]:
    """The questions: the title is half of each, the figures are the other."""
    first = tuple((topic.nav, ": ".join(topic.facts[0])) for topic in ctx.topics if topic.facts)
    yield paths.WHY, Picture(name, "Why the figures are as they are", first[:ROWS], foot)
    for topic in ctx.topics:
        yield topic.path, Picture(f"{name} · Why", topic.title, tuple(topic.facts[:ROWS]), foot)


def _standing(task: Task, place: int) -> tuple[str, str]:
    result = task.standings[place].result
    interval = words.interval_words(result)
    unit = words.header_unit(task.unit)
    rate = f"{words.rate_words(result.rate or 0.0, task.unit)} {unit}".strip()
    return result.system.label, f"{rate} [{interval}]" if interval else rate


def svg(picture: Picture) -> str:
    """The card as an SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH_PX}" height="{HEIGHT_PX}" '
        f'viewBox="0 0 {WIDTH_PX} {HEIGHT_PX}" font-family="Inter">',
        f'<rect width="{WIDTH_PX}" height="{HEIGHT_PX}" fill="{_PAPER}"/>',
        f'<rect width="14" height="{HEIGHT_PX}" fill="{_ACCENT}"/>',
        _line(_LEFT, 92, 28, fitted(picture.kicker, 28), _ACCENT, weight=600),
    ]
    lines = wrapped(picture.title, 56, 2)
    parts += [_line(_LEFT, 168 + 66 * n, 56, text, _INK, weight=600) for n, text in enumerate(lines)]
    top = 190 + 66 * len(lines)
    step = min(58.0, (540 - top) / max(len(picture.rows), 1))
    for number, (name, value) in enumerate(picture.rows):
        y = top + step * number
        parts.append(f'<path d="M{_LEFT} {y:g}H{_RIGHT}" stroke="{_LINE}"/>')
        name = fitted(name, 26, 420)
        room = _RIGHT - _LEFT - width(name, 26) - 30
        parts.append(_line(_LEFT, y + 38, 26, name, _SOFT))
        parts.append(_line(_RIGHT, y + 38, 28, fitted(value, 28, room), _INK, weight=600, end=True))
    parts.append(_line(_LEFT, 588, 22, fitted(picture.foot, 22), _SOFT))
    return "".join([*parts, "</svg>"])


def _line(x: float, y: float, size: int, text: str, fill: str, weight: int = 400, end: bool = False) -> str:
    anchor = ' text-anchor="end"' if end else ""
    shown = escape(plain(text))
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" fill="{fill}"{anchor}>'
        f"{shown}</text>"
    )


def width(text: str, size: float) -> float:
    """About how wide a line is, in pixels."""
    ems = (
        _NARROW if c in " .,:;|!'()[]ijlftIr-·" else _WIDE if c in "mwMW@%×" or ord(c) > 0x2E80 else _OTHER
        for c in text
    )
    return sum(ems) * size


def fitted(text: str, size: float, room: float = _RIGHT - _LEFT) -> str:
    """``text``, cut with an ellipsis where it does not fit."""
    if width(text, size) <= room:
        return text
    while text and width(f"{text}…", size) > room:
        text = text[:-1]
    return f"{text.rstrip(' ,;·')}…"


def wrapped(text: str, size: float, most: int) -> list[str]:
    """``text`` in at most that many lines."""
    lines, rest = [], text.split()
    while rest and len(lines) < most - 1:
        line = [rest.pop(0)]
        while rest and width(" ".join([*line, rest[0]]), size) <= _RIGHT - _LEFT:
            line.append(rest.pop(0))
        lines.append(fitted(" ".join(line), size))
    return [*lines, fitted(" ".join(rest), size)] if rest else lines


def drawn(text: str) -> bytes:
    """A card's SVG as a PNG."""

    def make() -> bytes:
        import vl_convert

        from guide.charts import static

        static.register_fonts()
        return _smaller(vl_convert.svg_to_png(text, scale=1.0))

    return kept_bytes(f"card/{_key(text)}.png", make)


def _key(text: str) -> str:
    return hashlib.sha256(f"{text}\0{_tools()}".encode()).hexdigest()[:20]


def _smaller(png: bytes) -> bytes:
    """The same picture, pressed harder: the renderer's own is four times as large."""
    at, pixels, head = 8, b"", b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        pixels += content if kind == b"IDAT" else b""
        head = content if kind == b"IHDR" else head
        at += length + 12
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(zlib.decompress(pixels), 6)), (b"IEND", b""))
    chunks = (struct.pack(">I", len(c)) + k + c + struct.pack(">I", zlib.crc32(k + c)) for k, c in parts)
    return png[:8] + b"".join(chunks)


@cache
def _tools() -> str:
    """What a card depends on beside its text: the renderer, the font, and how this module uses them."""
    from guide.charts.static import FONTS

    seen = hashlib.sha256(version("vl-convert-python").encode())
    for path in (*sorted(FONTS.glob("*.ttf")), Path(__file__)):
        seen.update(path.read_bytes())
    return seen.hexdigest()
