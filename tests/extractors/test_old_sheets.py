"""Old and binary workbooks: Excel 2, charts, headers and footers, texts that run over records, betas of xlsb."""

from __future__ import annotations

import struct

from extractors._legacy.compound import open_compound
from extractors.assembly import assemble
from extractors.budget import Budget
from extractors.content import ExtractedContent, Job, Status
from extractors.extract import extract
from extractors.limits import ExtractLimits
from tests.extractors.legacy_files import SlideFile, biff, label, number, ole, ppt, text8, workbook8, xls
from tests.extractors.test_legacy_office import binary, table_rows, text_of, wide, zipped

CHART = biff(0x0809, struct.pack("<HHHHII", 0x0600, 0x20, 0, 0, 0, 0))
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def read(data: bytes, name: str) -> ExtractedContent:
    limits = ExtractLimits()
    return assemble(extract(Job(data=data, name=name), Budget(limits=limits)), size_bytes=len(data), limits=limits)


def test_excel_2_is_read_with_the_formats_that_its_cells_name() -> None:
    def cell(kind: int, column: int, value: bytes, number_format: int = 0) -> bytes:
        return biff(kind, struct.pack("<HH", 0, column) + bytes([0, number_format, 0]) + value)

    stream = biff(0x0009, struct.pack("<HH", 7, 0x10))
    stream += biff(0x001E, b"\x07General") + biff(0x001E, b"\x040.0%")
    stream += cell(0x0004, 0, b"\x03old") + cell(0x0002, 1, struct.pack("<H", 42))
    stream += cell(0x0003, 2, struct.pack("<d", 0.125), 1) + cell(0x0005, 3, b"\1\0")
    stream += cell(0x0006, 4, b"\0\0\0\0\0\0\xff\xff\0\0") + biff(0x0007, b"\x06result") + biff(0x000A)
    assert table_rows(text_of(stream, "a.xls")) == [["old", "42", "12.5%", "TRUE", "result"]]


def test_a_formula_text_that_runs_over_two_records_has_no_bytes_of_their_border_in_it() -> None:
    formula = struct.pack("<HHH", 0, 0, 0) + b"\0\0\0\0\0\0\xff\xff" + bytes(8)
    first = struct.pack("<HB", 6, 0) + b"abc"
    cells = biff(0x0006, formula) + biff(0x0207, first) + biff(0x003C, b"\x01" + "中文字".encode("utf-16-le"))
    assert table_rows(text_of(xls({"S": cells}), "a.xls")) == [["abc中文字"]]


def test_a_sheet_of_central_europe_from_a_mac_is_named_in_its_code_page() -> None:
    name = "Ärkusz".encode("mac_latin2")
    head = biff(0x0809, struct.pack("<HHHH", 0x0500, 5, 0, 0)) + biff(0x0042, struct.pack("<H", 10029))
    sheet = biff(0x0809, struct.pack("<HHHH", 0x0500, 0x10, 0, 0)) + biff(0x000A)
    listed_size = len(biff(0x0085, bytes(7) + name))
    at = len(head) + listed_size + len(biff(0x000A))
    listed = biff(0x0085, struct.pack("<IBBB", at, 0, 0, len(name)) + name)
    assert "### Ärkusz" in text_of(head + listed + biff(0x000A) + sheet, "a.xls")


def chart(title: str, name: str, points: list[tuple[str, float]]) -> bytes:
    inside = biff(0x1003, bytes(12)) + biff(0x1033) + biff(0x100D, b"\0\0" + text8(name, length="<B")) + biff(0x1034)
    inside += biff(0x100D, b"\0\0" + text8(title, length="<B"))
    inside += biff(0x1065, struct.pack("<H", 1)) + b"".join(number(at, 0, v) for at, (_, v) in enumerate(points))
    inside += biff(0x1065, struct.pack("<H", 2)) + b"".join(label(at, 0, c) for at, (c, _) in enumerate(points))
    return inside


def test_a_chart_shows_the_points_that_the_file_keeps_with_their_categories() -> None:
    drawn = CHART + chart("销售额", "2024年", [("一月", 10), ("二月", 12.5)]) + biff(0x000A)
    text = text_of(xls({"S": label(0, 0, "x") + drawn}), "a.xls")
    assert "Chart: 销售额\n\n|  | 2024年 |\n| --- | --- |\n| 一月 | 10 |\n| 二月 | 12.5 |" in text


def test_a_sheet_that_is_a_chart_has_no_cells() -> None:
    data = xls({"S": chart("销售额", "2024年", [("一月", 10)])})
    at = data.index(struct.pack("<HHHH", 0x0809, 16, 0x0600, 0x10))
    data = data[: at + 6] + struct.pack("<H", 0x20) + data[at + 8 :]
    text = text_of(data, "a.xls")
    assert text.startswith("### S\n(no cells)\n\nChart: 销售额")
    assert "| 一月 | 10 |" in text


def test_headers_and_footers_of_printed_pages_stand_once_without_what_only_counts_them() -> None:
    margins = biff(0x0014, text8('&L&"Arial,Bold"&14保密&CA && B&RPage &P')) + biff(0x0015, text8("&CPage &P of &N"))
    text = text_of(xls({"一": label(0, 0, "x") + margins, "二": label(0, 0, "y") + margins}), "a.xls")
    assert text.count("Header: 保密 | A & B | Page #") == 1
    assert "Footer" not in text


def workbook_binary(sheets: bytes, cells: bytes, related: str = "worksheet") -> bytes:
    def relations(*links: tuple[str, str, str]) -> str:
        listed = "".join(f'<Relationship Id="{i}" Type="{RELATION}{kind}" Target="{to}"/>' for i, kind, to in links)
        return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{listed}</Relationships>'

    return zipped(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Override PartName="/xl/workbook.bin" '
            'ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>',
            "_rels/.rels": relations(("rId1", "officeDocument", "xl/workbook.bin")),
            "xl/workbook.bin": sheets,
            "xl/_rels/workbook.bin.rels": relations(("rId1", related, "worksheets/sheet1.bin")),
            "xl/worksheets/sheet1.bin": cells,
        }
    )


ROW = binary(0, struct.pack("<IIHBBB", 0, 0, 300, 0, 0, 0)) + binary(6, struct.pack("<II", 0, 0) + wide("钢笔"))


def test_an_xlsb_of_a_beta_names_its_sheets_after_one_more_number() -> None:
    sheets = binary(156, struct.pack("<III", 0, 0, 1) + wide("rId1") + wide("数据"))
    assert text_of(workbook_binary(sheets, ROW), "a.xlsb") == "### 数据\n\n| 钢笔 |\n| --- |"


def test_headers_and_footers_of_an_xlsb_are_read() -> None:
    sheets = binary(156, struct.pack("<II", 0, 1) + wide("rId1") + wide("数据"))
    nothing = b"\xff\xff\xff\xff"
    margins = binary(479, b"\0\0" + wide("&C保密") + wide("&RPage &P") + nothing * 4)
    text = text_of(workbook_binary(sheets, ROW + margins), "a.xlsb")
    assert text.endswith("Header: 保密")


def test_a_sheet_that_cannot_be_read_is_not_said_to_have_no_cells() -> None:
    sheets = binary(156, struct.pack("<II", 0, 1) + wide("rId9") + wide("数据"))
    content = read(workbook_binary(sheets, ROW), "a.xlsb")
    assert content.text == "### 数据"
    assert "the sheet is missing" in (content.note or "")


def test_files_inside_a_workbook_are_read_after_its_sheets() -> None:
    inner = workbook8({"内": label(0, 0, "钢笔")})
    data = ole({"Workbook": workbook8({"外": label(0, 0, "x")}), "MBD00000001/Workbook": inner})
    assert text_of(data, "a.xls").endswith("--- File: object 1.xls ---\n\n### 内\n\n| 钢笔 |\n| --- |")


def test_a_presentation_inside_a_workbook_does_not_change_how_many_sheets_it_has() -> None:
    first, second = (SlideFile(outline=[(0, words)]) for words in ("一", "二"))
    pages = open_compound(ppt([first, second]))
    inside = {f"MBD00000001/{name}": pages.read(name) or b"" for name in ("Current User", "PowerPoint Document")}
    content = read(ole({"Workbook": workbook8({"外": label(0, 0, "x")}), **inside}), "a.xls")
    assert content.total_pages == 1
    assert "--- File: object 1.ppt ---\n\n--- Slide 1 ---\n\n## 一" in (content.text or "")


def test_a_large_sheet_of_an_xlsb_is_read_in_pieces_and_a_giant_record_ends_it() -> None:
    sheets = binary(156, struct.pack("<II", 0, 1) + wide("rId1") + wide("数据"))
    filling = bytes([0xFF, 0x01, 0x80, 0x80, 0x40]) + bytes(1 << 20)  # a record of 1 MiB that means nothing
    last = binary(0, struct.pack("<IIHBBB", 1, 0, 300, 0, 0, 0)) + binary(6, struct.pack("<II", 0, 0) + wide("末行"))
    assert "| 末行 |" in text_of(workbook_binary(sheets, ROW + filling * 3 + last), "a.xlsb")
    giant = bytes([0xFF, 0x01, 0xFF, 0xFF, 0xFF, 0x7F]) + bytes(20 << 20)
    content = read(workbook_binary(sheets, ROW + giant + last), "a.xlsb")
    assert "| 钢笔 |" in (content.text or "")
    assert "too large to be read" in (content.note or "")


def test_a_sheet_of_an_xlsb_that_breaks_off_gives_what_came_before() -> None:
    sheets = binary(156, struct.pack("<II", 0, 1) + wide("rId1") + wide("数据"))
    data = workbook_binary(sheets, ROW + b"\0" * 5000)
    at = data.index(ROW) + len(ROW)  # stored as it is: the checksum fails at the end
    content = read(data[:at] + b"\1" + data[at + 1 :], "a.xlsb")
    assert content.status is Status.PARTIAL
    assert "xl/worksheets/sheet1.bin" in (content.note or "")
