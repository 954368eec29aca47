"""An old PowerPoint presentation (97 to 2003): its records, found through the edits that the file has seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors._legacy.compound import Compound
from extractors._legacy.numbers import u32, utf16
from extractors._legacy.pictures import stored_pictures
from extractors._legacy.records import Record, record_at, records
from extractors.content import Status
from extractors.format import Unreadable

DOCUMENT, SLIDE, NOTES, DRAWING_GROUP, SLIDE_LIST, LINK_LIST = 0x03E8, 0x03EE, 0x03F0, 0x040B, 0x0FF0, 0x0409
_USER_EDIT, _PERSIST_DIRECTORY, _SLIDE_PERSIST, _ENCRYPTION = 0x0FF5, 0x1772, 0x03F3, 0x2F14
_LINK, _LINK_NUMBER, TEXT = 0x0FD7, 0x0FD3, 0x0FBA
MARGINS, _MARGINS_ATOM, _OF_SLIDES, _OF_NOTES = 0x0FD9, 0x0FDA, 3, 4
_HAS_HEADER, _HAS_FOOTER, _HEADER, _FOOTER = 0x10, 0x20, 1, 2
_EMBEDDED, _OBJECT_ATOM, _STORAGE = 0x0FCC, 0x0FC3, 0x1011
_ENVIRONMENT, _FONTS, _FONT, _FONT_NAME_UNITS = 0x03F2, 0x07D5, 0x0FB7, 32
_DGG_CONTAINER, _STORE = 0xF000, 0xF001
_ENCRYPTED_TOKEN = 0xF3D1C4DF
_SLIDES, _MASTERS, _NOTES_LIST = 0, 1, 2
#: A file for PowerPoint 95 and 97 has both forms; that for 97 is in this folder.
_DUAL = "PP97_DUALSTORAGE"
_OLD_STREAMS = frozenset({"PP40", "Text_Content"})
_MAX_EDITS = 10_000


@dataclass(frozen=True, slots=True)
class SlideEntry:
    """A slide as the presentation lists it: its number, its record, and the texts of its outline."""

    number: int
    record: Record | None
    outline: list[Record]


@dataclass(slots=True, kw_only=True)
class Presentation:
    """What the slides of one file share."""

    slides: list[SlideEntry]
    #: The pages of notes by the number that slides name them by.
    notes: dict[int, SlideEntry] = field(default_factory=dict)
    #: The masters by the number that slides name them by.
    masters: dict[int, SlideEntry] = field(default_factory=dict)
    #: The footer of all slides that have none of their own.
    footer: str = ""
    #: The header and the footer of all pages of notes that have none of their own.
    notes_margins: list[str] = field(default_factory=list)
    links: dict[int, str] = field(default_factory=dict)
    fonts: list[str] = field(default_factory=list)
    pictures: list[Record | None] = field(default_factory=list)
    #: The storages of embedded objects, perhaps packed.
    objects: list[Record] = field(default_factory=list)


def read_presentation(compound: Compound) -> Presentation:
    """The presentation in a compound file. Raises `Unreadable` where it is encrypted, of PowerPoint 95, or none."""
    folder = (_DUAL,) if _DUAL in compound.names() else ()
    stream = compound.read(*folder, "PowerPoint Document") or b""
    user = compound.read(*folder, "Current User") or b""
    offsets = _offsets(stream, u32(user, 16))
    if u32(user, 12) == _ENCRYPTED_TOKEN or any(_kind_at(stream, at) == _ENCRYPTION for at in offsets.values()):
        raise Unreadable(Status.ENCRYPTED, "a password is needed to open this file")
    document = _document(stream, offsets)
    if document is None and _OLD_STREAMS & set(compound.names()):
        raise Unreadable(Status.UNSUPPORTED, "presentations of PowerPoint 95 and before are not read")
    if document is None:
        raise Unreadable(Status.REJECTED, "the file is damaged: the presentation in it cannot be read")
    lists = {record.instance: record for record in document.children() if record.kind == SLIDE_LIST}
    presentation = Presentation(slides=list(_entries(lists.get(_SLIDES), stream, offsets)))
    presentation.masters = {entry.number: entry for entry in _entries(lists.get(_MASTERS), stream, offsets)}
    presentation.notes = {entry.number: entry for entry in _entries(lists.get(_NOTES_LIST), stream, offsets)}
    presentation.footer = footer_of(document.child(MARGINS, instance=_OF_SLIDES))
    presentation.notes_margins = margins_of(document.child(MARGINS, instance=_OF_NOTES))
    presentation.links = dict(_links(document))
    presentation.fonts = list(_fonts(document))
    places = (offsets.get(number, -1) for number in _objects(document))
    found = (record_at(stream, at) for at in places if at >= 0)
    presentation.objects = [record for record in found if record is not None and record.kind == _STORAGE]
    group = document.child(DRAWING_GROUP)
    head = group.child(_DGG_CONTAINER) if group is not None else None
    store = head.child(_STORE) if head is not None else None
    if store is not None:
        presentation.pictures = stored_pictures(store, compound.read(*folder, "Pictures") or b"")
    return presentation


def footer_of(margins: Record | None) -> str:
    """The footer that a record of headers and footers shows."""
    return _margin(margins, _HAS_FOOTER, _FOOTER)


def margins_of(margins: Record | None) -> list[str]:
    """The header and the footer that such a record shows."""
    return [text for text in (_margin(margins, _HAS_HEADER, _HEADER), footer_of(margins)) if text]


def _margin(margins: Record | None, shown: int, instance: int) -> str:
    atom = margins.child(_MARGINS_ATOM) if margins is not None else None
    text = margins.child(TEXT, instance=instance) if margins is not None else None
    is_shown = atom is None or u32(atom.data, atom.start) >> 16 & shown
    return wide_text(text).strip() if text is not None and is_shown else ""


def _objects(document: Record) -> Iterator[int]:
    """The numbers of the records that hold embedded objects, without those that are links or controls."""
    listed = document.child(LINK_LIST)
    for entry in listed.children() if listed is not None else ():
        atom = entry.child(_OBJECT_ATOM) if entry.kind == _EMBEDDED else None
        if atom is not None:
            yield u32(atom.data, atom.start + 16)


def _fonts(document: Record) -> Iterator[str]:
    """The names of the fonts, in the order of their numbers."""
    environment = document.child(_ENVIRONMENT)
    listed = environment.child(_FONTS) if environment is not None else None
    for font in listed.children() if listed is not None else ():
        if font.kind == _FONT:
            yield utf16(font.data, font.start, _FONT_NAME_UNITS).partition("\0")[0]


def _kind_at(stream: bytes, at: int) -> int:
    record = record_at(stream, at)
    return record.kind if record is not None else 0


def _offsets(stream: bytes, last_edit_at: int) -> dict[int, int]:
    """Where each object of the file is, by its number: the newest edit first, older ones for what it left alone."""
    offsets: dict[int, int] = {}
    seen: set[int] = set()
    at = last_edit_at
    while at not in seen and len(seen) < _MAX_EDITS:
        seen.add(at)
        edit = record_at(stream, at)
        if edit is None or edit.kind != _USER_EDIT:
            break
        directory = record_at(stream, u32(stream, edit.start + 12))
        if directory is not None and directory.kind == _PERSIST_DIRECTORY:
            for number, offset in _directory(directory.content):
                offsets.setdefault(number, offset)
        at = u32(stream, edit.start + 8)
    return offsets


def _directory(content: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at + 4 <= len(content):
        head = u32(content, at)
        first, count = head & 0xF_FFFF, head >> 20
        for index in range(min(count, (len(content) - at) // 4)):
            yield first + index, u32(content, at + 4 + 4 * index)
        at += 4 + 4 * count


def _document(stream: bytes, offsets: dict[int, int]) -> Record | None:
    """The record of the whole document: by the directory, else the last one in the stream."""
    found = [record_at(stream, at) for at in offsets.values()]
    named = next((record for record in found if record is not None and record.kind == DOCUMENT), None)
    if named is not None:
        return named
    return next((record for record in reversed(list(records(stream))) if record.kind == DOCUMENT), None)


def _entries(listed: Record | None, stream: bytes, offsets: dict[int, int]) -> Iterator[SlideEntry]:
    entry: SlideEntry | None = None
    for record in listed.children() if listed is not None else ():
        if record.kind == _SLIDE_PERSIST:
            if entry is not None:
                yield entry
            at = offsets.get(u32(record.data, record.start), -1)
            entry = SlideEntry(u32(record.data, record.start + 12), record_at(stream, at), [])
        elif entry is not None:
            entry.outline.append(record)
    if entry is not None:
        yield entry


def _links(document: Record) -> Iterator[tuple[int, str]]:
    """The addresses of the presentation's links by their number."""
    listed = document.child(LINK_LIST)
    for link in listed.children() if listed is not None else ():
        number = link.child(_LINK_NUMBER) if link.kind == _LINK else None
        # Instance 1 is the address; without one the link leads to a slide.
        address = link.child(TEXT, instance=1)
        if number is not None and address is not None:
            yield u32(number.data, number.start), wide_text(address)


def wide_text(record: Record) -> str:
    """The UTF-16 text of a record."""
    return utf16(record.data, record.start, (record.end - record.start) // 2)
