"""Faults that users reported of other readers, each rebuilt by code under its report's name, with what is right.

The reports are public issues and pull requests: `markitdown_2124` is issue or pull request 2124 of that project.
"""

from __future__ import annotations

import asyncio
import datetime
import io
import re
import struct
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import docx
import openpyxl
import pptx
import pymupdf
import pytest
from PIL import Image
from pptx.util import Cm

from extractors import ExtractedContent, ExtractLimits, SandboxedAttachmentExtractor, Status, extract_content

ROOT = Path(__file__).parents[2]
MIB = 1024 * 1024
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
WORD = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml"'
)


def read(data: bytes, name: str, **limits: int) -> ExtractedContent:
    return extract_content(data, media_type="", name=name, limits=ExtractLimits(**limits))


def text_of(data: bytes, name: str, **limits: int) -> str:
    content = read(data, name, **limits)
    assert content.status in {Status.OK, Status.PARTIAL}, content.note
    return content.text or ""


def tables(markdown: str) -> list[list[list[str]]]:
    """Every table of a text as rows of cells, without the line of dashes."""
    found = []
    for block in re.findall(r"(?:^\|.*\|[ ]*$\n?)+", markdown, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in block.strip().splitlines()]
        found.append([row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)])
    return found


def saved(document: docx.document.Document | pptx.presentation.Presentation | openpyxl.Workbook) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def zipped(members: Mapping[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), "red").save(buffer, "PNG")
    return buffer.getvalue()


@contextmanager
def costing_at_most(*, seconds: float, mib: float) -> Iterator[None]:
    """Fails when what happens inside takes longer, or more memory of Python's at once."""
    tracemalloc.start()
    started = time.monotonic()
    try:
        yield
        spent, peak = time.monotonic() - started, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert spent < seconds
    assert peak < mib * MIB


# --- Excel ------------------------------------------------------------------------------------------------------------


def workbook(rows: Sequence[Sequence[object]]) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    return book


def raw_sheet(rows: str, *, before: str = "") -> bytes:
    """A workbook of one sheet whose XML is given."""
    link = '<Relationships xmlns="{}"><Relationship Id="r1" Type="{}/{}" Target="{}"/></Relationships>'
    return zipped(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'spreadsheetml.sheet.main+xml"/></Types>',
            "_rels/.rels": link.format(LINKS, KINDS, "officeDocument", "xl/workbook.xml"),
            "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{KINDS}"><sheets><sheet name="S" sheetId="1" '
            'r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": link.format(LINKS, KINDS, "worksheet", "worksheets/s.xml"),
            "xl/worksheets/s.xml": f'<worksheet xmlns="{SHEET}">{before}<sheetData>{rows}</sheetData></worksheet>',
        }
    )


def number(address: str, value: int) -> str:
    return f'<row r="{address.lstrip("ABCDEFXYZ")}"><c r="{address}"><v>{value}</v></c></row>'


def test_markitdown_2124_no_header_is_invented_and_blank_rows_and_columns_are_pruned() -> None:
    book = workbook([["季度表", None, None], ["区域", None, "金额"], ["华东", None, 12], ["华南", None, 15]])
    for row in range(1, 40):
        book.worksheets[0].cell(row, 9).style = "Good"  # formatted and blank

    text = text_of(saved(book), "a.xlsx")

    assert "Unnamed" not in text
    assert "NaN" not in text
    (table,) = tables(text)
    assert table == [["季度表", ""], ["区域", "金额"], ["华东", "12"], ["华南", "15"]]


def test_markitdown_183_blank_cells_are_blank() -> None:
    text = text_of(saved(workbook([["a", "b", "c"], [1, None, 3], [None, 5, None]])), "a.xlsx")

    assert tables(text) == [[["a", "b", "c"], ["1", "", "3"], ["", "5", ""]]]


LITERALS = ["NA", "N/A", "NULL", "None", "nan", "TRUE story"]


def test_markitdown_2498_words_that_mean_nothing_elsewhere_are_kept() -> None:
    text = text_of(saved(workbook([["region"], *([word] for word in LITERALS)])), "a.xlsx")

    assert tables(text) == [[["region"], *([word] for word in LITERALS)]]


def test_markitdown_2498_the_same_in_the_old_format() -> None:
    cells = [(row, 0, word) for row, word in enumerate(["region", *LITERALS])]

    assert tables(text_of(old_workbook(cells), "a.xls")) == [[["region"], *([word] for word in LITERALS)]]


def test_markitdown_2516_a_blank_does_not_change_the_cells_above_it() -> None:
    day = datetime.date(2026, 3, 4)
    text = text_of(saved(workbook([["n", "b", "d"], [12, True, day], [None, None, None], [13, False, day]])), "a.xlsx")

    (table,) = tables(text)
    assert [row for row in table if any(row)] == [
        ["n", "b", "d"], ["12", "TRUE", "2026-03-04"], ["13", "FALSE", "2026-03-04"]
    ]  # fmt: skip


def test_markitdown_167_merged_cells_leave_the_columns_aligned() -> None:
    book = workbook([["2026", None, "合计"], ["Q1", "Q2", None], [1, 2, 3]])
    book.worksheets[0].merge_cells("A1:B1")
    book.worksheets[0].merge_cells("C1:C2")

    assert tables(text_of(saved(book), "a.xlsx")) == [[["2026", "", "合计"], ["Q1", "Q2", ""], ["1", "2", "3"]]]


def test_office_oxide_235_merged_ranges_show_their_value_once_in_both_formats() -> None:
    book = workbook([["title", None, None], ["left", "a", "b"], [None, "c", "d"]])
    book.worksheets[0].merge_cells("A1:C1")
    book.worksheets[0].merge_cells("A2:A3")
    expected = [["title", "", ""], ["left", "a", "b"], ["", "c", "d"]]
    cells = [(0, 0, "title"), (1, 0, "left"), (1, 1, "a"), (1, 2, "b"), (2, 1, "c"), (2, 2, "d")]

    assert tables(text_of(saved(book), "a.xlsx")) == [expected]
    assert tables(text_of(old_workbook(cells, merged=[(0, 0, 0, 2), (1, 2, 0, 0)]), "a.xls")) == [expected]


def test_anydoc_27_values_are_shown_as_the_sheet_shows_them() -> None:
    book = workbook([["rate", "price", "code"], [0.075, 1234.5, 42]])
    for address, code in (("A2", "0.0%"), ("B2", '"$"#,##0.00'), ("C2", "00000")):
        book.worksheets[0][address].number_format = code

    assert tables(text_of(saved(book), "a.xlsx"))[0][1] == ["7.5%", "$1,234.50", "00042"]


def test_ragflow_19185_rows_after_a_gap_are_read() -> None:
    book = workbook([["first"]])
    book.worksheets[0]["A14"] = "after the gap"
    book.worksheets[0]["A400"] = "far below"

    text = text_of(saved(book), "a.xlsx")

    assert text.count("first") == text.count("after the gap") == text.count("far below") == 1


def test_python_calamine_130_a_far_cell_costs_nothing() -> None:
    with costing_at_most(seconds=3, mib=20):
        text = text_of(raw_sheet(number("A1", 11) + number("XFD1048576", 22)), "a.xlsx")

    assert "11" in text
    assert "XFD1048576" in text
    assert "22" in text
    assert len(text) < 500


def test_simplexlsx_168_a_false_dimension_is_not_believed() -> None:
    with costing_at_most(seconds=3, mib=20):
        text = text_of(raw_sheet(number("A1", 11), before='<dimension ref="A1:XFD1048576"/>'), "a.xlsx")

    assert tables(text) == [[["11"]]]


@pytest.mark.parametrize("address", ["XFE1", "A1048577", "ZZZZZZ1", "A99999999999", "A0"])
def test_office2pdf_1703_cells_outside_the_grid_do_no_harm(address: str) -> None:
    column = address.rstrip("0123456789")
    row = f'<row r="{address[len(column) :]}"><c r="{address}"><v>666</v></c></row>'

    with costing_at_most(seconds=3, mib=20):
        text = text_of(raw_sheet(number("A1", 11) + row), "a.xlsx")

    assert "11" in text
    assert len(text) < 500


def test_unstructured_3872_an_old_sheet_costs_what_its_cells_cost() -> None:
    data = old_workbook([(0, 0, "near"), (65_535, 255, "far")])

    with costing_at_most(seconds=3, mib=60):
        text = text_of(data, "a.xls")

    assert "near" in text
    assert "far" in text
    assert len(text) < 500


# --- PowerPoint -------------------------------------------------------------------------------------------------------


def slide() -> tuple[pptx.presentation.Presentation, pptx.slide.Slide]:
    deck = pptx.Presentation()
    return deck, deck.slides.add_slide(deck.slide_layouts[6])


def box(shapes: pptx.shapes.shapetree.SlideShapes, text: str, left: float = 1, top: float = 1) -> None:
    shapes.add_textbox(Cm(left), Cm(top), Cm(5), Cm(1)).text_frame.text = text


def test_markitdown_167_merged_cells_of_a_slide_leave_the_columns_aligned() -> None:
    deck, page = slide()
    table = page.shapes.add_table(2, 3, 0, 0, Cm(9), Cm(3)).table
    for place, text in {(0, 0): "both", (0, 2): "c", (1, 0): "x", (1, 1): "y", (1, 2): "z"}.items():
        table.cell(*place).text = text
    table.cell(0, 0).merge(table.cell(0, 1))

    assert tables(text_of(saved(deck), "a.pptx")) == [[["both", "", "c"], ["x", "y", "z"]]]


def test_markitdown_332_text_in_groups_is_read() -> None:
    deck, page = slide()
    box(page.shapes.add_group_shape().shapes.add_group_shape().shapes, "组合里的文字")

    assert "组合里的文字" in text_of(saved(deck), "a.pptx")


def test_agentscope_2674_pictures_in_groups_come_out_too() -> None:
    deck, page = slide()
    group = page.shapes.add_group_shape()
    box(group.shapes, "caption")
    group.shapes.add_picture(io.BytesIO(png()), 0, Cm(2))

    content = read(saved(deck), "a.pptx")

    assert "caption" in (content.text or "")
    assert [image.name for image in content.images] == ["image 1"]
    assert "[image: image 1]" in (content.text or "")


def test_markitdown_1104_shapes_are_read_by_their_place_and_not_by_their_depth() -> None:
    deck, page = slide()
    for text, left, top in (("fourth", 12, 8), ("third", 1, 8), ("first", 1, 1), ("second", 12, 1)):
        box(page.shapes, text, left, top)

    text = text_of(saved(deck), "a.pptx")

    assert re.findall("first|second|third|fourth", text) == ["first", "second", "third", "fourth"]


def test_markitdown_1161_a_shape_without_a_place_is_read() -> None:
    deck, page = slide()
    box(page.shapes, "somewhere")
    box(page.shapes, "placed")
    properties = page.shapes[0]._element.spPr
    properties.remove(properties.xfrm)

    text = text_of(saved(deck), "a.pptx")

    assert "somewhere" in text
    assert "placed" in text


def test_docling_3371_a_malformed_picture_takes_nothing_with_it() -> None:
    deck, page = slide()
    box(page.shapes, "before", top=1)
    for top in (3, 6, 9):
        page.shapes.add_picture(io.BytesIO(png()), 0, Cm(top))
    box(page.shapes, "after", top=12)
    no_fill, no_blip, no_part = (shape._element for shape in list(page.shapes)[1:4])
    no_fill.remove(no_fill.blipFill)
    no_blip.blipFill.remove(no_blip.blipFill.find("{*}blip"))
    no_part.blipFill.find("{*}blip").set(f"{{{KINDS}}}embed", "rId999")
    box(deck.slides.add_slide(deck.slide_layouts[6]).shapes, "next slide")

    text = text_of(saved(deck), "a.pptx")

    assert re.findall("before|after|next slide", text) == ["before", "after", "next slide"]


def test_docling_3309_a_shape_of_no_known_type_is_read_as_a_plain_one() -> None:
    deck, page = slide()
    box(page.shapes, "exported elsewhere")
    shape = page.shapes[0]._element
    shape.nvSpPr.cNvSpPr.attrib.pop("txBox")
    shape.spPr.remove(shape.spPr.find("{*}prstGeom"))
    with pytest.raises(NotImplementedError):
        page.shapes[0].shape_type  # noqa: B018 # the fault as it was reported

    assert "exported elsewhere" in text_of(saved(deck), "a.pptx")


# --- Word -------------------------------------------------------------------------------------------------------------


def word(body: str) -> bytes:
    link = '<Relationships xmlns="{}"><Relationship Id="r1" Type="{}/{}" Target="{}"/></Relationships>'
    return zipped(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'wordprocessingml.document.main+xml"/></Types>',
            "_rels/.rels": link.format(LINKS, KINDS, "officeDocument", "word/document.xml"),
            "word/document.xml": f"<w:document {WORD}><w:body>{body}</w:body></w:document>",
        }
    )


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def paragraph(text: str) -> str:
    return f"<w:p>{run(text)}</w:p>"


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"


def table_of(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(f'<w:tr>{cells}</w:tr>' for cells in rows)}</w:tbl>"


def content_control(inner: str) -> str:
    return f"<w:sdt><w:sdtPr/><w:sdtContent>{inner}</w:sdtContent></w:sdt>"


WIDE, BEGINS, GOES_ON = '<w:gridSpan w:val="{}"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"


def merged_document() -> bytes:
    return word(
        table_of(
            cell("A", WIDE.format(3)) + cell("B", BEGINS),
            cell("c") + cell("d", WIDE.format(2)) + cell("", GOES_ON),
            cell("e") + cell("f") + cell("g") + cell("h"),
        )
    )


MERGED = [["A", "", "", "B"], ["c", "d", "", ""], ["e", "f", "g", "h"]]


def test_docling_791_merged_cells_do_not_repeat_their_columns() -> None:
    assert tables(text_of(merged_document(), "a.docx")) == [MERGED]


def test_unstructured_2106_the_text_of_merged_cells_stands_once_in_a_rectangular_grid() -> None:
    text = text_of(merged_document(), "a.docx")

    assert [text.count(value) for value in "ABcdefgh"] == [1] * 8
    assert {len(row) for row in tables(text)[0]} == {4}


def test_dify_27870_a_value_stands_where_it_begins_and_nothing_beside_it_is_lost() -> None:
    rows = [cell("kept", BEGINS + WIDE.format(2)) + cell("x"), cell("", GOES_ON + WIDE.format(2)) + cell("y")]

    assert tables(text_of(word(table_of(*rows, cell("a") + cell("b") + cell("z"))), "a.docx")) == [
        [["kept", "", "x"], ["", "", "y"], ["a", "b", "z"]]
    ]


def test_xberg_1549_spans_to_the_right_and_below_are_not_cloned() -> None:
    document = docx.Document()
    table = document.add_table(4, 4)
    table.cell(0, 0).merge(table.cell(2, 2)).text = "once"
    for place in ((0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2), (3, 3)):
        table.cell(*place).text = f"{place[0]}{place[1]}"

    assert tables(text_of(saved(document), "a.docx")) == [
        [["once", "", "", "03"], ["", "", "", "13"], ["", "", "", "23"], ["30", "31", "32", "33"]]
    ]


def test_docling_1529_a_text_box_is_read_once_where_it_is_anchored() -> None:
    inner = f"<w:txbxContent>{paragraph('文本框里的字')}</w:txbxContent>"
    boxed = (
        f'<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:wsp><wps:txbx>{inner}</wps:txbx></wps:wsp>'
        f"</w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>{inner}</v:textbox></v:shape></w:pict>"
        "</mc:Fallback></mc:AlternateContent>"
    )
    body = paragraph("before") + f"<w:p><w:r>{boxed}</w:r></w:p>" + paragraph("after")

    assert re.findall("before|文本框里的字|after", text_of(word(body), "a.docx")) == ["before", "文本框里的字", "after"]


def with_margins() -> bytes:
    document = docx.Document()
    document.add_paragraph("body")
    for _ in range(2):
        section = document.add_section()
        section.header.is_linked_to_previous = section.footer.is_linked_to_previous = False
        section.header.paragraphs[0].text, section.footer.paragraphs[0].text = "机密页眉", "页脚说明"
    return saved(document)


def test_docling_1394_headers_and_footers_are_read_once() -> None:
    text = text_of(with_margins(), "a.docx")

    assert (text.count("机密页眉"), text.count("页脚说明")) == (1, 1)


def test_anydoc_132_headers_and_footers_are_told_apart_from_the_body() -> None:
    text = text_of(with_margins(), "a.docx")

    assert "Header: 机密页眉" in text
    assert "Footer: 页脚说明" in text


INSERTED = f'<w:ins w:id="1" w:author="a">{run("inserted")}</w:ins>'
DELETED = '<w:del w:id="2" w:author="a"><w:r><w:delText>deleted</w:delText></w:r></w:del>'


@pytest.mark.parametrize(
    "inner",
    [
        pytest.param(f"{run('start ')}{INSERTED}{DELETED}", id="1123 tracked changes"),
        pytest.param(f'{run("start ")}<w:hyperlink w:anchor="x">{run("inserted")}</w:hyperlink>', id="340 links"),
        pytest.param(f"{run('start ')}<w:smartTag>{run('inserted')}</w:smartTag>", id="803 wrapped runs"),
    ],
)
def test_python_docx_1123_340_803_wrapped_runs_are_read_and_deletions_are_not(inner: str) -> None:
    text = text_of(word(f"<w:p>{inner}</w:p>"), "a.docx")

    assert text == "start inserted"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"<w:p>{content_control(run('kept'))}</w:p>", id="run"),
        pytest.param(content_control(paragraph("kept")), id="paragraph"),
        pytest.param(content_control(table_of(cell("kept") + cell("x"))), id="table"),
        pytest.param("<w:tbl>" + content_control(f"<w:tr>{cell('kept')}{cell('x')}</w:tr>") + "</w:tbl>", id="row"),
        pytest.param(f"<w:tbl><w:tr>{content_control(cell('kept'))}{cell('x')}</w:tr></w:tbl>", id="cell"),
        pytest.param(f'<w:p><w:ins w:id="1">{content_control(run("kept"))}</w:ins></w:p>', id="insertion"),
    ],
)
def test_all2md_480_content_controls_of_every_shape_are_read(body: str) -> None:
    text = text_of(word(body), "a.docx")

    assert text.count("kept") == 1


@pytest.mark.parametrize(
    "inner",
    [
        f'<w:ins w:id="1">{run("kept")}</w:ins>',
        f'<w:fldSimple w:instr="TITLE">{run("kept")}</w:fldSimple>',
        f"<w:r><w:ruby><w:rt>{run('reading')}</w:rt><w:rubyBase>{run('kept')}</w:rubyBase></w:ruby></w:r>",
        f"<w:smartTag>{run('kept')}</w:smartTag>",
    ],
    ids=["ins", "fldSimple", "ruby", "smartTag"],
)
def test_office_oxide_141_wrappers_are_looked_through(inner: str) -> None:
    assert text_of(word(f"<w:p>{run('a ')}{inner}{run(' b')}</w:p>"), "a.docx").replace("(reading)", "") == "a kept b"


def test_xberg_1112_tables_stand_where_they_are_in_the_document() -> None:
    document = docx.Document()
    for number_of_chapter in (1, 2):
        document.add_heading(f"chapter {number_of_chapter}")
        document.add_paragraph(f"words {number_of_chapter}")
        document.add_table(1, 2).cell(0, 0).text = f"table {number_of_chapter}"

    text = text_of(saved(document), "a.docx")

    assert re.findall(r"chapter \d|words \d|table \d", text) == [
        "chapter 1", "words 1", "table 1", "chapter 2", "words 2", "table 2"
    ]  # fmt: skip


def test_ogx_6099_a_document_that_inflates_without_end_is_stopped() -> None:
    data = word(f"<w:p><w:r><w:t>{'a' * 40 * MIB}</w:t></w:r></w:p>")
    assert len(data) < MIB

    with costing_at_most(seconds=5, mib=40):
        content = read(data, "a.docx", office_zip_max_uncompressed_bytes=5 * MIB)

    assert content.status in {Status.REJECTED, Status.PARTIAL}
    assert content.note


# --- archives ---------------------------------------------------------------------------------------------------------


def with_raw_names(encoding: str, *names: str) -> bytes:
    """A ZIP as old programs write it: names in the system's encoding, and no flag that says so."""
    raw = [name.encode(encoding) for name in names]
    placeholders = ["ABCDEF"[number] * len(name) for number, name in enumerate(raw)]
    data = zipped({name: f"text of member {number}" for number, name in enumerate(placeholders)})
    for placeholder, name in zip(placeholders, raw, strict=True):
        data = data.replace(placeholder.encode(), name)
    return data


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("gbk", ["销售数据/季度报告.txt", "员工名册.txt"]),
        ("big5", ["銷售資料/季度報告.txt", "員工名冊與薪資明細.txt"]),
        ("shift_jis", ["レポート/文章の一覧.txt", "テスト結果のまとめ.txt"]),
    ],
)
def test_markitdown_1535_names_of_members_are_readable(encoding: str, names: list[str]) -> None:
    text = text_of(with_raw_names(encoding, *names), "a.zip")

    assert [name for name in names if name not in text] == []
    assert "text of member 1" in text


def test_aperag_447_chinese_names_are_not_taken_for_western_ones() -> None:
    content = read(with_raw_names("gbk", "合同.txt", "附件二.txt"), "a.zip")

    assert content.members == ("合同.txt", "附件二.txt")


def test_markitdown_1514_a_member_is_never_inflated_beyond_its_limit() -> None:
    data = zipped({"bomb.txt": bytes(60 * MIB), "small.txt": "small words"})
    lying = data.replace(struct.pack("<I", 60 * MIB), struct.pack("<I", 1000))

    for archive in (data, lying):
        with costing_at_most(seconds=5, mib=20):
            content = read(archive, "a.zip", member_max_bytes=MIB)

        assert "small words" in (content.text or "")
        assert content.status is Status.PARTIAL
        assert "bomb.txt" in (content.note or "")


def test_markitdown_1661_what_a_limit_leaves_out_is_said_in_the_text() -> None:
    data = zipped({f"note {number}.txt": f"words {number}" for number in range(6)})

    content = read(data, "a.zip", members_max_count=4)

    assert "words 3" in (content.text or "")
    assert "words 4" not in (content.text or "")
    assert "note 4.txt" in (content.text or "")
    assert "note 5.txt" in (content.text or "")
    assert content.truncated


# --- text and mail ----------------------------------------------------------------------------------------------------


def test_markitdown_1112_nothing_depends_on_the_encoding_of_the_locale(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("读文 reads café ✓ 😀", encoding="utf-8")
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    finished = subprocess.run(
        [sys.executable, "-m", "extractors", "a.txt"],
        capture_output=True, check=True, timeout=60, env=environment | {"PYTHONPATH": str(ROOT)}, cwd=tmp_path,
    )  # fmt: skip

    assert "读文 reads café ✓ 😀" in finished.stdout.decode("utf-8")


def test_unstructured_2481_a_message_in_the_code_page_of_taiwan_is_read() -> None:
    data = message("會議紀錄與決議事項", "請各位同事準時參加本週五的會議。", "王小明", encoding="cp950", code_page=950)

    text = text_of(data, "a.msg")

    assert "會議紀錄與決議事項" in text
    assert "請各位同事準時參加本週五的會議。" in text
    assert "王小明" in text


@pytest.mark.parametrize("code_page", [936, None], ids=["declared", "not declared"])
def test_msg_extractor_462_a_chinese_message_is_read_as_gb18030(code_page: int | None) -> None:
    body = "关于项目进度的说明：镕基、喆、㐂等字不在 GB2312 之内。" * 3
    data = message("项目进度通知", body, "李晓红", encoding="gb18030", code_page=code_page)

    text = text_of(data, "a.msg")

    assert "项目进度通知" in text
    assert "镕基、喆、㐂等字" in text
    assert "李晓红" in text


def test_msg_extractor_373_a_byte_that_fits_no_code_page_raises_nothing() -> None:
    body = "各位同事：請參考附件說明，並於本週五前回覆意見。" * 4
    data = message("主旨", body, "寄件人", encoding="cp950", code_page=950, after_body=b"\xff\x81\x20")

    assert text_of(data, "a.msg").count("請參考附件說明") == 4


# --- PDF --------------------------------------------------------------------------------------------------------------


def chinese_page(*lines: str) -> pymupdf.Document:
    document = pymupdf.open()
    page = document.new_page()
    for number_of_line, line in enumerate(lines):
        page.insert_text((72, 72 + 20 * number_of_line), line, fontname="china-s")
    return document


def raw_pdf(content: bytes, *fonts: str) -> bytes:
    """A PDF of one page whose font is called F1; the first object of the font is number 5."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content.decode('latin-1')}\nendstream",
        *fonts,
    ]
    data, places = b"%PDF-1.4\n", []
    for number_of_object, body in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number_of_object} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    tail = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}trailer << /Size {len(places) + 1} /Root 1 0 R >>"
    return data + f"{tail}\nstartxref\n{len(data)}\n%%EOF".encode()


def cid_font(encoding: str, collection: str) -> tuple[str, str, str]:
    return (
        f"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /{encoding} /DescendantFonts [6 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /FontDescriptor 7 0 R /DW 1000 /CIDSystemInfo "
        f"<< /Registry (Adobe) /Ordering ({collection}) /Supplement 0 >> >>",
        "<< /Type /FontDescriptor /FontName /STSong-Light /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 "
        "/Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>",
    )


def shown(lines: Sequence[bytes]) -> bytes:
    return b"BT /F1 12 Tf 72 760 Td 16 TL " + b" ".join(b"<%s> Tj T*" % line.hex().encode() for line in lines) + b" ET"


def test_pdf_inspector_400_fonts_in_gbk_without_a_map_to_unicode_are_read() -> None:
    lines = ["国务院办公厅关于印发通知", "第一条 本办法自发布之日起施行"]

    text = text_of(raw_pdf(shown([line.encode("gbk") for line in lines]), *cid_font("GBK-EUC-H", "GB1")), "a.pdf")

    assert all(line in text for line in lines)
    assert "\ufffd" not in text


def test_pdf_inspector_416_a_bank_statement_in_chinese_is_not_garbled() -> None:
    lines = ["账户交易明细 2026年11月", "日期 摘要 支出金额 余额", "11-02 工资转入 9800.00 12345.67"]

    text = text_of(raw_pdf(shown([line.encode("gbk") for line in lines]), *cid_font("GBKp-EUC-H", "GB1")), "a.pdf")

    assert "".join(lines).replace(" ", "") in re.sub(r"\s", "", text)


def without_unicode_map(text: str) -> bytes:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("cjk").buffer)
    page.insert_text((72, 72), text, fontname="F0")
    for xref in range(1, document.xref_length()):
        if document.xref_get_key(xref, "ToUnicode")[0] != "null":
            document.xref_set_key(xref, "ToUnicode", "null")
    data: bytes = document.tobytes()
    return data


def test_pdfminer_771_letters_that_map_to_nothing_are_shown_and_not_numbered() -> None:
    content = read(without_unicode_map("季度经营报告与明细数据"), "a.pdf")

    assert "cid:" not in (content.text or "")
    assert [image.name for image in content.images] == ["page 1"]


def test_pymupdf_4022_a_garbled_text_layer_is_said_to_be_one() -> None:
    content = read(without_unicode_map("合同条款不可读取的文字层"), "a.pdf")

    assert content.text == "--- Page 1 ---\n\n[image: page 1]"
    assert "page 1 has a garbled text layer" in (content.note or "")


def test_xberg_431_numbers_are_not_split_in_text_nor_in_tables() -> None:
    kerned = b"[(1) -20 (2) 15 (,) -30 (4) -25 (0) -280 (m)] TJ"
    lines = b"".join(b"%d 500 m %d 600 l S " % (x, x) for x in (72, 272, 472))
    lines += b"".join(b"72 %d m 472 %d l S " % (y, y) for y in (500, 550, 600))
    cells = [b"BT /F1 12 Tf %d %d Td %s ET " % (x, y, kerned) for x in (80, 280) for y in (520, 570)]
    content = b"BT /F1 12 Tf 72 760 Td " + kerned + b" ET " + lines + b"".join(cells)

    text = text_of(raw_pdf(content, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"), "a.pdf")

    assert text.count("12,40 m") == 5
    assert tables(text) == [[["12,40 m"] * 2] * 2]


def test_xberg_1170_columns_are_read_one_after_the_other_under_their_heading() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((180, 60), "A heading over both columns", fontsize=16)
    for column, x in (("left", 60), ("right", 320)):
        for line in range(12):
            page.insert_text((x, 100 + 14 * line), f"{column} column, sentence number {line}", fontsize=10)

    found = re.findall(r"heading|(?:left|right) column, sentence number \d+", text_of(document.tobytes(), "a.pdf"))

    assert found == ["heading"] + [
        f"{side} column, sentence number {n}" for side in ("left", "right") for n in range(12)
    ]


def ruled(page: pymupdf.Page, rows: Sequence[Sequence[str]], top: float) -> None:
    for row in range(len(rows) + 1):
        page.draw_line((72, top + 24 * row), (72 + 120 * len(rows[0]), top + 24 * row))
    for column in range(len(rows[0]) + 1):
        page.draw_line((72 + 120 * column, top), (72 + 120 * column, top + 24 * len(rows)))
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            page.insert_text((78 + 120 * column, top + 16 + 24 * row), text, fontname="china-s")


def test_xberg_1300_a_table_over_two_pages_is_told_once() -> None:
    document = pymupdf.open()
    ruled(document.new_page(), [["名称", "数量"], *([f"item {n}", str(100 + n)] for n in range(20))], 200)
    ruled(document.new_page(), [[f"item {n}", str(100 + n)] for n in range(20, 40)], 72)

    text = text_of(document.tobytes(), "a.pdf")

    rows = [row for table in tables(text) for row in table]
    assert [row for row in rows if row[0].startswith("item")] == [[f"item {n}", str(100 + n)] for n in range(40)]
    assert re.findall(r"item \d+", text) == [f"item {n}" for n in range(40)]
    assert text.index("item 19") < text.index("--- Page 2 ---") < text.index("item 20")


def test_pymupdf4llm_322_dense_tables_do_not_take_minutes() -> None:
    document = pymupdf.open()
    for page_number in range(8):
        page = document.new_page(width=1400, height=1400)
        ruled(page, [[f"{page_number}.{row}.{column}" for column in range(10)] for row in range(45)], 72)
    started = time.monotonic()

    text = text_of(document.tobytes(), "a.pdf", extract_text_max_chars=1_000_000)

    assert time.monotonic() - started < 15
    assert all(f"{page_number}.{row}.9" in text for page_number in range(8) for row in range(45))


def test_nextcloud_mcp_856_a_page_of_grid_lines_is_read_as_plain_text() -> None:
    document = chinese_page("图纸上的文字")
    page = document[0]
    shape = page.new_shape()
    for step in range(800):
        shape.draw_line((0, step), (595, step))
        shape.draw_line((step * 0.7, 0), (step * 0.7, 842))
    shape.finish(width=0.1)
    shape.commit()
    started = time.monotonic()

    text = text_of(document.tobytes(), "a.pdf")

    assert time.monotonic() - started < 3
    assert "图纸上的文字" in text


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_liteparse_416_text_at_the_edges_of_a_turned_page_is_kept(rotation: int) -> None:
    document = pymupdf.open()
    page = document.new_page()
    corners = {"top left": (3, 9), "top right": (540, 9), "bottom left": (3, 838), "bottom right": (525, 838)}
    for text, place in corners.items():
        page.insert_text(place, text, fontsize=9)
    page.set_rotation(rotation)

    found = text_of(document.tobytes(), "a.pdf")

    assert [text for text in corners if text not in found] == []


def test_pymupdf4llm_410_no_layout_engine_is_installed_with_the_pdf_library() -> None:
    pinned = (ROOT / "requirements.txt").read_text(encoding="utf-8")

    assert re.search(r"^pymupdf==1\.", pinned, re.MULTILINE)
    assert re.findall(r"^(?:pymupdf[_-]layout|pymupdf4llm|onnxruntime)\b.*", pinned, re.MULTILINE | re.IGNORECASE) == []


# --- readers that never return ----------------------------------------------------------------------------------------

ENDLESS = """
from extractors.content import Kind, Text
from extractors.format import Format

def extract(job, detection, budget):
    yield Text("read before it hung")
    while True:
        pass

FORMAT = Format(name="endless", kind=Kind.DOCUMENT, media_types=frozenset({"application/x-endless"}),
                extensions=frozenset({"endless"}), extract=extract, limitations=("It never ends.",))
"""


async def test_pymupdf4llm_50_a_reader_that_never_returns_is_killed_and_keeps_what_it_gave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    facts = tmp_path / "endless-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: endless\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[duwen.formats]\nendless = endless:FORMAT\n")
    monkeypatch.syspath_prepend(tmp_path)

    async with SandboxedAttachmentExtractor(timeout_seconds=1.0) as extractor:
        async with asyncio.timeout(10):
            content = await extractor.extract(bytes(range(32)), file_metadata={"name": "a.endless"})
        next_one = await extractor.extract(b"the next file", file_metadata={"name": "a.txt"})

    assert (content.status, content.text) == (Status.PARTIAL, "read before it hung")
    assert "timed out" in (content.note or "")
    assert next_one.text == "the next file"


async def test_pdf_oxide_1398_a_pdf_with_one_wrong_byte_always_comes_back() -> None:
    data = chinese_page("一", "二", "三").tobytes(garbage=3)
    places = range(9, len(data), len(data) // 60)

    async with SandboxedAttachmentExtractor(timeout_seconds=5.0) as extractor, asyncio.timeout(60):
        for place in places:
            damaged = data[:place] + bytes([data[place] ^ 0x15]) + data[place + 1 :]
            content = await extractor.extract(damaged, file_metadata={"name": "a.pdf"})
            assert content.status is not Status.FAILED, (place, content.note)
            assert content.text or content.note, place


# --- old files, as small as they can be -------------------------------------------------------------------------------


def compound_file(streams: Mapping[str, bytes]) -> bytes:
    """An OLE compound file with these streams in its root: [MS-CFB] version 3, short ones in the mini stream."""
    end, free, sector, mini = 0xFFFFFFFE, 0xFFFFFFFF, 512, 64
    small = {name: data for name, data in streams.items() if len(data) < 4096}
    body, table, mini_table, mini_stream = b"", [], [], b""

    def chain(entries: list[int], count: int) -> int:
        first = len(entries)
        entries.extend([*range(first + 1, first + count), end] if count else [])
        return first if count else end

    def store(data: bytes) -> int:
        nonlocal body
        count = -(-len(data) // sector)
        body += data.ljust(count * sector, b"\0")
        return chain(table, count)

    starts = {}
    for name, data in small.items():
        starts[name] = chain(mini_table, -(-len(data) // mini))
        mini_stream += data.ljust(-(-len(data) // mini) * mini, b"\0")
    for name, data in streams.items():
        if name not in small:
            starts[name] = store(data)
    mini_start = store(mini_stream)
    mini_table_start = store(struct.pack(f"<{len(mini_table)}I", *mini_table).ljust(sector, b"\xff"))

    names = sorted(streams, key=lambda name: (len(name), name.upper()))
    entries = [("Root Entry", 5, 1 if names else free, free, mini_start, len(mini_stream))]
    for place, name in enumerate(names, start=1):
        right = place + 1 if place < len(names) else free
        entries.append((name, 2, free, right, starts[name], len(streams[name])))
    directory = b""
    for name, kind, child, right, start, size in entries:
        raw = name.encode("utf-16-le") + b"\0\0"
        directory += raw.ljust(64, b"\0") + struct.pack("<HBB3I", len(raw), kind, 1, free, right, child)
        directory += bytes(36) + struct.pack("<IQ", start, size)
    directory_start = store(directory)

    table_sectors = 1
    while (len(table) + table_sectors) * 4 > table_sectors * sector:
        table_sectors += 1
    table_start = len(table)
    table.extend([0xFFFFFFFD] * table_sectors)
    body += struct.pack(f"<{len(table)}I", *table).ljust(table_sectors * sector, b"\xff")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<9I", 0, table_sectors, directory_start, 0, 4096, mini_table_start, 1, end, 0)
    header += struct.pack(f"<{table_sectors}I", *range(table_start, table_start + table_sectors))
    return header.ljust(sector, b"\xff") + body


def old_workbook(cells: Sequence[tuple[int, int, str]], *, merged: Sequence[tuple[int, int, int, int]] = ()) -> bytes:
    """An Excel 97 workbook of one sheet: row, column and text of each cell; merged as rows and columns from, to."""

    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    def begin(kind: int) -> bytes:
        return record(0x0809, struct.pack("<4H2I", 0x0600, kind, 0x0DBB, 0x07CC, 0, 0x0306))

    sheet = begin(0x10)
    rows, columns = max(cell[0] for cell in cells) + 1, max(cell[1] for cell in cells) + 1
    sheet += record(0x0200, struct.pack("<2I3H", 0, rows, 0, columns, 0))
    for row, column, text in cells:
        label = struct.pack("<4HB", row, column, 0, len(text), 1) + text.encode("utf-16-le")
        sheet += record(0x0204, label)
    if merged:
        sheet += record(0x00E5, struct.pack("<H", len(merged)) + b"".join(struct.pack("<4H", *one) for one in merged))
    sheet += record(0x000A, b"")
    head = begin(0x05) + record(0x0042, struct.pack("<H", 1200))
    ends = record(0x000A, b"")
    offset = len(head) + 4 + 6 + 2 + 1 + len(ends)
    book = head + record(0x0085, struct.pack("<IBB", offset, 0, 0) + b"\x01\x00S") + ends
    return compound_file({"Workbook": (book + sheet).ljust(4096, b"\0")})


def message(
    subject: str, body: str, sender: str, *, encoding: str, code_page: int | None, after_body: bytes = b""
) -> bytes:
    """An Outlook message whose texts are bytes of a code page, as it was before Unicode."""
    properties = bytes(32)
    for code in (0x3FFD, 0x3FDE) if code_page is not None else ():
        properties += struct.pack("<HHIII", 0x0003, code, 6, code_page, 0)
    texts = {0x001A: b"IPM.Note", 0x0037: subject.encode(encoding), 0x0C1A: sender.encode(encoding)}
    texts |= {0x0042: sender.encode(encoding), 0x1000: body.encode(encoding) + after_body}
    for code, text in texts.items():
        properties += struct.pack("<HHIII", 0x001E, code, 6, len(text) + 1, 0)
    streams = {f"__substg1.0_{code:04X}001E": text for code, text in texts.items()}
    return compound_file({"__properties_version1.0": properties, **streams})
