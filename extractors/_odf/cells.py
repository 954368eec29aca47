"""Where the cells of a table stand. Repeated cells and rows are counted, never made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors._grid import MAX_COLUMN, MAX_ROW
from extractors._inflating import Element
from extractors._odf.names import OFFICE, TABLE, whole

_ROW_GROUPS = frozenset(f"{TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group"))
_VALUES = tuple(f"{OFFICE}{name}" for name in ("value", "date-value", "time-value", "boolean-value", "string-value"))
_CELL, _COVERED = f"{TABLE}table-cell", f"{TABLE}covered-table-cell"
_HIDDEN = frozenset({"collapse", "filter"})


@dataclass(frozen=True, slots=True)
class Placed:
    """A cell with its first column (1 is A), and how often it stands there side by side."""

    column: int
    repeated: int
    element: Element
    is_covered: bool


@dataclass(slots=True)
class Placement:
    """Puts the cells of one table, row by row, into their columns.

    A cell that spans others is followed by a covered cell for each. Some programs leave these out: then the columns
    that a span takes, in its own row and in the rows below, are passed over all the same.
    """

    #: First and last column of spans that hang down, and how many rows more they do.
    _hanging: list[tuple[int, int, int]] = field(default_factory=list)

    def row(self, row: Element) -> Iterator[Placed]:
        """The cells of the next row."""
        has_covered = row.find(_COVERED) is not None
        column, owed = 1, 0
        hanging = [] if has_covered else self._hanging
        begun: list[tuple[int, int, int]] = []
        for cell in row.iterchildren(_CELL, _COVERED):
            repeated = whole(cell.get(f"{TABLE}number-columns-repeated"), 1, most=MAX_COLUMN, least=1)
            is_covered = cell.tag == _COVERED
            if is_covered:
                owed = max(0, owed - repeated)
            else:
                column = _passed(column + owed, hanging)
                owed = span(cell, "columns") - 1
                rows = span(cell, "rows") - 1
                if rows:
                    begun.append((column, column + owed, rows))
            if column > MAX_COLUMN:
                return
            yield Placed(column, repeated, cell, is_covered)
            column += repeated
        self._hanging = [(first, last, rows - 1) for first, last, rows in self._hanging if rows > 1] + begun


def _passed(column: int, hanging: list[tuple[int, int, int]]) -> int:
    """The first column from this one on over which no span hangs."""
    for first, last, _ in sorted(hanging):
        if first <= column <= last:
            column = last + 1
    return column


def span(cell: Element, name: str) -> int:
    """How many columns or rows a cell takes."""
    most = MAX_COLUMN if name == "columns" else MAX_ROW
    return whole(cell.get(f"{TABLE}number-{name}-spanned"), 1, most=most, least=1)


def rows_of(table: Element) -> Iterator[Element]:
    """The rows of a table, also those in groups."""
    for child in table:
        if child.tag == f"{TABLE}table-row":
            yield child
        elif child.tag in _ROW_GROUPS:
            yield from rows_of(child)


def rows_repeated(row: Element) -> int:
    """How often a row stands there one below the other."""
    return whole(row.get(f"{TABLE}number-rows-repeated"), 1, most=MAX_ROW, least=1)


def is_hidden(item: Element) -> bool:
    """True for a row or a column that a reader of the table would not see."""
    return item.get(f"{TABLE}visibility") in _HIDDEN


def holds_something(cell: Element) -> bool:
    """True for a cell that may say or show something."""
    return len(cell) > 0 or any(name in cell.attrib for name in _VALUES) or f"{TABLE}formula" in cell.attrib
