"""The binary parts of an xlsb workbook (BIFF12): workbook, styles, strings, sheets, comments."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from extractors._grid import column_letters, head_and_tail
from extractors._inflating import TOO_LARGE, Inflating
from extractors._legacy.cell_values import ERRORS, number_text, rk
from extractors._legacy.numbers import f64, u8, u16, u32, utf16
from extractors._ooxml.builtin_formats import BUILTIN, GENERAL
from extractors._ooxml.package import Package
from extractors._ooxml.sheet import Cell, Row, Sheet
from extractors._parts import READ_ERRORS, damaged
from extractors.content import Status
from extractors.format import Unreadable
from extractors.limits import MIB

_MAX_PART_BYTES = 100 * MIB
_CHUNK_BYTES, _MAX_RECORD_BYTES = MIB, 16 * MIB
_BUNDLE_SHEET, _WORKBOOK_PROPERTIES = 156, 153
_FORMAT, _CELL_STYLES, _CELL_STYLES_END, _STYLE = 44, 617, 618, 47
_STRING_ITEM = 19
_ROW, _RK, _ERROR, _BOOL, _REAL, _TEXT, _SHARED = 0, 2, 3, 4, 5, 6, 7
_FORMULA_TEXT, _FORMULA_NUMBER, _FORMULA_BOOL, _FORMULA_ERROR, _RICH_TEXT = 8, 9, 10, 11, 62
_CELLS = frozenset({_RK, _ERROR, _BOOL, _REAL, _TEXT, _SHARED, _RICH_TEXT,
                    _FORMULA_TEXT, _FORMULA_NUMBER, _FORMULA_BOOL, _FORMULA_ERROR})  # fmt: skip
_COLUMN, _LINK, _MARGINS = 60, 494, 479
_MARGIN_LABELS = ("Header", "Footer") * 3  # of odd, even and first pages
_AUTHOR, _COMMENT, _COMMENT_TEXT = 632, 635, 637
_LATE_CHECK_RECORDS = 20_000
_MAX_COLUMN_GROUPS = 1_000


class _Record(NamedTuple):
    kind: int
    data: bytes


class SheetEntry(NamedTuple):
    """A sheet as the workbook lists it: its name, its part where there is one, and whether it is hidden."""

    name: str
    part: str | None
    is_hidden: bool


@dataclass(slots=True, kw_only=True)
class Workbook:
    """What the sheets of a workbook share."""

    sheets: list[SheetEntry] = field(default_factory=list)
    formats: list[str] = field(default_factory=list)
    since_1904: bool = False


def read_workbook(package: Package, main: str) -> Workbook:
    """The workbook in that part."""
    book = Workbook()
    for kind, data in _records(package.read(main, max_bytes=_MAX_PART_BYTES)):
        if kind == _WORKBOOK_PROPERTIES:
            book.since_1904 = bool(u32(data, 0) & 1)
        elif kind == _BUNDLE_SHEET:
            book.sheets.append(_entry(package, main, data))
    styles = next(iter(package.related(main, "styles")), None)
    book.formats = _formats(package, styles) if styles is not None else []
    return book


def _entry(package: Package, main: str, data: bytes) -> SheetEntry:
    for at in (8, 12):  # betas of Excel 2007 kept one more number
        relation, end = _text(data, at)
        name, end = _text(data, end)
        if end == len(data):
            break
    return SheetEntry(name, package.target(main, relation), u32(data, 0) != 0)


def _formats(package: Package, part: str) -> list[str]:
    codes: dict[int, str] = {}
    ids: list[int] = []
    is_inside = False
    for kind, data in _optional(package, part):
        if kind == _FORMAT:
            codes[u16(data, 0)] = _text(data, 2)[0]
        elif kind in {_CELL_STYLES, _CELL_STYLES_END}:
            is_inside = kind == _CELL_STYLES
        elif kind == _STYLE and is_inside:
            ids.append(u16(data, 2))
    return [codes.get(number) or BUILTIN.get(number, GENERAL) for number in ids]


def shared_strings(package: Package, main: str, needed: set[int]) -> dict[int, str]:
    """The shared strings of these numbers."""
    texts: dict[int, str] = {}
    index = 0
    last = max(needed, default=-1)
    for part in package.related(main, "sharedStrings"):
        for kind, data in _optional(package, part):
            if kind != _STRING_ITEM:
                continue
            if index in needed:
                texts[index] = _text(data, 1)[0]
            index += 1
            if index > last:
                break
            if index % _LATE_CHECK_RECORDS == 0 and package.budget.is_late:
                package.lost.append(part)
                break
    return texts


def read_sheet(package: Package, part: str) -> Sheet:
    """The sheet in that part. What breaks or takes too long leaves what came before, and is said in `cut`."""
    sheet = Sheet()
    head, tail_size = head_and_tail(package.budget.limits)
    tail: deque[Row] = deque(maxlen=tail_size)
    for row in _rows(package, part, sheet):
        sheet.rows_total += 1
        sheet.last_row = row.number
        if len(sheet.head) < head:
            sheet.head.append(row)
        else:
            tail.append(row)
    sheet.tail = list(tail)
    return sheet


def _rows(package: Package, part: str, sheet: Sheet) -> Iterator[Row]:
    max_columns = package.budget.limits.xlsx_max_columns
    row: list[Cell] = []
    number, is_hidden = 0, False
    for kind, content in _sheet_records(package, part, sheet):
        if kind == _ROW:
            if row:
                yield Row(number, tuple(row[:max_columns]), is_hidden)
                row = []
            number, is_hidden = u32(content, 0) + 1, bool(u8(content, 11) & 0x10)
        elif kind in _CELLS:
            cell = _cell(kind, content)
            row += [cell] if cell.raw and len(row) <= max_columns else []
            sheet.is_cut_in_columns |= len(row) > max_columns
        elif kind in {_COLUMN, _LINK, _MARGINS}:
            _note(package, part, sheet, kind, content)
    if row:
        yield Row(number, tuple(row[:max_columns]), is_hidden)


def _sheet_records(package: Package, part: str, sheet: Sheet) -> Iterator[_Record]:
    try:
        for count, record in enumerate(_streamed(package.opened(part)), start=1):
            yield record
            if count % _LATE_CHECK_RECORDS == 0 and package.budget.is_late:
                sheet.cut = "for lack of time"
                return
    except Unreadable as exc:
        sheet.cut = exc.note
    except READ_ERRORS:
        sheet.cut = damaged(part).note


def _cell(kind: int, data: bytes) -> Cell:
    column, style = u32(data, 0) + 1, u32(data, 4) & 0xFF_FFFF
    if kind == _RK:
        return Cell(column, "n", style, number_text(rk(u32(data, 8))))
    if kind in {_REAL, _FORMULA_NUMBER}:
        return Cell(column, "n", style, number_text(f64(data, 8)))
    if kind == _SHARED:
        return Cell(column, "s", style, str(u32(data, 8)))
    if kind in {_BOOL, _FORMULA_BOOL}:
        return Cell(column, "b", style, str(u8(data, 8)))
    if kind in {_ERROR, _FORMULA_ERROR}:
        return Cell(column, "e", style, ERRORS.get(u8(data, 8), "#N/A"))
    return Cell(column, "str", style, _text(data, 9 if kind == _RICH_TEXT else 8)[0])


def _note(package: Package, part: str, sheet: Sheet, kind: int, data: bytes) -> None:
    if kind == _COLUMN:
        if u16(data, 16) & 1 and len(sheet.hidden_columns) < _MAX_COLUMN_GROUPS:
            sheet.hidden_columns.append(range(u32(data, 0) + 1, u32(data, 4) + 2))
        return
    if kind == _MARGINS:
        at = 2
        for label in _MARGIN_LABELS:
            code, at = _text(data, at)
            sheet.margins.append((label, code))
        return
    address = package.address(part, _text(data, 16)[0])
    if address:
        sheet.links[f"{column_letters(u32(data, 8) + 1)}{u32(data, 0) + 1}"] = address


def comments(package: Package, sheet: str) -> Iterator[str]:
    """The comments of a sheet, each with its cell and its author."""
    for part in package.related(sheet, "comments"):
        authors: list[str] = []
        cell = author = ""
        for kind, data in _optional(package, part):
            if kind == _AUTHOR:
                authors.append(_text(data, 0)[0].strip())
            elif kind == _COMMENT:
                cell = f"{column_letters(u32(data, 12) + 1)}{u32(data, 4) + 1}"
                number = u32(data, 0)
                author = authors[number] if number < len(authors) else ""
            elif kind == _COMMENT_TEXT:
                yield f"Comment on {cell}{f' ({author})' if author else ''}: {_text(data, 1)[0].strip()}"


def _optional(package: Package, part: str) -> Iterator[_Record]:
    try:
        data = package.read(part, max_bytes=_MAX_PART_BYTES)
    except Unreadable:
        package.lost.append(part)
        return
    yield from _records(data)


def _streamed(source: Inflating) -> Iterator[_Record]:
    """The records of a part as they inflate: a sheet may be much larger than the memory that it is worth."""
    held = b""
    with source:
        while chunk := source.whole(_CHUNK_BYTES):
            held += chunk
            if len(held) > _MAX_RECORD_BYTES:
                raise Unreadable(Status.REJECTED, TOO_LARGE)
            at = 0
            for record, end in _placed(held):
                if end > len(held):
                    break
                yield record
                at = end
            held = held[at:]
    yield from _records(held)


def _records(data: bytes) -> Iterator[_Record]:
    return (record for record, _ in _placed(data))


def _placed(data: bytes) -> Iterator[tuple[_Record, int]]:
    """The records of a part and where each ends: kind and size in seven bits a byte, lowest first."""
    at = 0
    while at < len(data):
        kind = data[at]
        at += 1
        if kind & 0x80:
            kind = (kind & 0x7F) | (u8(data, at) & 0x7F) << 7
            at += 1
        size = 0
        for shift in (0, 7, 14, 21):
            byte = u8(data, at)
            at += 1
            size |= (byte & 0x7F) << shift
            if not byte & 0x80:
                break
        yield _Record(kind, data[at : at + size]), at + size
        at += size


def _text(data: bytes, at: int) -> tuple[str, int]:
    """The string at a place, and where it ends; a missing one has the length 0xFFFFFFFF."""
    chars = u32(data, at)
    if chars == 0xFFFF_FFFF or chars > len(data):
        return "", at + 4
    return utf16(data, at + 4, chars), at + 4 + 2 * chars
