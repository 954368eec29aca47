"""Tables of an old Word document: rows with cells of their own widths, put on one grid of columns."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from extractors._legacy.numbers import i16, u8, u16

DEFINITION = 0xD608
_CELL_BYTES = 20
_SWALLOWED, _CONTINUED, _RESTARTED = 0x02, 0x20, 0x40
#: Edges closer than this (in twentieths of a point: a millimetre and a half) belong to one column.
_SAME_EDGE = 85
_MAX_COLUMNS = 63


@dataclass(frozen=True, slots=True)
class TableRow:
    """The texts of a row's cells, and as far as they are known the edges of the cells and which have a text."""

    texts: list[str]
    edges: tuple[int, ...] = ()
    merged: tuple[bool, ...] = ()


@dataclass(slots=True)
class OpenTable:
    """A table while its paragraphs come."""

    rows: list[TableRow] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def end_cell(self) -> None:
        """What came since the last cell is one."""
        self.cells.append("\n".join(filter(None, self.lines)))
        self.lines = []

    def end_row(self, definition: bytes) -> None:
        """The cells since the last row are one."""
        if any(self.lines):
            self.end_cell()
        self.rows.append(_row(self.cells, definition))
        self.cells, self.lines = [], []

    def ended(self) -> list[TableRow]:
        """All rows, also one that the file breaks off in."""
        if self.cells or any(self.lines):
            self.end_row(b"")
        return self.rows


def _row(texts: list[str], definition: bytes) -> TableRow:
    count = u8(definition, 2)
    if not 0 < count <= _MAX_COLUMNS:
        return TableRow(texts)
    edges = tuple(i16(definition, 3 + 2 * index) for index in range(count + 1))
    cells_at = 3 + 2 * (count + 1)
    flags = [u16(definition, cells_at + _CELL_BYTES * index) for index in range(count)]
    merged = tuple(bool(flag & _SWALLOWED) or flag & (_CONTINUED | _RESTARTED) == _CONTINUED for flag in flags)
    return TableRow(texts, edges, merged)


def on_grid(rows: list[TableRow]) -> list[list[str]]:
    """The rows with each text in the column where its cell begins; merged cells have their text once."""
    columns = _columns(rows)
    grid: list[list[str]] = []
    for row in rows:
        texts = ["" if index < len(row.merged) and row.merged[index] else text for index, text in enumerate(row.texts)]
        if len(row.edges) < 2 or not columns:
            grid.append(texts)
            continue
        placed: list[str] = []
        for index, text in enumerate(texts):
            if index < len(row.edges) - 1:
                column = bisect_left(columns, row.edges[index] - _SAME_EDGE)
                placed += [""] * (column - len(placed))
            placed.append(text)
        grid.append(placed + [""] * (len(columns) - 1 - len(placed)))
    return grid


def _columns(rows: list[TableRow]) -> list[int]:
    """The left edges of all columns, and the right edge of the last."""
    columns: list[int] = []
    for edge in sorted({edge for row in rows for edge in row.edges}):
        if not columns or edge - columns[-1] > _SAME_EDGE:
            columns.append(edge)
    return columns
