"""The ruled tables of a PDF page as Markdown. Their letters come from the text layer, so none is changed or lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from extractors import markdown
from extractors._pdf.letters import in_unicode, symbol_font
from extractors._pdf.lines import Line, LineNumber, read_text
from extractors._pdf.ruled_cells import Grid, Rect, Rule, Rules, grids
from extractors._pdf.turned import Turn
from extractors._reading_order import Piece, paragraphs
from extractors.limits import ExtractLimits

if TYPE_CHECKING:
    import pymupdf

#: A box that is no higher or no wider than this is a rule.
RULE_WIDTH = 3.0
#: What is drawn over nearly the whole page is its ground.
GROUND_SHARE = 0.8
#: So much text in a single cell, and so much of all that the frame holds, is a page in a frame and no table.
PROSE_CHARS = 400
PROSE_SHARE = 0.6

#: In heights of a line: words of one line that are so near belong together.
SAME_WORDS_GAP = 1.0
BLANK_GAP = 0.35
#: Of its lines, so many may run out of a table, such as a long word in its last column.
MAX_CROSSING_LINES = 0.2

#: Words of a page by the number of their line.
Words = Sequence[tuple[LineNumber, Piece]]
#: A word of a line in a cell.
Placed = tuple[LineNumber, Piece, tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The tables of a page, each as one block, and what else stands on the lines that they took their words from."""

    blocks: list[Piece]
    lines: frozenset[LineNumber]
    rest: list[Piece]


def ruled_tables(page: pymupdf.Page, lines_of_page: Sequence[Line], limits: ExtractLimits) -> Tables:
    """The tables in lines that all run in one direction."""
    turn = Turn.of(page, lines_of_page[0].direction)
    drawn = grids(_rules(page, turn))
    outside = list(_words(page, turn, lines_of_page)) if drawn else []
    blocks: list[Piece] = []
    lines: set[LineNumber] = set()
    for grid in drawn:
        x0, y0, x1, y1 = zip(*(cell for row in grid for cell in row if cell is not None), strict=True)
        bounds = Piece(min(x0), min(y0), max(x1), max(y1), "", is_block=True)
        inside = [word for word in outside if bounds.holds(word[1])]
        if len(grid) < 2 or len(grid[0]) < 2 or _is_part_of_lines(bounds, inside, outside):
            continue  # a frame around text, or a ground behind some of its words
        placed = list(_placed(grid, inside))
        if _crosses_cells(placed):
            continue
        cells = _filled(grid, placed)
        if _is_table(cells, limits.table_cell_max_chars):
            blocks.append(bounds.saying(markdown.table(_without_blanks(cells))))
            lines.update(number for number, _ in inside)
            outside = [word for word in outside if not bounds.holds(word[1])]
    rest = list(_lines([word for word in outside if word[0] in lines]))
    return Tables(blocks=blocks, lines=frozenset(lines), rest=rest)


def _is_part_of_lines(bounds: Piece, inside: Words, words: Words) -> bool:
    """True where lines run on through the sides: a ground behind words, or a figure that text flows around."""
    numbers = {number for number, _ in inside}
    crossing = {
        number
        for number, word in words
        if number in numbers and not bounds.holds(word) and _is_beside(bounds, word, SAME_WORDS_GAP * word.height)
    }
    return len(crossing) > len(numbers) * MAX_CROSSING_LINES


def _is_beside(bounds: Piece, word: Piece, gap: float) -> bool:
    return word.x1 > bounds.x0 - gap and word.x0 < bounds.x1 + gap


def _is_table(cells: Sequence[Sequence[str]], max_cell_chars: int) -> bool:
    sizes = [len(text) for row in cells for text in row if text]
    if sum(any(row) for row in cells) < 2 or sum(any(column) for column in zip(*cells, strict=True)) < 2:
        return False
    is_prose = max(sizes) > PROSE_CHARS and max(sizes) > sum(sizes) * PROSE_SHARE
    return max(sizes) <= max_cell_chars and not is_prose


def _rules(page: pymupdf.Page, turn: Turn) -> Rules:
    rules = Rules(across=[], down=[])
    bounds = page.rect
    for drawing in page.get_cdrawings():
        for kind, *points in drawing["items"]:
            for box in _straight(kind, points):
                x0, y0, x1, y1 = turn.box(box)
                if (x1 - x0) * (y1 - y0) < bounds.width * bounds.height * GROUND_SHARE:
                    _add((x0, y0, x1, y1), rules)
    return rules


def _straight(kind: str, points: Sequence[Any]) -> Iterator[Rect]:
    """The boxes of what is drawn without curves and slants."""
    if kind == "re":
        yield tuple(points[0])
        return
    corners = list(points) if kind == "l" else [*points[0][:2], points[0][3], points[0][2]] if kind == "qu" else []
    if kind == "qu":
        corners.append(corners[0])
    for (ax, ay), (bx, by) in pairwise(corners):
        if abs(ax - bx) <= 1 or abs(ay - by) <= 1:
            yield min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)


def _add(box: Rect, rules: Rules) -> None:
    x0, y0, x1, y1 = box
    if min(x1 - x0, y1 - y0) <= RULE_WIDTH:
        if x1 - x0 >= y1 - y0:
            rules.across.append(Rule(at=(y0 + y1) / 2, start=x0, end=x1))
        else:
            rules.down.append(Rule(at=(x0 + x1) / 2, start=y0, end=y1))
        return
    rules.across.extend(Rule(at=y, start=x0, end=x1) for y in (y0, y1))
    rules.down.extend(Rule(at=x, start=y0, end=y1) for x in (x0, x1))


def _without_blanks(cells: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows and columns in which something stands."""
    columns = [number for number, column in enumerate(zip(*cells, strict=True)) if any(column)]
    return [[row[number] for number in columns] for row in cells if any(row)]


def _words(page: pymupdf.Page, turn: Turn, lines: Sequence[Line]) -> Iterator[tuple[LineNumber, Piece]]:
    numbers = {line.number for line in lines}
    font = symbol_font({font for line in lines for _, font in line.spans})
    for x0, y0, x1, y1, text, block, line, _ in read_text(page, "words"):
        if (block, line) in numbers:
            yield (block, line), Piece(*turn.box((x0, y0, x1, y1)), in_unicode(text, font))


def _placed(grid: Grid, words: Words) -> Iterator[Placed]:
    """The words, each with the row and the column of the cell that it stands in, or next to."""
    cells = [(y, x, box) for y, row in enumerate(grid) for x, box in enumerate(row) if box is not None]
    for number, word in words:
        y, x, _ = min(cells, key=lambda cell: _distance(cell[2], word))
        yield number, word, (y, x)


def _crosses_cells(placed: Sequence[Placed]) -> bool:
    """True where sentences run on over the sides of the cells: rules of a figure under text."""
    lines = {number for number, _, _ in placed}
    crossing = {
        number
        for (number, word, cell), (other_number, other, other_cell) in pairwise(placed)
        if number == other_number and cell != other_cell and 0 < other.x0 - word.x1 < BLANK_GAP * word.height
    }
    return len(crossing) > len(lines) * MAX_CROSSING_LINES


def _filled(grid: Grid, placed: Iterable[Placed]) -> list[list[str]]:
    """The text of each cell; a cell merged into another is empty."""
    inside: dict[tuple[int, int], list[tuple[LineNumber, Piece]]] = defaultdict(list)
    for number, word, cell in placed:
        inside[cell].append((number, word))
    return [["\n".join(paragraphs(list(_lines(inside[y, x])))) for x in range(len(row))] for y, row in enumerate(grid)]


def _lines(words: Words) -> Iterator[Piece]:
    """Words of one line as one piece, so that lines which overlap are not mixed."""
    by_line: dict[LineNumber, list[Piece]] = defaultdict(list)
    for number, word in words:
        by_line[number].append(word)
    for found in by_line.values():
        yield Piece(
            min(word.x0 for word in found),
            min(word.y0 for word in found),
            max(word.x1 for word in found),
            max(word.y1 for word in found),
            " ".join(word.text for word in found),
        )


def _distance(box: Rect, word: Piece) -> float:
    x, y = (word.x0 + word.x1) / 2, word.y
    return max(box[0] - x, x - box[2], 0) + max(box[1] - y, y - box[3], 0)
