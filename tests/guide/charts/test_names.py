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
    squares = [names._square(mark) for mark in marks]
    assert not any(names._meet(box, square) for box in boxes for square in squares)


def test_a_name_stands_to_the_left_where_the_picture_ends() -> None:
    assert names.sides(["a long name"], [(690, 100)], 700, 12) == [1]
    assert names.sides(["a long name"], [(10, 100)], 700, 12) == [0]


def test_of_two_names_at_one_place_the_second_moves() -> None:
    first, second = names.sides(["upper", "lower"], [(100, 100), (100, 104)], 700, 12)
    assert first == 0
    assert second not in (0, None)


def test_the_first_gets_its_place_before_all_others_even_among_marks() -> None:
    marks = [(100 + 6 * n, 100 + 6 * m) for n in range(-12, 20) for m in range(-8, 8)]
    words = ["" for _ in marks]
    middle = marks.index((100, 100))
    words[middle] = "the pick"
    assert names.sides(words, marks, 700, 12)[middle] is None
    assert names.sides(words, marks, 700, 12, first=[middle])[middle] is not None


def test_a_place_is_free_at_each_width() -> None:
    """What lies left of the name in the static picture lies beneath it in a wider one."""
    marks = [(100, 100), (108, 91)]
    assert names.sides(["a name", ""], marks, 700, 12, stretch=(1.0,)) != [0, None]
    free = names.sides(["a name", ""], marks, 700, 12, stretch=(1.0, 1.5))[0]
    for factor in (1.0, 1.5):
        box = names._box("a name", (100 * factor, 100), free, 12)
        assert not names._meet(box, names._square((108 * factor, 91)))


@given(PLACES)
def test_a_name_is_nearest_to_its_own_mark(found) -> None:
    words, marks = [w for _, _, w in found], [(x, y) for x, y, _ in found]
    for index, side in enumerate(names.sides(words, marks, 700, 12)):
        if side is not None:
            box = names._box(words[index], marks[index], side, 12)
            own = names._distance(box, marks[index])
            assert all(own <= names._distance(box, mark) for mark in marks)
