"""Pieces of a page come in the order in which a person reads them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extractors._reading_order import Piece, paragraphs


def line(text: str, x: float, y: float, *, width: float = 200, height: float = 10) -> Piece:
    return Piece(x, y, x + width, y + height, text)


def column(name: str, x: float, *, top: float = 100, rows: int = 8) -> list[Piece]:
    return [line(f"{name} has a sentence {row}", x, top + row * 14) for row in range(rows)]


def test_lines_come_from_top_to_bottom() -> None:
    assert paragraphs([line("second", 0, 12), line("first", 0, 0)]) == ["first\nsecond"]


def test_a_wider_space_begins_a_paragraph() -> None:
    assert paragraphs([line("one", 0, 0), line("two", 0, 30)]) == ["one", "two"]


def test_pieces_of_one_line_are_joined_as_far_apart_as_they_stand() -> None:
    row = [line("c", 150, 1, width=20), line("a", 0, 0, width=50), line("b", 53, 0, width=50)]

    assert paragraphs(row) == ["a b   c"]


def test_the_left_column_is_read_before_the_right_one() -> None:
    found = "\n".join(paragraphs([*column("right", 300), *column("left", 0)])).split("\n")

    assert found == [f"{name} has a sentence {row}" for name in ("left", "right") for row in range(8)]


def test_three_columns_are_read_one_after_the_other() -> None:
    found = "\n".join(paragraphs([*column("three", 600), *column("one", 0), *column("two", 300)]))

    assert found.index("one has a sentence 7") < found.index("two has a sentence 0")
    assert found.index("two has a sentence 7") < found.index("three has a sentence 0")


def test_a_title_over_both_columns_and_a_figure_between_them_part_what_is_above_from_what_is_below() -> None:
    title = line("the title", 0, 0, width=500)
    figure = line("the figure", 0, 250, width=500)
    above, below = [*column("a", 0), *column("b", 300)], [*column("c", 0, top=300), *column("d", 300, top=300)]

    found = "\n".join(paragraphs([*below, figure, *above, title])).split("\n")

    order = [found.index(text) for text in ("the title", "a has a sentence 0", "b has a sentence 0", "the figure")]
    assert order == sorted(order)
    assert found.index("the figure") < found.index("c has a sentence 0") < found.index("d has a sentence 0")


def test_a_list_with_hanging_numbers_stays_in_its_column() -> None:
    left = column("left", 0)
    right = [line(f"[{n}] begins an entry here", 290, 100 + n * 28) for n in range(4)]
    right += [line(f"and goes on, entry {n} that is", 305, 114 + n * 28) for n in range(4)]

    found = "\n".join(paragraphs([*right, *left]))

    assert found.index("left has a sentence 7") < found.index("[0]")
    assert found.index("[0]") < found.index("entry 0") < found.index("[1]")


def test_cells_of_a_table_without_rules_stay_in_their_rows() -> None:
    cells = [line(f"{name}{row}", x, row * 14, width=40) for row in range(8) for name, x in (("a", 0), ("b", 200))]

    assert paragraphs(cells) == ["\n".join(f"a{row}   b{row}" for row in range(8))]


def test_two_small_lines_beside_a_large_one_are_not_mixed() -> None:
    pieces = [
        line("large", 0, 0, width=90, height=24),
        line("first small", 100, 0, width=90, height=13),
        line("second small", 100, 11, width=90, height=13),
    ]

    assert "\n".join(paragraphs(pieces)).split("\n") == ["large first small", "second small"]


def test_text_that_runs_leftwards_is_joined_from_the_right() -> None:
    row = [line("שנייה", 0, 0, width=50), line("ראשונה", 53, 0, width=50)]

    assert paragraphs(row) == ["ראשונה שנייה"]


def test_the_right_column_comes_first_where_text_runs_leftwards() -> None:
    right = [line(f"עמודה ימנית עם משפט {row}", 300, 100 + row * 14) for row in range(8)]
    left = [line(f"עמודה שמאלית עם משפט {row}", 0, 100 + row * 14) for row in range(8)]

    found = "\n".join(paragraphs([*left, *right]))

    assert found.index("ימנית עם משפט 7") < found.index("שמאלית עם משפט 0")


def test_a_block_stands_by_itself() -> None:
    block = Piece(0, 20, 200, 60, "| a |\n| --- |", is_block=True)

    assert paragraphs([line("after", 0, 62), block, line("before", 0, 8)]) == ["before", "| a |\n| --- |", "after"]


coordinates = st.floats(min_value=-1e6, max_value=1e6, allow_nan=False)
pieces = st.builds(
    lambda x, y, w, h, n: Piece(x, y, x + w, y + h, f"piece{n}"),
    coordinates,
    coordinates,
    st.floats(min_value=0, max_value=1e3),
    st.floats(min_value=0, max_value=1e3),
    st.integers(min_value=0, max_value=10**9),
)


@given(st.lists(pieces, max_size=60))
def test_no_piece_is_lost_or_told_twice(given_pieces: list[Piece]) -> None:
    found = "\n".join(paragraphs(given_pieces))

    assert sorted(found.replace("piece", " ").split()) == sorted(
        piece.text.removeprefix("piece") for piece in given_pieces
    )
