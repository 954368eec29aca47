from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

import openpyxl
import pptx
import pytest
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import PP_PLACEHOLDER, PROG_ID
from pptx.util import Cm

from extractors import Status, extract_content
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, PageCount, Picture, Text, Truncated, Warned
from extractors.formats.slides import FORMAT
from extractors.limits import ExtractLimits

BLANK, TITLE_AND_BODY = 6, 1


@dataclass(frozen=True, kw_only=True)
class Reading:
    text: str
    blocks: list[Block]


def read(data: bytes, *, deadline: float | None = None, **limits: int) -> Reading:
    budget = Budget(limits=ExtractLimits(**limits), soft_deadline=deadline)
    blocks = list(FORMAT.extract(Job(data=data), Detection(media_type=""), budget))
    return Reading(text="\n\n".join(b.markdown for b in blocks if isinstance(b, Text)), blocks=blocks)


def deck(*fill: Callable[[pptx.slide.Slide], None], layout: int = BLANK) -> bytes:
    presentation = pptx.Presentation()
    for write in fill:
        write(presentation.slides.add_slide(presentation.slide_layouts[layout]))
    return saved(presentation)


def saved(presentation: pptx.presentation.Presentation) -> bytes:
    buffer = io.BytesIO()
    presentation.save(buffer)
    return buffer.getvalue()


def edited(data: bytes, part: str, change: Callable[[str], str], **added: str) -> bytes:
    """The same package with one part changed and others added (`__` in a name stands for `/`)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content.decode()) if name == part else content)
        for name, content in added.items():
            new.writestr(name.replace("__", "/") + ".xml", content)
    return buffer.getvalue()


def box(slide: pptx.slide.Slide, text: str, left: float, top: float) -> None:
    slide.shapes.add_textbox(Cm(left), Cm(top), Cm(4), Cm(1)).text_frame.text = text


def png() -> io.BytesIO:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), "red").save(buffer, "PNG")
    buffer.seek(0)
    return buffer


def test_title_comes_first_as_a_heading_and_the_body_as_a_list() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        slide.shapes.title.text = "Plan"
        frame = slide.placeholders[1].text_frame
        frame.text = "first"
        frame.add_paragraph().text = "second"
        below = frame.add_paragraph()
        below.text, below.level = "below", 1

    assert read(deck(write, layout=TITLE_AND_BODY)).text == "--- Slide 1 ---\n\n## Plan\n\n- first\n- second\n  - below"


def test_shapes_are_read_from_top_to_bottom_and_from_left_to_right() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        box(slide, "bottom", 1, 10)
        box(slide, "right", 10, 2.1)
        box(slide, "left", 1, 2.3)
        box(slide, "top", 5, 0)

    assert read(deck(write)).text.split("\n\n")[1:] == ["top", "left", "right", "bottom"]


def test_shapes_without_a_position_are_never_dropped() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        box(slide, "placed", 1, 5)
        box(slide, "lost", 1, 1)
        properties = slide.shapes[1]._element.spPr
        properties.remove(properties.xfrm)

    assert read(deck(write)).text.split("\n\n")[1:] == ["placed", "lost"]


def test_placeholder_without_a_position_stands_where_its_layout_puts_it() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        slide.placeholders[1].text_frame.text = "body"  # the layout puts it 4 cm from the top
        box(slide, "above", 1, 1)
        box(slide, "below", 1, 17)

    assert read(deck(write, layout=TITLE_AND_BODY)).text.split("\n\n")[1:] == ["above", "body", "below"]


def test_groups_are_read_however_deep() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        outer = slide.shapes.add_group_shape()
        inner = outer.shapes.add_group_shape()
        outer.shapes.add_textbox(0, 0, Cm(3), Cm(1)).text_frame.text = "outer"
        inner.shapes.add_textbox(0, Cm(3), Cm(3), Cm(1)).text_frame.text = "inner"

    text = read(deck(write)).text
    assert "outer" in text
    assert "inner" in text


def test_merged_cells_keep_every_value_once_and_in_its_column() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        table = slide.shapes.add_table(3, 3, 0, 0, Cm(9), Cm(3)).table
        for row in range(3):
            for column in range(3):
                table.cell(row, column).text = f"{row}{column}"
        for start, end in (((0, 0), (0, 1)), ((1, 0), (2, 0))):
            for covered in {(0, 1), (2, 0)}:
                table.cell(*covered).text = ""
            table.cell(*start).merge(table.cell(*end))

    assert read(deck(write)).text.splitlines()[2:] == [
        "| 00 |  | 02 |", "| --- | --- | --- |", "| 10 | 11 | 12 |", "|  | 21 | 22 |"
    ]  # fmt: skip


def test_charts_notes_and_pictures_are_read() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        data = CategoryChartData()
        data.categories = ["Q1", "Q2"]
        data.add_series("Sales", (19.2, 21.4))
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Cm(9), Cm(5), data)
        picture = slide.shapes.add_picture(png(), 0, Cm(9))
        picture._element.nvPicPr.cNvPr.set("descr", "a red field")
        slide.notes_slide.notes_text_frame.text = "say hello"

    reading = read(deck(write))
    assert reading.text == (
        "--- Slide 1 ---\n\nChart\n\n|  | Sales |\n| --- | --- |\n| Q1 | 19.2 |\n| Q2 | 21.4 |\n\n"
        "[image: image 1] (a red field)\n\nNotes: say hello"
    )
    assert [b.image.name for b in reading.blocks if isinstance(b, Picture)] == ["image 1"]


def test_hidden_slides_are_kept_and_marked() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        slide._element.set("show", "0")
        box(slide, "secret", 1, 1)

    assert read(deck(write)).text == "--- Slide 1 ---\n[hidden text] (the whole slide)\n\nsecret"


def test_slides_follow_the_order_of_the_presentation() -> None:
    presentation = pptx.Presentation()
    for text in ("made first", "made second"):
        box(presentation.slides.add_slide(presentation.slide_layouts[BLANK]), text, 1, 1)
    order = presentation.slides._sldIdLst
    order.append(order[0])
    assert read(saved(presentation)).text == "--- Slide 1 ---\n\nmade second\n\n--- Slide 2 ---\n\nmade first"


def test_footers_are_read_once_and_slide_numbers_never() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        for text, kind in (("ACME", "ftr"), ("7", "sldNum")):
            box(slide, text, 1, 15)
            properties = slide.shapes[-1]._element.nvSpPr.nvPr
            properties.append(properties.makeelement(properties.tag.replace("nvPr", "ph"), {"type": kind}))

    text = read(deck(write, write)).text
    assert text.count("ACME") == 1
    assert "7" not in text


def test_a_page_of_notes_is_read_with_its_tables_and_its_margins_once() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        notes = slide.notes_slide
        notes.notes_text_frame.text = "say hello"
        notes.notes_text_frame.add_paragraph().text = "smile"
        notes.shapes.clone_placeholder(slide.part.package.presentation_part.notes_master.placeholders[0])
        for shape in notes.placeholders:
            if shape.placeholder_format.type == PP_PLACEHOLDER.HEADER:
                shape.text_frame.text = "Internal"
        tree = notes.shapes._spTree
        for form in (slide.shapes.add_textbox(0, 0, 9, 9), slide.shapes.add_table(1, 2, 0, Cm(9), Cm(4), Cm(1))):
            tree.append(form._element)
        tree[-2].txBody.p_lst[0].add_r("aside")
        tree[-1].graphic.graphicData.tbl.tc(0, 1).txBody.p_lst[0].add_r("cell")

    text = read(deck(write, write)).text
    assert text.count("Notes: say hello\nsmile\n") == 2
    assert "aside" in text
    assert "|  | cell |" in text
    assert text.count("Internal") == 1


def test_words_of_layouts_and_masters_are_told_once_unless_they_lie_beside_the_slide() -> None:
    presentation = pptx.Presentation()
    layout = presentation.slide_layouts[BLANK]
    for part, words, left in (
        (layout, "Confidential", 1),
        (layout.slide_master, "ACME Inc.", 1),
        (layout, "palette", 90),
    ):
        shape = presentation.slides.add_slide(layout).shapes.add_textbox(Cm(left), Cm(1), Cm(4), Cm(1))
        shape.text_frame.text = words
        part.shapes._spTree.append(shape._element)
    text = read(saved(presentation)).text
    assert (text.count("Confidential"), text.count("ACME Inc."), text.count("palette")) == (1, 1, 0)
    assert "Click to edit" not in text


def test_a_link_cut_into_runs_is_one_link() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        paragraph = slide.shapes.add_textbox(0, 0, Cm(9), Cm(1)).text_frame.paragraphs[0]
        for words, address in (("see ", ""), ("the ", "https://a.example/"), ("site", "https://a.example/"), (".", "")):
            run = paragraph.add_run()
            run.text = words
            if address:
                run.hyperlink.address = address

    assert "see [the site](https://a.example/)." in read(deck(write)).text


def test_codes_of_symbol_fonts_are_read_as_what_they_show() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        run = slide.shapes.add_textbox(0, 0, Cm(9), Cm(1)).text_frame.paragraphs[0].add_run()
        run.text, run.font.name = "\uf0b3 75", "Symbol"

    assert "≥ 75" in read(deck(write)).text


def test_embedded_files_are_read_after_the_slides() -> None:
    book = io.BytesIO()
    workbook = openpyxl.Workbook()
    workbook.active["A1"] = "inside"
    workbook.save(book)

    def write(slide: pptx.slide.Slide) -> None:
        book.seek(0)
        slide.shapes.add_ole_object(book, PROG_ID.XLSX, Cm(1), Cm(1), Cm(4), Cm(4), icon_file=png())

    content = extract_content(deck(write), media_type="", name="a.pptx")
    assert content.status is Status.OK
    assert "inside" in (content.text or "").partition("--- File: ")[2]
    assert len(content.members) == 1


def test_comments_are_read_with_their_author() -> None:
    names = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    link = (
        '<Relationship Id="x" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{}" '
        'Target="{}"/></Relationships>'
    )
    data = edited(
        deck(lambda slide: box(slide, "text", 1, 1)),
        "ppt/slides/_rels/slide1.xml.rels",
        lambda xml: xml.replace("</Relationships>", link.format("comments", "../comments/c.xml")),
        ppt__comments__c=f'<p:cmLst {names}><p:cm authorId="0"><p:text>too long</p:text></p:cm></p:cmLst>',
        ppt__authors=f'<p:cmAuthorLst {names}><p:cmAuthor id="0" name="Li"/></p:cmAuthorLst>',
    )
    data = edited(
        data,
        "ppt/_rels/presentation.xml.rels",
        lambda xml: xml.replace("</Relationships>", link.format("commentAuthors", "authors.xml")),
    )
    assert read(data).text.endswith("Comment (Li): too long")


def test_one_branch_of_alternatives_is_read_and_equations_are_readable() -> None:
    names = (
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
        'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:a14="urn:a14"'
    )
    shape = "<p:sp><p:nvSpPr/><p:spPr/><p:txBody><a:p>{}</a:p></p:txBody></p:sp>"
    equation = shape.format(
        "<a14:m><m:oMath><m:rad><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad></m:oMath></a14:m>"
    )
    plain = shape.format("<a:r><a:t>picture of it</a:t></a:r>")
    both = (
        f'<mc:AlternateContent {names}><mc:Choice Requires="a14">{equation}</mc:Choice>'
        f"<mc:Fallback>{plain}</mc:Fallback></mc:AlternateContent></p:spTree>"
    )
    data = edited(deck(lambda _: None), "ppt/slides/slide1.xml", lambda xml: xml.replace("</p:spTree>", both))
    assert read(data).text == "--- Slide 1 ---\n\n\\sqrt{x}"


def test_numbered_paragraphs_keep_their_numbers() -> None:
    def write(slide: pptx.slide.Slide) -> None:
        box(slide, "a\nb", 1, 1)
        for paragraph in slide.shapes[0].text_frame.paragraphs:
            properties = paragraph._p.get_or_add_pPr()
            tag = properties.tag.replace("pPr", "buAutoNum")
            properties.append(properties.makeelement(tag, {"type": "arabicPeriod", "startAt": "4"}))

    assert read(deck(write)).text.endswith("4. a\n5. b")


def test_slides_over_the_limit_are_said() -> None:
    reading = read(deck(*[lambda slide: box(slide, "text", 1, 1)] * 4), pptx_max_slides=2)
    assert "--- Slide 3 ---" not in reading.text
    assert reading.blocks[0] == PageCount(4)
    assert reading.blocks[-1] == Truncated("slides 3 to 4 of 4")


@pytest.mark.parametrize("xml", ["<broken", "", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'])
def test_broken_slide_does_not_take_the_others_with_it(xml: str) -> None:
    data = edited(deck(*[lambda slide: box(slide, "text", 1, 1)] * 2), "ppt/slides/slide1.xml", lambda _: xml)
    assert "--- Slide 2 ---\n\ntext" in read(data).text


def test_broken_slide_is_warned_of() -> None:
    data = edited(deck(lambda slide: box(slide, "text", 1, 1)), "ppt/slides/slide1.xml", lambda _: "<broken")
    (warned,) = (block for block in read(data).blocks if isinstance(block, Warned))
    assert warned.partial
    assert warned.warning.problem.startswith("slide 1: ")


def test_reading_stops_at_the_soft_deadline_and_says_what_is_missing() -> None:
    reading = read(deck(*[lambda slide: box(slide, "text", 1, 1)] * 3), deadline=time.monotonic())
    assert Truncated("slides 1 to 3 of 3, for lack of time") in reading.blocks
