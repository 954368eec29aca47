"""Open elements of a page: each gathers what stands inside it, and becomes Markdown when it closes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors import markdown
from extractors._html.cell_grid import CellGrid
from extractors._html.page import Element
from extractors._numerals import numeral

#: What a box holds: Markdown, or a table whose final shape depends on where it stands.
Piece = str | CellGrid

_BLANKS = re.compile(r"[ \u00a0]{2,}|\u00a0")
_AROUND_BREAK = re.compile(r" *\n *")
_BREAKS = re.compile(r"\n{2,}")
_NUMERALS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_MAX_DIGITS = 9


@dataclass(slots=True, kw_only=True)
class Box:
    """What stands inside one open element: finished pieces, and the line that is still being written."""

    element: Element
    tag: str
    is_hidden: bool = False
    is_verbatim: bool = False
    pieces: list[Piece] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    has_heading: bool = False

    def end_line(self) -> None:
        """Closes the line: what it holds becomes a piece of its own."""
        text = "".join(self.line)
        self.line.clear()
        if self.is_verbatim:
            text = text.strip("\n").rstrip()
        else:
            text = _BREAKS.sub("\n", _AROUND_BREAK.sub("\n", _BLANKS.sub(" ", text))).strip()
        if text:
            self.pieces.append(text)

    def texts(self) -> Iterator[str]:
        """The pieces as Markdown that stands by itself."""
        for piece in self.pieces:
            text = piece.table() if isinstance(piece, CellGrid) else piece
            if text:
                yield markdown.hidden(text) if self.is_hidden else text

    def inner_text(self) -> str:
        """Everything as lines of text, for a place where no table can stand."""
        lines = (piece.lines() if isinstance(piece, CellGrid) else piece for piece in self.pieces)
        text = "\n".join(filter(None, lines))
        return markdown.hidden(text) if text and self.is_hidden else text


@dataclass(slots=True, kw_only=True)
class ListBox(Box):
    """A list with its running number."""

    next_number: int = 1
    step: int = 1

    def label(self, item: Element) -> str:
        """The mark before the next item."""
        if self.tag != "ol":
            return "-"
        number = number_or(item.get("value"), self.next_number)
        self.next_number = number + self.step
        return f"{numeral(number, _NUMERALS.get(self.element.get('type', ''), 'decimal'))}."


@dataclass(slots=True, kw_only=True)
class TableBox(Box):
    """A table with its grid; the cells' contents are kept until it is known to be no mere layout."""

    grid: CellGrid
    cells: list[Box] = field(default_factory=list)
    has_heads: bool = False
    has_borders: bool = False
    is_row_hidden: bool = False
    rows_left_out: int = 0

    def add_cell(self, cell: Box) -> None:
        """Puts a closed cell on the grid."""
        if not self.grid.rows:
            self.grid.begin_row()
        text = cell.inner_text()
        if self.is_row_hidden and text:
            text, self.is_row_hidden = markdown.hidden(text), False
        attributes = cell.element.attrib
        self.grid.add(
            text, colspan=number_or(attributes.get("colspan"), 1), rowspan=number_or(attributes.get("rowspan"), 1)
        )
        self.cells.append(cell)

    def is_layout(self, max_cell_chars: int) -> bool:
        """True when the table only places things on the page."""
        filled = [cell for cell in self.cells if cell.pieces]
        if self.element.get("role") in {"presentation", "none"} or len(filled) <= 1:
            return True
        pieces = [piece for cell in filled for piece in cell.pieces]
        if any(isinstance(piece, str) and len(piece) > max_cell_chars for piece in pieces):
            return True
        if self.has_heads or self.has_borders:
            return False
        return any(cell.has_heading for cell in filled) or any(isinstance(piece, CellGrid) for piece in pieces)


def list_box(element: Element, tag: str, *, is_hidden: bool) -> ListBox:
    """A list that starts where the page says."""
    is_reversed = "reversed" in element.attrib
    count = sum(1 for item in element if item.tag == "li") if is_reversed else 1
    return ListBox(
        element=element,
        tag=tag,
        is_hidden=is_hidden,
        next_number=number_or(element.get("start"), count),
        step=-1 if is_reversed else 1,
    )


def number_or(text: str | None, default: int) -> int:
    """`text` as a whole number as browsers read it (`2`, `2px`, ` +2 `), else `default`."""
    found = re.match(r"\s*\+?(-?\d+)", text or "", re.ASCII)
    return int(found[1]) if found and len(found[1]) <= _MAX_DIGITS else default
