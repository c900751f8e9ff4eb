"""The Atom feed of what moved in the guide, for those who do not come back to look.

Each answer that changed is an entry, and so is the evidence of each publication. An entry's ``id`` is its
address on the page of changes: it names the publication before, so that building again, with more rows or
fewer, renews an entry instead of telling it twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from xml.etree import ElementTree as ET

from guide import paths
from guide.publish.moved import Movement, Shift
from guide.show import figures
from guide.show.markup import plain

PATH = "feed.xml"
NAMESPACE = "http://www.w3.org/2005/Atom"
#: Entries that are kept, the newest first.
MOST = 60


@dataclass(frozen=True)
class Entry:
    """One thing that moved: ``anchor`` on the page of changes, what it says, its further lines, its day."""

    anchor: str
    title: str
    summary: str
    lines: tuple[str, ...]
    day: date


def entries(found: Sequence[Movement]) -> tuple[Entry, ...]:
    """The entries of the movements, in their order."""
    return tuple(entry for movement in found for entry in _entries(movement))


def _entries(movement: Movement) -> Iterator[Entry]:
    for shift in movement.answers:
        title = f"{shift.title}: {shift.sentence}"
        yield Entry(anchor(movement, shift), title, shift.sentence, shift.why, movement.as_of)
    if movement.since is None:
        yield Entry(
            movement.key, "First publication", "The guide is published.", counted(movement), movement.as_of
        )
    elif lines := (*counted(movement), *news(movement)):
        title = f"What is new since {figures.day(movement.since)}"
        yield Entry(movement.key, title, lines[0], lines, movement.as_of)


def anchor(movement: Movement, shift: Shift) -> str:
    """The fragment of a changed answer on the page of changes."""
    return f"{movement.key}-{shift.key}"


def counted(movement: Movement) -> tuple[str, ...]:
    """How the counts moved: ``rows: 9,100 → 9,512``."""
    names = {"ok_rows": "figures", "runs": "runs measured here"}
    return tuple(
        f"{names.get(name, name).capitalize()}: {f'{before:,} → ' if movement.since else ''}{after:,}."
        for name, before, after in movement.counts
    )


def news(movement: Movement) -> tuple[str, ...]:
    """What is new or gone, a sentence each."""
    lines = [f"New source: {title}." for title in movement.new_sources]
    lines += [f"Source gone: {title}." for title in movement.gone_sources]
    lines += [f"New device: {label}." for _, label in movement.new_devices]
    lines += [f"Device gone: {label}." for label in movement.gone_devices]
    by_source: Counter[tuple[str, bool]] = Counter()
    for source, _, _, change in movement.rows:
        by_source[source, change > 0] += abs(change)
    for (source, more), count in by_source.items():
        lines.append(f"{'New rows' if more else 'Rows gone'}: {count:,} of {source}.")
    lines += [_left_out(*one) for one in movement.left_out]
    if movement.bests:
        lines.append(f"The fastest changed on {figures.plural(len(movement.bests), 'task')}.")
    if movement.prices:
        lines.append(f"{figures.plural(len(movement.prices), 'price')} changed.")
    return tuple(lines)


def _left_out(why: str, before: int | None, now: int | None) -> str:
    """``Left out: run 1: withdrawn: a fan had stopped (23 rows).``"""
    if now is None:
        return f"No longer left out: {why}{f' ({_rows(before)})' if before else ''}."
    was = f", {before:,} before" if before is not None else ""
    return f"Left out: {why}{f' ({_rows(now)}{was})' if now else ''}."


def _rows(count: int) -> str:
    return figures.plural(count, "row")


def atom(found: Sequence[Movement], site_url: str, title: str) -> bytes:
    """The feed. ``site_url`` is the guide's own address. Raises ``ValueError`` without movements."""
    if not found:
        raise ValueError("A feed needs at least one movement")
    site_url = f"{site_url.rstrip('/')}/"
    page = f"{site_url}{paths.address(paths.CHANGES)}"
    feed = ET.Element("feed", {"xmlns": NAMESPACE, "xml:lang": "en"})
    _text(feed, "id", f"{site_url}{PATH}")
    _text(feed, "title", f"{title}: what moved")
    told = entries(found)[:MOST]
    _text(feed, "updated", _moment(told[0].day, _below(told, 0)))
    ET.SubElement(feed, "link", {"rel": "self", "type": "application/atom+xml", "href": f"{site_url}{PATH}"})
    ET.SubElement(feed, "link", {"rel": "alternate", "type": "text/html", "href": page})
    _text(ET.SubElement(feed, "author"), "name", title)
    for place, entry in enumerate(told):
        _entry(feed, entry, f"{page}#{entry.anchor}", _below(told, place))
    ET.indent(feed)
    return ET.tostring(feed, encoding="utf-8", xml_declaration=True) + b"\n"


def _below(told: Sequence[Entry], place: int) -> int:
    """Entries of the same day further down: each gets a second of its own, since readers sort by time."""
    return sum(entry.day == told[place].day for entry in told[place + 1 :])


def _entry(feed: ET.Element, entry: Entry, address: str, second: int) -> None:
    node = ET.SubElement(feed, "entry")
    _text(node, "id", address)
    _text(node, "title", entry.title)
    _text(node, "updated", _moment(entry.day, second))
    ET.SubElement(node, "link", {"rel": "alternate", "type": "text/html", "href": address})
    _text(node, "summary", entry.summary)
    if entry.lines:
        content = ET.SubElement(node, "content", {"type": "xhtml"})
        block = ET.SubElement(content, "div", {"xmlns": "http://www.w3.org/1999/xhtml"})
        _text(block, "p", entry.summary)
        listed = ET.SubElement(block, "ul")
        for line in entry.lines:
            _text(listed, "li", line)


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = plain(text)


def _moment(day: date, second: int) -> str:
    return f"{day.isoformat()}T00:{second // 60:02}:{second % 60:02}Z"
