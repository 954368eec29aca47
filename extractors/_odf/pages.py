"""The slides of a presentation, or the pages of a drawing: shapes from top to bottom, then from left to right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from extractors._inflating import Element
from extractors._odf.document import Document
from extractors._odf.line import Item, Piece
from extractors._odf.names import DR3D, DRAW, OFFICE, PRESENTATION, STYLE, SVG, TEXT, author
from extractors._odf.story import Story
from extractors._shape_order import in_lines
from extractors.content import Text

#: Top and left edge in centimetres.
Place = tuple[float, float]

_LENGTH = re.compile(r"(-?\d{0,9}(?:\.\d{1,9})?)(cm|mm|in|pt|pc|px)?")
_CENTIMETRES = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72, "pc": 2.54 / 6, "px": 2.54 / 96, None: 1.0}
_MOVE = re.compile(r"translate\s*\(\s*(\S{1,20}?)[\s,]+(\S{1,20}?)\s*\)")
#: Shapes whose tops differ by less are on one line.
_SAME_LINE_CM = 0.5
_TITLES = frozenset({"title"})
#: On a master: what is shown as it stands there, and what would be the same or filled in on every page.
_SHOWN = frozenset({"", "header", "footer"})
_NOT_TOLD = (f"{DRAW}image", f"{TEXT}page-number")
_MARGINS = frozenset({"header", "footer", "date-time"})
_NOT_SHAPES = frozenset({f"{DRAW}layer-set", f"{DRAW}page-thumbnail", f"{DRAW}glue-point"})


@dataclass(slots=True, kw_only=True)
class Page:
    """Reads one `draw:page`."""

    root: Element
    story: Story
    #: Headers and footers that were already read; the pages of one file share it.
    margins: set[str] = field(default_factory=set)

    @property
    def document(self) -> Document:
        """What the pages of one file share."""
        return self.story.document

    @property
    def is_hidden(self) -> bool:
        """True for a slide that is left out of the show."""
        return bool(self.document.styles.get("drawing-page", self.root.get(f"{DRAW}style-name")).is_hidden)

    def pieces(self) -> Iterator[Piece]:
        """The title as a heading, then every other shape that says or shows something."""
        for forms in self.root.iterchildren(f"{OFFICE}forms"):
            self.document.note_forms(forms)
        shapes = list(_shapes(self.root))
        titles = [shape for shape in shapes if _kind(shape) in _TITLES]
        for title in titles:
            words = " ".join(_plain(self.story.shape(title)).split())
            if words:
                yield Text(f"## {words}")
        yield from self._ordered([shape for shape in shapes if shape not in titles])
        yield from self.master_words()

    def _ordered(self, shapes: list[Element]) -> Iterator[Piece]:
        for shape in _in_reading_order(shapes):
            kind = _kind(shape)
            if kind == "page-number":
                continue
            if shape.tag == f"{DRAW}g":
                yield from self._ordered(list(_shapes(shape)))
            elif kind in _MARGINS:
                yield from self._once(list(self.story.shape(shape)))
            else:
                yield from self.story.shape(shape)

    def master_words(self) -> Iterator[Piece]:
        """The words of the page behind this one that show through, each once in the file."""
        masters, name = self.document.masters, self.root.get(f"{DRAW}master-page-name")
        found = masters.iterchildren(f"{STYLE}master-page") if masters is not None else ()
        master = next((page for page in found if page.get(f"{STYLE}name") == name), None)
        styles = self.document.margin_styles or self.document.styles
        story = Story(document=replace(self.document, styles=styles))
        for shape in _in_reading_order(list(_shapes(master))) if master is not None else ():
            is_own = _kind(shape) in _SHOWN and shape.get(f"{PRESENTATION}placeholder") != "true"
            if is_own and next(shape.iter(*_NOT_TOLD), None) is None:
                yield from self._once([piece for piece in story.shape(shape) if isinstance(piece, Text | Item)])

    def _once(self, pieces: list[Piece]) -> Iterator[Piece]:
        text = _plain(pieces)
        if text.strip() and text not in self.margins:
            self.margins.add(text)
            yield from pieces

    def notes(self) -> str:
        """What the speaker wrote under the slide."""
        shapes = [shape for notes in self.root.iterchildren(f"{PRESENTATION}notes") for shape in _shapes(notes)]
        own = [shape for shape in shapes if _kind(shape) not in {*_MARGINS, "page-number", "page"}]
        return "\n".join(filter(None, (_plain(self.story.shape(shape)) for shape in own)))

    def comments(self) -> Iterator[str]:
        """What others wrote about the slide."""
        for comment in self.root.iterchildren(f"{OFFICE}annotation"):
            text = self.story.plain(comment)
            if text:
                yield f"Comment{author(comment)}: {text}"


def _plain(pieces: list[Piece] | Iterator[Piece]) -> str:
    return "\n".join(piece.markdown for piece in pieces if isinstance(piece, Text | Item))


def _kind(shape: Element) -> str:
    return shape.get(f"{PRESENTATION}class", "")


def _shapes(parent: Element) -> Iterator[Element]:
    for child in parent:
        if isinstance(child.tag, str) and child.tag.startswith((DRAW, DR3D)) and child.tag not in _NOT_SHAPES:
            yield child


def _in_reading_order(shapes: list[Element]) -> Iterator[Element]:
    return in_lines(shapes, _place, same_line=_SAME_LINE_CM)


def _place(shape: Element) -> Place | None:
    """Where a shape stands: by its corner, by how far it was moved, or by what is inside it."""
    if shape.tag in {f"{DRAW}g", f"{DRAW}a"}:
        places = [place for child in _shapes(shape) if (place := _place(child)) is not None]
        return min(places) if places else None
    move = _MOVE.search(shape.get(f"{DRAW}transform", ""))
    if move is not None:
        return _lengths(move[2], move[1])
    top, left = shape.get(f"{SVG}y"), shape.get(f"{SVG}x")
    if top is None or left is None:  # a line or a connector
        top, left = shape.get(f"{SVG}y1"), shape.get(f"{SVG}x1")
    return _lengths(top, left)


def _lengths(top: str | None, left: str | None) -> Place | None:
    matches = [_LENGTH.fullmatch(text or "") for text in (top, left)]
    values = [float(m[1]) * _CENTIMETRES[m[2]] for m in matches if m is not None and m[1].strip("-.")]
    return (values[0], values[1]) if len(values) == 2 else None
