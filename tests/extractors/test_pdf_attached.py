"""What hangs on a PDF: comments, links, fields, files inside, XML forms; passwords and broken lists of pages."""

from __future__ import annotations

import re

import pymupdf
import pytest

from extractors import ExtractedContent, ExtractLimits, Status
from extractors.assembly import assemble
from extractors.budget import Budget
from extractors.content import Job
from extractors.extract import extract


def read(data: pymupdf.Document | bytes, password: str = "") -> ExtractedContent:
    data = data if isinstance(data, bytes) else data.tobytes()
    limits = ExtractLimits()
    job = Job(data=data, name="a.pdf", metadata={"password": password} if password else {})
    return assemble(extract(job, Budget(limits=limits)), size_bytes=len(data), limits=limits)


def pages(*texts: str) -> pymupdf.Document:
    document = pymupdf.open()
    for text in texts:
        document.new_page().insert_text((72, 72), text)
    return document


@pytest.mark.parametrize("rotation", [0, 90])
def test_a_comment_is_given_with_its_author_and_the_words_it_marks(rotation: int) -> None:
    document = pages("the price is too high")
    page = document[0]
    mark = page.add_highlight_annot(page.search_for("price")[0])
    mark.set_info(content="why?", title="Li Lei")
    mark.update()
    page.set_rotation(rotation)

    assert 'Comment (Li Lei) on "price": why?' in (read(document).text or "")


def test_a_note_that_is_printed_on_the_page_is_not_told_twice() -> None:
    document = pages("text")
    document[0].add_freetext_annot((72, 100, 300, 130), "printed note")

    assert (read(document).text or "").count("printed note") == 1


def test_the_address_behind_words_is_given_and_one_that_is_printed_is_not_repeated() -> None:
    document = pages("see here or https://printed.example/a")
    page = document[0]
    for words, uri in (("here", "https://hidden.example/b"), ("printed", "https://printed.example/a")):
        page.insert_link({"kind": pymupdf.LINK_URI, "from": page.search_for(words)[0], "uri": uri})

    text = read(document).text or ""

    assert "[here](https://hidden.example/b)" in text
    assert text.count("https://printed.example/a") == 1


def test_a_ticked_box_is_told_with_its_name_and_an_empty_one_is_not() -> None:
    document = pages("Form")
    for row, (name, is_on) in enumerate({"accept": True, "refuse": False}.items()):
        box = pymupdf.Widget()
        box.field_name, box.field_type, box.field_value = name, pymupdf.PDF_WIDGET_TYPE_CHECKBOX, is_on
        box.rect = pymupdf.Rect(72, 100 + row * 30, 90, 118 + row * 30)
        document[0].add_widget(box)

    text = read(document).text or ""

    assert "[x] accept" in text
    assert "refuse" not in text


def test_a_value_that_no_appearance_shows_is_told_with_its_field() -> None:
    document = pages("Form")
    field = pymupdf.Widget()
    field.field_name, field.field_type, field.field_value = "who", pymupdf.PDF_WIDGET_TYPE_TEXT, "Wang"
    field.field_flags = 0
    field.rect = pymupdf.Rect(72, 100, 300, 120)
    document[0].add_widget(field)
    number = next(iter(document[0].widgets())).xref
    document.xref_set_key(number, "F", "2")  # hidden, so that nothing of it is drawn

    assert "who: Wang" in (read(document).text or "")


def test_files_inside_are_read_as_members_those_of_the_list_and_those_pinned_to_a_page() -> None:
    document = pages("cover")
    document.embfile_add("list", "第一章 总则".encode(), filename="a.txt")
    document[0].add_file_annot((100, 100), b"pinned words", "b.txt")

    content = read(document)

    assert content.members == ("a.txt", "b.txt")
    assert "--- File: a.txt ---\n\n第一章 总则" in (content.text or "")
    assert "pinned words" in (content.text or "")


def xfa(*packets: tuple[str, str]) -> pymupdf.Document:
    document = pages("Please wait...")
    parts = []
    for name, xml in packets:
        number = document.get_new_xref()
        document.update_object(number, "<<>>")
        document.update_stream(number, xml.encode())
        parts.append(f"({name}) {number} 0 R")
    document.xref_set_key(document.pdf_catalog(), "AcroForm", f"<</Fields[]/XFA[{' '.join(parts)}]>>")
    return document


def test_a_form_kept_as_xml_gives_its_text_and_its_values() -> None:
    template = """<template xmlns="http://www.xfa.org/schema/xfa-template/3.0/"><subform>
        <draw><value><text>Application</text></value></draw>
        <field name="who"><caption><value><text>Full name</text></value></caption></field>
        <field name="when" presence="hidden"><value><text>never</text></value></field>
        </subform></template>"""
    datasets = """<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form>
        <who>Wang Xiaoming</who><extra>42</extra></form></xfa:data></xfa:datasets>"""

    text = read(xfa(("template", template), ("datasets", datasets))).text or ""

    assert text.endswith("Application\nFull name: Wang Xiaoming\nextra: 42")
    assert "never" not in text


def test_a_picture_kept_in_a_form_is_not_given_as_text() -> None:
    picture = "QUJD" * 400
    template = f"""<template xmlns="http://www.xfa.org/schema/xfa-template/3.0/"><draw><value><text>Title</text></value>
        </draw><draw><value><image contentType="image/bmp">{picture}</image></value></draw></template>"""

    text = read(xfa(("template", template))).text or ""

    assert "Title" in text
    assert "QUJD" not in text


def test_entities_of_a_form_are_not_resolved() -> None:
    datasets = """<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><xfa:datasets
        xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><a>&e;</a></xfa:data></xfa:datasets>"""

    assert "root:" not in (read(xfa(("datasets", datasets))).text or "")


def test_the_password_that_came_with_the_file_opens_it_and_a_wrong_one_is_told() -> None:
    data = pages("secret words").tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o")

    assert "secret words" in (read(data, "u").text or "")
    assert "secret words" in (read(data, "o").text or "")
    wrong = read(data, "x")
    assert (wrong.status, wrong.note) == (Status.ENCRYPTED, "the password does not open this PDF")


def listing(document: pymupdf.Document, kids: bytes, count: bytes) -> bytes:
    """The file with another list of its pages."""
    data = re.sub(rb"/Kids\s*\[[^\]]*\]", b"/Kids[" + kids + b"]", document.tobytes())
    return re.sub(rb"/Count \d+", b"/Count " + count, data)


def test_pages_are_found_where_the_list_counts_none() -> None:
    content = read(listing(pages("one", "two"), b"", b"0"))

    assert (content.status, content.total_pages) == (Status.OK, 2)
    assert "one" in (content.text or "")
    assert "list of pages is broken" in (content.note or "")


def test_a_list_with_one_page_many_times_is_read_up_to_the_limit() -> None:
    document = pages("same page")

    content = read(listing(document, b"%d 0 R " % document[0].xref * 20_000, b"20000"))

    assert content.total_pages == 20_000
    assert (content.text or "").count("same page") == ExtractLimits().pdf_extract_max_pages


def test_a_broken_annotation_does_not_cost_the_page() -> None:
    document = pages("words of the page")
    box = pymupdf.Widget()
    box.field_name, box.field_type, box.field_value = "tick", pymupdf.PDF_WIDGET_TYPE_CHECKBOX, True
    box.rect = pymupdf.Rect(72, 100, 90, 118)
    document[0].add_widget(box)
    document.xref_set_key(next(iter(document[0].widgets())).xref, "AP", "null")

    content = read(document)

    assert "words of the page" in (content.text or "")
    assert content.status is Status.OK
