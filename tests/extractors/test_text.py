"""Text files: as they are, or as the tables and cells that they hold."""

from __future__ import annotations

import json
import re

import pytest

from extractors import ExtractedContent, ExtractLimits, Kind, Status, extract_content


def read(text: str | bytes, name: str = "a.txt", **limits: int) -> ExtractedContent:
    data = text if isinstance(text, bytes) else text.encode()
    return extract_content(data, media_type="", name=name, limits=ExtractLimits(**limits))


def test_prose_comes_out_as_it_is_with_unix_line_ends() -> None:
    content = read("第一章\r\n\r\n正文\r\n")

    assert content.text == "第一章\n\n正文"
    assert (content.kind, content.status, content.media_type) == (Kind.TEXT, Status.OK, "text/plain")


def test_commas_make_a_table_under_the_first_row() -> None:
    content = read('姓名,部门,工资\n王小明,研发部,12000\n李红,市场部,"9,800"\n'.encode("gbk"), "a.csv")

    assert (
        content.text
        == "| 姓名 | 部门 | 工资 |\n| --- | --- | --- |\n| 王小明 | 研发部 | 12000 |\n| 李红 | 市场部 | 9,800 |"
    )


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_told_by_the_rows(separator: str) -> None:
    rows = [["name", "note"], ["a", "1.5"], ["b", "x y"]]

    content = read("\n".join(separator.join(row) for row in rows), "a.csv")

    assert (content.text or "").splitlines()[2:] == ["| a | 1.5 |", "| b | x y |"]


def test_decimal_commas_do_not_hide_the_semicolons() -> None:
    assert "| 1,5 | 2,5 |" in (read("a;b\n1,5;2,5\n3,5;4,5\n", "a.csv").text or "")


def test_the_line_that_excel_writes_for_itself_is_no_row() -> None:
    assert (read("sep=;\na;b\n1;2\n", "a.csv").text or "").startswith("| a | b |")


def test_empty_cells_keep_their_columns_and_short_rows_are_filled_up() -> None:
    assert (read("a,b,c\n1,,3\n4\n", "a.csv").text or "").splitlines()[2:] == ["| 1 |  | 3 |", "| 4 |  |  |"]


def test_a_quoted_cell_may_hold_lines_pipes_and_separators() -> None:
    assert "| x<br>y\\|z | 1,2 |" in (read('a,b\n"x\ny|z","1,2"\n', "a.csv").text or "")


def test_a_table_is_whole_as_long_as_there_is_room_for_its_text() -> None:
    content = read("a,b\n" + "1,2\n" * 1_000, "a.csv")

    assert (content.text or "").count("| 1 | 2 |") == 1_000
    assert content.status is Status.OK


def test_of_a_table_that_is_too_long_both_ends_are_shown_and_the_rows_between_named() -> None:
    lines = "".join(f"{number},value\n" for number in range(1, 1_001))
    content = read("a,b\n" + lines, "a.csv", extract_text_max_chars=4_000)
    text = content.text or ""

    assert len(text) <= 4_000
    assert "| 1 | value |" in text
    assert "| 1000 | value |" in text
    assert text.count("| a | b |") == 2
    left_out = re.search(r"\(rows (\d+) to (\d+) are left out\)", text)
    assert left_out
    first, last = int(left_out[1]), int(left_out[2])
    assert text.count("value |") + last - first + 1 == 1_000
    assert f"rows {first} to {last} of 1,001" in (content.note or "")
    assert f"| {first - 2} | value |" in text
    assert f"| {first - 1} | value |" not in text
    assert f"| {last - 1} | value |" not in text
    assert f"| {last} | value |" in text


def test_columns_over_the_limit_are_named() -> None:
    content = read(",".join("abcdef") + "\n", "a.csv", xlsx_max_columns=3)

    assert (content.text or "").startswith("| a | b | c |")
    assert "columns after the first 3" in (content.note or "")


def test_a_quote_that_never_ends_loses_no_row() -> None:
    text = 'a,b\n"1,2\n' + "3,4\n" * 2_000

    content = read(text, "a.csv")

    assert (content.text or "").endswith("3,4\n3,4")
    assert content.status is Status.OK


def test_a_line_of_megabytes_is_cut_and_named() -> None:
    content = read('{"k":"' + "x" * 3_000_000 + '"}', "a.json", extract_text_max_chars=1_000)

    assert len(content.text or "") <= 1_000
    assert content.truncated
    assert content.note == "not included: text after the first 1,000 characters"


def test_a_cut_falls_at_the_end_of_a_line() -> None:
    content = read("0123456789\n" * 100, extract_text_max_chars=105)

    assert set((content.text or "").splitlines()) == {"0123456789"}


def test_a_notebook_shows_its_cells_and_what_they_printed() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "source": "print(1)",
            "outputs": [{"text": ["1\n"]}, {"data": {"text/plain": "2", "image/png": "…"}}, {"ename": "E"}, 7],
        },
        {"cell_type": "code", "source": [], "outputs": []},
        "not a cell",
    ]

    content = read(json.dumps({"cells": cells}), "a.ipynb")

    assert content.text == ("# Title\ntext\n\n```\nprint(1)\n```\n\nOutput:\n\n```\n1\n```\n\nOutput:\n\n```\n2\n```")


@pytest.mark.parametrize("text", ["{broken", '{"cells": 5}', "[" * 100_000, '"x"'])
def test_a_notebook_that_is_none_is_given_as_it_is(text: str) -> None:
    assert (read(text, "a.ipynb").text or "").startswith(text[:10])


def test_bytes_that_are_no_text_are_refused_whatever_their_name_says() -> None:
    content = read(bytes(range(256)) * 10, "a.txt")

    assert content.status is Status.REJECTED
    assert "not text" in (content.note or "")


def test_blanks_alone_are_refused() -> None:
    assert read(" \n\t\n").status is Status.REJECTED


def test_characters_that_fit_no_encoding_are_shown_and_warned_of() -> None:
    content = read("好的文字".encode() * 10 + b"\xff" + "好的文字".encode() * 10)

    assert "\ufffd" in (content.text or "")
    assert content.status is Status.OK
    assert [warning.problem for warning in content.warnings] == ["1 characters fit no text encoding"]


def test_xml_is_given_as_it_is_written() -> None:
    content = read("<order><item>正文</item></order>", "a.xml")

    assert content.text == "<order><item>正文</item></order>"


def test_field_without_end_does_not_stop_the_reading() -> None:
    content = read('name,note\n"' + "x" * 200_000, "a.csv")

    assert content.status in {Status.OK, Status.PARTIAL}
    assert str(content.text).startswith("name,note")


def test_empty_columns_behind_a_table_are_left_out() -> None:
    content = read("a,b,,\n1,2,,\n,3, ,\n", "a.csv")

    assert content.text == "| a | b |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |"


def test_empty_columns_are_no_columns_that_are_missing() -> None:
    assert not read("a,b,c" + "," * 50 + "\n1,2,3\n", "a.csv", xlsx_max_columns=3).truncated
