"""Word, Excel and PowerPoint of 97 to 2003: files made record by record, read as their programs show them."""

from __future__ import annotations

import hashlib
import io
import struct
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

import docx
import openpyxl
import pytest
from PIL import Image

from extractors import ExtractedContent, ExtractLimits, SandboxedAttachmentExtractor, Status
from extractors.assembly import assemble
from extractors.budget import Budget
from extractors.content import Job
from extractors.extract import extract

from .legacy_files import Para as Paragraph
from .legacy_files import (
    SlideFile,
    WordParts,
    biff,
    box,
    cell,
    doc,
    drawing,
    field_text,
    from_outline,
    group,
    inside_group,
    label,
    number,
    ole,
    para,
    picture_store,
    placed,
    ppt,
    properties,
    record,
    row_end,
    shape,
    sprm,
    text8,
    typed,
    workbook8,
    xls,
)

LOCKED = "a password is needed to open this file"
UNFIT = "the password does not open this file"


def read(data: bytes, name: str, limits: ExtractLimits | None = None, **metadata: str) -> ExtractedContent:
    limits = limits or ExtractLimits()
    job = Job(data=data, name=name, metadata=metadata)
    return assemble(extract(job, Budget(limits=limits)), size_bytes=len(data), limits=limits)


def text_of(data: bytes, name: str) -> str:
    content = read(data, name)
    assert content.status is Status.OK, content.note
    return content.text or ""


def table_rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("| ---")]
    return [[part.strip() for part in line.strip("|").split("|")] for line in lines]


def png(colour: str = "red", size: tuple[int, int] = (64, 48)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return file.getvalue()


# --- Excel ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (0.378472222222222, "hh:mm", "09:05"),
        (0.378472222222222, "h:mm:ss", "9:05:00"),
        (45322.0, "yyyy-mm-dd", "2024-01-31"),
        (45322.0, 'yyyy"年"m"月"d"日"', "2024年1月31日"),
        (0.125, "0.0%", "12.5%"),
        (7.0, "00000", "00007"),
        (1234.5, '"¥"#,##0.00', "¥1,234.50"),
        (-3.0, "#,##0;(#,##0)", "(3)"),
        (4100012345678901.0, "0", "4100012345678901"),
        (12.0, "General", "12"),
        (0.1 + 0.2, "General", "0.3"),
    ],
)
def test_a_number_is_read_as_its_cell_shows_it(value: float, code: str, shown: str) -> None:
    assert table_rows(text_of(xls({"Sheet1": number(0, 0, value, 1)}, formats=[code]), "a.xls")) == [[shown]]


def test_the_words_na_and_null_stay_words_and_blank_cells_stay_blank() -> None:
    cells = label(0, 0, "NA") + label(0, 1, "NULL") + label(0, 3, "None") + number(1, 0, 0)
    assert table_rows(text_of(xls({"S": cells}), "a.xls")) == [["NA", "NULL", "None"], ["0", "", ""]]


def test_packed_numbers_keep_their_value() -> None:
    packed = [(100 << 2) | 2, (12345 << 2) | 3, 0x3FF80000, (0x40000000 - 5) << 2 | 2]
    cells = b"".join(struct.pack("<HI", 0, value) for value in packed)
    many = biff(0x00BD, struct.pack("<HH", 0, 0) + cells + struct.pack("<H", 3))
    single = biff(0x027E, struct.pack("<HHHI", 1, 0, 0, packed[1]))
    assert table_rows(text_of(xls({"S": many + single}), "a.xls")) == [
        ["100", "123.45", "1.5", "-5"],
        ["123.45", "", "", ""],
    ]


def test_a_merged_value_stands_once_and_the_next_one_in_its_own_column() -> None:
    cells = b"".join(label(0, column, name) for column, name in enumerate(("区域", "一月", "二月", "三月")))
    cells += label(1, 0, "合计") + number(1, 3, 5006)
    cells += biff(0x00BE, struct.pack("<HHHHH", 1, 1, 0, 0, 2))  # two blank cells under the merge
    cells += biff(0x00E5, struct.pack("<HHHHH", 1, 1, 1, 0, 2))
    assert table_rows(text_of(xls({"S": cells}), "a.xls"))[1] == ["合计", "", "", "5006"]


def test_hidden_sheets_rows_and_columns_are_kept_and_marked() -> None:
    row = biff(0x0208, struct.pack("<HHHHHHI", 1, 0, 2, 300, 0, 0, 0x20))
    column = biff(0x007D, struct.pack("<HHHHHH", 1, 1, 0, 0, 1, 0))
    cells = row + column + label(0, 0, "shown") + label(0, 1, "secret column") + label(1, 0, "secret row")
    text = text_of(xls({"Open": cells, "Hidden": label(0, 0, "inside")}, hidden=["Hidden"]), "a.xls")
    assert "| shown | [hidden text] secret column |" in text
    assert "| [hidden text] secret row |" in text
    assert "### Hidden\n[hidden text] (the whole sheet)\n\n| inside |" in text


def test_formulas_show_the_result_that_is_stored() -> None:
    def formula(column: int, result: bytes) -> bytes:
        return biff(0x0006, struct.pack("<HHH", 0, column, 0) + result + bytes(8))

    cells = formula(0, struct.pack("<d", 2.5)) + formula(1, b"\0\0\0\0\0\0\xff\xff")
    cells += biff(0x04BC, bytes(10)) + biff(0x0207, text8("结果"))  # a shared formula comes before its text
    cells += formula(2, b"\1\0\1\0\0\0\xff\xff") + formula(3, b"\2\0\x07\0\0\0\xff\xff")
    assert table_rows(text_of(xls({"S": cells}), "a.xls")) == [["2.5", "结果", "TRUE", "#DIV/0!"]]


def test_a_text_that_runs_over_two_records_is_put_together_whatever_their_widths() -> None:
    first = struct.pack("<II", 2, 2) + struct.pack("<HB", 6, 0) + b"abc"
    second = b"\x01" + "中文字".encode("utf-16-le") + struct.pack("<HB", 2, 0) + b"ok"
    cells = biff(0x00FD, struct.pack("<HHHI", 0, 0, 0, 0)) + biff(0x00FD, struct.pack("<HHHI", 0, 1, 0, 1))
    data = xls({"S": cells}, strings=[biff(0x00FC, first), biff(0x003C, second)])
    assert table_rows(text_of(data, "a.xls")) == [["abc中文字", "ok"]]


def test_links_comments_and_text_boxes_stand_with_their_cells() -> None:
    address = "https://example.com/报告".encode("utf-16-le") + b"\0\0"
    moniker = bytes.fromhex("e0c9ea79f9bace118c8200aa004ba90b") + struct.pack("<I", len(address)) + address
    link = biff(0x01B8, struct.pack("<4H16xII", 0, 0, 0, 0, 2, 3) + moniker)

    def drawn(object_id: int, kind: int, words: str) -> bytes:
        told = struct.pack("<HHHHI", 0x12, 0, 0, 0, 0) + bytes(0)
        head = biff(0x005D, struct.pack("<HHHH14x", 0x15, 0x12, kind, object_id))
        shown = biff(0x01B6, struct.pack("<HHHHHHHI", 0, 0, 0, 0, 0, len(words), 16, 0))
        return head + shown + biff(0x003C, b"\x01" + words.encode("utf-16-le")) + biff(0x003C, told)

    anchor = record(0xF010, struct.pack("<9H", 0, 2, 0, 4, 0, 3, 0, 5, 0))
    shapes = drawing(shape(1025, anchor, record(0xF011)), shape(1026, anchor, record(0xF011)))
    cells = label(0, 0, "报告") + link + biff(0x00EC, shapes) + drawn(1, 6, "框中文字") + drawn(2, 0x19, "已审核")
    cells += biff(0x001C, struct.pack("<HHHH", 1, 1, 0, 2) + text8("王小明") + b"\0")
    text = text_of(xls({"S": cells}), "a.xls")
    assert "[报告](https://example.com/报告)" in text
    assert "At C5: 框中文字" in text
    assert "Comment on B2 (王小明): 已审核" in text
    assert text.count("已审核") == 1


def test_a_picture_over_the_cells_is_an_image_with_its_place() -> None:
    anchor = record(0xF010, struct.pack("<9H", 0, 1, 0, 2, 0, 3, 0, 5, 0))
    cells = label(0, 0, "x") + biff(0x00EC, drawing(shape(1025, properties(p260=1), anchor, record(0xF011))))
    cells += biff(0x005D, struct.pack("<HHHH14x", 0x15, 0x12, 8, 1))
    content = read(xls({"S": cells}, extra=biff(0x00EB, picture_store(png()))), "a.xls")
    assert "At B3: [image: image 1]" in (content.text or "")
    assert [(image.name, image.width, image.height) for image in content.images] == [("image 1", 64, 48)]


def test_a_chart_tells_its_title_and_series() -> None:
    chart = biff(0x0809, struct.pack("<HHHHII", 0x0600, 0x20, 0, 0, 0, 0))
    chart += biff(0x100D, b"\0\0" + text8("销售额", length="<B")) + number(0, 0, 99) + biff(0x000A)
    text = text_of(xls({"S": label(0, 0, "x") + chart}), "a.xls")
    assert "Chart: 销售额" in text
    assert "99" not in text  # what a chart remembers of its cells


def test_dates_count_from_1904_where_the_workbook_says_so() -> None:
    data = xls({"S": number(0, 0, 0.0, 1)}, formats=["yyyy-mm-dd"], extra=biff(0x0022, b"\1\0"))
    assert table_rows(text_of(data, "a.xls")) == [["1904-01-01"]]


def test_excel_95_is_read_in_its_chinese_code_page() -> None:
    def old(text: str, form: str = "<H") -> bytes:
        return struct.pack(form, len(text.encode("gbk"))) + text.encode("gbk")

    head = biff(0x0809, struct.pack("<HHHH", 0x0500, 5, 0, 0)) + biff(0x0042, struct.pack("<H", 936))
    sheet = biff(0x0809, struct.pack("<HHHH", 0x0500, 0x10, 0, 0))
    sheet += biff(0x0204, struct.pack("<HHH", 0, 0, 0) + old("钢笔")) + biff(0x000A)
    at = len(head) + len(biff(0x0085, bytes(6) + old("工资", "<B"))) + len(biff(0x000A))
    listed = biff(0x0085, struct.pack("<IBB", at, 0, 0) + old("工资", "<B"))
    text = text_of(ole({"Book": head + listed + biff(0x000A) + sheet}), "a.xls")
    assert text == "### 工资\n\n| 钢笔 |\n| --- |"


def test_excel_4_is_read_without_a_container() -> None:
    stream = (
        biff(0x0409, struct.pack("<HHH", 0, 0x10, 0))
        + biff(0x041E, b"\0\0\x07General")
        + biff(0x041E, b"\0\0\x0500000")
    )
    stream += biff(0x0443, b"\0\0" + bytes(10)) + biff(0x0443, b"\0\1" + bytes(10))
    stream += biff(0x0204, struct.pack("<HHHH", 0, 0, 0, 3) + b"old") + number(0, 1, 42, 1) + biff(0x000A)
    assert table_rows(text_of(stream, "a.xls")) == [["old", "00042"]]


def test_two_cells_in_opposite_corners_cost_nothing() -> None:
    started = time.perf_counter()
    text = text_of(xls({"S": label(0, 0, "first") + label(65535, 255, "last")}), "a.xls")
    assert "Cell A1\n\n| first |" in text
    assert "Cell IV65536\n\n| last |" in text
    assert len(text) < 200
    assert time.perf_counter() - started < 1


def test_rows_and_sheets_that_are_left_out_are_told() -> None:
    many = b"".join(number(row, 0, row) for row in range(300))
    content = read(xls({f"S{index}": many if index == 0 else b"" for index in range(12)}), "a.xls")
    assert content.status is Status.PARTIAL
    assert "rows 151 to 250" in (content.note or "")
    assert "sheets 11 to 12 of 12" in (content.note or "")
    assert "S10, S11" in (content.text or "")
    assert "| 299 |" in (content.text or "")


def test_a_workbook_cut_in_a_sheet_gives_what_came_before() -> None:
    stream = workbook8({"S": b"".join(label(row, 0, f"row {row}") for row in range(20))})
    cut = stream[: stream.index("row 9".encode("utf-16-le"))]
    content = read(ole({"Workbook": cut}), "a.xls")
    assert "row 8" in (content.text or "")


def test_a_workbook_whose_stream_is_named_in_capitals_is_read() -> None:
    data = ole({"WORKBOOK": workbook8({"S": label(0, 0, "x")})})
    assert table_rows(text_of(data, "a.xls")) == [["x"]]


def test_a_workbook_without_sheets_is_damaged() -> None:
    content = read(ole({"Workbook": workbook8({})}), "a.xls")
    assert (content.status, content.text) == (Status.REJECTED, None)


# --- Excel binary -----------------------------------------------------------------------------------------------------


def binary(kind: int, content: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    size = len(content)
    return head + (bytes([size]) if size < 0x80 else bytes([size & 0x7F | 0x80, size >> 7])) + content


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def xlsb() -> bytes:
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

    def relations(*links: tuple[str, str, str]) -> str:
        listed = "".join(f'<Relationship Id="{i}" Type="{relation}{kind}" Target="{to}"/>' for i, kind, to in links)
        return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{listed}</Relationships>'

    sheets = b"".join(
        binary(156, struct.pack("<II", index, index + 1) + wide(f"rId{index + 1}") + wide(name))
        for index, name in enumerate(("数据", "藏"))
    )
    styles = binary(44, struct.pack("<H", 164) + wide("hh:mm")) + binary(617)
    styles += b"".join(binary(47, struct.pack("<HH12x", 0, code)) for code in (0, 164, 10)) + binary(618)
    cells = binary(0, struct.pack("<IIHBBB", 0, 0, 300, 0, 0, 0))
    cells += binary(7, struct.pack("<III", 0, 0, 1)) + binary(5, struct.pack("<IId", 1, 1, 0.378472222222222))
    cells += binary(2, struct.pack("<III", 2, 2, 0x3FE00000))
    cells += binary(0, struct.pack("<IIHBBB", 2, 0, 300, 0, 0x10, 0)) + binary(
        6, struct.pack("<II", 0, 0) + wide("隐藏行")
    )
    cells += binary(10, struct.pack("<IIB", 3, 0, 1))
    comments = (
        binary(632, wide("王小明"))
        + binary(635, struct.pack("<IIIII16x", 0, 1, 1, 1, 1))
        + binary(637, b"\0" + wide("已审核"))
    )
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override '
        'PartName="/xl/workbook.bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>',
        "_rels/.rels": relations(("rId1", "officeDocument", "xl/workbook.bin")),
        "xl/workbook.bin": sheets,
        "xl/_rels/workbook.bin.rels": relations(
            ("rId1", "worksheet", "worksheets/sheet1.bin"),
            ("rId2", "worksheet", "worksheets/sheet2.bin"),
            ("rId3", "styles", "styles.bin"),
            ("rId4", "sharedStrings", "sharedStrings.bin"),
        ),
        "xl/styles.bin": styles,
        "xl/sharedStrings.bin": binary(19, b"\0" + wide("unused")) + binary(19, b"\0" + wide("钢笔")),
        "xl/worksheets/sheet1.bin": cells,
        "xl/worksheets/sheet2.bin": b"",
        "xl/worksheets/_rels/sheet1.bin.rels": relations(("rId1", "comments", "../comments1.bin")),
        "xl/comments1.bin": comments,
    }
    return zipped(parts)


def zipped(parts: dict[str, str | bytes]) -> bytes:
    import zipfile

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_an_xlsb_workbook_is_read_with_formats_hidden_parts_and_comments() -> None:
    content = read(xlsb(), "a.xlsb")
    assert (content.status, content.kind, content.total_pages) == (Status.OK, "spreadsheet", 2)
    assert table_rows(content.text or "") == [
        ["钢笔", "09:05", "50.00%", ""],
        ["", "", "", ""],
        ["[hidden text] 隐藏行", "", "", "TRUE"],
    ]
    assert "Comment on B2 (王小明): 已审核" in (content.text or "")
    assert "### 藏\n[hidden text] (the whole sheet)" in (content.text or "")


# --- Word -------------------------------------------------------------------------------------------------------------


def test_headings_paragraphs_and_line_breaks_are_read_in_order() -> None:
    body = [para("季度报告", style=1), para("第一段\x0b第二行"), para("明细", style=2), para("不\x1e断 𠮟")]
    text = text_of(doc(body, WordParts(styles=(0, 1, 2))), "a.doc")
    assert text == "# 季度报告\n\n第一段\n第二行\n\n## 明细\n\n不-断 𠮟"


def test_a_style_that_nothing_names_is_plain_text() -> None:
    assert text_of(doc([para("words", style=77)]), "a.doc") == "words"


def row(*texts: str, edges: Sequence[int], flags: Sequence[int] = ()) -> list[Paragraph]:
    return [*map(cell, texts), row_end(edges, flags)]


def test_a_cell_over_three_columns_leaves_the_next_value_in_the_fourth() -> None:
    body = [
        *row("区域", "一月", "二月", "三月", edges=[0, 2000, 4000, 6000, 8000]),
        *row("华东", "1201", "1302", "1403", edges=[3, 2005, 4001, 6000, 8000]),
        *row("合计", "5006", edges=[0, 6000, 8000]),
        para("结尾"),
    ]
    text = text_of(doc(body), "a.doc")
    assert table_rows(text) == [
        ["区域", "一月", "二月", "三月"],
        ["华东", "1201", "1302", "1403"],
        ["合计", "", "", "5006"],
    ]
    assert text.endswith("\n\n结尾")


def test_cells_swallowed_by_a_merge_are_blank() -> None:
    body = [
        *row("甲", "乙", "丙", edges=[0, 2000, 4000, 6000], flags=[0x60, 0x01, 0x02]),
        *row("旧", "丁", "戊", edges=[0, 2000, 4000, 6000], flags=[0x20]),
    ]
    assert table_rows(text_of(doc(body), "a.doc")) == [["甲", "乙", ""], ["", "丁", "戊"]]


def test_a_table_in_a_cell_stays_in_it() -> None:
    body = [
        cell("外层"),
        cell("嵌套甲", depth=2),
        cell("嵌套乙", depth=2),
        row_end([0, 1000, 2000], depth=2),
        cell("之后"),
        row_end([0, 4000, 8000]),
    ]
    assert table_rows(text_of(doc(body), "a.doc").replace("\\|", "/")) == [["外层", "嵌套甲 / 嵌套乙<br>之后"]]


def test_headers_and_footers_stand_once_and_are_marked() -> None:
    parts = WordParts(headers=["", "页眉", "", "页脚", "", "", "", "页眉", "", "第二节", "", ""])
    text = text_of(doc([para("body")], parts), "a.doc")
    assert text == "Header: 页眉\n\nbody\n\nFooter: 页脚\n\nFooter: 第二节"


def test_notes_and_comments_have_their_reference_where_they_belong() -> None:
    body = [para("利润\x02增长\x05。"), para("另\x02")]
    parts = WordParts(footnotes=["脚注一", "脚注二"], comments=["请核对"], authors=["王小明"])
    text = text_of(doc(body, parts), "a.doc")
    assert text == ("利润[^1]增长[comment 1]。\n\n另[^2]\n\n[^1]: 脚注一\n\n[^2]: 脚注二\n\n[comment 1] 王小明: 请核对")


def test_marks_of_comments_without_words_are_left_out_of_old_documents_too() -> None:
    parts = WordParts(comments=["\x05 ", "\x05请核对"], authors=["Li", "王小明"])
    assert text_of(doc([para("a\x05b\x05")], parts), "a.doc") == "ab[comment 1]\n\n[comment 1] 王小明: 请核对"


def test_a_link_cut_into_several_fields_is_one_link() -> None:
    address = "https://example.com/a"
    pieces = "".join(field_text(f' HYPERLINK "{address}" ', words) for words in ("https://", "example.com", "/a"))
    assert text_of(doc([para(f"见 {pieces}")]), "a.doc") == f"见 {address}"
    data = sprm(0x6A03, 0, "<I") + sprm(0x0855, 1) + sprm(0x0806, 1)  # programs put the address there once more
    start, middle = f'\x13 HYPERLINK "{address}" ', [("\x01", data), ("\x14", b"")]
    runs = [run for words in ("https://example", ".com/a") for run in ((start, b""), *middle, (f"{words}\x15", b""))]
    assert text_of(doc([Paragraph(runs)]), "a.doc") == address


def test_tables_behind_the_limit_are_lines_in_old_documents_too() -> None:
    table = [cell("区"), cell("额"), row_end([0, 1000, 2000]), cell("东"), cell("3"), row_end([0, 1000, 2000])]
    content = read(doc([*table, para("between"), *table]), "a.doc", ExtractLimits(docx_max_tables=1))
    assert content.text == "| 区 | 额 |\n| --- | --- |\n| 东 | 3 |\n\nbetween\n\n区 | 额\n东 | 3"
    assert content.status is Status.OK


def test_insertions_are_in_and_deletions_are_out_and_both_are_told() -> None:
    body = [Paragraph([("价格", b""), ("一百", sprm(0x0800, 1)), ("二百", sprm(0x0801, 1)), ("元", b"")])]
    content = read(doc(body), "a.doc")
    assert content.text == "价格二百元"
    assert "tracked changes" in (content.note or "")


def test_hidden_words_are_kept_and_marked() -> None:
    body = [Paragraph([("公开", b""), ("密码 1234", sprm(0x083C, 1))])]
    assert text_of(doc(body), "a.doc") == "公开\n[hidden text] 密码 1234"


def test_fields_show_their_result_and_links_their_address() -> None:
    page = field_text(" PAGE ", "3")
    link = field_text(' HYPERLINK "https://example.com/a" ', f"官网 {page}")
    body = [
        para(f"见{link}。"),
        para(f"{field_text(' EMBED Excel.Sheet.8 ', '')}x"),
        para(field_text(" REF _x \\h ", "图1")),
    ]
    assert text_of(doc(body), "a.doc") == "见[官网 3](https://example.com/a)。\n\nx\n\n图1"


def test_a_phonetic_guide_and_a_circled_number_are_read_though_they_are_fields_without_a_result() -> None:
    guide = '\x13EQ \\* jc2 \\* "Font:MS Mincho" \\* hps11 \\o\\ad(\\s\\up 10(とうきょう),東京)\x15'
    circled, fraction = "\x13 EQ \\o\\ac(○,3) \x15", "\x13 EQ \\f(1,2) \x15"
    assert text_of(doc([para(f"{guide}、{circled}、{fraction}")]), "a.doc") == "東京(とうきょう)、③、1/2"


@pytest.mark.parametrize(
    ("bits", "shown"), [(2 | 1 << 2, "副本"), (2 | 25 << 2, "原件"), (2 | 9 << 2, ""), (1 | 1 << 2, "☑")]
)
def test_form_fields_show_their_box_or_their_choice(bits: int, shown: str) -> None:
    def words(text: str) -> bytes:
        return struct.pack("<H", len(text)) + text.encode("utf-16-le") + b"\0\0"

    names = b"".join(struct.pack("<H", len(name)) + name.encode("utf-16-le") for name in ("原件", "副本"))
    form = struct.pack("<IHHH", 0xFFFF_FFFF, bits, 0, 0) + words("Dropdown1") + struct.pack("<H", 0)
    form += words("") + words("help") + words("") * 3 + struct.pack("<HHH", 0xFFFF, 2, 0) + names
    data = struct.pack("<IHH", 68 + len(form), 68, 0) + bytes(60) + form
    mark = sprm(0x6A03, 0, "<I") + sprm(0x0855, 1) + sprm(0x0806, 1)
    body = [Paragraph([("类别\x13 FORMDROPDOWN ", b""), ("\x01", mark), ("\x15。", b"")])]
    assert text_of(doc(body, WordParts(data=data)), "a.doc") == f"类别{shown}。"


def test_headers_that_only_count_pages_are_left_out() -> None:
    parts = WordParts(headers=["", "- 3 -", "", "3/10", "", "第3页"])
    assert text_of(doc([para("body")], parts), "a.doc") == "body\n\nFooter: 第3页"


def test_list_items_have_the_numbers_that_word_shows() -> None:
    def level(text: str, numeral: int, flags: int = 0) -> bytes:
        shown = struct.pack("<H", len(text)) + text.encode("utf-16-le")
        return struct.pack("<iBB9xB", 1, numeral, flags, 0) + bytes(8) + bytes([0, 0, 0, 0]) + shown

    levels = level("第\0条", 37) + level("\0.\1", 0, 0x04) + level("\uf0b7", 23) * 7
    lists = struct.pack("<H", 1) + struct.pack("<ii18sBB", 9, 0, bytes(18), 0, 0)
    overrides = struct.pack("<I", 1) + struct.pack("<iIIBBBB", 9, 0, 0, 0, 0, 0, 0) + b"\xff\xff\xff\xff"
    first, second, third = (sprm(0x460B, 1, "<H") + sprm(0x260A, depth) for depth in (0, 1, 2))
    body = [para("总则", first), para("范围", second), para("定义", second), para("点", third), para("附则", first)]
    text = text_of(doc(body, WordParts(lists=lists, list_levels=levels, overrides=overrides)), "a.doc")
    assert text == "第一条 总则\n  1.1 范围\n  1.2 定义\n    - 点\n第二条 附则"


def test_the_text_of_a_box_stands_after_the_paragraph_that_anchors_it() -> None:
    drawings = box(0xF000) + b"\0" + drawing(shape(1030), group(shape(1031), shape(1032)))
    body = [para("甲\x08"), para("乙\x08"), para("丙")]
    anchors = {1: 1030, 4: 1031}
    parts = WordParts(text_boxes={1030: "第一框", 1032: "组中框"}, drawings=drawings, anchors=anchors)
    assert text_of(doc(body, parts), "a.doc") == "甲\n\n第一框\n\n乙\n\n组中框\n\n丙"


def test_pictures_in_the_line_and_over_the_page_are_images_with_their_place() -> None:
    blip = record(0xF007, bytes(36) + record(0xF01E, bytes(17) + png("blue"), instance=0x6E0), version=2)
    inline = struct.pack("<IHH", 68 + len(shape(1)) + len(blip), 68, 100) + bytes(60) + shape(1) + blip
    drawings = picture_store(png("green")) + b"\0" + drawing(shape(1030, properties(p260=1)))
    body = [Paragraph([("图", b""), ("\x01", sprm(0x6A03, 0, "<I") + sprm(0x0855, 1))]), para("后\x08")]
    content = read(doc(body, WordParts(drawings=drawings, anchors={4: 1030}, data=inline)), "a.doc")
    assert content.text == "图[image: image 1]\n\n后\n\n[image: image 2]"
    assert [image.name for image in content.images] == ["image 1", "image 2"]


def test_a_template_is_read_like_a_document() -> None:
    assert text_of(doc([para("模板")]), "a.dot") == "模板"


def test_the_text_of_word_95_is_read_in_its_code_page() -> None:
    text = "工资表\r第二段\r".encode("gbk")
    main = bytearray(0x400) + text
    struct.pack_into("<HHHHHH", main, 0, 0xA5DC, 0x68, 0, 0x0804, 0, 0)
    struct.pack_into("<II", main, 0x18, 0x400, 0x400 + len(text))
    struct.pack_into("<I", main, 0x34, len(text))
    assert text_of(ole({"WordDocument": bytes(main)}), "a.doc") == "工资表\n\n第二段"


def test_a_table_of_pieces_that_repeats_the_text_a_thousand_times_stays_small() -> None:
    data = bytearray(doc([para("x" * 3000)]))
    good = data.index(b"\x02" + struct.pack("<III", 16, 0, 3001))
    pieces = 300
    table = struct.pack(f"<{pieces + 1}I", *range(0, 3001 * (pieces + 1), 3001))
    table += struct.pack("<HIH", 0, 0x800, 0) * pieces
    broken = b"\x02" + struct.pack("<I", len(table)) + table
    data[good : good + len(broken)] = broken
    struct.pack_into("<I", data, 512 + 0x9A + 8 * 33 + 4, len(broken))
    struct.pack_into("<I", data, 512 + 0x4C, 3001 * pieces)
    content = read(bytes(data), "a.doc", ExtractLimits(extract_text_max_chars=10_000_000))
    assert len(content.text or "") < 20_000


def test_a_document_that_breaks_off_says_so() -> None:
    data = doc([para("甲"), para("乙")])
    at = data.index(b"\x02" + struct.pack("<III", 16, 0, 4))
    content = read(data[: at + 9] + struct.pack("<I", 2) + data[at + 13 :], "a.doc")
    assert (content.status, content.text) == (Status.PARTIAL, "甲")


# --- PowerPoint -------------------------------------------------------------------------------------------------------


def test_slides_have_marks_titles_text_by_place_and_notes() -> None:
    first = SlideFile(
        outline=[(0, "产品发布会"), (1, "要点一\r要点二")],
        shapes=[
            shape(10, placed(100, 3000), typed("下方")),
            shape(11, placed(100, 900), from_outline(1)),
            shape(12, placed(100, 100), from_outline(0)),
            shape(14, placed(3000, 2010), typed("右")),
            shape(13, placed(100, 2000), typed("左")),
        ],
        notes=[shape(20, typed("先打招呼", 2)), shape(21, typed("*", 4))],
    )
    second = SlideFile(shapes=[shape(10, placed(0, 0), typed("第二页\x0b换行"))], is_hidden=True)
    text = text_of(ppt([first, second]), "a.ppt")
    assert text == (
        "--- Slide 1 ---\n\n## 产品发布会\n\n- 要点一\n- 要点二\n\n左\n\n右\n\n下方\n\nNotes: 先打招呼\n\n"
        "--- Slide 2 ---\n[hidden text] (the whole slide)\n\n第二页\n换行"
    )


def test_a_table_on_a_slide_keeps_its_columns() -> None:
    def part(index: int, words: str, *edges: int) -> bytes:
        return shape(index, inside_group(*edges), typed(words))

    cells = [
        part(31, "合并标题", 0, 0, 200, 50),
        part(32, "数量", 200, 0, 300, 50),
        part(33, "钢笔", 0, 50, 100, 100),
        part(34, "蓝", 100, 50, 200, 100),
        part(35, "120", 200, 50, 300, 100),
        shape(36, inside_group(0, 0, 300, 0)),  # a line around the cells
    ]
    table = group(shape(30, properties(p927=1), placed(0, 500)), *reversed(cells))
    rows = table_rows(text_of(ppt([SlideFile(shapes=[table])]), "a.ppt"))
    assert rows == [["合并标题", "", "数量"], ["钢笔", "蓝", "120"]]


def test_groups_within_groups_and_word_art_are_read() -> None:
    art = "艺术字\0".encode("utf-16-le")
    art_properties = record(0xF00B, struct.pack("<HI", 0xC0C0, len(art)) + art, instance=1, version=3)
    inner = group(shape(42), shape(43, inside_group(0, 9, 5, 20), typed("二层")))
    outer = group(shape(40, placed(0, 0)), shape(41, inside_group(0, 0, 5, 5), typed("一层")), inner)
    text = text_of(ppt([SlideFile(shapes=[outer, shape(44, placed(0, 3000), art_properties)])]), "a.pps")
    assert text == "--- Slide 1 ---\n\n一层\n\n二层\n\n艺术字"


def test_text_of_the_outline_that_no_shape_shows_is_not_lost() -> None:
    text = text_of(ppt([SlideFile(outline=[(0, "标题"), (1, "只在大纲")])]), "a.pot")
    assert text == "--- Slide 1 ---\n\n## 标题\n\n只在大纲"


def test_links_comments_and_footers_of_a_slide_are_read() -> None:
    def string(words: str, instance: int) -> bytes:
        return record(0x0FBA, words.encode("utf-16-le"), instance=instance)

    links = box(0x0409, box(0x0FD7, record(0x0FD3, struct.pack("<I", 7)), string("https://example.com/", 1)))
    info = box(0x0FF2, record(0x0FF3, struct.pack("<II8x", 0, 7)))
    linked = typed("见官网", 4, info, record(0x0FDF, struct.pack("<II", 1, 3)))
    comment = box(0x2EE0, string("王小明", 0), string("改标题", 1), string("W", 2))
    tags = box(0x1388, box(0x138A, string("___PPT10", 0), record(0x138B, comment)))
    footer = box(0x0FD9, string("内部资料", 2))
    slides = [SlideFile(shapes=[shape(9, linked)], extra=tags + footer), SlideFile(extra=footer)]
    text = text_of(ppt(slides, document_extra=links), "a.ppt")
    assert "见[官网](https://example.com/)" in text
    assert "Comment (王小明): 改标题" in text
    assert text.count("内部资料") == 1


def test_a_page_of_notes_is_read_with_its_boxes_and_its_margins_once() -> None:
    def margin(words: str, instance: int) -> bytes:
        return record(0x0FBA, words.encode("utf-16-le"), instance=instance)

    margins = box(0x0FD9, record(0x0FDA, struct.pack("<HH", 0, 0x30)), margin("Head", 1), margin("Foot", 2), instance=4)
    notes = [shape(70, typed("说", 2)), shape(71, typed("aside")), shape(72, typed("*"))]
    text = text_of(ppt([SlideFile(notes=notes), SlideFile(notes=notes)], document_extra=margins), "a.ppt")
    assert text == "--- Slide 1 ---\n\nNotes: 说\naside\nHead\nFoot\n\n--- Slide 2 ---\n\nNotes: 说\naside"


def test_codes_of_symbol_fonts_are_read_as_what_they_show_by_the_font_of_their_letters() -> None:
    names = (record(0x0FB7, name.encode("utf-16-le").ljust(68, b"\0")) for name in ("Arial", "Symbol", "Wingdings"))
    fonts = box(0x03F2, box(0x07D5, *names))
    runs = struct.pack("<IHI", 6, 0, 0)
    for count, font in ((2, 1), (2, 2), (2, 0)):
        runs += struct.pack("<IIHH", count, 0x81_0000, 0, font)
    words = typed("\uf0b3 \uf0fc x", 4, record(0x0FA1, runs))
    assert "≥ ✓ x" in text_of(ppt([SlideFile(shapes=[shape(9, words)])], document_extra=fonts), "a.ppt")


@pytest.mark.parametrize("is_packed", [False, True])
def test_files_on_slides_are_read_after_them(is_packed: bool) -> None:
    inner = xls({"Inside": label(0, 0, "cell")})
    stored = struct.pack("<I", len(inner)) + zlib.compress(inner) if is_packed else inner
    atom = record(0x0FC3, struct.pack("<6I", 1, 0, 1, 0, 2, 0))
    data = ppt([], document_extra=box(0x0409, box(0x0FCC, atom)), storage=record(0x1011, stored, instance=is_packed))
    content = read(data, "a.ppt")
    assert content.status is Status.OK
    assert "cell" in (content.text or "").partition("--- File: object 1.xls ---")[2]


def test_words_of_the_master_are_told_once_and_its_placeholders_not_at_all() -> None:
    holder = box(0xF011, record(0x0BC3, struct.pack("<iBBH", 0, 1, 0, 0)))
    master = [shape(50, typed("内部 © 2026")), shape(51, holder, typed("Click to edit", 0))]
    slides = [SlideFile(shapes=[shape(9, typed(words))]) for words in ("一", "二")]
    text = text_of(ppt(slides, master=master), "a.ppt")
    assert text == "--- Slide 1 ---\n\n一\n\n内部 © 2026\n\n--- Slide 2 ---\n\n二"


def test_pictures_on_slides_are_images_once_each() -> None:
    shapes = [shape(9, placed(0, 0), properties(p260=1)), shape(10, placed(0, 900), properties(p260=1))]
    content = read(ppt([SlideFile(shapes=shapes)], document_extra=box(0x040B, picture_store(png()))), "a.ppt")
    assert (content.text or "").count("[image: image 1]") == 2
    assert len(content.images) == 1


def test_slides_that_are_left_out_are_told() -> None:
    slides = [SlideFile(shapes=[shape(9, typed(f"page {index}"))]) for index in range(5)]
    content = read(ppt(slides), "a.ppt", ExtractLimits(pptx_max_slides=2))
    assert (content.status, content.total_pages) == (Status.PARTIAL, 5)
    assert "slides 3 to 5 of 5" in (content.note or "")
    assert "page 2" not in (content.text or "")


def test_a_presentation_of_powerpoint_95_is_told_not_guessed_at() -> None:
    content = read(ole({"PowerPoint Document": b"\0" * 5000, "Text_Content": b"x"}), "a.ppt")
    assert (content.status, content.note) == (
        Status.UNSUPPORTED,
        "presentations of PowerPoint 95 and before are not read",
    )


# --- locked and damaged files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.xls", xls({"S": label(0, 0, "x")}, extra=biff(0x002F, bytes(6)))),
        ("a.doc", doc([para("x")], WordParts(flags=0x0100))),
        ("a.ppt", ppt([SlideFile()], token=0xF3D1C4DF)),
        ("a.docx", ole({"EncryptionInfo": bytes(8), "EncryptedPackage": bytes(64)})),
    ],
)
def test_a_locked_file_asks_for_its_password_and_says_when_it_does_not_fit(name: str, data: bytes) -> None:
    without, wrong = read(data, name), read(data, name, password="nonsense")
    assert (without.status, without.note) == (Status.ENCRYPTED, LOCKED)
    assert (wrong.status, wrong.note) == (Status.ENCRYPTED, UNFIT)


def locked_docx(password: str) -> bytes:
    from msoffcrypto.format.ooxml import OOXMLFile

    document, plain, locked = docx.Document(), io.BytesIO(), io.BytesIO()
    document.add_paragraph("加密的合同")
    document.save(plain)
    OOXMLFile(plain).encrypt(password, locked)
    return locked.getvalue()


def locked_xls(password: str) -> bytes:
    """A workbook in the cipher of Excel 97: RC4 anew for each 1,024 bytes, headers of records left open."""
    from msoffcrypto.method import rc4

    salt, proof = bytes(range(16)), bytes(range(100, 116))

    def ciphered(data: bytes, *, block_bytes: int = 1024) -> bytes:
        cipher = rc4.DocumentRC4.decrypt(password, salt, io.BytesIO(data), blocksize=block_bytes)
        result: bytes = cipher.read()
        return result

    proofs = ciphered(proof + hashlib.md5(proof).digest(), block_bytes=512)
    lock = biff(0x002F, struct.pack("<HHH", 1, 1, 1) + salt + proofs)
    plain = workbook8({"工资": label(0, 0, "机密")}, extra=lock)
    secret = ciphered(plain)
    stream = bytearray()
    while len(stream) < len(plain):
        at = len(stream)
        kind, size = struct.unpack_from("<HH", plain, at)
        body, open_bytes = plain[at + 4 : at + 4 + size], {0x0809: size, 0x002F: size, 0x0085: 4}.get(kind, 0)
        stream += plain[at : at + 4] + body[:open_bytes] + secret[at + 4 + open_bytes : at + 4 + size]
    # The library walks over what fills the stream up as records of four zeros.
    return ole({"Workbook": bytes(stream).ljust(4096 + len(stream) % 4, b"\0")})


@pytest.mark.parametrize(("name", "make"), [("a.docx", locked_docx), ("a.xls", locked_xls)])
def test_a_locked_file_opens_with_its_password(name: str, make) -> None:  # type: ignore[no-untyped-def] # a maker of files
    data = make("开门")
    assert read(data, name).status is Status.ENCRYPTED
    opened = read(data, name, password="开门")
    assert opened.status is Status.OK, opened.note
    assert any(word in (opened.text or "") for word in ("加密的合同", "机密"))


def test_a_workbook_protected_against_changes_opens_as_in_excel_without_a_password() -> None:
    assert "机密" in (read(locked_xls("VelvetSweatshop"), "a.xls").text or "")


def test_an_old_file_cut_anywhere_ends_in_a_clean_status() -> None:
    files = {
        "a.xls": xls({"S": label(0, 0, "x") * 300}),
        "a.doc": doc([para("一二三")] * 50),
        "a.ppt": ppt([SlideFile(shapes=[shape(9, typed("x"))])] * 9),
    }
    for name, data in files.items():
        for share in range(1, 10):
            content = read(data[: len(data) * share // 10], name)
            assert content.status is not Status.FAILED, (name, share, content.note)


# --- in the sandbox ---------------------------------------------------------------------------------------------------


async def test_every_old_format_is_read_in_the_sandbox_and_locked_ones_open_there() -> None:
    book = openpyxl.Workbook()
    book["Sheet"]["A1"] = "plain"
    files = [
        ("a.xls", xls({"S": label(0, 0, "钢笔")}), None, "钢笔"),
        ("a.xlsb", xlsb(), None, "钢笔"),
        ("a.doc", doc([para("合同")]), None, "合同"),
        ("a.ppt", ppt([SlideFile(shapes=[shape(9, typed("发布会"))])]), None, "发布会"),
        ("a.docx", locked_docx("开门"), "开门", "加密的合同"),
        ("a.xls", locked_xls("开门"), "开门", "机密"),
    ]
    async with SandboxedAttachmentExtractor() as extractor:
        for name, data, password, words in files:
            metadata = {"name": name} | ({"password": password} if password else {})
            content = await extractor.extract(data, file_metadata=metadata)
            assert content.status is Status.OK, (name, content.note)
            assert words in (content.text or "")


# --- on files of other programs, where they are at hand ---------------------------------------------------------------

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("doc/zh_report.doc", "| 合计（合并单元格） |  |  | 5006 |"),
        ("xlt/zh_sales.xlt", "| 2024年1月31日 | 钢笔 | 120 | ¥3.50 | 12.5% | 367.5 |"),
        ("ppt/zh_deck.ppt", "Notes: 演讲备注：先打招呼"),
    ],
)
def test_files_written_by_an_office_program_are_read_faithfully(path: str, words: str) -> None:
    assert words in (read((CORPUS / path).read_bytes(), path).text or "")


def test_a_stream_that_runs_in_a_circle_and_claims_gigabytes_costs_nothing() -> None:
    data = bytearray(ole({"Workbook": bytes(4096), "WordDocument": bytes(4096), "PowerPoint Document": bytes(4096)}))
    (fat_at,) = struct.unpack_from("<I", data, 76)
    for name in ("Workbook", "WordDocument", "PowerPoint Document"):
        entry = data.index(name.encode("utf-16-le"))
        (start,) = struct.unpack_from("<I", data, entry + 116)
        struct.pack_into("<Q", data, entry + 120, 0x7FFF_FFFF)
        struct.pack_into("<I", data, 512 * (fat_at + 1) + 4 * start, start)
    began = time.monotonic()
    for name in ("a.xls", "a.doc", "a.ppt"):
        assert read(bytes(data), name).status in {Status.REJECTED, Status.UNSUPPORTED}
    assert time.monotonic() - began < 10, "it was collected"
