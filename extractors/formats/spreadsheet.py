"""Excel: xlsx, xlsm, xltx, xltm, also in the ISO strict form. Only stored cells are read, as the sheet shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from extractors._gallery import Gallery
from extractors._grid import Grid, GridRow, column_letters, grid_blocks, sheets_left_out
from extractors._legacy.excel_objects import embedded_in_package
from extractors._ooxml.builtin_formats import BUILTIN, GENERAL
from extractors._ooxml.names import Element, R, S
from extractors._ooxml.number_format import displayed, displayed_text
from extractors._ooxml.numbering import int_or
from extractors._ooxml.package import Package, open_package
from extractors._ooxml.sheet import Cell, Row, Sheet, read_sheet, shared_strings, unescaped
from extractors._ooxml.sheet_drawing import comments, drawn, people, pictures_in_cells
from extractors._ooxml.sheet_margins import Margins
from extractors._ooxml.workbook_2003 import workbook_2003
from extractors.budget import Budget
from extractors.content import (
    Block,
    Detection,
    ExtractionWarning,
    Job,
    Kind,
    Member,
    PageCount,
    Text,
    Truncated,
    Warned,
)
from extractors.format import Format

#: One XML file, mostly under the name of an xls.
_XML_OF_2003 = "application/vnd.ms-spreadsheetml"
_WPS_PICTURE = re.compile(r'DISPIMG\("([^"]+)"')
_NOT_CALCULATED = ExtractionWarning(
    problem="the file has formulas that were never calculated",
    consequence="the formula itself stands in place of the value",
)


def extract(job: Job, detection: Detection, budget: Budget) -> Iterator[Block | Member]:
    """The blocks of a workbook, sheet by sheet: heading, tables, pictures, charts, comments; then the files in it."""
    if detection.media_type == _XML_OF_2003:
        yield from workbook_2003(job.data, budget)
        return
    package = open_package(job.data, budget)
    main = package.main_part("xl/workbook.xml")
    root = package.tree(main)
    entries = list(root.iterfind(f"{S}sheets/{S}sheet"))
    yield PageCount(len(entries))
    limit = budget.limits.xlsx_max_sheets
    parts = [package.target(main, entry.get(f"{R}id")) for entry in entries[:limit]]
    sheets = [_sheet(package, entry, part) for entry, part in zip(entries, parts, strict=False)]
    book = _book(package, main, root, sheets)
    margins = Margins()
    for entry, part, sheet in zip(entries, parts, sheets, strict=False):
        name = entry.get("name", "")
        grid = book.grid(name, sheet, is_hidden=entry.get("state", "visible") != "visible")
        yield from grid_blocks(grid, budget.limits)
        yield from book.gallery.drain()
        yield from book.over_cells(part)
        yield from book.gallery.drain()
        yield from margins.blocks(name, sheet.margins)
    yield from sheets_left_out([entry.get("name", "") for entry in entries], limit)
    yield from book.gallery.ended()
    yield from embedded_in_package(package, parts)
    yield from package.warnings()
    if any(cell.kind == "formula" for sheet in sheets for row in sheet.rows() for cell in row.cells):
        yield Warned(_NOT_CALCULATED)


def _sheet(package: Package, entry: Element, part: str | None) -> Sheet:
    if part is not None:
        return read_sheet(package, part)
    # A module of macros is listed as a sheet that leads nowhere.
    return Sheet() if entry.get(f"{R}id") == "" else Sheet(cut="the sheet is missing")


def _book(package: Package, main: str, root: Element, sheets: list[Sheet]) -> _Book:
    needed = {
        int_or(cell.raw, -1) for sheet in sheets for row in sheet.rows() for cell in row.cells if cell.kind == "s"
    }
    strings, styles = (next(iter(package.related(main, kind)), None) for kind in ("sharedStrings", "styles"))
    properties = root.find(f"{S}workbookPr")
    return _Book(
        package=package,
        gallery=Gallery(source=package),
        strings=shared_strings(package, strings, needed),
        formats=_formats(package.optional(styles)),
        since_1904=properties is not None and properties.get("date1904") in {"1", "true"},
        pictures=pictures_in_cells(package, main),
        people=people(package, main),
    )


def _formats(root: Element | None) -> list[str]:
    """The number format of each cell style."""
    if root is None:
        return []
    own = {int_or(f.get("numFmtId"), -1): f.get("formatCode", GENERAL) for f in root.iterfind(f"{S}numFmts/{S}numFmt")}
    ids = [int_or(style.get("numFmtId"), 0) for style in root.iterfind(f"{S}cellXfs/{S}xf")]
    return [own.get(format_id) or BUILTIN.get(format_id, GENERAL) for format_id in ids]


@dataclass(slots=True, kw_only=True)
class _Book:
    package: Package
    gallery: Gallery
    strings: dict[int, str]
    formats: list[str]
    since_1904: bool
    pictures: dict[str, str]
    people: dict[str, str]

    def grid(self, name: str, sheet: Sheet, *, is_hidden: bool) -> Grid:
        """The sheet with the texts that its cells show."""
        return Grid(
            name=name,
            is_hidden=is_hidden,
            head=[self._row(sheet, row) for row in sheet.head],
            tail=[self._row(sheet, row) for row in sheet.tail],
            rows_total=sheet.rows_total,
            hidden_columns=sheet.hidden_columns,
            is_cut_in_columns=sheet.is_cut_in_columns,
            last_row=sheet.last_row,
            cut=sheet.cut,
        )

    def _row(self, sheet: Sheet, row: Row) -> GridRow:
        return GridRow(row.number, {cell.column: self._text(sheet, row, cell) for cell in row.cells}, row.is_hidden)

    def _text(self, sheet: Sheet, row: Row, cell: Cell) -> str:
        text = self._value(cell)
        address = sheet.links.get(f"{column_letters(cell.column)}{row.number}", "") if sheet.links else ""
        return f"[{text}]({address})" if address and address != text else text

    def _value(self, cell: Cell) -> str:
        """What the cell shows. Text stays as it is: "NA" and "NULL" are words like any other."""
        code = self.formats[cell.style] if 0 <= cell.style < len(self.formats) else GENERAL
        if cell.kind == "s":
            return displayed_text(self.strings.get(int_or(cell.raw, -1), ""), code)
        if cell.kind == "b":
            return "TRUE" if cell.raw == "1" else "FALSE"
        if cell.kind == "formula":
            return f"={cell.formula}"
        if cell.kind == "n":
            return displayed(cell.raw, code, since_1904=self.since_1904)
        # texts, errors and ISO dates
        picture = _WPS_PICTURE.search(cell.raw)
        part = self.pictures.get(picture[1]) if picture else None
        return self.gallery.reference(part) if part else displayed_text(unescaped(cell.raw), code)

    def over_cells(self, part: str | None) -> Iterator[Block]:
        """What lies over a sheet's cells: pictures, charts, text boxes, comments."""
        for text in drawn(self.package, self.gallery, part) if part is not None else ():
            if self.package.budget.is_late:
                yield Truncated("charts and pictures, for lack of time")
                return
            yield Text(text)
            yield from self.gallery.drain()
        notes = list(comments(self.package, part, self.people)) if part is not None else []
        if notes:
            yield Text("\n".join(notes))


FORMAT = Format(
    name="Excel",
    kind=Kind.SPREADSHEET,
    media_types=frozenset(
        {
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
            "application/vnd.ms-excel.sheet.macroenabled.12",
            "application/vnd.ms-excel.template.macroenabled.12",
            _XML_OF_2003,
        }
    ),
    extensions=frozenset({"xlsx", "xlsm", "xltx", "xltm"}),
    extract=extract,
    keeps=(
        "values as the sheet shows them: dates, percent, currencies, leading zeros",
        "merged cells in place, and far cells under their address",
        "hidden sheets, rows and columns, marked as hidden",
        "formulas that were never calculated",
        "links, comments, charts as tables, text boxes, pictures",
        "headers and footers of printed pages, once",
        "embedded files, each read as what it is, after the sheets",
    ),
    libraries=("lxml", "pillow"),
    limitations=(
        "Formulas are not calculated: their stored results are read, and the formula where no result is stored.",
        "Colours, fonts and conditional formats are not read.",
        "Pictures placed in cells by Excel 365 are not read; those by WPS are.",
    ),
)
