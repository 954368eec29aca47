"""Pieces of a page in the order in which a person reads them: columns as the script runs, rows from top to bottom.

Pure geometry. Coordinates are in points, y grows downwards; a line of text is some 8 to 14 points high.
"""

from __future__ import annotations

import heapq
import itertools
import re
import statistics
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

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
WORD_OVERLAP = 0.5
PARAGRAPH_GAP = 0.75
#: In heights of a line: pieces over each other that are shifted by more stand on two lines.
STACKED_SHIFT = 0.3
_LEFTWARDS = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of text, or a block such as a table that stands by itself."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    is_block: bool = False
    #: Stands beside text or among it, and parts neither columns nor paragraphs; its box is where it begins.
    is_picture: bool = False

    @property
    def y(self) -> float:
        """The height at which its middle stands."""
        return (self.y0 + self.y1) / 2

    @property
    def height(self) -> float:
        """Never nothing, so that it can be divided by."""
        return max(self.y1 - self.y0, 0.1)

    def holds(self, other: Piece) -> bool:
        """True where the middle of the other one lies in this one."""
        return self.x0 <= (other.x0 + other.x1) / 2 <= self.x1 and self.y0 <= other.y <= self.y1

    def saying(self, text: str) -> Piece:
        """This piece with another text."""
        return replace(self, text=text)


#: Pieces by the lines of the page that they stand on.
Rows = list[list[Piece]]


def paragraphs(pieces: Sequence[Piece], gathered: Callable[[Rows], Rows] = list) -> list[str]:
    """The text of a page, paragraph by paragraph, each with the line ends it has on the page.

    `gathered` may put a block in the place of rows that belong together.
    """
    pictures = [piece for piece in pieces if piece.is_picture]
    lines = [piece for piece in pieces if not piece.is_picture] if pictures else pieces
    gutter = _gutter(lines)
    if gutter is None:
        return list(_stacked(_with_pictures(gathered(list(_rows(lines))), pictures)))
    found: list[str] = []
    in_order = sorted(pieces, key=lambda piece: piece.y)
    for crosses, group in itertools.groupby(in_order, key=lambda piece: piece.x0 < gutter < piece.x1):
        zone = list(group)
        if crosses:
            shown = [piece for piece in zone if piece.is_picture]
            rows = _rows(piece for piece in zone if not piece.is_picture)
            found += _stacked(_with_pictures(gathered(list(rows)), shown))
        else:
            sides = [piece for piece in zone if piece.x1 <= gutter], [piece for piece in zone if piece.x0 >= gutter]
            for side in sides[::-1] if _runs_leftwards(zone) else sides:
                found += paragraphs(side, gathered)
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
        statistics.median(units(piece.text) for piece in side) >= MIN_COLUMN_LINE_UNITS for side in (left, right)
    )
    return is_wide and are_beside and are_prose


def _runs_leftwards(pieces: Iterable[Piece]) -> bool:
    """True for Hebrew, Arabic and the like."""
    text = "".join(piece.text for piece in pieces)
    return (
        2 * len(_LEFTWARDS.findall(text)) > sum(char.isalpha() for char in text) if _LEFTWARDS.search(text) else False
    )


def units(text: str) -> int:
    """How wide a text is, where a wide character counts two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _rows(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces that share a line of the page, from the left; a block is a row of its own."""
    row: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: (piece.y, piece.x0)):
        is_same = row and not piece.is_block and not row[0].is_block and _continues(row, piece)
        if row and not is_same:
            yield sorted(row, key=lambda piece: piece.x0)
            row = []
        row.append(piece)
    if row:
        yield sorted(row, key=lambda piece: piece.x0)


def _continues(row: Sequence[Piece], piece: Piece) -> bool:
    """True where the piece stands on the row's line, and not under or over one of its pieces."""
    return _share_a_line(row[-1], piece) and not any(_is_stacked(other, piece) for other in row)


def _share_a_line(one: Piece, other: Piece) -> bool:
    overlap = min(one.y1, other.y1) - max(one.y0, other.y0)
    return overlap > min(one.height, other.height) / 2


def _is_stacked(one: Piece, other: Piece) -> bool:
    """True for two lines set so tightly that their boxes overlap, such as two small ones beside a large one."""
    height = min(one.height, other.height)
    overlap = min(one.x1, other.x1) - max(one.x0, other.x0)
    return overlap > height / 2 and abs(one.y - other.y) > height * STACKED_SHIFT


def _with_pictures(rows: Rows, pictures: Iterable[Piece]) -> Rows:
    """The rows with each picture before the first paragraph that does not begin above it."""
    for picture in sorted(pictures, key=lambda piece: (piece.y0, piece.x0)):
        at = next((number for number, row in enumerate(rows) if min(piece.y for piece in row) > picture.y0), len(rows))
        while 0 < at < len(rows) and not _parts_paragraphs(rows[at - 1], rows[at]):
            at += 1
        rows = [*rows[:at], [picture], *rows[at:]]
    return rows


def _parts_paragraphs(above: Sequence[Piece], below: Sequence[Piece]) -> bool:
    gap = min(piece.y0 for piece in below) - max(piece.y1 for piece in above)
    return above[0].is_block or below[0].is_block or gap > PARAGRAPH_GAP * below[0].height


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
    is_leftwards = _runs_leftwards(row)
    row = row[::-1] if is_leftwards else row
    return joined(row, is_leftwards=is_leftwards)


def joined(row: Sequence[Piece], *, is_leftwards: bool = False) -> str:
    """Pieces in their order as one text."""
    text = row[0].text
    for previous, piece in itertools.pairwise(row):
        gap = (previous.x0 - piece.x1 if is_leftwards else piece.x0 - previous.x1) / piece.height
        is_apart = gap > WORD_GAP or gap < -WORD_OVERLAP
        text += ("   " if gap > CELL_GAP else " " if is_apart else "") + piece.text
    return text.rstrip()
