"""Excel's XML of 2003: every value in its row and column, as the sheet shows it."""

from __future__ import annotations

import pytest

from extractors import ExtractedContent, Kind, Status, extract_content
from extractors.limits import ExtractLimits

HEAD = '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" xmlns:x="urn:schemas-microsoft-com:office:excel">'  # noqa: E501 - as Excel writes it
STYLES = (
    '<Styles><Style ss:ID="Default"/><Style ss:ID="p"><NumberFormat ss:Format="0.0%"/></Style>'
    '<Style ss:ID="q" ss:Parent="p"/><Style ss:ID="d"><NumberFormat ss:Format="Short Date"/></Style>'
    '<Style ss:ID="z"><NumberFormat ss:Format="000000"/></Style></Styles>'
)


def cell(value: str = "", kind: str = "String", more: str = "") -> str:
    data = f'<Data ss:Type="{kind}">{value}</Data>' if value else ""
    return f"<Cell{f' {more}' if more else ''}>{data}</Cell>"


def row(*cells: str, more: str = "") -> str:
    return f"<Row{f' {more}' if more else ''}>{''.join(cells)}</Row>"


def sheet(*rows: str, name: str = "表一", more: str = "") -> str:
    return f'<Worksheet ss:Name="{name}"><Table>{"".join(rows)}</Table>{more}</Worksheet>'


def read(*sheets: str, name: str = "a.xls", encoding: str = "utf-8", **limits: int) -> ExtractedContent:
    text = f'<?xml version="1.0" encoding="{encoding}"?>{HEAD}{STYLES}{"".join(sheets)}</Workbook>'
    return extract_content(text.encode(encoding), media_type="", name=name, limits=ExtractLimits(**limits))


@pytest.mark.parametrize(("name", "encoding"), [("a.xls", "utf-8"), ("a.xml", "gb2312"), ("a", "utf-16")])
def test_a_sheet_is_read_under_any_name(name: str, encoding: str) -> None:
    content = read(
        sheet(row(cell("姓名"), cell("金额")), row(cell("甲"), cell("1", "Number"))), name=name, encoding=encoding
    )
    assert content.text == "### 表一\n\n| 姓名 | 金额 |\n| --- | --- |\n| 甲 | 1 |"
    assert (content.kind, content.status, content.note) == (Kind.SPREADSHEET, Status.OK, None)


@pytest.mark.parametrize(
    ("value", "kind", "style", "shown"),
    [
        ("0.075", "Number", "p", "7.5%"),
        ("0.075", "Number", "q", "7.5%"),
        ("45", "Number", "z", "000045"),
        ("2024-05-06T00:00:00.000", "DateTime", "d", "2024-05-06"),
        ("2024-05-06T00:00:00.000", "DateTime", "Default", "2024-05-06"),
        ("1", "Boolean", "Default", "TRUE"),
        ("#N/A", "Error", "Default", "#N/A"),
        ("NULL", "String", "Default", "NULL"),
        ("no number", "Number", "p", "no number"),
    ],
)
def test_values_are_shown_as_the_sheet_shows_them(value: str, kind: str, style: str, shown: str) -> None:
    content = read(sheet(row(cell(value, kind, f'ss:StyleID="{style}"'), cell("end"))))
    assert f"| {shown} | end |" in (content.text or "")


def test_merged_and_omitted_cells_keep_the_columns() -> None:
    content = read(
        sheet(
            row(cell("a"), cell("wide", more='ss:MergeAcross="1"'), cell("d")),
            row(cell("c", more='ss:Index="3"'), cell("d2")),
            row(cell("last"), more='ss:Index="4"'),
        )
    )
    assert (content.text or "").split("\n")[2:] == [
        "| a | wide |  | d |",
        "| --- | --- | --- | --- |",
        "|  |  | c | d2 |",
        "|  |  |  |  |",
        "| last |  |  |  |",
    ]


def test_what_is_hidden_is_marked() -> None:
    hidden = "<x:WorksheetOptions><x:Visible>SheetHidden</x:Visible></x:WorksheetOptions>"
    content = read(sheet(row(cell("a")), row(cell("b"), more='ss:Hidden="1"'), more=hidden))
    assert "[hidden text] (the whole sheet)" in (content.text or "")
    assert "| [hidden text] b |" in (content.text or "")


def test_links_comments_and_formulas_without_a_result_are_read() -> None:
    comment = '<Comment ss:Author="王"><Data>请核对</Data></Comment>'
    cells = (
        cell("site", more='ss:HRef="http://example.com/"'),
        f'<Cell><Data ss:Type="String">x</Data>{comment}</Cell>',
        '<Cell ss:Formula="=1+1"/>',
    )
    text = read(sheet(row(*cells))).text or ""
    assert "| [site](http://example.com/) | x | =1+1 |" in text
    assert text.endswith("Comment on B1 (王): 请核对")


def test_a_long_sheet_keeps_its_head_and_its_tail() -> None:
    content = read(sheet(*(row(cell(f"r{number}")) for number in range(100))), xlsx_max_rows_per_sheet=20)
    assert "| r0 |" in (content.text or "")
    assert "| r99 |" in (content.text or "")
    assert content.truncated


def test_a_workbook_that_names_a_wrong_encoding_is_read() -> None:
    data = f'<?xml version="1.0"?>{HEAD}{sheet(row(cell("你好"), cell("世界")))}</Workbook>'.encode("gbk")
    assert "| 你好 | 世界 |" in (extract_content(data, media_type="", name="a.xls").text or "")


def test_a_workbook_cut_off_is_rejected() -> None:
    data = f"{HEAD}{sheet(row(cell('a')))}".encode()
    content = extract_content(data, media_type="", name="a.xls")
    assert (content.status, content.note) == (Status.REJECTED, "the workbook is broken or cut off")
