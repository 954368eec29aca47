"""Tables of RTF: the file tells where each cell ends on the paper, and from that follows its column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

#: Edges closer than this are one edge: programs round them row by row. In twips (1/20 pt).
SAME_EDGE_TWIPS = 45


@dataclass(slots=True, kw_only=True)
class RowShape:
    """What is said of a row before or after its cells."""

    left_twips: int = 0
    #: Where the cells end.
    edges_twips: list[int] = field(default_factory=list)
    #: Cells that only continue the one before or above them.
    continued: set[int] = field(default_factory=set)
    is_continued_next: bool = False

    def end_cell(self, edge_twips: int) -> None:
        """The description of one cell is complete."""
        if self.is_continued_next:
            self.continued.add(len(self.edges_twips))
        self.is_continued_next = False
        self.edges_twips.append(edge_twips)

    def copy(self) -> RowShape:
        """The shape as it is now: the next row may only change it a little."""
        return RowShape(left_twips=self.left_twips, edges_twips=list(self.edges_twips), continued=set(self.continued))


@dataclass(slots=True, kw_only=True)
class OpenTable:
    """A table while its cells come in."""

    max_rows: int
    rows: list[tuple[RowShape, list[str]]] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    cell: list[str] = field(default_factory=list)
    rows_left_out: int = 0

    def end_cell(self) -> None:
        """The cell is complete."""
        self.cells.append("\n".join(filter(None, self.cell)))
        self.cell.clear()

    def end_row(self, shape: RowShape) -> None:
        """The row is complete."""
        if any(self.cell):
            self.end_cell()
        if len(self.rows) < self.max_rows:
            self.rows.append((shape.copy(), self.cells))
        else:
            self.rows_left_out += 1
        self.cells = []
        self.cell = []

    def grid(self) -> list[list[str]]:
        """The rows with every cell on its column; a merged value stands once."""
        if any(self.cells) or any(self.cell):
            self.end_row(RowShape())
        edges = _distinct([edge for shape, cells in self.rows if _is_sound(shape, cells) for edge in _edges(shape)])
        return [_row(shape, cells, edges) for shape, cells in self.rows]


def _row(shape: RowShape, cells: list[str], edges: Sequence[int]) -> list[str]:
    texts = ["" if number in shape.continued else text for number, text in enumerate(cells)]
    if not _is_sound(shape, cells):
        return texts
    row: list[str] = []
    for left, text in zip(_edges(shape), texts, strict=False):
        column = _column(left, edges)
        row += [""] * (column - len(row))
        row.append(text)
    return row + [""] * (len(edges) - 1 - len(row))


def _edges(shape: RowShape) -> list[int]:
    return [shape.left_twips, *shape.edges_twips]


def _is_sound(shape: RowShape, cells: list[str]) -> bool:
    """True when the edges are told for every cell, one after the other."""
    edges = _edges(shape)
    return len(shape.edges_twips) >= len(cells) > 0 and all(
        left + SAME_EDGE_TWIPS < right for left, right in pairwise(edges)
    )


def _distinct(edges: list[int]) -> list[int]:
    distinct: list[int] = []
    for edge in sorted(edges):
        if not distinct or edge - distinct[-1] > SAME_EDGE_TWIPS:
            distinct.append(edge)
    return distinct


def _column(left: int, edges: Sequence[int]) -> int:
    return max(0, sum(1 for edge in edges if edge <= left) - 1)
