"""Zipped documents that are cut off: what stands before the cut is read, and said to be a part."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import docx
import openpyxl
import pptx
import pytest

from extractors import ExtractedContent, ExtractLimits, Status, extract_content

WORDS = 400
ODF = "urn:oasis:names:tc:opendocument:xmlns"


class Stream(io.RawIOBase):
    """A file that cannot be sought in: sizes are then written after the parts."""

    def __init__(self) -> None:
        super().__init__()
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, piece: bytes) -> int:  # type: ignore[override] # what zipfile writes
        self.data += piece
        return len(piece)


def word() -> bytes:
    document = docx.Document()
    for number in range(WORDS):
        document.add_paragraph(f"word-{number} {number * 7919 % 104729:x}")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def slides() -> bytes:
    deck = pptx.Presentation()
    for number in range(20):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = f"word-{number}"
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def sheet() -> bytes:
    book = openpyxl.Workbook()
    for number in range(150):
        book.active.append([f"word-{number}", number, number * 7919 % 104729])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def text() -> bytes:
    names = f'xmlns:office="{ODF}:office:1.0" xmlns:text="{ODF}:text:1.0"'
    body = "".join(f"<text:p>word-{number} {number * 7919 % 104729:x}</text:p>" for number in range(WORDS))
    text = f"<office:body><office:text>{body}</office:text></office:body>"
    content = f"<office:document-content {names}>{text}</office:document-content>".encode()
    return packed({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": content})


def packed(parts: Mapping[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in parts.items():
            archive.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else None)
    return buffer.getvalue()


def parts_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def main_first(data: bytes) -> dict[str, bytes]:
    """The parts as Office writes them: what the package is about stands before the rest."""
    parts = parts_of(data)
    head = ("mimetype", "[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels",
            "ppt/presentation.xml", "ppt/_rels/presentation.xml.rels", "word/document.xml", "content.xml",
            "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml")  # fmt: skip
    slides_first = [name for name in parts if name.startswith("ppt/slides/")]
    return {name: parts[name] for name in dict.fromkeys((*head, *slides_first, *parts)) if name in parts}


def streamed(parts: Mapping[str, bytes]) -> bytes:
    stream = Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return bytes(stream.data)


def read(data: bytes, name: str = "a.docx", **limits: int) -> ExtractedContent:
    return extract_content(data, media_type="", name=name, limits=ExtractLimits(**limits))


MAKERS = {"a.docx": word, "a.pptx": slides, "a.xlsx": sheet, "a.odt": text}


@pytest.mark.parametrize("write", [packed, streamed])
@pytest.mark.parametrize("name", MAKERS)
def test_what_stands_before_the_cut_is_read(name: str, write) -> None:  # type: ignore[no-untyped-def] # one of two writers
    data = write(main_first(MAKERS[name]()))
    whole = read(data, name)
    assert whole.status is Status.OK
    found = []
    for share in (0.6, 0.95, 0.999):
        content = read(data[: int(len(data) * share)], name)
        assert content.status is Status.PARTIAL
        assert "the file is cut off or damaged: what could be recovered is shown" in (content.note or "")
        assert content.media_type == whole.media_type
        found.append((content.text or "").count("word-"))
    assert 0 < found[0] <= found[1] <= found[2] == (whole.text or "").count("word-")


def test_a_cut_through_the_main_part_keeps_its_beginning() -> None:
    for data in (text(), streamed(parts_of(text()))):
        for share in (0.3, 0.6):
            content = read(data[: int(len(data) * share)], "a.odt")
            assert content.status is Status.PARTIAL
            assert (content.text or "").startswith("word-0 ")
            assert f"word-{WORDS - 1}" not in (content.text or "")


def test_a_file_cut_before_its_main_part_is_rejected() -> None:
    parts = parts_of(word())
    main = parts.pop("word/document.xml")
    data = packed({**parts, "word/document.xml": main})
    assert read(data[: data.index(b"word/document.xml")]).status is Status.REJECTED


def test_the_directory_of_a_file_inside_is_not_taken_for_that_of_a_file_that_is_cut_off() -> None:
    with zipfile.ZipFile(buffer := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in main_first(word()).items():
            archive.writestr(name, data)
        archive.writestr("word/embeddings/book.xlsx", sheet(), zipfile.ZIP_STORED)
        archive.writestr("word/last.xml", "<a/>")
    data = buffer.getvalue()
    content = read(data[: data.index(b"word/last.xml")])
    assert content.media_type.endswith("wordprocessingml.document")
    assert content.status is Status.PARTIAL
    assert (content.text or "").startswith("word-0 ")


def test_what_is_salvaged_is_bounded_like_any_other_file() -> None:
    bomb = {**main_first(word()), "word/styles.xml": b" " * 30_000_000}
    data = packed(bomb)[:-30]
    assert "inflates to more" in (read(data, office_zip_max_uncompressed_bytes=1_000_000).note or "")
    assert read(data, office_zip_max_entries=3).status is Status.REJECTED
    assert read(data[:1000] + b"PK\3\4" * 200_000).status is not Status.OK


def test_damage_is_not_taken_for_encryption() -> None:
    data = bytearray(packed(main_first(word()))[:-30])
    at = data.index(b"word/styles.xml") - 30
    data[at + 6] |= 1
    content = read(bytes(data))
    assert content.status is Status.PARTIAL
    assert (content.text or "").count("word-") == WORDS
