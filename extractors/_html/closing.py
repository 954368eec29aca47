"""What a box becomes in the box around it when it closes."""

from __future__ import annotations

import re
from collections.abc import Callable

from extractors import markdown
from extractors._html.boxes import Box, ListBox, TableBox
from extractors._html.cell_grid import CellGrid

HEADINGS = {f"h{level}": level for level in range(1, 7)}
VERBATIM = frozenset({"pre", "listing", "xmp"})
LISTS = frozenset({"ul", "ol", "dl"})
CELLS = frozenset({"td", "th"})
_BACKTICKS = re.compile(r"`{3,}")
_MIN_FENCE = 3


def close_heading(box: Box, outer: Box) -> None:
    """One line, whatever breaks it."""
    words = " ".join(box.inner_text().split())
    outer.has_heading |= bool(words)
    if words:
        outer.pieces.append(f"{'#' * HEADINGS[box.tag]} {words}")


def close_item(box: Box, outer: Box) -> None:
    """Its label, and every further line under the first; tables in it as lines."""
    label = outer.label(box.element) if isinstance(outer, ListBox) else "-"
    if text := box.inner_text():
        outer.pieces.append(_indented(text, label))


def close_term(box: Box, outer: Box) -> None:
    """A term, or what it means."""
    if text := box.inner_text():
        outer.pieces.append(text if box.tag == "dt" else _indented(text, ":"))


def close_list(box: Box, outer: Box) -> None:
    """All items as one piece."""
    if text := "\n".join(box.texts()):
        outer.pieces.append(text)


def close_quotation(box: Box, outer: Box) -> None:
    """Line by line behind a mark."""
    if text := "\n\n".join(box.texts()):
        outer.pieces.append("\n".join(f"> {line}".rstrip() for line in text.split("\n")))


def close_verbatim(box: Box, outer: Box) -> None:
    """A fence that no fence inside can close; inside another box of code just its text."""
    text = box.inner_text()
    if not text:
        return
    if outer.is_verbatim:
        outer.pieces.append(text)
        return
    longest = max((len(found[0]) for found in _BACKTICKS.finditer(text)), default=0)
    fence = "`" * max(_MIN_FENCE, longest + 1)
    outer.pieces.append(f"{fence}\n{text}\n{fence}")


def close_cell(box: Box, outer: Box) -> None:
    """The next cell of the table around it; mere text where there is none."""
    if isinstance(outer, TableBox):
        outer.has_heads |= box.tag == "th"
        outer.add_cell(box)
    else:
        outer.pieces += box.pieces


def close_hidden(box: Box, outer: Box) -> None:
    """Hidden words on lines of their own."""
    texts = list(box.texts())
    if len(texts) == 1 and "\n" not in texts[0] and not isinstance(outer, TableBox):
        outer.line.append(f"\n{texts[0]}\n")
    elif texts:
        outer.end_line()
        outer.pieces += texts


def close_caption(box: Box, outer: Box) -> None:
    """Above its table."""
    if text := box.inner_text():
        outer.pieces.append(text)


def close_table(box: TableBox, outer: Box, *, max_cell_chars: int) -> None:
    """A table, or what its cells hold where it only places things on the page."""
    pieces = list(box.pieces)  # its caption
    if box.is_layout(max_cell_chars):
        outer.has_heading |= any(cell.has_heading for cell in box.cells)
        pieces += [piece for cell in box.cells for piece in cell.pieces]
    elif not box.grid.is_empty:
        pieces.append(box.grid)
    if box.is_hidden:
        pieces = [markdown.hidden(p.table() if isinstance(p, CellGrid) else p) for p in pieces]
    outer.pieces += pieces


def _indented(text: str, label: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([f"{label} {first}", *(f"  {line}" for line in rest)])


CLOSERS: dict[str, Callable[[Box, Box], None]] = {
    "li": close_item,
    "dt": close_term,
    "dd": close_term,
    "blockquote": close_quotation,
    "caption": close_caption,
    **dict.fromkeys(HEADINGS, close_heading),
    **dict.fromkeys(VERBATIM, close_verbatim),
    **dict.fromkeys(LISTS, close_list),
    **dict.fromkeys(CELLS, close_cell),
}
