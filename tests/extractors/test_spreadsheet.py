from __future__ import annotations

import datetime
import io
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

import openpyxl
import pytest
from lxml import etree
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image as SheetImage
from PIL import Image

from extractors._ooxml.drawings import chart_text
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Member, PageCount, Picture, Text, Truncated, Warned
from extractors.formats.spreadsheet import FORMAT
from extractors.limits import ExtractLimits

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"


@dataclass(frozen=True, kw_only=True)
class Reading:
    text: str
    blocks: list[Block]

    @property
    def truncated(self) -> list[str]:
        return [block.what for block in self.blocks if isinstance(block, Truncated)]


def read(data: bytes, *, deadline: float | None = None, **limits: int) -> Reading:
    budget = Budget(limits=ExtractLimits(**limits), soft_deadline=deadline)
    blocks = list(FORMAT.extract(Job(data=data), Detection(media_type=""), budget))
    return Reading(text="\n\n".join(b.markdown for b in blocks if isinstance(b, Text)), blocks=blocks)


def saved(book: openpyxl.Workbook) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def png() -> io.BytesIO:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), "red").save(buffer, "PNG")
    buffer.seek(0)
    return buffer


def links(*items: tuple[str, str]) -> str:
    entries = (f'<Relationship Id="r{n}" Type="{KINDS}/{kind}" Target="{to}"/>' for n, (kind, to) in enumerate(items))
    return f'<Relationships xmlns="{LINKS}">{"".join(entries)}</Relationships>'


def raw(
    rows: str,
    *,
    after: str = "",
    strings: str = "",
    parts: Mapping[str, str | bytes] | None = None,
    sheets: str = '<sheet name="S" r:id="r0"/>',
) -> bytes:
    """A workbook of one sheet named "S" whose XML is given."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", links(("officeDocument", "xl/workbook.xml")))
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{SHEET}" xmlns:r="{KINDS}"><sheets>{sheets}</sheets></workbook>',
        )
        related = links(
            ("worksheet", "worksheets/s.xml"), ("sharedStrings", "strings.xml"), ("cellImage", "cellimages.xml")
        )
        archive.writestr("xl/_rels/workbook.xml.rels", related)
        archive.writestr(
            "xl/worksheets/s.xml", f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData>{after}</worksheet>'
        )
        archive.writestr("xl/strings.xml", f'<sst xmlns="{SHEET}">{strings}</sst>')
        for name, content in (parts or {}).items():
            archive.writestr(name, content)
    return buffer.getvalue()


# --- values -----------------------------------------------------------------------------------------------------------


def test_values_are_shown_as_the_sheet_shows_them() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["date", "time", "share", "price", "id", "yes", "text"])
    sheet.append([datetime.date(2024, 1, 31), datetime.time(9, 5), 0.125, 1234.5, 7, True, "a|b\nc"])
    for cell, code in zip(sheet[2], ["yyyy-mm-dd", "hh:mm", "0.0%", '"¥"#,##0.00', "000", "General", "@"], strict=True):
        cell.number_format = code
    assert read(saved(book)).text == (
        "### Sheet\n\n| date | time | share | price | id | yes | text |\n| --- | --- | --- | --- | --- | --- | --- |\n"
        r"| 2024-01-31 | 09:05 | 12.5% | ¥1,234.50 | 007 | TRUE | a\|b<br>c |"
    )


def test_words_that_look_like_nothing_stay_words() -> None:
    book = openpyxl.Workbook()
    book.active.append(["NA", "NULL", "None", "", "nan", "001"])
    assert "| NA | NULL | None | nan | 001 |" in read(saved(book)).text


def test_formulas_show_their_stored_result_or_else_themselves() -> None:
    rows = (
        '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>A1*3</f></c><c r="C1" t="str"><f>X</f><v></v></c>'
        '<c r="D1" t="e"><f>1/0</f><v>#DIV/0!</v></c></row><row r="2"><c r="A2" t="str"><f>X</f><v></v></c></row>'
    )
    reading = read(raw(rows))
    assert "| 2 | =A1*3 | #DIV/0! |" in reading.text
    assert reading.text.count("\n| ") == 2
    (warned,) = (block for block in reading.blocks if isinstance(block, Warned))
    assert "never calculated" in warned.warning.problem
    assert not warned.partial


def test_rich_strings_are_joined_without_their_phonetic_guide() -> None:
    strings = "<si><r><t>東</t></r><r><t>京</t></r><rPh><t>トウキョウ</t></rPh></si><si><t>a_x000A_b</t></si>"
    rows = (
        '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>99</v></c>'
        '<c t="inlineStr"><is><t>inline</t></is></c></row>'
    )
    assert "| 東京 | a<br>b |  | inline |" in read(raw(rows, strings=strings)).text


def test_long_text_of_a_cell_is_cut_and_it_is_said() -> None:
    reading = read(raw(f'<row><c t="str"><v>{"x" * 500}</v></c></row>'), table_cell_max_chars=100)
    assert f"| {'x' * 100}… |" in reading.text
    assert reading.truncated == ["text of cells after 100 characters"]


# --- the shape of sheets ----------------------------------------------------------------------------------------------


def test_merged_value_stands_in_its_first_cell_and_columns_do_not_shift() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["a", "b", "c", "d"])
    sheet.append(["total", None, None, 5006])
    sheet.append(["tall", 1, 2, 3])
    sheet.append([None, 4, 5, 6])
    sheet.merge_cells("A2:C2")
    sheet.merge_cells("A3:A4")
    lines = read(saved(book)).text.splitlines()
    assert lines[4:] == ["| total |  |  | 5006 |", "| tall | 1 | 2 | 3 |", "|  | 4 | 5 | 6 |"]


def test_hidden_sheets_rows_and_columns_are_kept_and_marked() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["name", "cost"], ["pen", 1], ["ink", 2]):
        sheet.append(row)
    sheet.row_dimensions[2].hidden = True
    sheet.column_dimensions["B"].hidden = True
    secret = book.create_sheet("Secret")
    secret["A1"] = "inside"
    secret.sheet_state = "veryHidden"
    assert read(saved(book)).text == (
        "### Sheet\n\n| name | [hidden text] cost |\n| --- | --- |\n| [hidden text] pen | 1 |\n| ink | 2 |\n\n"
        "### Secret\n[hidden text] (the whole sheet)\n\n| inside |\n| --- |"
    )


def test_far_cells_stand_in_tables_of_their_own_under_their_address() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"], sheet["B2"], sheet["XFD1048576"] = "near", "close", "far"
    assert read(saved(book)).text == (
        "### Sheet\n\nCells A1 to B2\n\n| near |  |\n| --- | --- |\n|  | close |\n\nCell XFD1048576\n\n| far |\n| --- |"
    )


def test_one_blank_row_stays_and_empty_sheets_are_named() -> None:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["A3"] = "a", "b"
    book.create_sheet("Empty")
    assert read(saved(book)).text == "### Sheet\n\n| a |\n| --- |\n|  |\n| b |\n\n### Empty\n(no cells)"


def test_long_sheet_shows_its_head_and_its_tail_and_says_what_is_left_out() -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Long")
    for number in range(1, 1001):
        sheet.append([f"row {number}"])
    reading = read(saved(book), xlsx_max_rows_per_sheet=20)
    shown = [line for line in reading.text.splitlines() if line.startswith("| row")]
    assert shown == [f"| row {number} |" for number in [*range(1, 16), *range(996, 1001)]]
    assert "(rows 16 to 995 are left out)" in reading.text
    assert reading.truncated == ['rows 16 to 995 of sheet "Long"']


def test_sheets_and_columns_over_the_limits_are_said() -> None:
    book = openpyxl.Workbook()
    book.active.append(list(range(10)))
    for number in range(3):
        book.create_sheet(f"More{number}")
    reading = read(saved(book), xlsx_max_columns=4, xlsx_max_sheets=2)
    assert "| 0 | 1 | 2 | 3 |" in reading.text
    assert reading.blocks[0] == PageCount(4)
    assert reading.truncated == ['columns of sheet "Sheet" after the first 4', "sheets 3 to 4 of 4"]


# --- what lies over the cells -----------------------------------------------------------------------------------------


def test_pictures_charts_links_and_comments_are_read() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["month", "sales"], ["Jan", 3], ["Feb", 5]):
        sheet.append(row)
    sheet["A2"].hyperlink = "https://example.com/jan"
    sheet["B2"].comment = Comment("check this", "Li")
    chart = BarChart()
    chart.title = "Sales by month"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "E2")
    sheet.add_image(SheetImage(png()), "D9")
    reading = read(saved(book))
    assert "| [Jan](https://example.com/jan) | 3 |" in reading.text
    assert "At D9: [image: image 1]" in reading.text
    assert "At E2: Chart: Sales by month" in reading.text
    assert reading.text.endswith("Comment on B2 (Li): check this")
    assert [b.image.name for b in reading.blocks if isinstance(b, Picture)] == ["image 1"]


def test_pictures_that_wps_puts_into_cells_stand_in_their_cell() -> None:
    pictures = (
        f'<e:cellImages xmlns:e="x" xmlns:xdr="{DRAWING}/spreadsheetDrawing" xmlns:a="{DRAWING}/main" '
        f'xmlns:r="{KINDS}"><e:cellImage><xdr:pic><xdr:nvPicPr><xdr:cNvPr name="ID_1"/></xdr:nvPicPr>'
        '<xdr:blipFill><a:blip r:embed="r0"/></xdr:blipFill></xdr:pic></e:cellImage></e:cellImages>'
    )
    parts = {
        "xl/cellimages.xml": pictures,
        "xl/_rels/cellimages.xml.rels": links(("image", "media/i.png")),
        "xl/media/i.png": png().getvalue(),
    }
    rows = '<row><c t="str"><v>=DISPIMG("ID_1",1)</v></c><c><v>5</v></c></row>'
    assert "| [image: image 1] | 5 |" in read(raw(rows, parts=parts)).text


# --- hostile sheets ---------------------------------------------------------------------------------------------------


def test_rows_of_styled_blanks_cost_nothing_and_are_not_counted() -> None:
    blanks = "".join(f'<row r="{n}"><c r="A{n}" s="1"/></row>' for n in range(2, 20_000))
    rows = f'<row r="1"><c r="A1"><v>1</v></c></row>{blanks}<row r="20001"><c r="B20001"><v>2</v></c></row>'
    reading = read(raw(rows), xlsx_max_rows_per_sheet=10)
    assert "Cell B20001\n\n| 2 |" in reading.text
    assert reading.truncated == []


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="1000000000000"><c r="A1"><v>1</v></c></row>',
        '<row r="-5"><c r="ZZZ1"><v>1</v></c></row>',
        '<row r="x"><c r="!!" s="x" t="s"><v>x</v></c><c t="?"/></row>',
        '<row><c s="99999"><v>1e999</v></c><c t="n"><v>one</v></c></row>',
    ],
)
def test_addresses_and_numbers_without_sense_do_no_harm(rows: str) -> None:
    assert read(raw(rows + '<row r="7"><c r="A7"><v>7</v></c></row>')).text.startswith("### S")


def test_strings_are_read_only_as_far_as_cells_need_them() -> None:
    budget = Budget(limits=ExtractLimits())
    data = raw('<row><c t="s"><v>1</v></c></row>', strings="<si><t>a</t></si>" * 500_000)
    blocks = list(FORMAT.extract(Job(data=data), Detection(media_type=""), budget))
    assert any(isinstance(b, Text) and "| a |" in b.markdown for b in blocks)
    assert budget.limits.office_zip_max_uncompressed_bytes - budget.inflated_bytes_left < 1_000_000


def test_broken_sheet_keeps_the_rows_before_the_break() -> None:
    reading = read(raw('<row r="1"><c r="A1"><v>5</v></c></row><row r="2"></broken>'))
    assert "| 5 |" in reading.text
    assert any("damaged" in what for what in reading.truncated)


def test_reading_stops_at_the_soft_deadline_and_says_what_is_missing() -> None:
    rows = "".join(f"<row><c><v>{n}</v></c></row>" for n in range(2_000))
    reading = read(raw(rows), deadline=time.monotonic())
    assert "| 0 |" in reading.text
    assert any(what.endswith("(for lack of time)") for what in reading.truncated)


def test_headers_and_footers_of_printed_pages_are_read_without_what_only_counts_them() -> None:
    after = (
        "<headerFooter><oddHeader>&amp;L&amp;&quot;Arial,Bold&quot;&amp;14保密&amp;C&amp;A"
        "&amp;R第 &amp;P 页</oddHeader>"
        "<oddFooter>&amp;C&amp;P / &amp;N</oddFooter></headerFooter>"
    )
    assert read(raw('<row><c t="n"><v>1</v></c></row>', after=after)).text.endswith("Header: 保密 | S | 第 # 页")


def test_characters_beyond_the_first_plane_may_be_escaped_in_halves() -> None:
    assert "𐐅 x" in read(raw('<row><c t="inlineStr"><is><t>_xD801__xDC05_ x</t></is></c></row>')).text
    assert "\ufffd" in read(raw('<row><c t="inlineStr"><is><t>_xD801_</t></is></c></row>')).text


def test_a_module_of_macros_is_listed_as_a_sheet_but_nothing_of_it_is_missing() -> None:
    found = read(raw("", sheets='<sheet name="S" r:id="r0"/><sheet name="Module1" r:id=""/>'))
    assert "### Module1" in found.text
    assert found.truncated == []
    assert read(raw("", sheets='<sheet name="Lost" r:id="r9"/>')).truncated


def test_sheets_that_are_left_out_are_named() -> None:
    book = openpyxl.Workbook()
    book.create_sheet("预算")
    book.create_sheet("附录")
    found = read(saved(book), xlsx_max_sheets=1)
    assert "(sheets that are left out: 预算, 附录)" in found.text
    assert found.truncated == ["sheets 2 to 3 of 3"]


def test_the_points_of_a_chart_are_shown_in_their_number_format() -> None:
    cache = "<c:numCache><c:formatCode>{}</c:formatCode><c:pt idx='0'><c:v>{}</c:v></c:pt></c:numCache>"
    chart = etree.fromstring(
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:ser>'
        f"<c:cat><c:numRef>{cache.format('yyyy-mm-dd', '45322')}</c:numRef></c:cat>"
        f"<c:val><c:numRef>{cache.format('0.0%', '0.125')}</c:numRef></c:val></c:ser></c:chartSpace>"
    )
    assert "| 2024-01-31 | 12.5% |" in chart_text(chart)


def test_files_that_lie_on_a_sheet_are_read_in_turn() -> None:
    related = {
        "xl/worksheets/_rels/s.xml.rels": links(("package", "../embeddings/offer.xlsx"), ("oleObject", "../lost.bin")),
        "xl/embeddings/offer.xlsx": raw(""),
    }
    found = read(raw("", parts=related))
    assert [block.path for block in found.blocks if isinstance(block, Member)] == ["offer.xlsx"]
