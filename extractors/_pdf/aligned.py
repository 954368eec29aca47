"""Tables without rules: rows whose cells stand under each other become a block, so that an empty cell shifts none."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from extractors import markdown
from extractors._reading_order import Piece, Rows, joined, units

#: With two columns nothing can shift, and fewer rows may stand under each other by chance.
MIN_COLUMNS = 3
MIN_ROWS = 3
#: In heights of a line: what parts two cells; in a table they may stand nearer than elsewhere.
CELL_GAP = 0.7
#: In heights of a line: rows further apart are not of one table.
MAX_ROW_GAP = 2.5
#: Longer cells, or those of one column, are columns of text.
MAX_CELL_UNITS = 24
MAX_COLUMN_UNITS = 40
MIN_FILLED_SHARE = 0.4
#: In heights of a line: a heading and the values under it may stand so far beside each other.
HEADING_SHIFT = 6.0


@dataclass(slots=True, kw_only=True)
class _Column:
    x0: float
    x1: float

    def touches(self, cell: Piece) -> bool:
        return cell.x0 < self.x1 and cell.x1 > self.x0


def gathered(rows: Rows) -> Rows:
    """The rows of a page with each run of aligned ones as one block."""
    found: Rows = []
    at = 0
    while at < len(rows):
        run, columns = _run(rows, at)
        if run:
            found.append([_block(rows[at : at + len(run)], run, columns)])
            at += len(run)
        else:
            found.append(rows[at])
            at += 1
    return found


def _run(rows: Rows, at: int) -> tuple[Rows, list[_Column]]:
    """The cells of the rows from there on that make a table, and its columns; nothing where they make none."""
    columns: list[_Column] = []
    run: Rows = []
    for number in range(at, len(rows)):
        cells = _cells(rows[number])
        is_near = not run or _gap(rows[number - 1], rows[number]) <= MAX_ROW_GAP
        if not is_near or (len(cells) < MIN_COLUMNS and not run) or not _fits(cells, columns):
            break
        run.append(cells)
    while run and len(run[-1]) == 1:
        run.pop()  # what follows a table begins where its first column does
    if sum(len(cells) >= MIN_COLUMNS for cells in run) < MIN_ROWS:
        return [], []
    columns = _merged(columns, run)
    return (run, columns) if _is_table(run, columns) else ([], [])


def _is_table(run: Rows, columns: Sequence[_Column]) -> bool:
    """False for a drawing with words here and there, and for text beside a table."""
    filled = [[units(cell.text) for cells in run for cell in cells if column.touches(cell)] for column in columns]
    return (
        len(columns) >= MIN_COLUMNS
        and sum(map(len, filled)) >= len(run) * len(columns) * MIN_FILLED_SHARE
        and statistics.median(size for sizes in filled for size in sizes) <= MAX_CELL_UNITS
        and not any(len(sizes) >= MIN_ROWS and statistics.median(sizes) > MAX_COLUMN_UNITS for sizes in filled)
    )


def _cells(row: Sequence[Piece]) -> list[Piece]:
    """The pieces of a row as cells; those without a wide space between them are one."""
    groups: list[list[Piece]] = []
    for piece in row:
        if piece.is_block:
            return []
        if groups and piece.x0 - groups[-1][-1].x1 <= CELL_GAP * piece.height:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return [
        Piece(group[0].x0, min(p.y0 for p in group), max(p.x1 for p in group), max(p.y1 for p in group), joined(group))
        for group in groups
    ]


def _gap(above: Sequence[Piece], below: Sequence[Piece]) -> float:
    return (min(piece.y0 for piece in below) - max(piece.y1 for piece in above)) / below[0].height


def _fits(cells: Sequence[Piece], columns: list[_Column]) -> bool:
    """True where every cell has a column to itself; the columns are widened to hold them."""
    if not cells:
        return False
    touched = [[column for column in columns if column.touches(cell)] for cell in cells]
    taken = [id(column) for found in touched for column in found]
    if any(len(found) > 1 for found in touched) or len(set(taken)) < len(taken):
        return False
    for cell, found in zip(cells, touched, strict=True):
        if found:
            found[0].x0, found[0].x1 = min(found[0].x0, cell.x0), max(found[0].x1, cell.x1)
        else:
            columns.append(_Column(x0=cell.x0, x1=cell.x1))
    return True


def _merged(columns: Sequence[_Column], run: Rows) -> list[_Column]:
    """The columns from the left; a heading that stands beside its values, and not over them, shares their column."""
    found: list[_Column] = []
    height = run[0][0].height
    for column in sorted(columns, key=lambda column: column.x0):
        last = found[-1] if found else None
        is_near = last is not None and column.x0 - last.x1 < HEADING_SHIFT * height
        if last is not None and is_near and not any(_has(last, cells) and _has(column, cells) for cells in run):
            last.x1 = column.x1
        else:
            found.append(_Column(x0=column.x0, x1=column.x1))
    return found


def _has(column: _Column, cells: Sequence[Piece]) -> bool:
    return any(column.touches(cell) for cell in cells)


def _block(rows: Rows, run: Rows, columns: Sequence[_Column]) -> Piece:
    table = [["\n".join(cell.text for cell in cells if column.touches(cell)) for column in columns] for cells in run]
    pieces = [piece for row in rows for piece in row]
    return Piece(
        min(piece.x0 for piece in pieces),
        min(piece.y0 for piece in pieces),
        max(piece.x1 for piece in pieces),
        max(piece.y1 for piece in pieces),
        markdown.table(table),
        is_block=True,
    )
