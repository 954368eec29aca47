"""PDFs: text by page as a person reads it, tables once, pictures of the pages that text does not tell."""

from __future__ import annotations

import io
import time

import pymupdf
import pytest
from PIL import Image

from extractors import ExtractedContent, ExtractLimits, Kind, Status, extract_content
from extractors.budget import Budget
from extractors.content import Job, Picture, Text, Truncated
from extractors.extract import extract


def read(document: pymupdf.Document | bytes, **limits: int) -> ExtractedContent:
    data = document if isinstance(document, bytes) else document.tobytes()
    return extract_content(data, media_type="application/pdf", name="a.pdf", limits=ExtractLimits(**limits))


def pages(*texts: str) -> pymupdf.Document:
    document = pymupdf.open()
    for text in texts:
        document.new_page().insert_text((72, 72), text, fontname="china-s")
    return document


def scan(document: pymupdf.Document) -> None:
    image = Image.linear_gradient("L").resize((600, 800))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG")
    page = document.new_page()
    page.insert_image(page.rect, stream=buffer.getvalue())


def ruled(page: pymupdf.Page, rows: list[list[str]], *, x: float = 72, y: float = 200) -> None:
    width, height = 90, 24
    for row in range(len(rows) + 1):
        page.draw_line((x, y + row * height), (x + width * len(rows[0]), y + row * height))
    for column in range(len(rows[0]) + 1):
        page.draw_line((x + column * width, y), (x + column * width, y + height * len(rows)))
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            page.insert_text((x + column * width + 4, y + row * height + 16), text, fontname="china-s")


def without_unicode_map(text: str) -> pymupdf.Document:
    """What many printers' drivers write: a subset font whose letters map to nothing."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("cjk").buffer)
    page.insert_text((72, 72), text, fontname="F0")
    for xref in range(1, document.xref_length()):
        if document.xref_get_key(xref, "ToUnicode")[0] != "null":
            document.xref_set_key(xref, "ToUnicode", "null")
    return document


def test_every_page_has_its_mark_and_its_text() -> None:
    content = read(pages("季度经营报告", "第二页"))

    assert content.text == "--- Page 1 ---\n\n季度经营报告\n\n--- Page 2 ---\n\n第二页"
    assert (content.kind, content.status, content.total_pages) == (Kind.PDF, Status.OK, 2)
    assert (content.images, content.note) == ((), None)


def test_the_left_column_comes_before_the_right_one_under_their_title() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((200, 60), "页眉文字", fontname="china-s")
    for row in range(12):
        page.insert_text((60, 100 + row * 20), f"左栏第{row}行内容在此", fontname="china-s")
        page.insert_text((320, 100 + row * 20), f"右栏第{row}行内容在此", fontname="china-s")

    text = read(document).text or ""

    assert text.index("页眉") < text.index("左栏第0行") < text.index("左栏第11行") < text.index("右栏第0行")


def test_a_ruled_table_is_markdown_and_told_once() -> None:
    document = pages("表格之前")
    ruled(document[0], [["区域", "一月", "二月"], ["华东", "1,201", "12.5%"], ["华南", "", "703|4"]])
    document[0].insert_text((72, 400), "表格之后", fontname="china-s")

    text = read(document).text or ""

    assert "| 区域 | 一月 | 二月 |\n| --- | --- | --- |\n| 华东 | 1,201 | 12.5% |\n| 华南 |  | 703\\|4 |" in text
    assert text.count("华东") == text.count("1,201") == 1
    assert text.index("表格之前") < text.index("华东") < text.index("表格之后")


def test_a_frame_around_text_is_no_table() -> None:
    document = pages("框中文字")
    document[0].draw_rect((60, 50, 300, 90))
    document[0].draw_rect((50, 40, 310, 100))

    assert read(document).text == "--- Page 1 ---\n\n框中文字"


def test_text_that_runs_upwards_or_on_a_turned_page_is_kept() -> None:
    document = pages("横排文字在这里")
    document[0].insert_text((300, 400), "upwards", rotate=90)
    turned = document.new_page()
    turned.insert_text((100, 700), "line one", rotate=90)
    turned.insert_text((120, 700), "line two", rotate=90)
    turned.set_rotation(90)

    text = read(document).text or ""

    assert "upwards" in text
    assert text.endswith("--- Page 2 ---\n\nline one\nline two")


def test_the_value_of_a_form_field_is_text() -> None:
    document = pages("Name:")
    widget = pymupdf.Widget()
    widget.field_name, widget.field_type, widget.field_value = "who", pymupdf.PDF_WIDGET_TYPE_TEXT, "Wang Xiaoming"
    widget.rect = pymupdf.Rect(150, 55, 400, 80)
    document[0].add_widget(widget)

    assert "Wang Xiaoming" in (read(document).text or "")


def test_only_the_page_without_text_becomes_an_image_with_its_reference() -> None:
    document = pages("这一页有足够的文字可以阅读，不需要图片。")
    scan(document)

    content = read(document)

    assert [image.name for image in content.images] == ["page 2"]
    assert (content.text or "").endswith("--- Page 2 ---\n\n[image: page 2]")
    assert content.status is Status.OK
    assert content.note == "page 2 has no text layer, or next to none: given as an image"
    image = content.images[0]
    assert max(image.width or 0, image.height or 0) <= 1568
    assert Image.open(io.BytesIO(image.data)).size == (image.width, image.height)


def test_scans_over_the_limit_are_named() -> None:
    document = pymupdf.open()
    for _ in range(7):
        scan(document)

    content = read(document)

    assert [image.name for image in content.images] == ["page 1", "page 2", "page 3", "page 4"]
    assert content.status is Status.PARTIAL
    assert "pages 5 to 7 (no usable text layer" in (content.note or "")


def test_a_garbled_text_layer_is_replaced_by_an_image_and_named() -> None:
    content = read(without_unicode_map("季度经营报告与明细数据"))

    assert content.text == "--- Page 1 ---\n\n[image: page 1]"
    assert [image.name for image in content.images] == ["page 1"]
    assert content.note == "page 1 has a garbled text layer: given as an image"


def test_a_password_is_asked_for() -> None:
    data = pages("secret").tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o")

    content = read(data)

    assert content.status is Status.ENCRYPTED
    assert "a password is needed" in (content.note or "")
    assert content.text is None


def test_a_file_that_only_its_owner_may_change_is_read() -> None:
    data = pages("可以阅读").tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", permissions=0)

    assert "可以阅读" in (read(data).text or "")


def test_pages_over_the_limit_are_named() -> None:
    content = read(pages(*(f"page number {number}" for number in range(1, 93))))

    assert "page number 40" in (content.text or "")
    assert "page number 41" not in (content.text or "")
    assert content.status is Status.PARTIAL
    assert content.note == "not included: pages 41 to 92 of 92"


def test_a_document_that_is_too_long_keeps_its_end() -> None:
    content = read(
        pages(*(f"page number {number} " + "x" * 50 for number in range(1, 31))), extract_text_max_chars=1_500
    )

    assert "page number 1 " in (content.text or "")
    assert "page number 30" in (content.text or "")
    assert "characters are left out here" in (content.text or "")
    assert content.status is Status.PARTIAL


def test_a_reading_that_runs_out_of_time_keeps_its_pages_and_names_the_others() -> None:
    budget = Budget(limits=ExtractLimits())
    job = Job(data=pages("one", "two", "three").tobytes(), name="a.pdf")
    blocks = []
    for block in extract(job, budget):
        blocks.append(block)
        if block == Text("one"):
            budget.soft_deadline = time.monotonic() - 1

    assert Text("one") in blocks
    assert Text("two") not in blocks
    assert blocks[-1] == Truncated("pages 2 to 3 of 3")


def test_a_page_that_breaks_the_reader_is_named_and_the_others_are_read() -> None:
    document = pages("page one", "page two", "page three")
    broken = document[1].xref
    document.update_object(broken, f"<</Type/Pages/Count 1/Kids[{broken} 0 R]>>")

    content = read(document)

    assert "page one" in (content.text or "")
    assert "page three" in (content.text or "")
    assert content.status is Status.PARTIAL
    assert "page 2 could not be read" in (content.note or "")


def test_a_page_of_very_many_strokes_is_not_drawn_nor_searched_for_tables() -> None:
    document = pages("")
    stream = b"".join(b"%d 100 m %d 700 l S " % (step % 500, step % 500 + 20) for step in range(12_000))
    xref = document.get_new_xref()
    document.update_object(xref, "<<>>")
    document.update_stream(xref, stream)
    document[0].set_contents(xref)
    document[0].insert_text((72, 72), "vector heavy")

    content = read(document)

    assert "vector heavy" in (content.text or "")
    assert content.images == ()
    assert "too many strokes" in (content.note or "")


def test_a_page_of_a_giant_size_is_drawn_small() -> None:
    document = pymupdf.open()
    page = document.new_page(width=14_000, height=14_000)
    page.draw_rect((100, 100, 9_000, 9_000), fill=(1, 0, 0))

    content = read(document)

    assert (content.images[0].width, content.images[0].height) == (1568, 1568)


@pytest.mark.parametrize("data", [b"%PDF-1.7\nrubbish", b"%PDF-1.4\n" + bytes(500)])
def test_a_broken_file_is_refused(data: bytes) -> None:
    content = read(data)

    assert content.status is Status.REJECTED
    assert "broken" in (content.note or "")


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_file_that_is_cut_is_recovered_or_refused(share: float) -> None:
    data = pages(*("text of a page" for _ in range(20))).tobytes()

    content = read(data[: int(len(data) * share)])

    assert content.status in {Status.OK, Status.PARTIAL, Status.REJECTED}


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    document = pages("表格")
    ruled(document[0], [["a", "b"], ["c", "d"]])
    read(document)
    read(b"%PDF-1.7\nrubbish")

    assert capfd.readouterr() == ("", "")


def test_pictures_are_made_while_the_file_is_read() -> None:
    document = pymupdf.open()
    scan(document)
    scan(document)

    kinds = [type(block) for block in extract(Job(data=document.tobytes()), Budget(limits=ExtractLimits()))]

    assert kinds.index(Picture) < len(kinds) - 1 - kinds[::-1].index(Text)
