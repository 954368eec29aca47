"""Loads everything a reader may import while it reads: a confined child opens no file, so it cannot import."""

from __future__ import annotations

import datetime
import encodings
import importlib
import io
import pkgutil
from collections.abc import Iterator

import docx
import openpyxl
import pptx
import pymupdf
from PIL import Image

from extractors.budget import Budget
from extractors.content import Job
from extractors.limits import ExtractLimits
from extractors.sandbox.child import Extract

#: Codecs that exist on other systems only.
_FOREIGN_CODECS = frozenset({"mbcs", "oem"})


def warm_up(entry: str) -> Extract:
    """The callable that `entry` ("module:name") names, after it has read one small file of each kind."""
    for codec in pkgutil.iter_modules(encodings.__path__):
        if codec.name not in _FOREIGN_CODECS:
            importlib.import_module(f"encodings.{codec.name}")
    module, _, name = entry.partition(":")
    extract: Extract = getattr(importlib.import_module(module), name)
    for file_name, data in samples():
        for _ in extract(Job(data=data, name=file_name), Budget(limits=ExtractLimits())):
            pass
    return extract


def samples() -> Iterator[tuple[str, bytes]]:
    """Small files that reach what readers import late."""
    yield "note.txt", "读文 reads files.\n".encode()
    yield "note-gbk.txt", ("合同条款：测试文档内容。" * 20).encode("gb18030")
    yield "table.csv", b"name,amount\nfirst,1\nsecond,2\n"
    yield (
        "page.html",
        b"<!doctype html><html><body><h1>Title</h1><p>Text</p><table><tr><td>1</td></tr></table></body></html>",
    )
    yield from _pictures()
    picture = next(data for name, data in _pictures() if name.endswith(".png"))
    yield "document.docx", _docx(picture)
    yield "sheet.xlsx", _xlsx()
    yield "slides.pptx", _pptx(picture)
    yield "pages.pdf", _pdf(picture)


def _pictures() -> Iterator[tuple[str, bytes]]:
    Image.init()
    picture = Image.effect_noise((64, 48), 50).convert("RGB")
    for file_format in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"):
        file = io.BytesIO()
        picture.save(file, file_format)
        yield f"picture.{file_format.lower()}", file.getvalue()


def _docx(picture: bytes) -> bytes:
    document = docx.Document()
    document.add_heading("Title")
    document.add_paragraph("Text", style="List Bullet")
    document.add_table(2, 2).cell(0, 0).text = "cell"
    document.add_picture(io.BytesIO(picture))
    document.sections[0].header.paragraphs[0].text = "header"
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _xlsx() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Sheet1")
    sheet.append(["text", 1, 2.5, True, datetime.datetime(2026, 1, 2, 3, 4, tzinfo=None), "=SUM(B1:C1)"])  # noqa: DTZ001 # a cell has no zone
    sheet["C1"].number_format = "0.00%"
    sheet.merge_cells("A2:B2")
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _pptx(picture: bytes) -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Title"
    slide.shapes.add_table(2, 2, 0, 0, 9144, 9144).table.cell(0, 0).text = "cell"
    slide.shapes.add_picture(io.BytesIO(picture), 0, 0)
    slide.notes_slide.notes_text_frame.text = "notes"
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def _pdf(picture: bytes) -> bytes:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Title")
    for x in (72, 172, 272):
        page.draw_line((x, 100), (x, 140))
    for y in (100, 120, 140):
        page.draw_line((72, y), (272, y))
    page.insert_text((80, 115), "cell")
    document.new_page().insert_image(pymupdf.Rect(0, 0, 595, 842), stream=picture)
    data: bytes = document.tobytes()
    return data
