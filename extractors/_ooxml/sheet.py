"""The stored cells of one sheet, streamed: what is empty costs nothing, however far the sheet claims to reach."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from extractors._grid import MAX_COLUMN, MAX_ROW, column_number, head_and_tail
from extractors._ooxml.names import Element, R, S
from extractors._ooxml.numbering import int_or
from extractors._ooxml.package import Package
from extractors.format import Unreadable

_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_PARENTS = frozenset({f"{S}worksheet", f"{S}sheetData", f"{S}chartsheet"})
_TAGS = frozenset(f"{S}{name}" for name in ("row", "cols", "hyperlinks", "headerFooter"))
_MAX_COLUMN_GROUPS = 1_000
_LATE_CHECK_ROWS = 256
#: How long one sheet is searched for its last rows; half a million of them are found by then.
_TAIL_WITHIN_S = 1.2
_STRINGS_READ_AT_LEAST = 10_000


@dataclass(frozen=True, slots=True)
class Cell:
    """One stored cell: its column (1 is A), how it is stored, its style, and its value or never calculated formula."""

    column: int
    kind: str
    style: int
    raw: str
    formula: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One row that holds something."""

    number: int
    cells: tuple[Cell, ...]
    is_hidden: bool


@dataclass(slots=True, kw_only=True)
class Sheet:
    """The head and the tail of one sheet, and what is known of the rest."""

    head: list[Row] = field(default_factory=list)
    tail: list[Row] = field(default_factory=list)
    rows_total: int = 0
    hidden_columns: list[range] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)  # cell address to outside address
    margins: list[tuple[str, str]] = field(default_factory=list)  # headers and footers: label and code
    is_cut_in_columns: bool = False
    last_row: int = 0
    #: Why the rows after the last were not read; "" where there are none.
    cut: str = ""

    def rows(self) -> Iterator[Row]:
        """The rows that are kept, from top to bottom."""
        yield from self.head
        yield from self.tail


def read_sheet(package: Package, part: str) -> Sheet:
    """The sheet in that part. What breaks or takes too long leaves what came before, and is said in `cut`."""
    limits = package.budget.limits
    head_size, tail_size = head_and_tail(limits)
    sheet = Sheet()
    # Elements of the last rows, since only at the end it is known which rows these are.
    tail: deque[tuple[int, Element]] = deque(maxlen=tail_size)
    number = seen = 0
    began = time.monotonic()
    try:
        for element in package.stream(part, _TAGS, _PARENTS):
            if element.tag != f"{S}row":
                _note(package, part, sheet, element)
                continue
            number = int_or(element.get("r"), number + 1)
            seen += 1
            if seen % _LATE_CHECK_ROWS == 0 and (package.budget.is_late or time.monotonic() - began > _TAIL_WITHIN_S):
                sheet.cut = "for lack of time"
                break
            if number > MAX_ROW:
                break
            if not _holds_something(element):
                continue
            sheet.rows_total += 1
            if len(sheet.head) < head_size:
                sheet.head.append(_row(sheet, number, element, limits.xlsx_max_columns))
            else:
                tail.append((number, element))
    except Unreadable as exc:
        sheet.cut = exc.note
    sheet.last_row = number
    sheet.tail = [_row(sheet, number, element, limits.xlsx_max_columns) for number, element in tail]
    return sheet


def _note(package: Package, part: str, sheet: Sheet, element: Element) -> None:
    if element.tag == f"{S}cols":
        sheet.hidden_columns = [
            range(int_or(column.get("min"), 0), int_or(column.get("max"), 0) + 1)
            for column in islice(element, _MAX_COLUMN_GROUPS)
            if column.get("hidden") in {"1", "true"}
        ]
    elif element.tag == f"{S}headerFooter":
        sheet.margins = [
            (margin_label(etree.QName(part).localname), part.text) for part in element.iterchildren("*") if part.text
        ]
    elif element.tag == f"{S}hyperlinks":
        for link in element:
            address = package.address(part, link.get(f"{R}id"))
            if address:
                sheet.links[link.get("ref", "").partition(":")[0]] = address


def margin_label(name: str) -> str:
    """The label of a header or footer by its name in the file: oddHeader, firstFooter ..."""
    return "Footer" if name.endswith("Footer") else "Header"


def _holds_something(row: Element) -> bool:
    for value in row.iter(f"{S}v", f"{S}is"):
        if value.text or len(value):
            return True
    # A formula that was never calculated; one whose result is an empty text holds nothing.
    return any(cell is not None and cell.get("t") != "str" for cell in map(_cell_of, row.iter(f"{S}f")))


def _cell_of(formula: Element) -> Element | None:
    return formula.getparent()


def _row(sheet: Sheet, number: int, element: Element, max_columns: int) -> Row:
    cells: list[Cell] = []
    column = 0
    for item in element.iterchildren(f"{S}c"):
        address = _ADDRESS.fullmatch(item.get("r", ""))
        column = column_number(address[1]) if address else column + 1
        cell = _cell(item, column)
        if cell is None or column > MAX_COLUMN:
            continue
        if len(cells) == max_columns:
            sheet.is_cut_in_columns = True
            break
        cells.append(cell)
    return Row(number, tuple(cells), element.get("hidden") in {"1", "true"})


def _cell(item: Element, column: int) -> Cell | None:
    """The cell, or None where it holds nothing."""
    kind = item.get("t", "n")
    style = int_or(item.get("s"), 0)
    if kind == "inlineStr":
        text = string_text(item.find(f"{S}is"))
        return Cell(column, "str", style, text) if text else None
    raw = item.findtext(f"{S}v") or ""
    if raw:
        return Cell(column, kind, style, raw)
    formula = item.find(f"{S}f")
    if formula is None or kind == "str":
        return None
    return Cell(column, "formula", style, "", formula.text or "(shared formula)")


def shared_strings(package: Package, part: str | None, needed: set[int]) -> dict[int, str]:
    """The shared strings of these numbers; those behind the soft deadline or a break in the part are missing."""
    strings: dict[int, str] = {}
    if part is None or not needed:
        return strings
    last = max(needed)
    try:
        for index, item in enumerate(package.stream(part, frozenset({f"{S}si"}), frozenset({f"{S}sst"}))):
            if index in needed:
                strings[index] = string_text(item)
            if index >= last:
                break
            if index and index % _STRINGS_READ_AT_LEAST == 0 and package.budget.is_late:
                package.lost.append(part)
                break
    except Unreadable:
        package.lost.append(part)
    return strings


def string_text(item: Element | None) -> str:
    """The text of a shared or an inline string, without its phonetic guide."""
    if item is None:
        return ""
    texts = (t.text or "" for t in item.iter(f"{S}t") if _is_base(t))
    return unescaped("".join(texts))


def _is_base(text: Element) -> bool:
    parent = text.getparent()
    return parent is None or parent.tag != f"{S}rPh"


def unescaped(text: str) -> str:
    """`text` with the characters that XML cannot hold (`_x000D_`)."""
    if "_x" not in text:
        return text
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    # A character beyond the first plane is escaped as two halves.
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
