"""One slide of an old presentation: its shapes in reading order, its notes and its comments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors import markdown
from extractors._legacy.art import CLIENT_DATA, DG_CONTAINER, TEXT_BOX, Shape, flat, slide_box, tree
from extractors._legacy.numbers import u8, u16, u32
from extractors._legacy.pictures import Pictures
from extractors._legacy.ppt_file import MARGINS, TEXT, Presentation, SlideEntry, footer_of, margins_of, wide_text
from extractors._legacy.ppt_text import NOTES, TITLES, TextPart, text_parts
from extractors._legacy.records import Record, records
from extractors._shape_order import in_lines

_DRAWING, _SLIDE_ATOM, _SHOW_INFO, _PLACEHOLDER, _OUTLINE_REFERENCE = 0x040C, 0x03EF, 0x03F9, 0x0BC3, 0x0F9E
_PROGRAM_TAGS, _BINARY_TAG_DATA, _COMMENT = 0x1388, 0x138B, 0x2EE0
_IS_HIDDEN = 0x0004
_SLIDE_NUMBER = 8
#: What holds the place of a number that is filled in.
_NUMBER_HELD = "*"
_TITLE_PLACEHOLDERS, _NOTES_PLACEHOLDERS = frozenset({13, 15, 17}), frozenset({6, 12})
#: Shapes whose tops differ by less than half a centimetre (of 576 units an inch) stand on one line.
_SAME_LINE = 113
#: Edges of cells closer than this are one.
_SAME_EDGE = 12


@dataclass(slots=True, kw_only=True)
class Deck:
    """What the slides share while they are read."""

    presentation: Presentation
    pictures: Pictures
    footers: set[str] = field(default_factory=set)
    #: The masters whose text was told with the first slide that shows it.
    masters: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Slide:
    """Reads one slide, or one page of notes."""

    deck: Deck
    entry: SlideEntry
    _outline: list[TextPart] = field(init=False)
    _told: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._outline = text_parts(self.entry.outline, self.deck.presentation)

    @property
    def is_hidden(self) -> bool:
        """True for a slide that is passed over when the presentation is shown."""
        info = self.entry.record.child(_SHOW_INFO) if self.entry.record is not None else None
        return info is not None and bool(u16(info.data, info.start + 10) & _IS_HIDDEN)

    def texts(self) -> Iterator[str]:
        """The title as a heading, then every other shape that says or shows something."""
        shapes = self._shapes()
        for title in [shape for shape in shapes if self._is_title(shape)]:
            words = " ".join(" ".join(self._lines(title)).split())
            if words:
                yield f"## {words}"
        yield from self._ordered([shape for shape in shapes if not self._is_title(shape)])
        for index, part in enumerate(self._outline):  # texts that no shape asks for
            if index not in self._told and (text := "\n".join(part.lines())):
                yield f"## {' '.join(text.split())}" if part.kind in TITLES else text
        yield from self._footer()
        yield from self._master()

    def _shapes(self) -> list[Shape]:
        drawing = self.entry.record.child(_DRAWING) if self.entry.record is not None else None
        container = drawing.child(DG_CONTAINER) if drawing is not None else None
        return tree(container) if container is not None else []

    def _is_title(self, shape: Shape) -> bool:
        return _placeholder(shape) in _TITLE_PLACEHOLDERS or any(part.kind in TITLES for _, part in self._parts(shape))

    def _ordered(self, shapes: list[Shape]) -> Iterator[str]:
        for shape in _in_reading_order(shapes):
            for text in self._shape(shape):
                if text.strip():
                    yield markdown.hidden(text) if shape.is_hidden else text

    def _shape(self, shape: Shape) -> Iterator[str]:
        if _placeholder(shape) == _SLIDE_NUMBER:
            return
        if shape.is_table and shape.members:
            yield self._table(shape)
            return
        yield "\n".join(self._lines(shape)) or shape.word_art
        pictures = self.deck.presentation.pictures
        if 0 < shape.picture <= len(pictures):
            yield self.deck.pictures.reference(pictures[shape.picture - 1], shape.description)
        yield from self._ordered(shape.members)

    def _lines(self, shape: Shape) -> Iterator[str]:
        for index, part in self._parts(shape):
            self._told.add(index)
            yield from part.lines()

    def _parts(self, shape: Shape) -> list[tuple[int, TextPart]]:
        """The texts of a shape: its own, or those of the outline that it refers to, with their place there."""
        box = shape.part(TEXT_BOX)
        if box is None:
            return []
        reference = box.child(_OUTLINE_REFERENCE)
        if reference is None:
            return [(-1, part) for part in text_parts(box.children(), self.deck.presentation)]
        index = u32(reference.data, reference.start)
        return [(index, self._outline[index])] if index < len(self._outline) else []

    def _table(self, table: Shape) -> str:
        """The cells on the grid that their edges make; a merged cell has its text where it begins."""
        cells = [
            (box, shape) for shape in flat(table.members) if (box := shape.box) and box[0] < box[2] and box[1] < box[3]
        ]
        columns = _edges([box[0] for box, _ in cells])
        rows = _edges([box[1] for box, _ in cells])
        grid = [[""] * len(columns) for _ in rows]
        for box, shape in cells:
            row, column = _edge_at(rows, box[1]), _edge_at(columns, box[0])
            grid[row][column] = "\n".join(filter(None, [grid[row][column], *self._lines(shape)]))
        return markdown.table(grid)

    def _footer(self) -> Iterator[str]:
        """The footer of the slide, told once in the presentation."""
        own = self.entry.record.child(MARGINS) if self.entry.record is not None else None
        text = footer_of(own) if own is not None else self.deck.presentation.footer
        if text and text not in self.deck.footers:
            self.deck.footers.add(text)
            yield text

    def _master(self) -> Iterator[str]:
        """The words of the master that every slide shows, told once; what only holds a place is not told."""
        number = self._named(12)
        master = self.deck.presentation.masters.get(number)
        if master is None or number in self.deck.masters:
            return
        self.deck.masters.add(number)
        page = Slide(self.deck, master)
        for shape in flat(page._shapes()):
            if _placeholder(shape) == 0 and (text := "\n".join(page._lines(shape))):
                yield text

    def _named(self, at: int) -> int:
        """The number of another page that the slide names at a place of its first record; 0 for none."""
        atom = self.entry.record.child(_SLIDE_ATOM) if self.entry.record is not None else None
        return u32(atom.data, atom.start + at) if atom is not None else 0

    def notes(self) -> str:
        """What the speaker wrote under the slide."""
        number = self._named(16)
        page = self.deck.presentation.notes.get(number) if number else None
        return Slide(self.deck, page).own_notes() if page is not None else ""

    def own_notes(self) -> str:
        """The text of a page of notes, then what else stands on it; headers and footers once in the presentation."""
        lines: list[str] = []
        more: list[str] = []
        for shape in flat(self._shapes()):
            kinds = {part.kind for _, part in self._parts(shape)}
            if NOTES in kinds or _placeholder(shape) in _NOTES_PLACEHOLDERS:
                lines += self._lines(shape)
            elif _placeholder(shape) == 0:
                more += [line for line in self._lines(shape) if line != _NUMBER_HELD]
        own = self.entry.record.child(MARGINS) if self.entry.record is not None else None
        for text in margins_of(own) if own is not None else self.deck.presentation.notes_margins:
            if text not in self.deck.footers:
                self.deck.footers.add(text)
                more.append(text)
        return "\n".join([*lines, *more])

    def comments(self) -> Iterator[str]:
        """The remarks of readers, each with its author."""
        tags = self.entry.record.child(_PROGRAM_TAGS) if self.entry.record is not None else None
        for tag in tags.walk() if tags is not None else ():
            if tag.kind != _BINARY_TAG_DATA:
                continue
            for comment in records(tag.data, tag.start, tag.end):
                if comment.kind == _COMMENT:
                    author, text = (_string(comment, instance) for instance in (0, 1))
                    if text:
                        yield f"Comment{f' ({author})' if author else ''}: {text}"


def _string(parent: Record, instance: int) -> str:
    found = parent.child(TEXT, instance=instance)
    return wide_text(found).replace("\r", "\n").strip() if found is not None else ""


def _placeholder(shape: Shape) -> int:
    """What a shape stands for on its slide; 0 for nothing of its own."""
    data = shape.part(CLIENT_DATA)
    atom = data.child(_PLACEHOLDER) if data is not None else None
    return u8(atom.data, atom.start + 4) if atom is not None else 0


def _in_reading_order(shapes: list[Shape]) -> Iterator[Shape]:
    return in_lines(shapes, _place, same_line=_SAME_LINE)


def _place(shape: Shape) -> tuple[float, float] | None:
    box = shape.box or slide_box(shape.client_anchor)
    return (box[1], box[0]) if box is not None else None


def _edges(places: list[int]) -> list[int]:
    edges: list[int] = []
    for place in sorted(places):
        if not edges or place - edges[-1] > _SAME_EDGE:
            edges.append(place)
    return edges


def _edge_at(edges: list[int], place: int) -> int:
    return max((index for index, edge in enumerate(edges) if edge <= place), default=0)
