"""Pieces of a page in the order in which a person reads them: columns from left to right, rows from top to bottom.

Pure geometry. Coordinates are in points, y grows downwards; a line of text is some 8 to 14 points high.
"""

from __future__ import annotations

import heapq
import itertools
import statistics
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

#: Fewer lines than these on a side are no column of text.
MIN_COLUMN_LINES = 5
#: Lines shorter than this (a wide character counts two) are cells of a table, not a column of text.
MIN_COLUMN_LINE_UNITS = 12
#: So many lines may cross the space between two columns: titles, wide figures, footers.
MAX_CROSSING_SHARE = 0.2
#: A page has few places where columns could part; noise has many.
MAX_CANDIDATES = 10
#: In heights of a line: the least space between columns; what parts words and cells of a row; what parts paragraphs.
MIN_GUTTER = 0.8
WORD_GAP = 0.15
CELL_GAP = 1.2
PARAGRAPH_GAP = 0.75


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of text, or a block such as a table that stands by itself."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    is_block: bool = False

    @property
    def y(self) -> float:
        """The height at which its middle stands."""
        return (self.y0 + self.y1) / 2

    @property
    def height(self) -> float:
        """Never nothing, so that it can be divided by."""
        return max(self.y1 - self.y0, 0.1)


def paragraphs(pieces: Sequence[Piece]) -> list[str]:
    """The text of a page, paragraph by paragraph, each with the line ends it has on the page."""
    gutter = _gutter(pieces)
    if gutter is None:
        return list(_stacked(_rows(pieces)))
    found: list[str] = []
    in_order = sorted(pieces, key=lambda piece: piece.y)
    for crosses, group in itertools.groupby(in_order, key=lambda piece: piece.x0 < gutter < piece.x1):
        zone = list(group)
        if crosses:
            found += _stacked(_rows(zone))
        else:
            found += paragraphs([piece for piece in zone if piece.x1 <= gutter])
            found += paragraphs([piece for piece in zone if piece.x0 >= gutter])
    return found


def _gutter(pieces: Sequence[Piece]) -> float | None:
    """The x between two columns of text; None where there is one column, or a table."""
    if len(pieces) < 2 * MIN_COLUMN_LINES:
        return None
    starts = sorted(piece.x0 for piece in pieces)
    ends = sorted(piece.x1 for piece in pieces)
    candidates: list[tuple[int, float, float]] = []
    for end, start in _gaps(starts, ends):
        x = (end + start) / 2
        left, right = bisect_right(ends, x), len(starts) - bisect_left(starts, x)
        crossing = len(pieces) - left - right
        if min(left, right) >= MIN_COLUMN_LINES and crossing <= len(pieces) * MAX_CROSSING_SHARE:
            candidates.append((crossing, end - start, x))
    # Few crossings first, then the widest space.
    for _, _, x in heapq.nsmallest(MAX_CANDIDATES, candidates):
        before_right = _column_start(pieces, x)
        if _parts_columns(pieces, before_right):
            return before_right
    return None


def _gaps(starts: Sequence[float], ends: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Every stretch between an end and the next start to its right."""
    for end in dict.fromkeys(ends):
        following = bisect_left(starts, end)
        if following < len(starts) and starts[following] > end:
            yield end, starts[following]


def _column_start(pieces: Sequence[Piece], x: float) -> float:
    """Just before the right column: the few lines that begin earlier are short headers between the columns."""
    starts = sorted(piece.x0 for piece in pieces if piece.x0 >= x)
    return starts[len(starts) // 10] - 0.01


def _parts_columns(pieces: Sequence[Piece], x: float) -> bool:
    left = [piece for piece in pieces if piece.x1 <= x and not piece.is_block]
    right = [piece for piece in pieces if piece.x0 >= x and not piece.is_block]
    if min(len(left), len(right)) < MIN_COLUMN_LINES:
        return False
    height = statistics.median(piece.height for piece in pieces)
    left_end = sorted(piece.x1 for piece in left)[-1 - len(left) // 10]
    is_wide = x - left_end >= MIN_GUTTER * height
    top = max(min(piece.y0 for piece in side) for side in (left, right))
    bottom = min(max(piece.y1 for piece in side) for side in (left, right))
    shorter = min(max(piece.y1 for piece in side) - min(piece.y0 for piece in side) for side in (left, right))
    are_beside = bottom - top >= shorter / 2
    are_prose = all(
        statistics.median(_units(piece.text) for piece in side) >= MIN_COLUMN_LINE_UNITS for side in (left, right)
    )
    return is_wide and are_beside and are_prose


def _units(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _rows(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces that share a line of the page, from the left; a block is a row of its own."""
    row: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: (piece.y, piece.x0)):
        is_same = row and not piece.is_block and not row[0].is_block and _share_a_line(row[-1], piece)
        if row and not is_same:
            yield sorted(row, key=lambda piece: piece.x0)
            row = []
        row.append(piece)
    if row:
        yield sorted(row, key=lambda piece: piece.x0)


def _share_a_line(one: Piece, other: Piece) -> bool:
    overlap = min(one.y1, other.y1) - max(one.y0, other.y0)
    return overlap > min(one.height, other.height) / 2


def _stacked(rows: Iterable[list[Piece]]) -> Iterator[str]:
    """Rows joined to paragraphs: a wider space between two rows, or a block, begins a new one."""
    lines: list[str] = []
    bottom = 0.0
    for row in rows:
        top = min(piece.y0 for piece in row)
        if lines and (row[0].is_block or top - bottom > PARAGRAPH_GAP * row[0].height):
            yield "\n".join(lines)
            lines = []
        if row[0].is_block:
            yield row[0].text
            continue
        lines.append(_line(row))
        bottom = max(piece.y1 for piece in row)
    if lines:
        yield "\n".join(lines)


def _line(row: Sequence[Piece]) -> str:
    """The pieces of one row with the space between them shown: none, a blank, or three between cells."""
    text = row[0].text
    for previous, piece in itertools.pairwise(row):
        gap = (piece.x0 - previous.x1) / piece.height
        text += ("   " if gap > CELL_GAP else " " if gap > WORD_GAP else "") + piece.text
    return text.rstrip()
