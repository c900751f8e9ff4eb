"""A picture's SVG with nothing in it twice: half the bytes, the same marks.

The renderer wraps every mark in groups, repeats each attribute on each element, and cuts every rounded bar
out of a rectangle. A page holds two pictures of each chart, so this is most of what a chart weighs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from xml.etree import ElementTree as ET

#: What a group may say for all of its members.
_INHERITED = (
    "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "fill-opacity", "stroke-opacity",
    "font-size", "font-weight", "text-anchor",
)  # fmt: skip
#: Says what is so anyway, or is the page's matter.
_DEFAULT = {
    "stroke-width": "1", "opacity": "1", "fill-opacity": "1", "stroke-opacity": "1", "font-weight": "normal",
    "text-anchor": "start", "transform": "translate(0,0)",
}  # fmt: skip
_USELESS = ("class", "role", "pointer-events", "font-family", "stroke-miterlimit")
_MOVE = re.compile(r"translate\((-?[\d.]+),(-?[\d.]+)\)")
_COORDINATES = ("d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "viewBox", "r")


def smaller(svg: str, prefix: str, font: str) -> str:
    """The SVG without fixed size, hidden from assistive technology (the chart's box has the description).

    ``id``s become ``<prefix>-0``, … in the order in which they occur. Raises ``ValueError`` for a picture
    without a view box.
    """
    root = ET.fromstring(re.sub(r' xmlns(?::\w+)?="[^"]*"', "", svg))
    box = root.get("viewBox")
    if box is None:
        raise ValueError("The renderer gave a picture without a view box")
    names = {node.get("id"): f"{prefix}-{n}" for n, node in enumerate(root.iterfind(".//*[@id]"))}
    clips = {clip.get("id"): clip for clip in root.iter("clipPath")}
    for node in root.iter():
        _lighten(node, names)
    _cut(root, {f"url(#{names[name]})": clip for name, clip in clips.items()})
    _prune(root, "none" if root.get("fill") == "none" else "")
    _hoist(root)
    head = f'viewBox="{box}" font-family="{font}" aria-hidden="true" focusable="false"'
    body = "".join(map(_text, root))
    return f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{body}</svg>'


def _lighten(node: ET.Element, names: dict[str | None, str]) -> None:
    node.tail = None
    if node.get("stroke-width") == "0":
        del node.attrib["stroke-width"]
        node.attrib.pop("stroke", None)
    for key, value in list(node.attrib.items()):
        if key in _USELESS or key.startswith("aria-") or _DEFAULT.get(key) == value:
            del node.attrib[key]
            continue
        if key == "id":
            value = names[value]
        elif found := re.search(r"#([^)]*)", value) if "#" in value else None:
            value = value.replace(f"#{found[1]}", f"#{names.get(found[1], found[1])}")
        elif key in _COORDINATES:
            value = re.sub(r"-?\d+\.\d{2,}", lambda n: f"{float(n[0]):.1f}".removesuffix(".0"), value)
        elif key == "font-size":
            value = value.removesuffix("px")
        node.set(key, value)
    place = _MOVE.fullmatch(node.get("transform", ""))
    if place and node.tag == "text":
        del node.attrib["transform"]
        node.attrib = {"x": place[1], "y": place[2]} | node.attrib
    elif node.tag == "line" and (place or "transform" not in node.attrib):
        start = f"{place[1]},{place[2]}" if place else "0,0"
        across, down = node.get("x2", "0"), node.get("y2", "0")
        way = f"h{across}" if down == "0" else f"v{down}" if across == "0" else f"l{across},{down}"
        rest = {k: v for k, v in node.attrib.items() if k not in ("transform", "x2", "y2")}
        node.tag, node.attrib = "path", {"d": f"M{start}{way}"} | rest


def _cut(root: ET.Element, clips: dict[str, ET.Element]) -> None:
    """A rectangle that is cut to a rounded shape of its own becomes that shape."""
    for parent in list(root.iter()):
        for node in list(parent):
            clip = clips.get(node.get("clip-path", ""))
            marks = [leaf for leaf in node.iter() if leaf.tag != "g"]
            filled = [leaf for leaf in marks if leaf.get("fill") or leaf.get("stroke")]
            moved = any(leaf.get("transform") for leaf in node.iter())
            if clip is None or len(clip) != 1 or clip[0].tag != "path" or len(filled) != 1 or moved:
                continue
            rectangle = re.fullmatch(r"M0,0h([\d.]+)v([\d.]+)h-\1Z", filled[0].get("d", ""))
            if rectangle is None:
                continue
            filled[0].set("d", clip[0].get("d", ""))
            del node.attrib["clip-path"]
    used = {node.get("clip-path") for node in root.iter()}
    for parent in list(root.iter()):
        for node in list(parent):
            if node.tag == "clipPath" and f"url(#{node.get('id')})" not in used:
                parent.remove(node)


def _prune(node: ET.Element, fill: str) -> None:
    """Take out what cannot be seen, and groups that say nothing."""
    kept: list[ET.Element] = []
    for child in list(node):
        if child.tag == "clipPath":
            kept.append(child)
            continue
        inside = child.get("fill", fill)
        _prune(child, inside)
        if child.tag in ("g", "defs") and len(child) == 0:
            continue
        if child.tag == "title" or _unseen(child, inside):
            continue
        kept += _unwrapped(child)
    node[:] = kept


def _unseen(node: ET.Element, fill: str) -> bool:
    if node.tag != "path":
        return False
    return re.fullmatch(r"M0,0h0v[\d.]*h-?0Z", node.get("d", "")) is not None or (
        fill == "none" and not node.get("stroke")
    )


def _unwrapped(node: ET.Element) -> Iterator[ET.Element]:
    """The node, or its members where it is a group without attributes; moves of nested groups are added."""
    if node.tag != "g":
        yield node
    elif not node.attrib:
        yield from node
    elif len(node) == 1 and node[0].tag == "g" and (moved := _sum(node, node[0])) is not None:
        node[0].attrib = {**node.attrib, **node[0].attrib, "transform": moved}
        yield node[0]
    elif _mergeable(node):
        node[0].attrib = {**node.attrib, **node[0].attrib}
        yield node[0]
    else:
        yield node


def _mergeable(node: ET.Element) -> bool:
    """Whether the group's only member may say what the group says. What cuts a group is not moved with it."""
    if len(node) != 1 or node.attrib.keys() & node[0].attrib.keys():
        return False
    return not ("clip-path" in node.attrib and "transform" in node[0].attrib)


def _sum(outer: ET.Element, inner: ET.Element) -> str | None:
    first, second = (_MOVE.fullmatch(g.get("transform", "translate(0,0)")) for g in (outer, inner))
    if first is None or second is None or any(key in outer.attrib for key in ("clip-path", "opacity")):
        return None
    x, y = (float(first[n]) + float(second[n]) for n in (1, 2))
    return f"translate({x:.7g},{y:.7g})"


def _hoist(node: ET.Element) -> None:
    """Neighbours that say the same become a group that says it for them."""
    for child in node:
        _hoist(child)
    if node.tag not in ("g", "svg"):
        return
    gathered: list[ET.Element] = []
    run: list[ET.Element] = []
    for child in [*node, None]:
        if child is not None and (not run or _alike(run[0], child)):
            run.append(child)
            continue
        gathered += _group(run)
        run = [child] if child is not None else []
    node[:] = gathered
    if node.tag == "g" and len(node) == 1 and node[0].tag == "g" and _mergeable(node):
        only = node[0]
        node.attrib |= only.attrib
        node[:] = list(only)


def _says(node: ET.Element) -> dict[str, str]:
    return {key: value for key, value in node.attrib.items() if key in _INHERITED}


def _alike(a: ET.Element, b: ET.Element) -> bool:
    return a.tag == b.tag and bool(_says(a)) and _says(a) == _says(b)


def _group(run: list[ET.Element]) -> list[ET.Element]:
    if len(run) < 2:
        return run
    shared = _says(run[0])
    for node in run:
        for key in shared:
            del node.attrib[key]
    group = ET.Element("g", shared)
    group[:] = run
    return [group]


def _text(node: ET.Element) -> str:
    attributes = "".join(f' {key}="{escape(value)}"' for key, value in node.attrib.items())
    inside = escape(node.text or "", quote=False).replace("\n", " ") + "".join(map(_text, node))
    return f"<{node.tag}{attributes}>{inside}</{node.tag}>" if inside else f"<{node.tag}{attributes}/>"
