"""Names beside marks never cover each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from guide.charts import names

PLACES = st.lists(
    st.tuples(st.floats(0, 700), st.floats(0, 380), st.text("abcdefgh ", max_size=40)), max_size=12
)


@given(PLACES)
def test_no_two_names_meet_and_none_leaves_the_picture(found) -> None:
    words, marks = [w for _, _, w in found], [(x, y) for x, y, _ in found]
    sides = names.sides(words, marks, 700, 12)
    boxes = [names._box(words[i], marks[i], s, 12) for i, s in enumerate(sides) if s is not None]
    assert all(not names._meet(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(box[0] >= 0 and box[2] <= 700 for box in boxes)
    assert all(s is None for s, word in zip(sides, words, strict=True) if not word)


def test_a_name_stands_to_the_left_where_the_picture_ends() -> None:
    assert names.sides(["a long name"], [(690, 100)], 700, 12) == [1]
    assert names.sides(["a long name"], [(10, 100)], 700, 12) == [0]


def test_of_two_names_at_one_place_the_second_moves() -> None:
    first, second = names.sides(["upper", "lower"], [(100, 100), (100, 104)], 700, 12)
    assert first == 0
    assert second not in (0, None)
