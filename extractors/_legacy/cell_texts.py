"""The cells of a binary workbook as the texts that they show."""

from __future__ import annotations

from dataclasses import dataclass

from extractors._grid import Grid, GridRow, column_letters
from extractors._ooxml.builtin_formats import GENERAL
from extractors._ooxml.number_format import displayed, displayed_text
from extractors._ooxml.sheet import Cell, Row, Sheet


def needed_strings(sheets: list[Sheet]) -> set[int]:
    """The numbers of the shared strings that the kept rows of these sheets show."""
    return {int(cell.raw) for sheet in sheets for row in sheet.rows() for cell in row.cells if cell.kind == "s"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTexts:
    """What the cells of one workbook need to be shown."""

    strings: dict[int, str]
    #: The number format of each cell style.
    formats: list[str]
    since_1904: bool

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
            return displayed_text(self.strings.get(int(cell.raw), ""), code)
        if cell.kind == "b":
            return "FALSE" if cell.raw == "0" else "TRUE"
        if cell.kind == "n":
            return displayed(cell.raw, code, since_1904=self.since_1904)
        return displayed_text(cell.raw, code) if cell.kind == "str" else cell.raw
