"""The stored cells of one sheet of an old Excel workbook. Rows are found first; only the kept ones are decoded."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from extractors._grid import column_letters, head_and_tail
from extractors._legacy.biff import BOF, CONTINUE, EOF, Place, Workbook, places
from extractors._legacy.biff_cells import cells, holds_cell
from extractors._legacy.biff_chart import Chart, take_record
from extractors._legacy.biff_text import characters
from extractors._legacy.numbers import i32, u8, u16, u32, utf16
from extractors._ooxml.sheet import Row, Sheet
from extractors.budget import Budget

_HEADER, _FOOTER = 0x0014, 0x0015
_ROW, _COLINFO, _HLINK, _NOTE, _OBJ, _TXO, _DRAWING = 0x0208, 0x007D, 0x01B8, 0x001C, 0x005D, 0x01B6, 0x00EC
_LATE_CHECK_RECORDS = 20_000
_CHART_SHEET = 0x0020
_MAX_OBJECTS, _MAX_COLUMN_GROUPS = 5_000, 1_000


@dataclass(slots=True, kw_only=True)
class DrawnObject:
    """Something over the cells: its id, and the text in it."""

    number: int
    text: str = ""


@dataclass(slots=True, kw_only=True)
class SheetRecords:
    """One sheet as its records tell it."""

    sheet: Sheet = field(default_factory=Sheet)
    objects: list[DrawnObject] = field(default_factory=list)
    #: Row and column (from 0), author, and the object that holds the text or the text itself.
    notes: list[tuple[int, int, str, int | str]] = field(default_factory=list)
    drawing: bytearray = field(default_factory=bytearray)
    charts: list[Chart] = field(default_factory=list)
    #: The records of cells by row, and the rows that are hidden; both from 0.
    values: dict[int, list[Place]] = field(default_factory=lambda: defaultdict(list))
    hidden_rows: set[int] = field(default_factory=set)


def read_sheet(book: Workbook, at: int, budget: Budget) -> SheetRecords:
    """The sheet that begins at this place of the workbook's stream."""
    found = SheetRecords()
    found.sheet.cut = "the file ends there"
    depth = 0
    is_chart = book.version >= 5 and u16(book.stream, at + 6) == _CHART_SHEET
    previous = Place(0, 0, 0)
    for count, place in enumerate(places(book.stream, at), start=1):
        depth += 1 if place.kind in BOF else -1 if place.kind == EOF else 0
        if depth <= 0:
            found.sheet.cut = "" if place.kind == EOF else "the sheet is not where it should be"
            break
        # A chart on the sheet is a stream of its own; or the whole sheet is one.
        if depth > 1 or is_chart:
            take_record(found.charts, book, place)
        else:
            _read_record(book, found, place, previous)
        previous = place if place.kind != CONTINUE else previous
        if count % _LATE_CHECK_RECORDS == 0 and budget.is_late:
            found.sheet.cut = "for lack of time"
            break
    _fill(book, found, budget)
    return found


def _read_record(book: Workbook, found: SheetRecords, place: Place, previous: Place) -> None:
    if holds_cell(book, place.kind):
        found.values[u16(book.stream, place.start)].append(place)
    elif place.kind != _ROW:
        _read_other(book, found, place, previous)
    elif u8(book.stream, place.start + 12) & 0x20:
        found.hidden_rows.add(u16(book.stream, place.start))


def _fill(book: Workbook, found: SheetRecords, budget: Budget) -> None:
    """The rows that are shown, and what is known of the others."""
    max_columns = budget.limits.xlsx_max_columns

    def row(number: int) -> Row:
        found_cells = [cell for place in found.values[number] for cell in cells(book, place)]
        by_column = {cell.column: cell for cell in found_cells if cell.raw}
        kept = [by_column[column] for column in sorted(by_column)]
        found.sheet.is_cut_in_columns |= len(kept) > max_columns
        return Row(number + 1, tuple(kept[:max_columns]), number in found.hidden_rows)

    sheet = found.sheet
    numbers = sorted(found.values)
    head, tail = head_and_tail(budget.limits)
    sheet.head = [row(number) for number in numbers[:head]]
    sheet.tail = [row(number) for number in numbers[max(head, len(numbers) - tail) :]]
    sheet.rows_total = len(numbers)
    sheet.last_row = numbers[-1] + 1 if numbers else 0


# --- what is not a cell -----------------------------------------------------------------------------------------------


def _read_other(book: Workbook, found: SheetRecords, place: Place, previous: Place) -> None:
    data, at = book.stream, place.start
    if place.kind == _COLINFO:
        if u16(data, at + 8) & 1 and len(found.sheet.hidden_columns) < _MAX_COLUMN_GROUPS:
            found.sheet.hidden_columns.append(range(u16(data, at) + 1, u16(data, at + 2) + 2))
    elif place.kind == _HLINK:
        address = _address(data[at : place.end])
        if address:
            found.sheet.links[f"{column_letters(u16(data, at + 4) + 1)}{u16(data, at) + 1}"] = address
    elif place.kind in {_HEADER, _FOOTER} and place.end > at:
        length_bytes = 2 if book.version >= 8 else 1
        code = book.text(at, length_bytes=length_bytes)
        found.sheet.margins.append(("Header" if place.kind == _HEADER else "Footer", code))
    elif place.kind == _NOTE:
        _read_note(book, found, place)
    elif place.kind == _OBJ and len(found.objects) < _MAX_OBJECTS:
        found.objects.append(DrawnObject(number=u16(data, at + 6)))
    elif place.kind == _DRAWING or (place.kind == CONTINUE and previous.kind in {_DRAWING, _OBJ}):
        found.drawing += data[at : place.end]
    elif place.kind == CONTINUE and previous.kind == _TXO:
        _read_object_text(data, found, place, length=u16(data, previous.start + 10))


def _read_object_text(data: bytes, found: SheetRecords, place: Place, *, length: int) -> None:
    """The text of the last object, which lies in the records that continue its own; the last of them holds fonts."""
    target = found.objects[-1] if found.objects else None
    if target is not None and len(target.text) < length:
        text = characters(data[place.start + 1 : place.end], is_wide=bool(u8(data, place.start) & 1))
        target.text = (target.text + text)[:length]


def _read_note(book: Workbook, found: SheetRecords, place: Place) -> None:
    data, at = book.stream, place.start
    row, column = u16(data, at), u16(data, at + 2)
    if book.version >= 8:
        found.notes.append((row, column, book.text(at + 8), u16(data, at + 6)))
    elif row != 0xFFFF:
        found.notes.append((row, column, "", book.text(at + 4)))
    elif found.notes:  # the rest of the note before
        _, _, author, text = found.notes[-1]
        found.notes[-1] = (*found.notes[-1][:2], author, f"{text}{book.text(at + 4)}")


def _address(data: bytes) -> str:
    """The outside address of a hyperlink record; "" for one that leads to a place in the workbook."""
    flags = u32(data, 28)
    at = 32
    for bit in (0x10, 0x80):  # the shown text, the target frame
        if flags & bit:
            at += 4 + 2 * u32(data, at)
    if not flags & 0x01:
        return ""
    if flags & 0x100:
        return utf16(data, at + 4, min(u32(data, at), len(data))).split("\0")[0]
    if data[at : at + 4] == b"\xe0\xc9\xea\x79":  # a URL
        size = i32(data, at + 16)
        return data[at + 20 : at + 20 + max(0, size)].decode("utf-16-le", "replace").split("\0")[0]
    if data[at : at + 4] == b"\x03\x03\x00\x00":  # a file
        size = u32(data, at + 18)
        return data[at + 22 : at + 22 + min(size, len(data))].split(b"\0")[0].decode("latin-1")
    return ""
