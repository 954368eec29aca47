from __future__ import annotations

import pytest

from extractors import markdown


def test_first_row_is_the_head_and_short_rows_are_filled_up() -> None:
    rows = [["name", "price"], ["pen"], ["ink", "3", "left over"]]
    assert markdown.table(rows) == ("| name | price |  |\n| --- | --- | --- |\n| pen |  |  |\n| ink | 3 | left over |")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a|b", r"a\|b"),
        ("a\\b", r"a\\b"),
        ("a\\|b", r"a\\\|b"),
        ("a\r\nb\nc\rd", "a<br>b<br>c<br>d"),
        ("a\u2028b\x0bc", "a<br>b<br>c"),
        ("  a\n", "a"),
    ],
)
def test_nothing_in_a_cell_can_break_its_row(text: str, cell: str) -> None:
    assert markdown.escape_cell(text) == cell
    assert markdown.table([[text]]).count("\n") == 1


def test_table_of_nothing_is_no_text() -> None:
    assert markdown.table([]) == ""
    assert markdown.table([[], []]) == ""


def test_rows_as_lines_keep_every_cell_in_its_place() -> None:
    assert markdown.table_lines([["a", "", "b\nc"], ["", ""], ["", "d"]]) == "a |  | b c\n | d"


def test_marks_are_the_ones_the_contract_promises() -> None:
    assert markdown.page_mark(3) == "--- Page 3 ---"
    assert markdown.slide_mark(2) == "--- Slide 2 ---"
    assert markdown.sheet_heading("Sheet1") == "### Sheet1"
    assert markdown.image_reference("page 3") == "[image: page 3]"
    assert markdown.hidden("secret") == "[hidden text] secret"


def test_sheet_names_and_image_names_stay_on_one_line() -> None:
    assert markdown.sheet_heading("a\n# b") == "### a # b"
    assert markdown.image_reference("a\nb") == "[image: a b]"
