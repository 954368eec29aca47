"""A run of paragraphs and tables while it is read: the body, a header, a note, a text box."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from extractors import markdown
from extractors._addresses import link
from extractors._rtf.tables import OpenTable, RowShape
from extractors.limits import ExtractLimits

BULLET = "-"
_MAX_NESTING = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ParagraphLook:
    """What makes a paragraph a heading, an item of a list, or the content of a cell."""

    table_level: int = 0
    heading: int = 0
    label: str = ""
    depth: int = 0


@dataclass(slots=True, kw_only=True)
class Flow:
    """Gathers words into paragraphs, and paragraphs into blocks."""

    limits: ExtractLimits
    #: The paragraph so far, and which of its words are hidden.
    pieces: list[tuple[str, bool]] = field(default_factory=list)
    #: What hangs on the paragraph and comes after it.
    after: list[str] = field(default_factory=list)
    truncated: list[str] = field(default_factory=list)
    _blocks: list[str] = field(default_factory=list)
    _items: list[str] = field(default_factory=list)
    _tables: list[OpenTable] = field(default_factory=list)
    _tables_closed: int = 0

    def say(self, text: str, *, is_hidden: bool = False) -> None:
        """Takes the next words."""
        if text:
            self.pieces.append((text, is_hidden))

    def link(self, start: int, address: str) -> None:
        """Makes what was said since `start` a link."""
        link(self.pieces, start, address)

    def end_paragraph(self, look: ParagraphLook) -> None:
        """The paragraph is complete."""
        text = self._paragraph_text()
        hanging, self.after = self.after, []
        if text and look.heading:
            words = " ".join(f"{'' if look.label == BULLET else look.label} {text}".split())
            self._put(f"{'#' * min(look.heading, 6)} {words}", look.table_level)
        elif text and look.label:
            indent = "  " * look.depth
            self._put(f"{indent}{look.label} {text}".replace("\n", f"\n{indent}  "), look.table_level, is_item=True)
        else:
            self._put(text, look.table_level)
        for block in hanging:
            self._put(block, look.table_level)

    def end_cell(self, look: ParagraphLook, level: int) -> None:
        """The last paragraph of a cell, and the cell."""
        if self.pieces or self.after:
            self.end_paragraph(look)
        self._enter(level)
        self._tables[-1].end_cell()

    def end_row(self, level: int, shape: RowShape) -> None:
        """The row is complete."""
        self._enter(level)
        self._tables[-1].end_row(shape)

    def drain(self) -> Iterator[str]:
        """The blocks that are complete."""
        yield from self._blocks
        self._blocks.clear()

    def finish(self) -> Iterator[str]:
        """Everything that is left."""
        if self.pieces or self.after:
            self.end_paragraph(ParagraphLook(table_level=len(self._tables)))
        self._leave(0)
        self._end_list()
        yield from self.drain()

    def text(self) -> str:
        """All of it as lines, for a place where no block can stand."""
        return "\n".join(self.finish())

    def _paragraph_text(self) -> str:
        """The paragraph; hidden words stand on lines of their own."""
        runs = [(hidden, "".join(text for text, _ in run)) for hidden, run in groupby(self.pieces, lambda p: p[1])]
        self.pieces = []
        lines = [markdown.hidden(text.strip()) if hidden else text.strip() for hidden, text in runs if text.strip()]
        return "\n".join(lines)

    def _put(self, text: str, level: int, *, is_item: bool = False) -> None:
        if level > 0:
            self._enter(level)
            self._tables[-1].cell.append(text)
            return
        self._leave(0)
        if not text:
            return
        if is_item:
            self._items.append(text)
            return
        self._end_list()
        self._blocks.append(text)

    def _end_list(self) -> None:
        if self._items:
            self._blocks.append("\n".join(self._items))
            self._items = []

    def _enter(self, level: int) -> None:
        """Goes to the table of that level, into it or out of deeper ones."""
        level = max(1, min(level, _MAX_NESTING))
        self._leave(level)
        while len(self._tables) < level:
            self._tables.append(OpenTable(max_rows=self.limits.docx_max_table_rows))

    def _leave(self, level: int) -> None:
        while len(self._tables) > level:
            self._close(self._tables.pop())

    def _close(self, table: OpenTable) -> None:
        grid = table.grid()
        filled = [cell for row in grid for cell in row if cell]
        if not filled:
            return
        if self._tables:  # a table in a cell
            self._tables[-1].cell += [" | ".join(filter(None, row)) for row in grid]
            return
        self._end_list()
        self._tables_closed += 1
        if len(filled) == 1 or max(map(len, filled)) > self.limits.table_cell_max_chars:
            self._blocks += filled  # a frame around text, not a table
        else:
            self._blocks.append(markdown.table([row[: self.limits.xlsx_max_columns] for row in grid]))
        if table.rows_left_out:
            kept = self.limits.docx_max_table_rows
            total = kept + table.rows_left_out
            self.truncated.append(f"rows of table {self._tables_closed} after the first {kept} of {total:,}")
