"""Ruled tables of PDFs: every value in its own cell, and text that only looks ruled left as text."""

from __future__ import annotations

import pymupdf
import pytest

from extractors import extract_content
from extractors._pdf.ruled_cells import Rule, Rules, grids


def text_of(document: pymupdf.Document) -> str:
    return extract_content(document.tobytes(), media_type="application/pdf").text or ""


def grid(page: pymupdf.Page, xs: list[float], ys: list[float]) -> None:
    for y in ys:
        page.draw_line((xs[0], y), (xs[-1], y))
    for x in xs:
        page.draw_line((x, ys[0]), (x, ys[-1]))


def new_page() -> tuple[pymupdf.Document, pymupdf.Page]:
    document = pymupdf.open()
    return document, document.new_page()


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_table_on_a_turned_page_is_read_as_it_is_seen(rotation: int) -> None:
    document, page = new_page()
    page.set_rotation(rotation)
    to_page = page.derotation_matrix
    for n in range(3):
        for start, end in [((100, 100 + 30 * n), (300, 100 + 30 * n)), ((100 + 100 * n, 100), (100 + 100 * n, 160))]:
            page.draw_line(pymupdf.Point(start) * to_page, pymupdf.Point(end) * to_page)
    for n, text in enumerate(["name", "sum", "Li", "12"]):
        at = pymupdf.Point(110 + 100 * (n % 2), 120 + 30 * (n // 2)) * to_page
        page.insert_text(at, text, rotate=rotation)

    assert "| name | sum |\n| --- | --- |\n| Li | 12 |" in text_of(document)


def test_a_table_whose_text_runs_upwards_is_read_in_the_direction_of_its_text() -> None:
    document, page = new_page()
    grid(page, [100, 130, 160], [100, 200, 300])
    for text, at in {"name": (120, 290), "sum": (120, 190), "Li": (150, 290), "12": (150, 190)}.items():
        page.insert_text(at, text, rotate=90)

    assert "| name | sum |\n| --- | --- |\n| Li | 12 |" in text_of(document)


def test_sides_that_are_not_drawn_are_taken_for_drawn() -> None:
    document, page = new_page()
    for y in (100, 130, 160):
        page.draw_line((100, y), (300, y))
    page.draw_line((200, 100), (200, 160))
    for n, text in enumerate(["name", "sum", "Li", "12"]):
        page.insert_text((110 + 100 * (n % 2), 120 + 30 * (n // 2)), text)

    assert "| name | sum |\n| --- | --- |\n| Li | 12 |" in text_of(document)


def test_tightly_set_lines_in_a_cell_are_not_mixed_word_by_word() -> None:
    document, page = new_page()
    grid(page, [100, 300, 500], [100, 140, 180])
    page.insert_text((105, 118), "Large Title", fontsize=20)
    page.insert_text((230, 112), "first small line", fontsize=6)
    page.insert_text((230, 118), "second small line", fontsize=6)
    page.insert_text((305, 120), "value")
    page.insert_text((105, 160), "other")
    page.insert_text((305, 160), "12")

    text = text_of(document)

    assert all(line in text for line in ("Large Title", "first small line", "second small line"))


def test_a_page_in_a_frame_with_a_margin_is_text() -> None:
    document, page = new_page()
    grid(page, [50, 70, 550], [50, 700, 720])
    for row in range(30):
        page.insert_text((80, 80 + row * 14), f"sentence {row} of a long text that goes on over the whole page")
    page.insert_text((80, 715), "12")

    text = text_of(document)

    assert "|" not in text
    assert "sentence 29" in text


def test_no_text_of_a_cell_is_cut_in_silence() -> None:
    document, page = new_page()
    grid(page, [30, 560, 590], [30, 780, 810])
    page.insert_textbox((35, 35, 555, 775), "word " * 900 + "the end", fontsize=8)
    page.insert_text((565, 50), "x")
    page.insert_text((565, 800), "y")

    assert "the end" in text_of(document)


def test_a_ground_behind_some_words_of_a_line_is_no_table() -> None:
    document, page = new_page()
    page.insert_text((72, 100), "before the code and after it there are words", fontname="cour", fontsize=10)
    page.insert_text((72, 112), "and another line with some code and words", fontname="cour", fontsize=10)
    for x0, x1 in ((138, 162), (162, 186)):
        for y0, y1 in ((91, 103), (103, 115)):
            page.draw_rect((x0, y0, x1, y1), color=None, fill=(0.9, 0.9, 0.9), overlay=False)

    assert text_of(document).endswith(
        "before the code and after it there are words\nand another line with some code and words"
    )


def test_words_beside_a_table_on_the_line_of_a_cell_are_kept() -> None:
    document, page = new_page()
    grid(page, [100, 200, 300], [100, 130, 160])
    for n, text in enumerate(["name", "sum", "Li", "12"]):
        page.insert_text((110 + 100 * (n % 2), 120 + 30 * (n // 2)), text)
    page.insert_text((400, 120), "remark")

    text = text_of(document)

    assert "| Li | 12 |" in text
    assert "remark" in text


def test_columns_and_rows_without_text_are_left_out() -> None:
    document, page = new_page()
    grid(page, [100, 200, 210, 300], [100, 130, 135, 160])
    for n, text in enumerate(["name", "sum", "Li", "12"]):
        page.insert_text((110 + 105 * (n % 2), 120 + 35 * (n // 2)), text)

    assert "| name | sum |\n| --- | --- |\n| Li | 12 |" in text_of(document)


def test_dashes_are_one_rule_and_doubled_rules_are_one() -> None:
    dashes = [Rule(at=0, start=x, end=x + 4) for x in range(0, 100, 6)]
    across = [*dashes, Rule(at=1.5, start=0, end=100), Rule(at=50, start=0, end=100), Rule(at=100, start=0, end=100)]
    down = [Rule(at=x, start=0, end=100) for x in (0, 50, 51, 100)]

    (found,) = grids(Rules(across=across, down=down))

    assert [len(row) for row in found] == [2, 2]
    assert all(cell is not None for row in found for cell in row)


def test_a_cell_over_two_columns_stands_in_the_first_of_them() -> None:
    across = [Rule(at=y, start=0, end=100) for y in (0, 50, 100)]
    down = [Rule(at=0, start=0, end=100), Rule(at=50, start=50, end=100), Rule(at=100, start=0, end=100)]

    (found,) = grids(Rules(across=across, down=down))

    assert [[cell is not None for cell in row] for row in found] == [[True, False], [True, True]]


def test_two_tables_that_do_not_touch_are_two() -> None:
    across = [Rule(at=y, start=x, end=x + 40) for x in (0, 100) for y in (0, 20, 40)]
    down = [Rule(at=x, start=0, end=40) for x in (0, 20, 40, 100, 120, 140)]

    assert len(grids(Rules(across=across, down=down))) == 2
