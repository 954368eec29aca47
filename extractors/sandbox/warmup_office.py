"""The smallest Word, Excel and PowerPoint packages that reach their readers; no library that writes them is loaded."""

from __future__ import annotations

import io
import zipfile
from typing import Final

_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_DRAWING: Final = "http://schemas.openxmlformats.org/drawingml/2006"
_NAMES: Final = (
    f'xmlns:r="{_OFFICE}" xmlns:a="{_DRAWING}/main" xmlns:pic="{_DRAWING}/picture"'
    f' xmlns:wp="{_DRAWING}/wordprocessingDrawing"'
)
_BLIP: Final = '<pic:blipFill><a:blip r:embed="r9"/></pic:blipFill>'
_PICTURE: Final = {"r9": ("image", "/media/image.png")}
_TYPE: Final = "application/vnd.openxmlformats-officedocument"

#: XML and content type by name, and targets (kind, address) by part and id.
Parts = dict[str, tuple[str, str]]
Relations = dict[str, dict[str, tuple[str, str]]]


def docx_sample(picture: bytes) -> bytes:
    """A heading, a table and a picture."""
    word = f'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" {_NAMES}'
    cell = "<w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc>"
    document = (
        f"<w:document {word}><w:body>"
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Title</w:t></w:r></w:p>'
        f"<w:tbl><w:tr>{cell}{cell}</w:tr></w:tbl>"
        f"<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData><pic:pic>{_BLIP}</pic:pic></a:graphicData>"
        "</a:graphic></wp:inline></w:drawing></w:r></w:p></w:body></w:document>"
    )
    parts = {"word/document.xml": (document, f"{_TYPE}.wordprocessingml.document.main+xml")}
    return _package(parts, {"word/document.xml": _PICTURE}, picture)


def xlsx_sample() -> bytes:
    """One sheet with a text, a percentage and a formula."""
    sheet = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    sheets = '<sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets>'
    book = f'<workbook {sheet} xmlns:r="{_OFFICE}">{sheets}</workbook>'
    cells = (
        f'<worksheet {sheet}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c>'
        '<c r="B1" s="1"><v>0.125</v></c><c r="C1"><f>B1*2</f><v>0.25</v></c></row></sheetData></worksheet>'
    )
    styles = f'<styleSheet {sheet}><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="10"/></cellXfs></styleSheet>'
    parts = {
        "xl/workbook.xml": (book, f"{_TYPE}.spreadsheetml.sheet.main+xml"),
        "xl/worksheets/sheet1.xml": (cells, f"{_TYPE}.spreadsheetml.worksheet+xml"),
        "xl/styles.xml": (styles, f"{_TYPE}.spreadsheetml.styles+xml"),
    }
    relations = {"r1": ("worksheet", "worksheets/sheet1.xml"), "r2": ("styles", "styles.xml")}
    return _package(parts, {"xl/workbook.xml": relations})


def pptx_sample(picture: bytes) -> bytes:
    """One slide with words and a picture."""
    slides = f'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" {_NAMES}'
    deck = f'<p:presentation {slides}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>'
    words = "<p:sp><p:txBody><a:p><a:r><a:t>Title</a:t></a:r></a:p></p:txBody></p:sp>"
    shown = _BLIP.replace("pic:", "p:")
    slide = f"<p:sld {slides}><p:cSld><p:spTree>{words}<p:pic>{shown}</p:pic></p:spTree></p:cSld></p:sld>"
    parts = {
        "ppt/presentation.xml": (deck, f"{_TYPE}.presentationml.presentation.main+xml"),
        "ppt/slides/slide1.xml": (slide, f"{_TYPE}.presentationml.slide+xml"),
    }
    relations = {"ppt/presentation.xml": {"r1": ("slide", "slides/slide1.xml")}, "ppt/slides/slide1.xml": _PICTURE}
    return _package(parts, relations, picture)


def _package(parts: Parts, relations: Relations, picture: bytes = b"") -> bytes:
    """The parts with their types and relations; the first is the main one, and a picture lies beside them."""
    main = next(iter(parts))
    overrides = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, (_, kind) in parts.items())
    types = (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="png" ContentType="image/png"/>{overrides}</Types>'
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", _relationships({"r1": ("officeDocument", main)}))
        archive.writestr("media/image.png", picture)
        for name, (xml, _) in parts.items():
            archive.writestr(name, xml)
        for name, targets in relations.items():
            folder, _, last = name.rpartition("/")
            archive.writestr(f"{folder}/_rels/{last}.rels", _relationships(targets))
    return file.getvalue()


def _relationships(targets: dict[str, tuple[str, str]]) -> str:
    rows = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{rows}</Relationships>'
