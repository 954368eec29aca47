"""Excel: xlsx, xlsm, xltx, xltm, also in the ISO strict form. Only stored cells are read, as the sheet shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors import markdown
from extractors._ooxml.gallery import Gallery
from extractors._ooxml.names import Element, R, S
from extractors._ooxml.number_format import BUILTIN, GENERAL, displayed
from extractors._ooxml.numbering import int_or
from extractors._ooxml.package import Package, open_package
from extractors._ooxml.sheet import Cell, Row, Sheet, column_letters, read_sheet, shared_strings, unescaped
from extractors._ooxml.sheet_drawing import comments, drawn, people, pictures_in_cells
from extractors.budget import Budget
from extractors.content import Block, Detection, ExtractionWarning, Job, Kind, PageCount, Text, Truncated, Warned
from extractors.format import Format

#: A blank row inside a table stays in it; two of them begin a new table.
_MAX_GAP_ROWS = 2
_WPS_PICTURE = re.compile(r'DISPIMG\("([^"]+)"')
_NOT_CALCULATED = ExtractionWarning(
    problem="the file has formulas that were never calculated",
    consequence="the formula itself stands in place of the value",
)


def extract(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block]:
    """The blocks of a workbook, sheet by sheet: heading, tables, pictures and charts, comments."""
    package = open_package(job.data, budget)
    main = package.main_part("xl/workbook.xml")
    root = package.tree(main)
    entries = list(root.iterfind(f"{S}sheets/{S}sheet"))
    yield PageCount(len(entries))
    limit = budget.limits.xlsx_max_sheets
    parts = [package.target(main, entry.get(f"{R}id")) for entry in entries[:limit]]
    sheets = [read_sheet(package, part) if part is not None else Sheet(cut="the sheet is missing") for part in parts]
    book = _book(package, main, root, sheets)
    for entry, part, sheet in zip(entries, parts, sheets, strict=False):
        name = entry.get("name", "")
        yield from book.sheet_blocks(name, sheet, is_hidden=entry.get("state", "visible") != "visible")
        yield from book.over_cells(part)
        yield from book.gallery.drain()
    if len(entries) > limit:
        yield Truncated(f"sheets {limit + 1} to {len(entries)} of {len(entries)}")
    yield from book.gallery.ended()
    yield from package.warnings()
    if any(cell.kind == "formula" for sheet in sheets for row in sheet.rows() for cell in row.cells):
        yield Warned(_NOT_CALCULATED)


def _book(package: Package, main: str, root: Element, sheets: list[Sheet]) -> _Book:
    needed = {
        int_or(cell.raw, -1) for sheet in sheets for row in sheet.rows() for cell in row.cells if cell.kind == "s"
    }
    strings, styles = (next(iter(package.related(main, kind)), None) for kind in ("sharedStrings", "styles"))
    properties = root.find(f"{S}workbookPr")
    return _Book(
        package=package,
        gallery=Gallery(package=package),
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
    cut_cells: int = field(default=0)

    def sheet_blocks(self, name: str, sheet: Sheet, *, is_hidden: bool) -> Iterator[Block]:
        """The heading and the tables of a sheet, and what is left out of it."""
        heading = markdown.sheet_heading(name)
        remark = "" if sheet.rows_total else "\n(no cells)"
        yield Text(f"{heading}\n{markdown.hidden('(the whole sheet)')}{remark}" if is_hidden else f"{heading}{remark}")
        head, tail = list(_runs(sheet.head)), list(_runs(sheet.tail))
        is_whole = len(head) + len(tail) == 1
        for run in head:
            yield from self._table(sheet, run, is_whole=is_whole)
        if sheet.rows_total > len(sheet.head) + len(sheet.tail) and sheet.tail:
            first, last = sheet.head[-1].number + 1, sheet.tail[0].number - 1
            yield Text(f"(rows {first} to {last} are left out)")
            yield Truncated(f'rows {first} to {last} of sheet "{name}"')
        for run in tail:
            yield from self._table(sheet, run, is_whole=is_whole)
        if sheet.is_cut_in_columns:
            yield Truncated(f'columns of sheet "{name}" after the first {self.package.budget.limits.xlsx_max_columns}')
        if sheet.cut:
            yield Truncated(f'rows after {sheet.last_row} of sheet "{name}" ({sheet.cut})')

    def _table(self, sheet: Sheet, run: list[Row], *, is_whole: bool) -> Iterator[Block]:
        max_columns = self.package.budget.limits.xlsx_max_columns
        used = sorted({cell.column for row in run for cell in row.cells})
        sheet.is_cut_in_columns |= len(used) > max_columns
        columns = used[:max_columns]
        rows: list[list[str]] = []
        next_number = run[0].number
        for row in run:
            if row.number > next_number:
                rows.append([""] * len(columns))
            next_number = row.number + 1
            values = {cell.column: self._text(sheet, row.number, cell) for cell in row.cells}
            rows.append(self._marked(sheet, row, [values.get(column, "") for column in columns], columns, len(rows)))
        first, last = f"{column_letters(columns[0])}{run[0].number}", f"{column_letters(columns[-1])}{run[-1].number}"
        is_plain = is_whole and first == "A1" and columns == list(range(1, len(columns) + 1))
        label = "" if is_plain else f"Cell {first}\n\n" if first == last else f"Cells {first} to {last}\n\n"
        yield Text(label + markdown.table(rows))
        yield from self.gallery.drain()
        if self.cut_cells:
            yield Truncated(f"text of cells after {self.package.budget.limits.table_cell_max_chars:,} characters")
            self.cut_cells = 0

    def _marked(self, sheet: Sheet, row: Row, texts: list[str], columns: list[int], index: int) -> list[str]:
        """The row with its hidden parts marked: a hidden row in its first cell, a hidden column in the table's head."""
        return [
            markdown.hidden(text).strip()
            if (row.is_hidden and place == 0) or (index == 0 and sheet.is_column_hidden(column))
            else text
            for place, (text, column) in enumerate(zip(texts, columns, strict=True))
        ]

    def _text(self, sheet: Sheet, row: int, cell: Cell) -> str:
        text = self._value(cell)
        limit = self.package.budget.limits.table_cell_max_chars
        if len(text) > limit:
            self.cut_cells += 1
            text = f"{text[:limit]}…"
        address = sheet.links.get(f"{column_letters(cell.column)}{row}", "") if sheet.links else ""
        return f"[{text}]({address})" if address and address != text else text

    def _value(self, cell: Cell) -> str:
        """What the cell shows. Text stays as it is: "NA" and "NULL" are words like any other."""
        if cell.kind == "s":
            return self.strings.get(int_or(cell.raw, -1), "")
        if cell.kind == "b":
            return "TRUE" if cell.raw == "1" else "FALSE"
        if cell.kind == "formula":
            return f"={cell.formula}"
        if cell.kind != "n":  # text, errors and ISO dates
            picture = _WPS_PICTURE.search(cell.raw)
            part = self.pictures.get(picture[1]) if picture else None
            return self.gallery.reference(part) if part else unescaped(cell.raw)
        code = self.formats[cell.style] if 0 <= cell.style < len(self.formats) else GENERAL
        return displayed(cell.raw, code, since_1904=self.since_1904)

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


def _runs(rows: list[Row]) -> Iterator[list[Row]]:
    """The rows in groups that stand together; a wider gap of blank rows begins a new group."""
    run: list[Row] = []
    for row in rows:
        if run and row.number - run[-1].number > _MAX_GAP_ROWS:
            yield run
            run = []
        if row.cells:
            run.append(row)
    if run:
        yield run


FORMAT = Format(
    name="Excel",
    kind=Kind.SPREADSHEET,
    media_types=frozenset(
        {
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
            "application/vnd.ms-excel.sheet.macroenabled.12",
            "application/vnd.ms-excel.template.macroenabled.12",
        }
    ),
    extensions=frozenset({"xlsx", "xlsm", "xltx", "xltm"}),
    extract=extract,
    limitations=(
        "Formulas are not calculated: their stored results are read, and the formula where no result is stored.",
        "Colours, fonts and conditional formats are not read.",
        "Pictures placed in cells by Excel 365 are not read; those by WPS are.",
    ),
)
