"""What lies on a page, a sheet or a slide: text boxes, tables, pictures, charts, groups of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors import markdown
from extractors._album import Album
from extractors._iwork.archive import Archive
from extractors._iwork.protobuf import Message
from extractors._iwork.story import STORAGES, Notes, Story
from extractors._iwork.tables import Table
from extractors._parts import Parts
from extractors.budget import Budget
from extractors.content import Block, Text, Truncated
from extractors.format import Unreadable
from extractors.limits import MIB

_SHAPE, _IMAGE, _MOVIE, _GROUP, _TABLE, _TABLE_MODEL, _STICKY = 2011, 3005, 3007, 3008, 6000, 6001, 2014
_CHARTS = frozenset({5000, 5004, 5021})
_FLOW = 2410
#: Kinds whose first field is a shape: placeholders of Keynote, captions.
_SHAPES_WITHIN = frozenset({7, 12, 633})
_CHART_FIELD = 10_000
_EQUATION, _OLD_EQUATION = 103, 100
_MAX_DEPTH = 20
_MAX_PICTURE_BYTES = 64 * MIB
_MAX_CHART_ROWS = 100


@dataclass(slots=True, kw_only=True)
class Drawings:
    """Reads drawings by their id, each once."""

    archive: Archive
    parts: Parts
    budget: Budget
    album: Album
    notes: Notes = field(default_factory=Notes)
    #: What was read already: drawings, tables and storages.
    seen: set[int] = field(default_factory=set)

    def storage(self, reference: int, depth: int = _MAX_DEPTH) -> Iterator[Block]:
        """The paragraphs of a storage, and each drawing after the paragraph it hangs in. Lists stay together."""
        record = self.archive.get(reference)
        if record is None or record.kind not in STORAGES or reference in self.seen or not depth:
            return
        self.seen.add(reference)
        items: list[str] = []
        for paragraph in Story(archive=self.archive, storage=record.message, notes=self.notes).paragraphs():
            if self.budget.is_late or self.budget.text_is_spent:
                yield Truncated("the rest of the text")
                break
            if items and not paragraph.is_item:
                yield Text("\n".join(items))
                items = []
            if paragraph.is_item:
                items.append(paragraph.markdown)
            elif paragraph.markdown:
                yield Text(paragraph.markdown)
            for drawable in paragraph.drawables:
                yield from self.drawing(drawable, depth - 1)
        if items:
            yield Text("\n".join(items))

    def plain(self, reference: int) -> str:
        """The text of a storage as lines."""
        return "\n".join(block.markdown for block in self.storage(reference) if isinstance(block, Text))

    def drawing(self, reference: int, depth: int = _MAX_DEPTH) -> Iterator[Block]:
        """The blocks of one drawing."""
        record = self.archive.get(reference)
        if record is None or reference in self.seen or not depth:
            return
        self.seen.add(reference)
        kind, message = record.kind, record.message
        if kind == _SHAPE or kind in _SHAPES_WITHIN:
            yield from self._shape(message if kind == _SHAPE else message.message(1), depth)
        elif kind == _TABLE:
            yield from self.table(message.reference(2))
        elif kind == _GROUP:
            for child in self.sorted_by_place(message.references(2)):
                yield from self.drawing(child, depth - 1)
        elif kind in {_IMAGE, _MOVIE}:
            yield from self._picture(message)
        elif kind == _STICKY:  # what it says stands among the comments
            self.seen.update((message.message(1).reference(4), message.message(1).reference(2)))
        elif kind in _CHARTS:
            yield from _chart(message.message(_CHART_FIELD).message(7))
        yield from self._captions(message, kind, depth)

    def _shape(self, shape: Message, depth: int) -> Iterator[Block]:
        flow = self.archive.get(shape.reference(3))
        in_flow = flow.message.reference(1) if flow is not None and flow.kind == _FLOW else 0
        yield from self.storage(shape.reference(4) or in_flow or shape.reference(2), depth - 1)

    def table(self, reference: int) -> Iterator[Block]:
        """One table by its model, with its name where the document shows it."""
        record = self.archive.get(reference)
        if record is None or record.kind != _TABLE_MODEL or reference in self.seen:
            return
        self.seen.add(reference)
        table = Table(archive=self.archive, model=record.message, text_of=self.plain)
        blocks = list(table.blocks(self.budget))
        if table.name and (record.message.number(22) or not blocks):
            yield Text(f"#### {' '.join(table.name.split())}" + ("" if blocks else "\n(no cells)"))
        yield from blocks
        yield from self.album.drain()

    def _picture(self, image: Message) -> Iterator[Block]:
        described = image.message(1).text(8)
        equation = image.text(_EQUATION) or image.text(_OLD_EQUATION)
        if equation.strip():
            yield Text(f"${' '.join(equation.split())}$")
            return
        for name in (11, 13, 12):
            part = f"data/{self.archive.media_name(image.reference(name))}"
            if not self.parts.has(part):
                continue
            try:
                data = self.parts.read(part, max_bytes=_MAX_PICTURE_BYTES)
            except Unreadable:
                self.parts.lost.append(part)
                continue
            if reference := self.album.reference(data, described):
                yield Text(reference)
            yield from self.album.drain()
            return
        if described.strip():
            yield Text(markdown.image_reference(described))

    def _captions(self, drawing: Message, kind: int, depth: int) -> Iterator[Block]:
        """The title and the caption under a drawing, unless they are hidden."""
        super_drawing = drawing.message(1)
        if kind == _SHAPE or kind in _SHAPES_WITHIN:
            super_drawing = super_drawing.message(1)
        for name, hidden in ((10, 12), (11, 13)):
            caption = super_drawing.reference(name)
            if caption and super_drawing.number(hidden):
                self.seen.add(self.archive.message(caption).message(1).reference(4))
            elif caption:
                yield from self.drawing(caption, depth - 1)

    def sorted_by_place(self, references: list[int]) -> list[int]:
        """The drawings from top to bottom, and from left to right."""
        return sorted(references, key=self._place)

    def _place(self, reference: int) -> tuple[float, float]:
        message = self.archive.message(reference)
        for _ in range(4):
            # The geometry stands in the innermost of the messages that each kind begins with.
            message = message.message(1)
            place = message.message(1).message(1)
            if place.real(1) or place.real(2):
                return place.real(2), place.real(1)
        return 0.0, 0.0


def _chart(grid: Message) -> Iterator[Block]:
    """The data behind a chart: a row for each name."""
    names, columns = grid.texts(1), grid.texts(2)
    rows = [["", *columns]]
    for name, row in zip(names, grid.messages(3), strict=False):
        rows.append([name, *(f"{value.real(1):.10g}" if value.has(1) else "" for value in row.messages(1))])
    if len(rows) > 1:
        yield Text(f"Chart:\n\n{markdown.table(rows[:_MAX_CHART_ROWS])}")
