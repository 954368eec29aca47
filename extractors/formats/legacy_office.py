"""Office 97 and before: doc, xls, ppt with their templates, and the binary xlsb."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._album import Album
from extractors._decrypt import locked
from extractors._gallery import Gallery
from extractors._grid import grid_blocks, sheets_left_out
from extractors._legacy import biff, biff_drawing, biff_sheet, xlsb
from extractors._legacy.cell_texts import CellTexts, needed_strings
from extractors._legacy.compound import Compound, open_compound
from extractors._legacy.excel_objects import embedded, embedded_in_package
from extractors._legacy.pictures import Pictures
from extractors._legacy.ppt import ppt_blocks
from extractors._legacy.word import word_blocks
from extractors._ooxml.package import open_package
from extractors._ooxml.sheet import Sheet
from extractors._ooxml.sheet_drawing import drawn
from extractors._ooxml.sheet_margins import Margins
from extractors.budget import Budget
from extractors.content import (
    Block,
    Detection,
    ExtractionWarning,
    Job,
    Kind,
    Member,
    PageCount,
    Status,
    Text,
    Warned,
)
from extractors.format import Format, Unreadable

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_STRINGS_CUT = ExtractionWarning(problem="the table of texts is cut off", consequence="some cells stay empty")


def extract_excel(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block | Member]:
    """The blocks of an xls workbook, sheet by sheet: heading, tables, what lies over the cells, comments."""
    yield from _unless_locked(job, _excel_blocks(job.data, budget))


def _excel_blocks(data: bytes, budget: Budget) -> Iterator[Block | Member]:
    compound = open_compound(data) if data.startswith(_OLE) else None
    book = biff.read_workbook(_workbook_stream(compound) if compound is not None else data)
    if not book.sheets:
        raise Unreadable(Status.REJECTED, "the file is damaged: no sheet can be found in it")
    yield PageCount(len(book.sheets))
    limit = budget.limits.xlsx_max_sheets
    sheets = [biff_sheet.read_sheet(book, entry.at, budget) for entry in book.sheets[:limit]]
    needed = needed_strings([found.sheet for found in sheets])
    texts = CellTexts(
        strings=book.strings.texts(needed, budget),
        formats=book.formats,
        since_1904=book.since_1904,
    )
    pictures = Pictures(album=Album(budget=budget))
    margins = Margins()
    for entry, found in zip(book.sheets, sheets, strict=False):
        yield from grid_blocks(texts.grid(entry.name, found.sheet, is_hidden=entry.is_hidden), budget.limits)
        for text in biff_drawing.over_cells(book, found, pictures):
            yield Text(text)
            yield from pictures.album.drain()
        yield from margins.blocks(entry.name, found.sheet.margins)
    yield from sheets_left_out([entry.name for entry in book.sheets], limit)
    yield from pictures.ended()
    if book.strings.is_cut:
        yield Warned(_STRINGS_CUT, partial=True)
    if compound is not None:
        yield from embedded(compound, budget)


def _workbook_stream(compound: Compound) -> bytes:
    for name in ("Workbook", "Book"):
        stream = compound.read(name)
        if stream:
            return stream
    raise Unreadable(Status.REJECTED, "the file is damaged: the workbook in it cannot be read")


def extract_xlsb(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block | Member]:
    """The blocks of an xlsb workbook, sheet by sheet."""
    package = open_package(job.data, budget)
    main = package.main_part("xl/workbook.bin")
    book = xlsb.read_workbook(package, main)
    yield PageCount(len(book.sheets))
    limit = budget.limits.xlsx_max_sheets
    sheets = [
        xlsb.read_sheet(package, entry.part) if entry.part is not None else Sheet(cut="the sheet is missing")
        for entry in book.sheets[:limit]
    ]
    texts = CellTexts(
        strings=xlsb.shared_strings(package, main, needed_strings(sheets)),
        formats=book.formats,
        since_1904=book.since_1904,
    )
    gallery = Gallery(source=package)
    margins = Margins()
    for entry, sheet in zip(book.sheets, sheets, strict=False):
        yield from grid_blocks(texts.grid(entry.name, sheet, is_hidden=entry.is_hidden), budget.limits)
        for text in drawn(package, gallery, entry.part) if entry.part is not None else ():
            yield Text(text)
            yield from gallery.drain()
        notes = list(xlsb.comments(package, entry.part)) if entry.part is not None else []
        if notes:
            yield Text("\n".join(notes))
        yield from margins.blocks(entry.name, sheet.margins)
    yield from sheets_left_out([entry.name for entry in book.sheets], limit)
    yield from gallery.ended()
    yield from embedded_in_package(package, [entry.part for entry in book.sheets[:limit]])
    yield from package.warnings()


def extract_word(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block | Member]:
    """The blocks of a doc document."""
    yield from _unless_locked(job, word_blocks(open_compound(job.data), budget))


def extract_powerpoint(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block | Member]:
    """The blocks of a ppt presentation."""
    yield from _unless_locked(job, ppt_blocks(open_compound(job.data), budget))


def _unless_locked(job: Job, blocks: Iterator[Block | Member]) -> Iterator[Block | Member]:
    """The blocks; a file that is still encrypted here has no password, or one that does not fit."""
    try:
        yield from blocks
    except Unreadable as exc:
        raise (locked(job) if exc.status is Status.ENCRYPTED else exc) from None


POWERPOINT = Format(
    name="PowerPoint 97 to 2003",
    kind=Kind.PRESENTATION,
    media_types=frozenset({"application/vnd.ms-powerpoint"}),
    extensions=frozenset({"ppt", "pps", "pot"}),
    extract=extract_powerpoint,
    keeps=(
        "slides in their order, each under its mark",
        "titles, text of shapes, tables with merged cells in place",
        "notes, hidden slides marked as hidden",
        "pictures, with their place in the text",
        "embedded files, each read as what it is, after the slides",
    ),
    libraries=("olefile", "msoffcrypto-tool", "pillow"),
    limitations=(
        "Pictures and backgrounds that only masters hold are not read; their words are, once.",
        "Charts, and embedded objects of programs that are not Office's (OLE), are shown by their picture only.",
        "The items of numbered lists are shown with bullets.",
        "Presentations of PowerPoint 95 and before are not read.",
    ),
)
WORD = Format(
    name="Word 97 and before",
    kind=Kind.DOCUMENT,
    media_types=frozenset({"application/msword"}),
    extensions=frozenset({"doc", "dot"}),
    extract=extract_word,
    keeps=(
        "headings, lists, tables with merged cells in place",
        "footnotes, endnotes, comments, headers and footers",
        "pictures, with their place in the text",
        "embedded files, each read as what it is, after the document",
    ),
    libraries=("olefile", "msoffcrypto-tool", "pillow"),
    limitations=(
        "Pages are not marked: a Word file does not say where they end.",
        "Embedded presentations and objects of other programs are shown by their picture only.",
        "Of Word 6 and 95 only text, headings, tables, headers and footnotes are read.",
        "Tables after the first 20 (`docx_max_tables`) are written as lines, not as Markdown tables.",
    ),
)
EXCEL = Format(
    name="Excel 97 and before",
    kind=Kind.SPREADSHEET,
    media_types=frozenset({"application/vnd.ms-excel"}),
    extensions=frozenset({"xls", "xlt"}),
    extract=extract_excel,
    keeps=(
        "values as the sheet shows them",
        "merged cells in place",
        "hidden sheets, rows and columns, marked as hidden",
        "charts as tables, text boxes, comments, pictures",
        "headers and footers of printed pages, once",
        "embedded files, each read as what it is, after the sheets",
    ),
    libraries=("olefile", "msoffcrypto-tool", "pillow"),
    limitations=(
        "Formulas are not calculated: their stored results are read.",
        "Text boxes of Excel 95 and before are not read.",
    ),
)
XLSB = Format(
    name="Excel binary",
    kind=Kind.SPREADSHEET,
    media_types=frozenset({"application/vnd.ms-excel.sheet.binary.macroenabled.12"}),
    extensions=frozenset({"xlsb"}),
    extract=extract_xlsb,
    keeps=(
        "values as the sheet shows them",
        "merged cells in place",
        "comments, charts as tables, text boxes, pictures",
        "headers and footers of printed pages, once",
        "embedded files, each read as what it is, after the sheets",
    ),
    libraries=("lxml", "pillow"),
    limitations=("Formulas are not calculated: their stored results are read.",),
)
FORMATS = (WORD, EXCEL, XLSB, POWERPOINT)
