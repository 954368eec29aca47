"""Tables without rules: an empty cell shifts no value, and other text is left as it is."""

from __future__ import annotations

import pymupdf

from extractors import extract_content


def text_of(rows: list[dict[int, str]], *, step: float = 16) -> str:
    document = pymupdf.open()
    page = document.new_page()
    for number, row in enumerate(rows):
        for x, text in row.items():
            page.insert_text((x, 100 + number * step), text, fontsize=10)
    return extract_content(document.tobytes(), media_type="application/pdf").text or ""


def test_values_stay_under_their_headings_where_cells_are_empty() -> None:
    text = text_of(
        [
            {60: "Code", 160: "Place", 260: "Expected", 360: "Actual"},
            {60: "SKU-1", 160: "A-12", 260: "450"},
            {160: "B-07", 360: "289"},
            {60: "SKU-2", 260: "780", 360: "778"},
        ]
    )

    assert "| Code | Place | Expected | Actual |\n| --- | --- | --- | --- |" in text
    assert "| SKU-1 | A-12 | 450 |  |\n|  | B-07 |  | 289 |\n| SKU-2 |  | 780 | 778 |" in text


def test_a_heading_that_stands_beside_its_values_shares_their_column() -> None:
    text = text_of(
        [
            {60: "Item", 160: "Count", 260: "Sum"},
            {60: "apples", 190: "12", 300: "1,000"},
            {60: "pears", 190: "15", 300: "2,000"},
            {60: "plums", 190: "18", 300: "3,000"},
        ]
    )

    assert "| Item | Count | Sum |\n| --- | --- | --- |\n| apples | 12 | 1,000 |" in text


def test_the_lines_before_and_after_a_table_are_not_in_it() -> None:
    row = {60: "a1", 160: "b1", 260: "c1"}
    text = text_of([{60: "a line of words before the table, as long as it is wide"}, row, row, row, {60: "after"}])

    assert text.endswith("| a1 | b1 | c1 |\n\nafter")
    assert "\n\na line of words before the table, as long as it is wide\n\n| a1" in text


def test_two_columns_and_few_rows_are_no_table() -> None:
    assert "|" not in text_of([{60: "Name", 260: "Wang"}, {60: "Age", 260: "42"}, {60: "City", 260: "Xi'an"}])
    assert "|" not in text_of([{60: "a", 160: "b", 260: "c"}, {60: "d", 160: "e", 260: "f"}])


def test_text_beside_a_table_is_not_drawn_into_it() -> None:
    prose = "a sentence that goes on over many lines beside it"

    assert "|" not in text_of([{60: prose, 380: "1", 440: "2"} for _ in range(4)])
