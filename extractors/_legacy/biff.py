"""An old Excel workbook (BIFF, versions 2 to 8): what all its sheets share, and where each sheet begins."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, takewhile
from typing import NamedTuple

from extractors._legacy.biff_text import SharedStrings, codec_of, string_in, text_at
from extractors._legacy.numbers import u8, u16, u32
from extractors._legacy.pictures import stored_pictures
from extractors._legacy.records import Record, records
from extractors._ooxml.builtin_formats import BUILTIN, GENERAL
from extractors.content import Status
from extractors.format import Unreadable

BOF = {0x0009: 2, 0x0209: 3, 0x0409: 4, 0x0809: 5}
EOF, CONTINUE = 0x000A, 0x003C
_CODEPAGE, _DATEMODE, _FILEPASS, _BOUNDSHEET, _SST, _DRAWINGGROUP = 0x0042, 0x0022, 0x002F, 0x0085, 0x00FC, 0x00EB
_FORMATS, _XFS = frozenset({0x001E, 0x041E}), frozenset({0x0243, 0x0443, 0x00E0})
_DGG_CONTAINER, _STORE = 0xF000, 0xF001
_VERSION_8 = 0x0600
_HEADER = struct.Struct("<HH")
_MAX_SHEETS = 10_000


class Place(NamedTuple):
    """One record of the stream: its kind, and where its content lies."""

    kind: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetEntry:
    """A sheet as the workbook lists it."""

    name: str
    at: int
    is_hidden: bool = False


@dataclass(slots=True, kw_only=True)
class Workbook:
    """What the sheets of a workbook share."""

    stream: bytes
    version: int
    codec: str = "cp1252"
    since_1904: bool = False
    sheets: list[SheetEntry] = field(default_factory=list)
    strings: SharedStrings = field(default_factory=SharedStrings)
    #: The number format of each cell style.
    formats: list[str] = field(default_factory=list)
    pictures: list[Record | None] = field(default_factory=list)

    def text(self, at: int, *, length_bytes: int = 2) -> str:
        """The string that begins with its length at this place of the stream."""
        return text_at(self.stream, at, is_unicode=self.version >= 8, length_bytes=length_bytes, codec=self.codec)

    def text_over(self, place: Place) -> str:
        """The string that this place begins with and that records may continue."""
        if self.version < 8:
            return self.text(place.start, length_bytes=1 if self.version == 2 else 2)
        more = takewhile(lambda record: record.kind == CONTINUE, places(self.stream, place.end))
        return string_in([self.stream[part.start : part.end] for part in chain([place], more)])


def places(stream: bytes, at: int) -> Iterator[Place]:
    """The records from this place on; the last may be cut."""
    last = len(stream) - _HEADER.size
    while at <= last:
        kind, size = _HEADER.unpack_from(stream, at)
        start = at + _HEADER.size
        at = start + size
        yield Place(kind, start, min(at, len(stream)))


def read_workbook(stream: bytes) -> Workbook:
    """The workbook that this stream begins with. Raises `Unreadable` where it needs a password or is none."""
    first = next(places(stream, 0), None)
    version = BOF.get(first.kind) if first is not None else None
    if first is None or version is None:
        raise Unreadable(Status.REJECTED, "the file is damaged: it does not begin like a workbook")
    if version == 5 and u16(stream, first.start) >= _VERSION_8:
        version = 8
    book = Workbook(stream=stream, version=version)
    _read_globals(book)
    if version < 5:  # one sheet, without a directory
        book.sheets = [SheetEntry(name="Sheet1", at=0)]
    return book


def _read_globals(book: Workbook) -> None:
    stream = book.stream
    codes: dict[int, str] = {}
    styles: list[int] = []
    drawing = bytearray()
    previous = 0
    for kind, start, end in places(stream, 0):
        if kind == EOF:
            break
        if kind == _FILEPASS:
            raise Unreadable(Status.ENCRYPTED, "a password is needed to open this file")
        if kind == CONTINUE:
            if previous == _SST:
                book.strings.pieces.append(stream[start:end])
            elif previous == _DRAWINGGROUP:
                drawing += stream[start:end]
            continue
        previous = kind
        if kind in _FORMATS:
            number = u16(stream, start) if book.version >= 5 else len(codes)
            codes[number] = _format_code(book, kind, start)
        elif kind in _XFS:
            styles.append(u16(stream, start + 2) if book.version >= 5 else u8(stream, start + 1))
        elif kind == _DRAWINGGROUP:
            drawing += stream[start:end]
        else:
            _note(book, kind, start, end)
    builtin = BUILTIN if book.version >= 5 else {}
    # Excel 2 names the format in the cell itself.
    numbers = styles if book.version > 2 else range(len(codes))
    book.formats = [codes.get(number) or builtin.get(number, GENERAL) for number in numbers]
    book.pictures = _pictures(bytes(drawing))


def _format_code(book: Workbook, kind: int, start: int) -> str:
    if kind == 0x001E:
        return book.text(start, length_bytes=1)
    return book.text(start + 2, length_bytes=2 if book.version >= 8 else 1)


def _note(book: Workbook, kind: int, start: int, end: int) -> None:
    if kind == _CODEPAGE:
        book.codec = codec_of(u16(book.stream, start))
    elif kind == _DATEMODE:
        book.since_1904 = u16(book.stream, start) == 1
    elif kind == _SST:
        book.strings.pieces.append(book.stream[start:end])
    elif kind == _BOUNDSHEET and len(book.sheets) < _MAX_SHEETS and u8(book.stream, start + 5) != 6:  # no VBA module
        name = book.text(start + 6, length_bytes=1)
        is_hidden = u8(book.stream, start + 4) & 0x03 != 0
        book.sheets.append(SheetEntry(name=name, at=u32(book.stream, start), is_hidden=is_hidden))


def _pictures(drawing: bytes) -> list[Record | None]:
    container = next((record for record in records(drawing) if record.kind == _DGG_CONTAINER), None)
    store = container.child(_STORE) if container is not None else None
    return stored_pictures(store, b"") if store is not None else []
