"""Excel's XML of 2002 and 2003, which programs still write, mostly under the name of an xls."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from extractors._charset import decode
from extractors._grid import (
    MAX_COLUMN,
    MAX_ROW,
    Grid,
    GridRow,
    column_letters,
    grid_blocks,
    head_and_tail,
    sheets_left_out,
)
from extractors._inflating import Element, root_of
from extractors._ooxml.builtin_formats import GENERAL
from extractors._ooxml.number_format import displayed, displayed_text
from extractors._ooxml.numbering import int_or
from extractors.budget import Budget
from extractors.content import Block, PageCount, Status, Text
from extractors.format import Unreadable

_SS = "{urn:schemas-microsoft-com:office:spreadsheet}"
_X = "{urn:schemas-microsoft-com:office:excel}"
#: Formats that go by a name.
_NAMED = {
    "General Date": "yyyy-mm-dd hh:mm:ss",
    "Short Date": "yyyy-mm-dd",
    "Medium Date": "d-mmm-yy",
    "Long Date": "yyyy-mm-dd",
    "Short Time": "h:mm",
    "Medium Time": "h:mm AM/PM",
    "Long Time": "h:mm:ss",
    "Currency": '"$"#,##0.00',
    "Euro Currency": "[$€-2] #,##0.00",
    "Fixed": "0.00",
    "Standard": "#,##0.00",
    "Percent": "0.00%",
    "Scientific": "0.00E+00",
    "Yes/No": '"Yes";"Yes";"No"',
    "True/False": '"TRUE";"TRUE";"FALSE"',
    "On/Off": '"On";"On";"Off"',
}
#: A workbook's day 0; it believes in a 29 February of 1900.
_DAY_0 = datetime.datetime(1899, 12, 30, tzinfo=datetime.UTC)
_DAY_S = 86_400
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")


def workbook_2003(data: bytes, budget: Budget) -> Iterator[Block]:
    """The blocks of a workbook, sheet by sheet: heading, tables, comments."""
    root = _root(data)
    worksheets = list(root.iterfind(f"{_SS}Worksheet"))
    yield PageCount(len(worksheets))
    formats = _formats(root)
    limits = budget.limits
    for worksheet in worksheets[: limits.xlsx_max_sheets]:
        sheet = _Sheet(formats=formats)
        rows = [row for row in sheet.rows(worksheet) if row.texts]
        head, tail = head_and_tail(limits)
        grid = Grid(
            name=worksheet.get(f"{_SS}Name", ""),
            is_hidden=worksheet.findtext(f"{_X}WorksheetOptions/{_X}Visible") in {"SheetHidden", "SheetVeryHidden"},
            head=rows[:head],
            tail=rows[head:][-tail:] if tail else [],
            rows_total=len(rows),
            hidden_columns=sheet.hidden_columns,
            last_row=rows[-1].number if rows else 0,
        )
        yield from grid_blocks(grid, limits)
        if sheet.comments:
            yield Text("\n".join(sheet.comments))
    yield from sheets_left_out([worksheet.get(f"{_SS}Name", "") for worksheet in worksheets], limits.xlsx_max_sheets)


def _root(data: bytes) -> Element:
    """The tree, also of a workbook that names another encoding than it has, or none."""
    try:
        return root_of(data)
    except (etree.XMLSyntaxError, ValueError):
        text = _DECLARATION.sub("", decode(data).text, count=1)
    try:
        return root_of(text.encode("utf-8", "replace"))
    except (etree.XMLSyntaxError, ValueError) as exc:
        raise Unreadable(Status.REJECTED, "the workbook is broken or cut off") from exc


def _formats(root: Element) -> dict[str, str]:
    """The number format of each style, its own or that of the style it is made from."""
    own: dict[str, str | None] = {}
    parents: dict[str, str] = {}
    for style in root.iterfind(f"{_SS}Styles/{_SS}Style"):
        key = style.get(f"{_SS}ID", "")
        number_format = style.find(f"{_SS}NumberFormat")
        own[key] = number_format.get(f"{_SS}Format", GENERAL) if number_format is not None else None
        parents[key] = style.get(f"{_SS}Parent", "Default")
    found = {key: code or own.get(parents[key]) or GENERAL for key, code in own.items()}
    return {key: _NAMED.get(code, code) for key, code in found.items()}


@dataclass(slots=True, kw_only=True)
class _Sheet:
    formats: dict[str, str]
    hidden_columns: list[range] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    _column_styles: list[tuple[range, str]] = field(default_factory=list)

    def rows(self, worksheet: Element) -> Iterator[GridRow]:
        """The rows with what their cells show; what is left out in the file is counted on by `Index`."""
        for table in worksheet.iterfind(f"{_SS}Table"):
            self._columns(table)
            number = 0
            for row in table.iterfind(f"{_SS}Row"):
                number = min(int_or(row.get(f"{_SS}Index"), number + 1), MAX_ROW)
                yield GridRow(number, self._texts(row, number), row.get(f"{_SS}Hidden") == "1")
                number += max(0, int_or(row.get(f"{_SS}Span"), 0))

    def _columns(self, table: Element) -> None:
        number = 0
        for column in table.iterfind(f"{_SS}Column"):
            number = int_or(column.get(f"{_SS}Index"), number + 1)
            span = range(number, number + 1 + max(0, int_or(column.get(f"{_SS}Span"), 0)))
            number = span[-1]
            if column.get(f"{_SS}Hidden") == "1":
                self.hidden_columns.append(span)
            self._column_styles.append((span, column.get(f"{_SS}StyleID", "")))

    def _texts(self, row: Element, number: int) -> dict[int, str]:
        texts: dict[int, str] = {}
        column = 0
        for cell in row.iterfind(f"{_SS}Cell"):
            column = min(int_or(cell.get(f"{_SS}Index"), column + 1), MAX_COLUMN)
            if text := self._text(cell, row, column):
                texts[column] = text
            for comment in cell.iterfind(f"{_SS}Comment"):
                author = comment.get(f"{_SS}Author", "")
                place = f"{column_letters(column)}{number}{f' ({author})' if author else ''}"
                self.comments.append(f"Comment on {place}: {_words(comment.find(f'{_SS}Data'))}")
            column += max(0, int_or(cell.get(f"{_SS}MergeAcross"), 0))
        return texts

    def _text(self, cell: Element, row: Element, column: int) -> str:
        data = cell.find(f"{_SS}Data")
        raw = _words(data)
        if data is None or not raw:
            return cell.get(f"{_SS}Formula", "")
        style = cell.get(f"{_SS}StyleID") or row.get(f"{_SS}StyleID") or self._style_of_column(column)
        text = _shown(raw, data.get(f"{_SS}Type", ""), self.formats.get(style, GENERAL))
        address = cell.get(f"{_SS}HRef", "")
        return f"[{text}]({address})" if address and address != text else text

    def _style_of_column(self, column: int) -> str:
        return next((style for span, style in self._column_styles if column in span and style), "Default")


def _shown(raw: str, kind: str, code: str) -> str:
    """A stored value as the sheet shows it."""
    if kind == "Boolean":
        return "TRUE" if raw == "1" else "FALSE"
    if kind == "DateTime":
        return _date(raw, code)
    if kind != "Number":
        return displayed_text(raw, code) if kind == "String" else raw
    try:
        return displayed(raw, code)
    except ValueError:
        return raw


def _date(raw: str, code: str) -> str:
    try:
        moment = datetime.datetime.fromisoformat(raw).replace(tzinfo=datetime.UTC)
    except ValueError:
        return raw
    if code == GENERAL:
        return raw.replace("T00:00:00.000", "").replace("T", " ")
    return displayed(repr((moment - _DAY_0).total_seconds() / _DAY_S), code)


def _words(data: Element | None) -> str:
    return "".join(map(str, data.itertext())).strip() if data is not None else ""
