"""The walk over a page: every element once, in document order, without recursion."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from extractors._html.boxes import Box, ListBox, TableBox, list_box
from extractors._html.cell_grid import CellGrid
from extractors._html.closing import CELLS, CLOSERS, HEADINGS, LISTS, VERBATIM, close_hidden, close_table
from extractors._html.leaves import MARKED, Surroundings, is_alternative_branch, leaf_words, marked
from extractors._html.mathml import local_name
from extractors._html.page import Element, Page
from extractors._html.style import Styles, has_border
from extractors.budget import Budget
from extractors.content import Block, Text, Truncated

#: Never shown: programs, rules, and what a browser reads by itself.
_DROPPED = frozenset(
    {"script", "style", "template", "head", "title", "noframes", "datalist", "param", "source", "track", "col",
     "colgroup", "meta", "link", "base", "defs", "symbol", "metadata"}
)  # fmt: skip
_BLOCKS = frozenset(
    {"address", "article", "aside", "body", "center", "details", "dialog", "dir", "div", "fieldset", "figcaption",
     "figure", "footer", "form", "header", "hgroup", "html", "legend", "main", "menu", "nav", "p", "search",
     "section", "summary", "tbody", "thead", "tfoot", "tr", "foreignobject", "text", "optgroup", "textarea"}
)  # fmt: skip
#: A box of its own, which becomes one piece when it closes.
_BOXED = frozenset({"table", *CLOSERS})
#: A page is read on when its middle must be left out, for its end; but not a page without end.
MAX_CHARS = 4_000_000
_TERMS = frozenset({"dt", "dd"})
_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_NEVER_HIDDEN = frozenset({"html", "body"})  # pages hide themselves until their program has run
_BLANK = re.compile(r"[ \t\r\n\f]+")
_INVISIBLE = re.compile(r"[\u00ad\u200b\u2060\ufeff]")


@dataclass(slots=True, kw_only=True)
class Story:
    """Reads one page."""

    page: Page
    styles: Styles
    around: Surroundings
    budget: Budget
    _boxes: list[Box] = field(init=False)
    #: Where the words of open marks began: how many pieces and words their box held then.
    _marks: dict[Element, tuple[int, int]] = field(default_factory=dict)
    _missing: list[str] = field(default_factory=list)
    _chars: int = 0
    _tables: int = 0

    def __post_init__(self) -> None:
        self._boxes = [Box(element=self.page.root, tag="")]

    def blocks(self) -> Iterator[Block]:
        """The page as blocks, each as soon as it is closed."""
        walk = etree.iterwalk(self.page.root, events=("start", "end"))
        for event, element in walk:
            if event == "start":
                if not self._begin(element):
                    walk.skip_subtree()
            else:
                self._end(element)
                if len(self._boxes) == 1:
                    yield from self._drained()
            if self._is_spent():
                self._missing.append("the rest of the page")
                break
        while len(self._boxes) > 1:
            self._close(self._boxes[-1])
        self._boxes[0].end_line()
        yield from self._drained()

    def _drained(self) -> Iterator[Block]:
        root = self._boxes[0]
        if not root.pieces and not self._missing:
            return
        for text in root.texts():
            yield Text(text)
        root.pieces.clear()
        yield from self.around.album.drain()
        for what in self._missing:
            yield Truncated(what)
        self._missing.clear()

    def _is_spent(self) -> bool:
        return self._chars > MAX_CHARS or self.budget.text_is_spent or self.budget.is_late

    # --- elements -----------------------------------------------------------------------------------------------------

    def _begin(self, element: Element) -> bool:
        """Opens an element; False when what is inside it is not to be read."""
        tag = local_name(element)
        if tag in _DROPPED or is_alternative_branch(element, tag) or self._is_row_too_many(tag):
            return False
        box = self._boxes[-1]
        if tag == "hr":
            box.end_line()
            box.pieces.append("---")
            return False
        if (words := leaf_words(tag, element, self.around)) is not None:
            box.line.append(words)
            return False
        self._open(element, tag)
        if tag != "rp":  # the parentheses for programs that show no readings
            self._say(element.text)
        return True

    def _open(self, element: Element, tag: str) -> None:
        if tag in _TERMS and self._boxes[-1].tag in _TERMS:  # the parser nests what ends without being closed
            self._close(self._boxes[-1])
        box = self._boxes[-1]
        is_hidden = self._hides(element, tag)
        if tag in _BLOCKS or tag in _BOXED:
            box.end_line()
        if tag == "tr" and isinstance(box, TableBox):
            box.grid.begin_row()
            box.is_row_hidden = is_hidden
        elif tag in _GROUPS and isinstance(box, TableBox):
            box.grid.begin_group()
        elif tag in _BOXED or is_hidden:
            self._boxes.append(self._box(element, tag, is_hidden=is_hidden))
        elif tag == "option" and element.getprevious() is not None:
            box.line.append(" / ")
        elif tag in MARKED:
            self._marks[element] = (len(box.pieces), len(box.line))

    def _box(self, element: Element, tag: str, *, is_hidden: bool) -> Box:
        if tag in LISTS:
            return list_box(element, tag, is_hidden=is_hidden)
        if tag == "table":
            grid = CellGrid(max_columns=self.budget.limits.xlsx_max_columns)
            borders = has_border(element)
            return TableBox(element=element, tag=tag, is_hidden=is_hidden, grid=grid, has_borders=borders)
        outer = self._boxes[-1]
        if tag in CELLS and isinstance(outer, TableBox):
            outer.has_borders = outer.has_borders or has_border(element)
        is_verbatim = tag in VERBATIM or outer.is_verbatim
        return Box(element=element, tag=tag, is_hidden=is_hidden, is_verbatim=is_verbatim)

    def _hides(self, element: Element, tag: str) -> bool:
        return tag not in _NEVER_HIDDEN and self.styles.hides(element) and not any(box.is_hidden for box in self._boxes)

    def _is_row_too_many(self, tag: str) -> bool:
        table = self._boxes[-1]
        if tag != "tr" or not isinstance(table, TableBox):
            return False
        is_over = len(table.grid.rows) >= self.budget.limits.docx_max_table_rows
        table.rows_left_out += is_over
        return is_over

    def _end(self, element: Element) -> None:
        """Closes an element, and takes up the words after it."""
        tag = local_name(element)
        box = self._boxes[-1]
        if len(self._boxes) > 1 and box.element is element:
            self._close(box)
        elif element in self._marks:
            pieces, begun = self._marks.pop(element)
            if len(box.pieces) == pieces:  # else blocks stand inside it, and the line is another
                before, words = "".join(box.line[:begun][-2:]), "".join(box.line[begun:])
                box.line[begun:] = [marked(tag, element, self.around, before, words)]
        elif tag in _BLOCKS:
            box.end_line()
            if tag in _GROUPS and isinstance(box, TableBox):
                box.grid.end_group(is_foot=tag == "tfoot")
        if element is not self.page.root:
            self._say(element.tail)

    def _close(self, box: Box) -> None:
        """A box becomes a piece of the one around it."""
        box.end_line()
        self._boxes.pop()
        outer = self._boxes[-1]
        if isinstance(box, TableBox):
            self._close_table(box, outer)
        elif (closer := CLOSERS.get(box.tag)) is not None:
            if box.tag not in HEADINGS and box.tag not in CELLS:
                outer.has_heading |= box.has_heading
            closer(box, outer)
        else:
            close_hidden(box, outer)

    def _close_table(self, table: TableBox, outer: Box) -> None:
        self._tables += 1
        close_table(table, outer, max_cell_chars=self.budget.limits.table_cell_max_chars)
        if table.rows_left_out:
            kept = self.budget.limits.docx_max_table_rows
            self._missing.append(
                f"rows of table {self._tables} after the first {kept} of {kept + table.rows_left_out:,}"
            )
        if table.grid.is_cut_in_columns:
            self._missing.append(f"columns of table {self._tables} after the first {table.grid.max_columns}")

    def _say(self, text: str | None) -> None:
        """Adds words to the line."""
        box = self._boxes[-1]
        if not text or (isinstance(box, TableBox | ListBox) and not text.strip()):
            return
        text = _INVISIBLE.sub("", text)
        box.line.append(text if box.is_verbatim else _BLANK.sub(" ", text))
        self._chars += len(box.line[-1])
