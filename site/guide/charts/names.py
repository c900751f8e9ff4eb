"""Where the names of marks may stand in a picture, so that none covers another, nor a mark."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: Where a name may stand beside its mark, best first: alignment, offset right and down in pixels.
SIDES = (
    ("left", 9, -9),
    ("right", -9, -9),
    ("left", 10, 0),
    ("right", -10, 0),
    ("left", 9, 12),
    ("right", -9, 12),
    ("center", 0, -15),
    ("center", 0, 17),
    ("left", 6, -20),
    ("right", -6, -20),
    ("left", 6, 21),
    ("right", -6, 21),
)
#: A longer name is cut.
LIMIT_PX = 230
#: Mean width of a letter as a share of the type size, for Inter at 600.
LETTER = 0.57
#: Half the width of a mark, and the least distance between a name and what it must not cover.
MARK_PX, GAP_PX = 5, 1

Place = tuple[float, float]
Box = tuple[float, float, float, float]


def sides(
    names: Sequence[str],
    marks: Sequence[Place],
    width: float,
    size: float,
    *,
    first: Sequence[int] = (),
    height: float = float("inf"),
    stretch: Sequence[float] = (1.0,),
) -> list[int | None]:
    """For each name (empty: none wanted) the index in ``SIDES`` at which it covers no other name and no mark,
    and is nearer to its own mark than to any other; None where there is no such place.

    ``marks`` are positions in pixels from the upper left, ``size`` is the type size. A name may not leave the
    picture's ``width`` and ``height``. The names at ``first`` are placed before the others, and get a place
    even among marks, the one that covers fewest; the others from above. In the browser a picture is
    ``stretch`` times as wide: a place must be free at each of those widths.
    """
    chosen: list[int | None] = [None] * len(names)
    taken: list[tuple[Box, ...]] = []
    for index in sorted(
        range(len(names)), key=lambda i: (i not in first, marks[i][1], marks[i][0], names[i])
    ):
        if not names[index]:
            continue
        choices = []
        for side in range(len(SIDES)):
            boxes = tuple(
                _box(names[index], (marks[index][0] * f, marks[index][1]), side, size) for f in stretch
            )
            inside = (_inside(box, width * f, height) for box, f in zip(boxes, stretch, strict=True))
            if not all(inside) or any(_meet(a, b) for old in taken for a, b in zip(boxes, old, strict=True)):
                continue
            covered = max(
                _misleading(box, [(x * f, y) for x, y in marks], index)
                for box, f in zip(boxes, stretch, strict=True)
            )
            choices.append((covered, side, boxes))
        if choices and (min(choices)[0] == 0 or index in first):
            _, chosen[index], boxes = min(choices)
            taken.append(boxes)
    return chosen


def _box(name: str, mark: Place, side: int, size: float) -> Box:
    align, right, down = SIDES[side]
    long = min(len(name) * size * LETTER, LIMIT_PX)
    left = mark[0] + right - {"left": 0.0, "center": long / 2, "right": long}[align]
    middle = mark[1] + down
    return left, middle - size * 0.5, left + long, middle + size * 0.5


def _square(mark: Place) -> Box:
    """What a mark takes, with the least distance around it."""
    reach = MARK_PX + GAP_PX
    return mark[0] - reach, mark[1] - reach, mark[0] + reach, mark[1] + reach


def _misleading(box: Box, marks: Sequence[Place], own: int) -> int:
    """How many other marks the name covers, or is nearer to than to its own: it would seem to be theirs."""
    near = _distance(box, marks[own])
    return sum(_meet(box, _square(mark)) or _distance(box, mark) < near for mark in marks)


def _distance(box: Box, mark: Place) -> float:
    return math.hypot(max(box[0] - mark[0], 0, mark[0] - box[2]), max(box[1] - mark[1], 0, mark[1] - box[3]))


def _inside(box: Box, width: float, height: float) -> bool:
    return box[0] >= 0 and box[2] <= width and box[1] >= -2 * MARK_PX and box[3] <= height


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
