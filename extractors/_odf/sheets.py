"""The sheets of a spreadsheet, streamed: what is empty costs nothing, however often it is repeated."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from extractors._grid import MAX_COLUMN, MAX_ROW, Grid, GridRow, column_letters, head_and_tail
from extractors._inflating import Element
from extractors._odf.cell_texts import TEXT_BLOCKS, cell_text, is_uncalculated
from extractors._odf.cells import Placed, Placement, is_hidden, rows_repeated
from extractors._odf.names import DR3D, DRAW, OFFICE, TABLE, whole
from extractors._odf.story import Story
from extractors.format import Unreadable
from extractors.limits import ExtractLimits

_ROW, _TABLE = f"{TABLE}table-row", f"{TABLE}table"
TAGS = frozenset(f"{TABLE}{name}" for name in ("table", "table-column", "table-row", "shapes", "tracked-changes"))
PARENTS = frozenset(
    {
        f"{OFFICE}spreadsheet",
        *(f"{TABLE}{name}" for name in ("table", "table-columns", "table-header-columns", "table-column-group")),
        *(f"{TABLE}{name}" for name in ("table-rows", "table-header-rows", "table-row-group")),
    }
)
#: What may lie over a cell; anything drawn in it is inside of one of these.
_OVER = (f"{OFFICE}annotation", f"{DRAW}*", f"{DR3D}*")
_LATE_CHECK_PARTS = 256
#: A copy of what formulas saw in another file, which programs keep as a sheet.
_CACHE_STYLE = "ta_extref"
#: What lies over the cells of one sheet is kept until its rows are read.
_MAX_DRAWN = 500


@dataclass(slots=True, kw_only=True)
class Sheet:
    """One sheet: its grid, and what lies over it, each with the address of its cell, or "" where it has none."""

    grid: Grid
    drawn: list[tuple[str, Element]] = field(default_factory=list)
    comments: list[tuple[str, Element]] = field(default_factory=list)
    is_uncalculated: bool = False


@dataclass(slots=True, kw_only=True)
class _Reading:
    """A sheet while its columns and rows come in."""

    sheet: Sheet
    story: Story
    limits: ExtractLimits
    _hidden_columns: list[range] = field(default_factory=list)
    _columns: int = 0
    _rows: int = 0
    _placement: Placement = field(default_factory=Placement)
    #: The last rows, since only at the end it is known which rows these are.
    _tail: deque[tuple[int, Element]] = field(init=False)
    _head_size: int = field(init=False)

    def __post_init__(self) -> None:
        self._head_size, tail_size = head_and_tail(self.limits)
        self._tail = deque(maxlen=tail_size)

    def take(self, element: Element) -> None:
        """Takes the next part of the sheet."""
        if element.tag == _ROW:
            self._row(element)
        elif element.tag == f"{TABLE}table-column":
            repeated = whole(element.get(f"{TABLE}number-columns-repeated"), 1, most=MAX_COLUMN, least=1)
            if is_hidden(element):
                self._hidden_columns.append(range(self._columns + 1, self._columns + repeated + 1))
            self._columns += repeated
        elif element.tag == f"{TABLE}shapes":
            self._drawn("", element)

    def _row(self, row: Element) -> None:
        first, repeated = self._rows + 1, rows_repeated(row)
        self._rows += repeated
        if first > MAX_ROW:
            return
        if next(row.iter(*_OVER), None) is not None:
            self._over(first, row)
        room = self._head_size - len(self.sheet.grid.head)
        # Rows far down are placed when it is known that they are shown.
        cells = list(self._placement.row(row)) if room > 0 else []
        if not _shows_text(row):
            return
        self.sheet.grid.last_row = self._rows
        self.sheet.grid.rows_total += repeated
        if room > 0:
            for number in range(first, first + min(room, repeated)):
                self.sheet.grid.head.append(self._texts(number, row, cells))
        left = repeated - max(0, min(room, repeated))
        for number in range(first + repeated - min(left, self._tail.maxlen or 0), first + repeated):
            self._tail.append((number, row))

    def _over(self, number: int, row: Element) -> None:
        """Keeps what lies over the cells of a row."""
        for cell in Placement().row(row):
            address = f"{column_letters(cell.column)}{number}"
            for child in cell.element:
                if child.tag == f"{OFFICE}annotation":
                    if len(self.sheet.comments) < _MAX_DRAWN:
                        self.sheet.comments.append((address, child))
                elif isinstance(child.tag, str) and child.tag.startswith((DRAW, DR3D)):
                    self._drawn(address, child)

    def _drawn(self, address: str, element: Element) -> None:
        if len(self.sheet.drawn) < _MAX_DRAWN:
            self.sheet.drawn.append((address, element))

    def _texts(self, number: int, row: Element, cells: list[Placed]) -> GridRow:
        texts: dict[int, str] = {}
        for cell in cells:
            text = cell_text(cell, self.story)
            if not text:
                continue
            self.sheet.is_uncalculated |= is_uncalculated(cell.element)
            room = self.limits.xlsx_max_columns - len(texts)
            texts |= dict.fromkeys(range(cell.column, cell.column + min(room, cell.repeated)), text)
            if cell.repeated > room:
                self.sheet.grid.is_cut_in_columns = True
                break
        return GridRow(number, texts, is_hidden(row))

    def finished(self, cut: str = "") -> Sheet:
        """The sheet as far as it came; `cut` says why no further row will."""
        self.sheet.grid.tail = [self._texts(number, row, list(Placement().row(row))) for number, row in self._tail]
        self.sheet.grid.hidden_columns = self._hidden_columns
        self.sheet.grid.cut = cut
        return self.sheet


@dataclass(slots=True, kw_only=True)
class Workbook:
    """The sheets of one document in their order."""

    story: Story
    content: Iterator[Element]
    limits: ExtractLimits
    #: The names of the sheets that were met, read or not.
    names: list[str] = field(default_factory=list)
    #: Why nothing more was read; "" where all was.
    cut: str = ""

    def sheets(self) -> Iterator[Sheet]:
        """Each sheet within the limits as soon as it was read. What breaks leaves what came before, cut."""
        styles = self.story.document.styles
        for table, parts in groupby(self._parts(), key=itemgetter(0)):
            if table.get(f"{TABLE}style-name") == _CACHE_STYLE:
                continue
            self.names.append(table.get(f"{TABLE}name", ""))
            if len(self.names) > self.limits.xlsx_max_sheets:
                continue
            is_hidden_sheet = bool(styles.get("table", table.get(f"{TABLE}style-name")).is_hidden)
            sheet = Sheet(grid=Grid(name=self.names[-1], is_hidden=is_hidden_sheet))
            reading = _Reading(sheet=sheet, story=self.story, limits=self.limits)
            for _, part in parts:
                reading.take(part)
            yield reading.finished(self.cut)

    def _parts(self) -> Iterator[tuple[Element, Element]]:
        """The columns, rows and shapes of each sheet, with the sheet they belong to."""
        document = self.story.document
        try:
            for count, element in enumerate(self.content, start=1):
                if element.tag == f"{TABLE}tracked-changes":
                    document.has_tracked_changes = True
                elif (table := _sheet_of(element)) is not None:
                    yield table, element
                if count % _LATE_CHECK_PARTS == 0 and document.budget.is_late:
                    self.cut = "for lack of time"
                    return
        except Unreadable as exc:
            if not self.names:
                raise
            self.cut = exc.note


def _sheet_of(element: Element) -> Element | None:
    table = element if element.tag == _TABLE else next(element.iterancestors(_TABLE), None)
    parent = table.getparent() if table is not None else None
    return table if parent is not None and parent.tag == f"{OFFICE}spreadsheet" else None


def _shows_text(row: Element) -> bool:
    """True for a row that has more than what lies over it."""
    if next(row.iter(*TEXT_BLOCKS), None) is not None:
        return True
    return any(f"{OFFICE}value-type" in cell.attrib or f"{TABLE}formula" in cell.attrib for cell in row)
