"""The blocks of a document in their order: paragraphs, lists, tables, sections and what floats among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from extractors import markdown
from extractors._inflating import Element
from extractors._odf.charts import chart_text
from extractors._odf.document import Document
from extractors._odf.inlines import read_inline, read_inlines
from extractors._odf.line import Item, Line, Piece, texts
from extractors._odf.names import (
    CHART,
    DR3D,
    DRAW,
    OFFICE,
    PRESENTATION,
    TABLE,
    TEXT,
    whole,
)
from extractors._odf.numbering import Run, start_value
from extractors._odf.styles import MAX_LEVEL, ListLevel
from extractors._odf.tables import table_rows
from extractors.content import Text, Truncated

_MAX_DEPTH = 4
_PARAGRAPHS = frozenset({f"{TEXT}p", f"{TEXT}h"})
_BODIES = tuple(f"{OFFICE}{name}" for name in ("text", "spreadsheet", "drawing", "presentation", "chart"))
#: What may stand among the paragraphs of a text.
BLOCKS = frozenset(
    {
        *(f"{TEXT}{name}" for name in ("p", "h", "list", "section", "numbered-paragraph", "tracked-changes")),
        *(f"{TEXT}{name}" for name in ("table-of-content", "illustration-index", "table-index", "object-index")),
        *(f"{TEXT}{name}" for name in ("user-index", "alphabetical-index", "bibliography")),
        *(f"{DRAW}{name}" for name in ("frame", "g", "a", "custom-shape", "rect", "line", "polyline", "polygon")),
        *(f"{DRAW}{name}" for name in ("path", "circle", "ellipse", "regular-polygon", "caption", "connector")),
        *(f"{DRAW}{name}" for name in ("measure", "control")),
        f"{TABLE}table",
        f"{OFFICE}forms",
        f"{CHART}chart",
    }
)
#: What describes the document or tells programs what to do, and is no part of the text.
_SKIPPED = frozenset(
    {
        *(f"{TEXT}{name}" for name in ("sequence-decls", "variable-decls", "user-field-decls", "dde-connection-decls")),
        *(f"{TABLE}{name}" for name in ("table-column", "table-columns", "table-header-columns", "shapes")),
        f"{TEXT}alphabetical-index-auto-mark-file",
        f"{OFFICE}annotation-end",
        f"{OFFICE}scripts",
        f"{OFFICE}event-listeners",
        f"{PRESENTATION}notes",
        f"{DRAW}enhanced-geometry",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _List:
    """Where in a list its items stand."""

    run: Run
    style: str
    level: int


@dataclass(slots=True, kw_only=True)
class Story:
    """Reads the content of one part: the body, a header, a text box, an embedded object ..."""

    document: Document
    folder: str = ""
    _depth: int = field(default=0)

    def blocks(self, parent: Element) -> Iterator[Piece]:
        """The blocks under an element, in document order."""
        for child in parent:
            yield from self.block(child)

    def block(self, element: Element) -> Iterator[Piece]:
        """The blocks that one child of the body makes."""
        tag = element.tag
        if tag in _PARAGRAPHS:
            yield from self._paragraph(element)
        elif tag == f"{TEXT}list":
            yield from self._list(element, None)
        elif tag == f"{TABLE}table":
            yield from self._table(element)
        elif tag == f"{TEXT}section":
            yield from self._section(element)
        elif tag == f"{OFFICE}forms":
            self.document.note_forms(element)
        elif tag in {f"{TEXT}tracked-changes", f"{TABLE}tracked-changes"}:
            self.document.note_changes(element)
            self.document.has_tracked_changes |= element.tag.startswith(TABLE)
        elif isinstance(tag, str) and tag.startswith((DRAW, DR3D)):
            yield from self.shape(element)
        elif tag not in _SKIPPED and isinstance(tag, str) and not tag.endswith("-source"):
            yield from self.blocks(element)

    def shape(self, element: Element) -> Iterator[Piece]:
        """A frame or a shape that stands among paragraphs."""
        line = Line(around=self)
        read_inline(element, line)
        yield from texts(line.text())
        yield from line.after

    def embedded(self, root: Element, folder: str) -> Iterator[Piece]:
        """The blocks of an object that lies in that folder: a chart, a sheet, a text."""
        body = root.find(f"{OFFICE}body")
        content = next(body.iterchildren(*_BODIES), None) if body is not None else None
        if content is None or self._depth >= _MAX_DEPTH:
            return
        inner = Story(document=self.document.inside(root), folder=folder, _depth=self._depth + 1)
        for chart in content.iterchildren(f"{CHART}chart"):
            yield from texts(chart_text(chart, inner.plain))
        if content.tag != f"{OFFICE}chart":
            yield from inner.blocks(content)

    # --- paragraphs and lists -----------------------------------------------------------------------------------------

    def _paragraph(self, paragraph: Element, label: str = "", indent: str | None = None) -> Iterator[Piece]:
        """A paragraph or a heading; with an indent, one that stands in a list."""
        style = self.document.styles.get("paragraph", paragraph.get(f"{TEXT}style-name"))
        hidden = paragraph.find(f".//{TEXT}hidden-paragraph")
        is_hiding = bool(style.is_hidden) or (hidden is not None and hidden.get(f"{TEXT}is-hidden") == "true")
        line = Line(around=self, is_hiding=is_hiding)
        read_inlines(paragraph, line)
        text = line.text()
        level = min(style.heading or 0, 6)
        if paragraph.tag == f"{TEXT}h":
            level = whole(paragraph.get(f"{TEXT}outline-level"), 1, most=6, least=1)
            label = label or self.document.numbering.heading_label(paragraph, self.document.styles)
        if text and level:
            words = " ".join(f"{'' if label == '-' else label} {text}".split())
            yield Text(f"{'#' * level} {words}")
        elif text and indent is not None:
            yield Item(f"{indent}{label or ' '} {text}".replace("\n", f"\n{indent}  "))
        else:
            yield from texts(text)
        yield from line.after

    def _list(self, element: Element, outer: _List | None) -> Iterator[Piece]:
        style = element.get(f"{TEXT}style-name") or (outer.style if outer else "")
        run = outer.run if outer else self.document.numbering.begun(element, style)
        place = _List(run=run, style=style, level=outer.level + 1 if outer else 1)
        for item in element.iterchildren(f"{TEXT}list-item", f"{TEXT}list-header"):
            yield from self._item(item, place)

    def _item(self, item: Element, place: _List) -> Iterator[Piece]:
        indent = "  " * (min(place.level, MAX_LEVEL) - 1)
        is_header = item.tag == f"{TEXT}list-header"
        is_first, lists_met = True, 0
        for child in item:
            if child.tag in _PARAGRAPHS:
                label = self._label(child, item, place) if is_first and not is_header else ""
                is_plain = is_header or (is_first and not label)
                is_first = False
                yield from self._paragraph(child, label, None if is_plain else indent)
            elif child.tag == f"{TEXT}list":
                if lists_met and child.get(f"{TEXT}continue-numbering") != "true":
                    place.run.restart(place.level + 1)
                lists_met += 1
                yield from self._list(child, place)
            else:
                yield from self.block(child)

    def _label(self, paragraph: Element, item: Element, place: _List) -> str:
        """The number or the bullet of an item, by the list's style or else by its paragraph's."""
        styles = self.document.styles
        style = styles.get("paragraph", paragraph.get(f"{TEXT}style-name"))
        if style.is_numbered is False:
            return ""
        name = place.style or style.list_style or ""
        levels: dict[int, ListLevel] = styles.list_styles.get(name, {})
        return place.run.label(levels, place.level, start_value(item))

    def _section(self, section: Element) -> Iterator[Piece]:
        if section.get(f"{TEXT}display") != "none" and section.get(f"{TEXT}is-hidden") != "true":
            yield from self.blocks(section)
            return
        for piece in self.blocks(section):
            yield replace(piece, markdown=markdown.hidden(piece.markdown)) if isinstance(piece, Text | Item) else piece

    # --- tables -------------------------------------------------------------------------------------------------------

    def _table(self, table: Element) -> Iterator[Piece]:
        limits = self.document.budget.limits
        rows, rows_left_out = table_rows(table, self._cell, limits)
        if len(rows) == 1 and len(rows[0]) == 1:  # a frame around text, not a table
            for cell in table.iter(f"{TABLE}table-cell"):
                yield from self.blocks(cell)
                return
        self.document.tables += 1
        number = self.document.tables
        if any(len(cell) > limits.table_cell_max_chars for row in rows for cell in row):
            # Whole pages inside cells: the table is there for the layout, so its cells are read as text.
            yield from texts(*(cell for row in rows for cell in row))
        elif any(map(any, rows)):  # a grid of nothing but lines says nothing
            write = markdown.table if number <= limits.docx_max_tables else markdown.table_lines
            yield from texts(write(rows))
        if rows_left_out:
            yield Truncated(f"rows of table {number} after the first {limits.docx_max_table_rows}")

    def _cell(self, cell: Element) -> str:
        text = self.plain(cell)
        # Some programs make each cell a list of one item.
        return text if "\n" in text else text.removeprefix("- ")

    def plain(self, parent: Element) -> str:
        """Everything under an element as lines of text; a table inside becomes lines of its cells."""
        lines: list[str] = []
        for child in parent:
            if child.tag == f"{TABLE}table":
                rows, _ = table_rows(child, self._cell, self.document.budget.limits)
                lines += [" | ".join(filter(None, row)) for row in rows]
            else:
                lines += [piece.markdown for piece in self.block(child) if isinstance(piece, Text | Item)]
        return "\n".join(filter(None, lines))
