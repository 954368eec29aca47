"""The blocks of a WordprocessingML part in document order: paragraphs, lists, tables and what floats among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from extractors import markdown
from extractors._ooxml.document import Document
from extractors._ooxml.equations import latex
from extractors._ooxml.inlines import read_inlines
from extractors._ooxml.line import Foreign, Item, Line, Piece, texts
from extractors._ooxml.names import Element, M, R, W
from extractors._ooxml.numbering import BULLET, int_or
from extractors._ooxml.word_styles import Style, is_on, list_place, outline_level
from extractors.content import Text, Truncated

#: A cell may span this many columns: Word's own limit is 63.
_MAX_SPAN = 200


@dataclass(slots=True, kw_only=True)
class Story:
    """Reads the content of one part: the document, a header, a footnote ..."""

    part: str
    document: Document

    # --- blocks -------------------------------------------------------------------------------------------------------

    def blocks(self, parent: Element) -> Iterator[Piece]:
        """The blocks under an element, in document order."""
        for child in parent:
            yield from self.block(child)

    def block(self, element: Element) -> Iterator[Piece]:
        """The blocks that one child of the body makes."""
        tag = element.tag
        if tag == f"{W}p":
            yield from self._paragraph(element)
        elif tag == f"{W}tbl":
            yield from self._table(element)
        elif tag == f"{W}altChunk":
            target = self.document.package.target(self.part, element.get(f"{R}id"))
            if target is not None:
                yield Foreign(target)
        elif tag in {f"{M}oMath", f"{M}oMathPara"}:
            yield from texts(latex(element))
        else:
            content = self.document.opened(element)
            if content is not None:
                yield from self.blocks(content)

    def _paragraph(self, paragraph: Element) -> Iterator[Piece]:
        properties = paragraph.find(f"{W}pPr")
        named = properties.find(f"{W}pStyle") if properties is not None else None
        style_id = named.get(f"{W}val") if named is not None else None
        style = self.document.styles.get(style_id)
        line = Line(part=self.part, document=self.document, is_hidden=style.is_hidden)
        read_inlines(paragraph, line)
        label, depth = self._list_label(properties, style, style_id or "")
        text = line.text()
        level = outline_level(properties)
        level = (style.heading or 0) if level is None else level
        if text and level:
            words = " ".join(f"{'' if label == BULLET else label} {text}".split())
            yield Text(f"{'#' * min(level, 6)} {words}")
        elif text and label:
            indent = "  " * depth
            yield Item(f"{indent}{label} {text}".replace("\n", f"\n{indent}  "))
        else:
            yield from texts(text)
        for hanging in line.after:
            if isinstance(hanging, Text):
                yield hanging
            elif hanging.tag in {f"{W}p", f"{W}tbl"}:
                yield from self.block(hanging)
            else:
                yield from self.blocks(hanging)

    def _list_label(self, properties: Element | None, style: Style, style_id: str) -> tuple[str, int]:
        list_id, level = list_place(properties)
        if list_id is None:
            list_id, level = style.list_id, style.list_level
            if list_id is not None and level is None:
                level = self.document.numbering.level_of_style(list_id, style_id)
        if list_id is None or list_id == "0":
            return "", 0
        depth = max(0, min(level or 0, 8))
        return self.document.numbering.label(list_id, depth), depth

    # --- tables -------------------------------------------------------------------------------------------------------

    def _table(self, table: Element) -> Iterator[Piece]:
        limits = self.document.package.budget.limits
        rows = list(self._through(table, f"{W}tr"))
        cells = list(self._through(rows[0], f"{W}tc")) if len(rows) == 1 else []
        if len(cells) == 1:  # a frame around text, not a table
            yield from self.blocks(cells[0])
            return
        self.document.tables += 1
        number = self.document.tables
        kept = rows[: limits.docx_max_table_rows]
        grid = [self._row(row) for row in kept]
        if any(len(cell) > limits.table_cell_max_chars for row in grid for cell in row):
            # Whole pages inside cells: the table is there for the layout, so its cells are read as text.
            yield from texts(*(cell for row in grid for cell in row))
        elif any(map(any, grid)):  # a grid of nothing but lines says nothing
            write = markdown.table if number <= limits.docx_max_tables else markdown.table_lines
            yield from texts(write(grid))
        if len(rows) > len(kept):
            yield Truncated(f"rows of table {number} after the first {len(kept)}")

    def _row(self, row: Element) -> list[str]:
        properties = row.find(f"{W}trPr")
        cells = [""] * _number(properties, "gridBefore", 0)
        for cell in self._through(row, f"{W}tc"):
            cell_properties = cell.find(f"{W}tcPr")
            span = max(1, _number(cell_properties, "gridSpan", 1))
            continued = _continues(cell_properties, "vMerge") or _continues(cell_properties, "hMerge")
            cells += ["" if continued else self.plain(cell), *[""] * (span - 1)]
        cells += [""] * _number(properties, "gridAfter", 0)
        if is_on(properties, "hidden"):
            cells[:1] = [markdown.hidden(cells[0])] if cells else []
        return cells

    def _through(self, parent: Element, tag: str) -> Iterator[Element]:
        """The rows of a table or the cells of a row, also those inside content controls and insertions."""
        for child in parent:
            if child.tag == tag:
                if not (tag == f"{W}tr" and self._is_deleted(child)):
                    yield child
            elif (content := self.document.opened(child)) is not None:
                yield from self._through(content, tag)

    def _is_deleted(self, row: Element) -> bool:
        deleted = row.find(f"{W}trPr/{W}del") is not None
        self.document.has_tracked_changes |= deleted
        return deleted

    def plain(self, parent: Element) -> str:
        """Everything under an element as lines of text; a table inside becomes lines of its cells."""
        lines: list[str] = []
        for child in parent:
            if child.tag == f"{W}tbl":
                rows = (self._row(row) for row in self._through(child, f"{W}tr"))
                lines += [" | ".join(filter(None, row)) for row in rows]
            elif child.tag == f"{W}p":
                lines += [piece.markdown for piece in self._paragraph(child) if isinstance(piece, Text | Item)]
            elif (content := self.document.opened(child)) is not None:
                lines.append(self.plain(content))
        return "\n".join(filter(None, lines))


def _number(properties: Element | None, name: str, default: int) -> int:
    found = properties.find(f"{W}{name}") if properties is not None else None
    return default if found is None else max(0, min(int_or(found.get(f"{W}val"), default), _MAX_SPAN))


def _continues(properties: Element | None, name: str) -> bool:
    """True for a cell that a merge has swallowed: its value stands in the cell where the merge began."""
    found = properties.find(f"{W}{name}") if properties is not None else None
    return found is not None and found.get(f"{W}val", "continue") == "continue"
