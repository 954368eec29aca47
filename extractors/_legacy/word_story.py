"""One story of an old Word document (the body, a header, a note, a text box): its paragraphs, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors import markdown
from extractors._legacy.art import flat
from extractors._legacy.numbers import u8, u32
from extractors._legacy.word_document import WordDocument, box_numbers
from extractors._legacy.word_line import Line, LineReader
from extractors._legacy.word_properties import IN_TABLE, ROW_END
from extractors._legacy.word_styles import OUTLINE, list_place
from extractors._legacy.word_table import DEFINITION, OpenTable, TableRow, on_grid
from extractors._ooxml.numbering import BULLET
from extractors.content import Block, Text, Truncated

_PARAGRAPH_END = re.compile(r"[\r\x07\x0c]")
_DEPTH, _INNER_CELL, _INNER_ROW = 0x6649, 0x244B, 0x244C
_MAX_DEPTH = 10
_BODY_LEVEL = 9


@dataclass(frozen=True, slots=True)
class _Paragraph:
    start: int
    end: int
    mark: str
    style: int
    found: dict[int, bytes]

    def is_on(self, code: int) -> bool:
        return u8(self.found.get(code, b""), 0) != 0

    @property
    def depth(self) -> int:
        """How many tables are around it."""
        if not self.is_on(IN_TABLE):
            return 0
        return max(1, min(u32(self.found.get(_DEPTH, b""), 0), _MAX_DEPTH))

    def ends_row(self, depth: int) -> bool:
        return self.is_on(ROW_END if depth == 1 else _INNER_ROW)

    def ends_cell(self, depth: int) -> bool:
        return self.mark == "\x07" if depth == 1 else self.is_on(_INNER_CELL)


@dataclass(slots=True)
class Story:
    """Reads the paragraphs between two positions."""

    document: WordDocument
    start: int
    end: int
    _lines: LineReader = field(init=False)
    _tables: list[OpenTable] = field(default_factory=list)
    _items: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lines = LineReader(self.document)

    def blocks(self) -> Iterator[Block]:
        """The blocks of the story, in its order."""
        for paragraph in self._paragraphs():
            if self.document.budget.is_late:
                yield Truncated("the rest of the document, for lack of time")
                break
            yield from self._close_tables(paragraph.depth)
            yield from self._read(paragraph)
        yield from self._close_tables(0)
        yield from self._drain_items()

    def plain(self) -> str:
        """The story as lines of text."""
        return "\n".join(block.markdown for block in self.blocks() if isinstance(block, Text))

    def _paragraphs(self) -> Iterator[_Paragraph]:
        text = self.document.file.text
        end = min(self.end, len(text))
        at = self.start
        while at < end:
            match = _PARAGRAPH_END.search(text, at, end)
            mark_at = match.start() if match else end - 1
            style, found = self.document.properties.paragraph(mark_at)
            yield _Paragraph(at, match.start() if match else end, match[0] if match else "", style, found)
            at = mark_at + 1

    def _read(self, paragraph: _Paragraph) -> Iterator[Block]:
        depth = paragraph.depth
        while len(self._tables) < depth:
            self._tables.append(OpenTable())
        style = self.document.style(paragraph.style)
        line = self._lines.line(paragraph.start, paragraph.end, is_hidden=style.is_hidden)
        if depth == 0:
            yield from self._outside_tables(paragraph, line)
            return
        table = self._tables[-1]
        if paragraph.ends_row(depth):
            table.end_row(paragraph.found.get(DEFINITION, b""))
            return
        table.lines.append(self._marked(paragraph, line)[0])
        for block in self._anchored(line):
            table.lines += [block.markdown] if isinstance(block, Text) else []
        if paragraph.ends_cell(depth):
            table.end_cell()

    def _outside_tables(self, paragraph: _Paragraph, line: Line) -> Iterator[Block]:
        text, is_item = self._marked(paragraph, line)
        if is_item:
            self._items.append(text)
        elif text:
            yield from self._drain_items()
            yield Text(text)
        if line.shapes:
            yield from self._drain_items()
            yield from self._anchored(line)
        yield from self.document.pictures.album.drain()

    def _marked(self, paragraph: _Paragraph, line: Line) -> tuple[str, bool]:
        """The text of a paragraph as heading or item of a list, and whether it is an item."""
        style = self.document.style(paragraph.style)
        found = style.operations | paragraph.found
        list_id, level = list_place(found)
        text = line.text()
        if not text:
            return "", False
        label = self.document.numbering.label(list_id, level) if list_id else ""
        outline = u8(paragraph.found.get(OUTLINE, b""), 0) if OUTLINE in paragraph.found else None
        heading = style.heading if outline is None else (outline + 1 if outline < _BODY_LEVEL else 0)
        if heading and not self._tables:
            words = " ".join(f"{'' if label == BULLET else label} {text}".split())
            return f"{'#' * min(heading, 6)} {words}", False
        if label:
            indent = "  " * level
            return f"{indent}{label} {text}".replace("\n", f"\n{indent}  "), True
        return text, False

    def _drain_items(self) -> Iterator[Block]:
        """The items of a list that follow each other, as one text."""
        if self._items:
            yield Text("\n".join(self._items))
            self._items = []
            yield from self.document.pictures.album.drain()

    def _anchored(self, line: Line) -> Iterator[Block]:
        """The pictures and the text boxes that are anchored in a line."""
        for anchor in line.shapes:
            for shape in flat([anchor]):
                words = shape.word_art or self.document.floating_picture(shape)
                if words:
                    yield Text(words)
            for number in box_numbers(anchor):
                # Taken out, since a damaged file may anchor a box inside itself.
                boxes = self.document.boxes if number in self.document.boxes else self.document.margin_boxes
                start, end = boxes.pop(number, (0, 0))
                yield from Story(self.document, start, end).blocks()

    # --- tables -------------------------------------------------------------------------------------------------------

    def _close_tables(self, depth: int) -> Iterator[Block]:
        while len(self._tables) > depth:
            rows = self._tables.pop().ended()
            if self._tables:
                cells = (filter(None, row) for row in on_grid(rows))
                self._tables[-1].lines += [" | ".join(row) for row in cells]
            else:
                yield from self._drain_items()
                yield from self._table(rows)
                yield from self.document.pictures.album.drain()

    def _table(self, rows: list[TableRow]) -> Iterator[Block]:
        limits = self.document.budget.limits
        if len(rows) == 1 and len(rows[0].texts) == 1:  # a frame around text, not a table
            yield from (Text(text) for text in rows[0].texts if text)
            return
        self.document.tables += 1
        number = self.document.tables
        shown, notes = _without_notes(rows[: limits.docx_max_table_rows])
        grid = on_grid(shown)
        if any(len(cell) > limits.table_cell_max_chars for row in grid for cell in row):
            # Whole pages inside cells: the table is there for the layout, so its cells are read as text.
            yield from (Text(cell) for row in grid for cell in row if cell)
        elif any(map(any, grid)):  # a grid of nothing but lines says nothing
            write = markdown.table if number <= limits.docx_max_tables else markdown.table_lines
            yield Text(write(grid))
        yield from map(Text, notes)
        if len(rows) > limits.docx_max_table_rows:
            yield Truncated(f"rows of table {number} after the first {limits.docx_max_table_rows}")


def _without_notes(rows: list[TableRow]) -> tuple[list[TableRow], list[str]]:
    """The rows of a table, and the lines of text that stand under it in a last row of one cell."""
    last = rows[-1].texts if len(rows) > 1 else []
    return (rows[:-1], last[0].splitlines()) if len(last) == 1 and "\n" in last[0] else (rows, [])
