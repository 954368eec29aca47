"""Small files that would burn a core or fill the memory: each ends in time, says so, and gives what it holds."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable

import docx
import openpyxl
import pptx
import pytest

from extractors.content import Status
from extractors.limits import MIB, ExtractLimits

Build = Callable[[], bytes]

W = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
S = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
P = (
    b'<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    b' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree>'
)
DECLARATION = b'<?xml version="1.0"?>'
LAUGHS = (
    DECLARATION
    + b'<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + level, b"&%c;" % (97 + level) * 10) for level in range(9))
    + b"]>"
)
OUTSIDE = DECLARATION + b'<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]>'


# --- packages ---------------------------------------------------------------------------------------------------------


def saved(document: object) -> bytes:
    file = io.BytesIO()
    document.save(file)  # type: ignore[attr-defined] # all three libraries have it
    return file.getvalue()


def with_part(package: bytes, part: str, content: bytes) -> bytes:
    """The package with one part replaced."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in {*old.namelist(), part}:
            new.writestr(name, content if name == part else old.read(name))
    return file.getvalue()


def word(body: bytes, *, before: bytes = b"") -> bytes:
    xml = before + b"<w:document " + W + b"><w:body>" + body + b"</w:body></w:document>"
    return with_part(saved(docx.Document()), "word/document.xml", xml)


def paragraph(text: bytes) -> bytes:
    return b"<w:p><w:r><w:t>" + text + b"</w:t></w:r></w:p>"


def book() -> bytes:
    workbook = openpyxl.Workbook()
    workbook.active.append(["held"])
    return saved(workbook)


def sheet(rows: bytes) -> bytes:
    xml = b"<worksheet " + S + b"><sheetData>" + rows + b"</sheetData></worksheet>"
    return with_part(book(), "xl/worksheets/sheet1.xml", xml)


def strings(items: bytes, *, before: bytes = b"") -> bytes:
    return with_part(book(), "xl/sharedStrings.xml", before + b"<sst " + S + b">" + items + b"</sst>")


def slide(text: bytes, *, before: bytes = b"") -> bytes:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5])
    xml = before + P + b"<p:sp><p:txBody><a:p><a:r><a:t>" + text + b"</a:t></a:r></a:p></p:txBody></p:sp>"
    return with_part(saved(deck), "ppt/slides/slide1.xml", xml + b"</p:spTree></p:cSld></p:sld>")


def zip_of_zeros() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("z", "w", force_zip64=True) as entry:
        for _ in range(3000):
            entry.write(bytes(MIB))
    return file.getvalue()


def zip_of_entries() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(100_000):
            archive.writestr(f"{number}", b"")
    return file.getvalue()


# --- pictures ---------------------------------------------------------------------------------------------------------


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(side: int) -> bytes:
    packer = zlib.compressobj(9)
    row = bytes(1 + (side + 7) // 8)
    pixels = b"".join(packer.compress(row * min(1000, side - done)) for done in range(0, side, 1000)) + packer.flush()
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def png_with_text_bomb() -> bytes:
    text = chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(500 * MIB), 9))
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + text + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


# --- PDF --------------------------------------------------------------------------------------------------------------


def pdf(objects: Iterable[bytes]) -> bytes:
    out, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(offsets) + 1, len(out))
    return out + head + table + tail


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<<" + entries + b"/Length %d>>stream\n" % len(data) + data + b"\nendstream"


def packed(data: bytes, entries: bytes = b"") -> bytes:
    return stream(zlib.compress(data, 9), b"/Filter/FlateDecode" + entries)


CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
FONT = b"/Font<</F <</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
BOX = b"/MediaBox[0 0 600 800]"


def three_pages(bomb: bytes, resources: bytes, *more: bytes) -> bytes:
    """A page of text, the bomb, a page of text."""
    text = packed(b"BT /F 24 Tf 72 700 Td (kept text of this page) Tj ET")
    page = b"<</Type/Page/Parent 2 0 R" + BOX + b"/Contents %d 0 R/Resources<<" + FONT + b"%s>>>>"
    pages = b"<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3>>"
    return pdf([CATALOG, pages, page % (6, b""), page % (7, resources), page % (6, b""), text, bomb, *more])


def pdf_of_a_gigabyte() -> bytes:
    packer = zlib.compressobj(9)
    content = b"".join(packer.compress(b"q Q " * (1 << 18)) for _ in range(1000)) + packer.flush()
    return three_pages(stream(content, b"/Filter/FlateDecode"), b"")


def pdf_of_forms() -> bytes:
    """Ten forms, each drawing the next one ten times."""
    forms = [
        stream(b"/F Do " * 10, b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F %d 0 R>>>>" % (9 + n))
        for n in range(10)
    ]
    last = stream(b"q Q q ", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]")
    return three_pages(packed(b"/F Do"), b"/XObject<</F 8 0 R>>", *forms, last)


def pdf_of_pixels() -> bytes:
    twice = zlib.compress(zlib.compress(bytes(900_000_000), 9), 9)
    picture = stream(
        twice,
        b"/Type/XObject/Subtype/Image/Width 30000/Height 30000/ColorSpace/DeviceGray/BitsPerComponent 8"
        b"/Filter[/FlateDecode/FlateDecode]",
    )
    return three_pages(packed(b"q 600 0 0 800 0 0 cm /I Do Q"), b"/XObject<</I 8 0 R>>", picture)


def one_page(box: bytes, pages: bytes = b"<</Type/Pages/Kids[3 0 R]/Count 1>>") -> bytes:
    return pdf([CATALOG, pages, b"<</Type/Page/Parent 2 0 R/MediaBox[%s]>>" % box])


# --- the tests --------------------------------------------------------------------------------------------------------

FAR_ROW = b'<row r="1"><c r="A1"><v>1</v></c></row><row r="%d"><c r="A%d"><v>2</v></c></row>'
BOMBS: dict[str, tuple[str, Build]] = {
    "entities in a document": ("a.docx", lambda: word(paragraph(b"&j;"), before=LAUGHS)),
    "outside entity": ("a.docx", lambda: word(paragraph(b"[&x;]"), before=OUTSIDE)),
    "a text of 200 MB": ("a.docx", lambda: word(paragraph(b"a" * (200 << 20)))),
    "3 million paragraphs": ("a.docx", lambda: word(b"<w:p/>" * 3_000_000)),
    "100,000 levels": ("a.docx", lambda: word(b"<w:p>" * 100_000 + b"</w:p>" * 100_000)),
    "entities in shared strings": ("a.xlsx", lambda: strings(b"<si><t>&j;</t></si>", before=LAUGHS)),
    "outside entity in shared strings": ("a.xlsx", lambda: strings(b"<si><t>[&x;]</t></si>", before=OUTSIDE)),
    "a shared string of 300 MB": ("a.xlsx", lambda: strings(b"<si><t>" + b"a" * (300 << 20) + b"</t></si>")),
    "entities in a slide": ("a.pptx", lambda: slide(b"&j;", before=LAUGHS)),
    "3 GB of zeros": ("a.zip", zip_of_zeros),
    "100,000 entries": ("a.zip", zip_of_entries),
    "144 million pixels": ("a.png", lambda: png(12_000)),
    "900 million pixels": ("a.png", lambda: png(30_000)),
    "500 MB of text in a picture": ("a.png", png_with_text_bomb),
    "900 million pixels in a page": ("a.pdf", pdf_of_pixels),
    "a page of 350 metres": ("a.pdf", lambda: one_page(b"0 0 1000000 1000000")),
    "a tree of pages that holds itself": (
        "a.pdf",
        lambda: one_page(b"0 0 9 9", b"<</Type/Pages/Kids[2 0 R]/Count 1000000>>"),
    ),
    "2 billion pages": ("a.pdf", lambda: one_page(b"0 0 9 9", b"<</Type/Pages/Kids[3 0 R]/Count 2147483647>>")),
}
#: They burnt the whole time before, and their first lines were lost.
SHEETS: dict[str, Build] = {
    "5 million shared strings": lambda: strings(b"<si><t>held</t></si>" * 5_000_000),
    "row 10^12": lambda: sheet(FAR_ROW % (10**12, 10**12)),
    "3 million rows": lambda: sheet(b"<row><c><v>1</v></c></row>" * 3_000_000),
}


@pytest.mark.parametrize("bomb", BOMBS)
async def test_bomb_ends_in_time_and_is_told(reader, told_plainly, bomb):
    name, build = BOMBS[bomb]
    cost = await reader.read(build(), name)
    assert cost.seconds < 9
    assert "root:" not in (cost.content.text or "")
    told_plainly(cost.content)


@pytest.mark.parametrize("bomb", SHEETS)
async def test_sheet_gives_what_it_holds_within_two_seconds(reader, told_plainly, bomb):
    cost = await reader.read(SHEETS[bomb](), "a.xlsx")
    assert cost.seconds < 2
    assert cost.content.status in {Status.OK, Status.PARTIAL}
    assert "held" in str(cost.content.text) or "| 1" in str(cost.content.text)
    told_plainly(cost.content)


@pytest.mark.slow
@pytest.mark.parametrize("build", [pdf_of_a_gigabyte, pdf_of_forms])
async def test_page_that_does_not_end_costs_itself_only(reader, told_plainly, build):
    limit_s = ExtractLimits().pdf_page_timeout_s
    cost = await reader.read(build(), "a.pdf")
    assert cost.seconds < limit_s + 2
    assert cost.content.status is Status.PARTIAL
    assert str(cost.content.text).count("kept text of this page") == 2
    assert f"page 2 was not read to its end within {limit_s:g} s" in str(cost.content.note)
    told_plainly(cost.content)
