"""Small files that make the readers load what they import late: a confined child opens no file, so it cannot."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterator

import py7zr
import pymupdf
from PIL import Image

from extractors.custom_formats import custom_samples
from extractors.sandbox.warmup_metafile import metafile_sample
from extractors.sandbox.warmup_office import docx_sample, pptx_sample, xlsx_sample

_FLAT_TEXT = (
    b'<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    b' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    b' office:mimetype="application/vnd.oasis.opendocument.text">'
    b"<office:body><office:text><text:p>Text</text:p></office:text></office:body></office:document>"
)

_LETTER = b"""\
From: =?gbk?B?1cXI/Q==?= <a@example.com>
Subject: Title
Content-Type: multipart/mixed; boundary=B

--B
Content-Type: text/html; charset=gb2312
Content-Transfer-Encoding: quoted-printable

<p>Text =D5=C5</p>
--B
Content-Type: text/csv; name=table.csv
Content-Transfer-Encoding: base64

YSxiCjEsMgo=
--B
Content-Type: message/rfc822

Subject: Inner

Text
--B--
"""


_DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 40"><rect width="40" height="20" fill="red"/>
<text x="5" y="15" font-size="8">Text 文</text></svg>""".encode()

_WEB_ARCHIVE = b"""MIME-Version: 1.0
Content-Type: multipart/related; boundary=B

--B
Content-Type: text/html; charset=gb2312
Content-Transfer-Encoding: quoted-printable
Content-Location: http://example.com/

<h1>Title</h1><p>Text =D5=C5</p>
--B--
"""


def samples() -> Iterator[tuple[str, bytes]]:
    """Small files that reach what readers import late."""
    yield "note.txt", "读文 reads files.\n".encode()
    yield "note-gbk.txt", ("合同条款：测试文档内容。" * 20).encode("gb18030")
    # Words that are not repeated make chardet load one more of its tables; without it, it takes 0.25 s a file.
    yield (
        "words-gbk.txt",
        "为了规范公司财务管理，制定本办法。员工报销应当在三十日内提交，联系人王小明。".encode("gb18030"),
    )
    yield "table.csv", b"name,amount\nfirst,1\nsecond,2\n"
    yield (
        "page.html",
        b"<!doctype html><html><body><h1>Title</h1><p>Text</p><table><tr><td>1</td></tr></table></body></html>",
    )
    yield from _pictures()
    picture = next(data for name, data in _pictures() if name.endswith(".png"))
    yield "document.docx", docx_sample(picture)
    yield "sheet.xlsx", xlsx_sample()
    yield "slides.pptx", pptx_sample(picture)
    yield "pages.pdf", _pdf(picture)
    yield "text.fodt", _FLAT_TEXT
    yield "letter.eml", _LETTER
    yield "drawing.svg", _DRAWING
    yield "drawing.wmf", metafile_sample()
    yield "text.rtf", rb"{\rtf1\ansi\ansicpg936 Title\par \'d5\'c5\u-10179?\u-8704?\par}"
    yield "page.mht", _WEB_ARCHIVE
    yield "book.epub", _epub(picture)
    yield "files.zip", _zip()
    yield "files.7z", _seven_zip()
    yield "note.txt.gz", gzip.compress(b"Text")
    yield "locked.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(1536, b"\0")  # loads what decrypts
    yield from custom_samples()


def _epub(picture: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("chapter.xhtml", '<html><body><h1>Title</h1><img src="picture.png"/></body></html>')
        archive.writestr("picture.png", picture)
    return file.getvalue()


def _zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
            archive.writestr(f"{method}.txt", "Text", compress_type=method)
    return file.getvalue()


def _seven_zip() -> bytes:
    file = io.BytesIO()
    with py7zr.SevenZipFile(file, "w") as archive:
        archive.writestr("Text", "note.txt")
    return file.getvalue()


def _pictures() -> Iterator[tuple[str, bytes]]:
    Image.init()
    picture = Image.effect_noise((64, 48), 50).convert("RGB")
    for file_format in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"):
        file = io.BytesIO()
        picture.save(file, file_format)
        yield f"picture.{file_format.lower()}", file.getvalue()
    file = io.BytesIO()
    picture.convert("LAB").save(file, "TIFF")  # colours that only the management of colours turns into RGB
    yield "lab.tiff", file.getvalue()
    file = io.BytesIO()
    picture.save(file, "AVIF", max_threads=1)
    yield "picture.avif", file.getvalue()


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
