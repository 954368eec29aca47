"""The shapes of an Office drawing (Escher): ids, properties, places; shared by Word, Excel and PowerPoint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors._legacy.numbers import i16, i32, u16, u32
from extractors._legacy.records import Record, records

DG_CONTAINER, GROUP, SHAPE = 0xF002, 0xF003, 0xF004
_FSP, _FSPGR = 0xF00A, 0xF009
_PROPERTIES = frozenset({0xF00B, 0xF121, 0xF122})
TEXT_BOX, _CHILD_ANCHOR, CLIENT_ANCHOR, CLIENT_DATA = 0xF00D, 0xF00F, 0xF010, 0xF011
_IS_DELETED, _IS_PATRIARCH, _IS_BACKGROUND = 0x008, 0x004, 0x400
_PICTURE, _WORD_ART, _DESCRIPTION, _HIDDEN_GROUP, _TABLE = 0x0104, 0x00C0, 0x0381, 0x03BF, 0x039F
_MAX_DEPTH = 20

#: Left, top, right, bottom.
Box = tuple[int, int, int, int]


@dataclass(slots=True, kw_only=True)
class Shape:
    """One shape, or a group with its shapes."""

    record: Record
    number: int = 0
    box: Box | None = None
    #: The number of its picture in the drawing's store, from 1; 0 for none.
    picture: int = 0
    word_art: str = ""
    description: str = ""
    is_client: bool = False
    is_hidden: bool = False
    is_table: bool = False
    client_anchor: bytes = b""
    members: list[Shape] = field(default_factory=list)

    def part(self, kind: int) -> Record | None:
        """The record of that kind in the shape."""
        return self.record.child(kind)


def shapes(drawing: bytes) -> Iterator[Shape]:
    """All shapes of a drawing in the order of the file, those inside groups too."""
    for record in records(drawing):
        if record.kind == DG_CONTAINER:
            yield from flat(tree(record))


def flat(members: list[Shape]) -> Iterator[Shape]:
    """Groups and what is in them, one after the other."""
    for shape in members:
        yield shape
        yield from flat(shape.members)


def tree(container: Record, depth: int = 0) -> list[Shape]:
    """The shapes directly inside a drawing or a group; a group is its own first shape, with members."""
    found: list[Shape] = []
    for record in container.children():
        if record.kind == SHAPE:
            shape = _shape(record)
            if shape is not None:
                found.append(shape)
        elif record.kind == GROUP and depth < _MAX_DEPTH:
            inside = tree(record, depth + 1)
            head = record.child(SHAPE)
            group = _shape(head) if head is not None else None
            if group is None:  # the group around the whole drawing
                found += inside
            else:
                group.members = inside[1:]
                found.append(group)
    return found


def _shape(record: Record) -> Shape | None:
    shape = Shape(record=record)
    for part in record.children():
        if part.kind == _FSP:
            shape.number = u32(part.data, part.start)
            if u32(part.data, part.start + 4) & (_IS_DELETED | _IS_PATRIARCH | _IS_BACKGROUND):
                return None
        elif part.kind in _PROPERTIES:
            _read_properties(shape, part)
        elif part.kind == CLIENT_ANCHOR:
            shape.client_anchor = part.content
        elif part.kind == _CHILD_ANCHOR:
            left, top, right, bottom = (i32(part.data, part.start + at) for at in (0, 4, 8, 12))
            shape.box = (left, top, right, bottom)
        elif part.kind == CLIENT_DATA:
            shape.is_client = True
    return shape


def _read_properties(shape: Shape, part: Record) -> None:
    """The few properties that say something; long values stand behind the list, in its order."""
    complex_at = part.start + 6 * part.instance
    for at in range(part.start, min(complex_at, part.end - 5), 6):
        key, value = u16(part.data, at), u32(part.data, at + 2)
        number = key & 0x3FFF
        if number == _PICTURE:
            shape.picture = value
        elif number in {_WORD_ART, _DESCRIPTION} and key & 0x8000:
            text = part.data[complex_at : min(complex_at + value, part.end)].decode("utf-16-le", "replace")
            if number == _WORD_ART:
                shape.word_art = text.rstrip("\0")
            else:
                shape.description = text.rstrip("\0")
        elif number == _HIDDEN_GROUP:
            shape.is_hidden = bool(value & 0x2 and value & 0x20000)
        elif number == _TABLE:
            shape.is_table = bool(value & 0x1)
        if key & 0x8000:
            complex_at += value


def slide_box(anchor: bytes) -> Box | None:
    """The place of a shape on a slide, which is kept as top, left, right, bottom in two widths."""
    if len(anchor) >= 16:
        top, left, right, bottom = (i32(anchor, at) for at in (0, 4, 8, 12))
    elif len(anchor) >= 8:
        top, left, right, bottom = (i16(anchor, at) for at in (0, 2, 4, 6))
    else:
        return None
    return left, top, right, bottom
