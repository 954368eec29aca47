"""What all stories of one old Word document share while they are read: styles, notes, shapes, pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors._legacy.art import Shape, flat, tree
from extractors._legacy.numbers import u8, u16, u32, utf16
from extractors._legacy.pictures import Pictures, first_picture, stored_pictures
from extractors._legacy.records import Record, record_at
from extractors._legacy.word_file import Part, WordFile
from extractors._legacy.word_properties import Properties
from extractors._legacy.word_styles import Style, read_lists, read_styles
from extractors._ooxml.numbering import Numbering
from extractors.budget import Budget

_STORE, _SHAPE_ANCHOR_BYTES, _TEXT_BOX_BYTES, _COMMENT_BYTES = 0xF001, 26, 22, 30
#: Of form fields.
_CHECK_BOX, _CHOICE, _AS_DEFAULT, _MAX_CHOICES, _MAX_CHOICES_BYTES = 1, 2, 25, 25, 16_384
#: Letters, and the characters that stand for pictures.
_SAYS = re.compile(r"[^\x00-\x20]|[\x01\x08]")
#: The kinds of notes: how a reference to one looks, where the references stand, where the texts are told apart.
NOTE_KINDS = {
    "footnote": ("[^{}]", Part.FOOTNOTE_MARKS, Part.FOOTNOTES, 2),
    "endnote": ("[^e{}]", Part.ENDNOTE_MARKS, Part.ENDNOTES, 2),
    "comment": ("[comment {}]", Part.COMMENT_MARKS, Part.COMMENTS, _COMMENT_BYTES),
}


@dataclass(frozen=True, slots=True)
class Note:
    """A note: the reference that stands in the text, who wrote it, and the positions between which its text is."""

    reference: str
    author: str
    start: int
    end: int


@dataclass(slots=True, kw_only=True)
class WordDocument:
    """One document while it is read."""

    file: WordFile
    budget: Budget
    pictures: Pictures
    properties: Properties = field(init=False)
    styles: list[Style] = field(init=False)
    numbering: Numbering = field(init=False)
    #: The notes of each kind, and the references by position.
    notes: dict[str, list[Note]] = field(init=False)
    references: dict[int, str] = field(default_factory=dict)
    #: The shapes anchored at a position, the positions of the text in shapes.
    anchors: dict[int, Shape] = field(init=False)
    boxes: dict[int, tuple[int, int]] = field(init=False)
    margin_boxes: dict[int, tuple[int, int]] = field(init=False)
    has_tracked_changes: bool = False
    tables: int = 0
    #: The folders of embedded objects, in the order in which they stand in the text.
    objects: dict[str, None] = field(default_factory=dict)
    _stored: list[Record | None] = field(init=False)

    def __post_init__(self) -> None:
        self.properties = Properties(self.file)
        self.styles = read_styles(self.file)
        self.numbering = read_lists(self.file)
        self.notes = {kind: list(self._notes(kind)) for kind in NOTE_KINDS}
        shapes, self._stored = _drawings(self.file)
        self.anchors = _anchors(self.file, shapes)
        stories = self.file.stories
        self.boxes = _boxes(self.file, Part.TEXT_BOXES, stories.text_boxes)
        self.margin_boxes = _boxes(self.file, Part.MARGIN_TEXT_BOXES, stories.margin_boxes)

    def style(self, number: int) -> Style:
        """The paragraph style of that number; one that says nothing where there is none."""
        return self.styles[number] if 0 <= number < len(self.styles) else Style()

    def _notes(self, kind: str) -> Iterator[Note]:
        form, marks_part, texts_part, entry_bytes = NOTE_KINDS[kind]
        marks, texts = self.file.part(marks_part), self.file.part(texts_part)
        stories = self.file.stories
        base = {"footnote": stories.footnotes, "endnote": stories.endnotes, "comment": stories.comments}[kind]
        authors = _names(self.file.part(Part.AUTHORS)) if kind == "comment" else []
        count = max(0, (len(marks) - 4) // (4 + entry_bytes))
        shown = 0
        for index in range(min(count, len(texts) // 4 - 1)):
            start, end = base + u32(texts, 4 * index), base + u32(texts, 4 * index + 4)
            if kind == "comment" and not _SAYS.search(self.file.text, start, end):
                continue  # its mark would lead nowhere
            shown += 1
            reference = form.format(shown)
            self.references[u32(marks, 4 * index)] = reference
            number = u16(marks, 4 * (count + 1) + entry_bytes * index + 20)
            author = authors[number] if number < len(authors) else ""
            yield Note(reference, author, start, end)

    def inline_picture(self, at: int) -> str:
        """What stands in the text for the picture that the data stream describes at a place."""
        data = self.file.data
        end = at + u32(data, at)
        start = at + u16(data, at + 4)
        if not at < start < end <= len(data):
            return ""
        if u16(data, at + 6) == 0x66:  # behind the name of the file that it came from
            start += 1 + u8(data, start)
        words = next((shape.description for shape in tree(_whole(data, start, end)) if shape.description), "")
        return self.pictures.reference(first_picture(data, start, end), words)

    def floating_picture(self, shape: Shape) -> str:
        """What stands in the text for the picture of a shape; "" where it has none."""
        if not 0 < shape.picture <= len(self._stored):
            return ""
        return self.pictures.reference(self._stored[shape.picture - 1], shape.description)

    def form_field(self, at: int) -> str:
        """What the form field shows that the data stream describes at a place: a box, a choice; "" for others."""
        data = self.file.data
        at += u16(data, at + 4)
        bits = u16(data, at + 4)
        kind, result = bits & 0x3, bits >> 2 & 0x1F
        if u32(data, at) != 0xFFFF_FFFF or kind not in {_CHECK_BOX, _CHOICE}:
            return ""
        default_at = at + 14 + 2 * u16(data, at + 10)
        if result == _AS_DEFAULT:
            result = u16(data, default_at)
        if kind == _CHECK_BOX:
            return "☑" if result == 1 else "☐"
        at = default_at + 2
        for _ in range(5):  # its format, its help, its status line, its macros
            at += 4 + 2 * u16(data, at)
        choices = _names(data[at + 6 : at + 6 + _MAX_CHOICES_BYTES], min(u16(data, at + 2), _MAX_CHOICES))
        return choices[result] if result < len(choices) else ""


def _whole(data: bytes, start: int, end: int) -> Record:
    return Record(0, 0, True, data, start, end)  # noqa: FBT003 - the fields of a record, in its order


def _drawings(file: WordFile) -> tuple[dict[int, Shape], list[Record | None]]:
    """The shapes of the body and the margins by number, and the pictures that they share."""
    part = file.part(Part.DRAWINGS)
    head = record_at(part, 0)
    if head is None:
        return {}, []
    store = head.child(_STORE)
    shapes: dict[int, Shape] = {}
    at = head.end + 1  # each drawing stands behind a byte that says where it belongs
    while (drawing := record_at(part, at)) is not None:
        for shape in tree(drawing):
            shapes[shape.number] = shape
        at = drawing.end + 1
    return shapes, stored_pictures(store, file.main) if store is not None else []


def _anchors(file: WordFile, shapes: dict[int, Shape]) -> dict[int, Shape]:
    """The shapes by the position of the character that stands for them, in the body and in the margins."""
    found: dict[int, Shape] = {}
    for part, base in ((Part.ANCHORS, 0), (Part.MARGIN_ANCHORS, file.stories.margins)):
        table = file.part(part)
        count = max(0, (len(table) - 4) // (4 + _SHAPE_ANCHOR_BYTES))
        for index in range(count):
            number = u32(table, 4 * (count + 1) + _SHAPE_ANCHOR_BYTES * index)
            if number in shapes:
                found[base + u32(table, 4 * index)] = shapes[number]
    return found


def _boxes(file: WordFile, part: Part, base: int) -> dict[int, tuple[int, int]]:
    """The positions of the text in each shape, in the order of the text; the last entry of the table is no box."""
    table = file.part(part)
    count = max(0, (len(table) - 4) // (4 + _TEXT_BOX_BYTES))
    found: dict[int, tuple[int, int]] = {}
    for index in range(count):
        number = u32(table, 4 * (count + 1) + _TEXT_BOX_BYTES * index + 14)
        if number:
            found[number] = (base + u32(table, 4 * index), base + u32(table, 4 * index + 4))
    return found


def box_numbers(shape: Shape) -> list[int]:
    """The numbers of a shape and of all in it."""
    return [inner.number for inner in flat([shape])]


def _names(table: bytes, most: int = 1_000) -> list[str]:
    names: list[str] = []
    at = 0
    while at + 2 <= len(table) and len(names) < most:
        chars = u16(table, at)
        names.append(utf16(table, at + 2, chars))
        at += 2 + 2 * chars
    return names
