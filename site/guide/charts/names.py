"""Where the names of marks may stand in a picture, so that none covers another."""

from __future__ import annotations

from collections.abc import Sequence

#: Where a name may stand beside its mark, best first: alignment, offset right and down in pixels.
SIDES = (("left", 9, -9), ("right", -9, -9), ("left", 9, 13), ("right", -9, 13))
#: A longer name is cut.
LIMIT_PX = 230
#: Mean width of a letter as a share of the type size, for Inter at 600.
LETTER = 0.57

Box = tuple[float, float, float, float]


def sides(
    names: Sequence[str], marks: Sequence[tuple[float, float]], width: float, size: float
) -> list[int | None]:
    """For each name (empty: none wanted) the index in ``SIDES`` at which it covers no other name and the
    fewest marks; None where there is no such place.

    ``marks`` are positions in pixels from the upper left; names of the upper marks are placed first.
    ``size`` is the type size. A name may not leave the picture's ``width``.
    """
    chosen: list[int | None] = [None] * len(names)
    taken: list[Box] = []
    for index in sorted(range(len(names)), key=lambda i: (marks[i][1], marks[i][0], names[i])):
        if not names[index]:
            continue
        choices = []
        for side in range(len(SIDES)):
            box = _box(names[index], marks[index], side, size)
            if box[0] < 0 or box[2] > width or any(_meet(box, other) for other in taken):
                continue
            covered = sum(box[0] - 6 < x < box[2] + 6 and box[1] - 5 < y < box[3] + 5 for x, y in marks)
            choices.append((covered, side, box))
        if choices:
            _, chosen[index], box = min(choices)
            taken.append(box)
    return chosen


def _box(name: str, mark: tuple[float, float], side: int, size: float) -> Box:
    align, right, down = SIDES[side]
    long = min(len(name) * size * LETTER, LIMIT_PX)
    left = mark[0] + right - (0 if align == "left" else long)
    middle = mark[1] + down
    return left, middle - size * 0.7, left + long, middle + size * 0.7


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
