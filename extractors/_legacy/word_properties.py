"""The properties of paragraphs and characters in a Word document: lists of small operations (sprm) by place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from extractors._legacy.numbers import u8, u16, u32
from extractors._legacy.word_file import Part, Piece, WordFile
from extractors._legacy.word_old import old_characters

PAGE_BYTES = 512
_TABLE_DEFINITION, _CHANGED_TABS = 0xD608, 0xC615
#: Operations whose operations stand elsewhere, in the data stream.
_ELSEWHERE = frozenset({0x6645, 0x6646, 0x646B})
_SIZES = (1, 1, 2, 4, 2, 2, 0, 3)
_MAX_CACHED_PAGES = 256
#: Word 6 and 95: in a table, end of a row.
_OLD_IN_TABLE, _OLD_ROW_END = b"\x18\x01", b"\x19\x01"
IN_TABLE, ROW_END = 0x2416, 0x2417


class Run(NamedTuple):
    """What the properties of one run are, and the places in the file between which they hold."""

    start: int
    end: int
    style: int
    operations: bytes


def operations(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """The operations of a list, each with its operand."""
    at = 0
    while at + 2 < len(raw):
        code = u16(raw, at)
        at += 2
        size = _SIZES[code >> 13]
        if code == _TABLE_DEFINITION:
            size = u16(raw, at) + 1
        elif size == 0:
            size = 1 + u8(raw, at)
            if code == _CHANGED_TABS and size == 256:
                deleted = u8(raw, at + 1)
                size = 3 + 4 * deleted + 3 * u8(raw, at + 2 + 4 * deleted)
        yield code, raw[at : at + size]
        at += size


@dataclass(slots=True)
class _Pages:
    """One kind of formatting pages, by the place in the file."""

    file: WordFile
    starts: list[int]
    numbers: list[int]
    is_paragraphs: bool
    _read: dict[int, list[Run]] = field(default_factory=dict)

    def run_at(self, place: int) -> Run | None:
        runs = self._runs(bisect_right(self.starts, place) - 1)
        index = bisect_right(runs, place, key=lambda run: run.start) - 1
        return runs[index] if index >= 0 and place < runs[index].end else None

    def _runs(self, index: int) -> list[Run]:
        if not 0 <= index < len(self.numbers):
            return []
        if index not in self._read:
            if len(self._read) >= _MAX_CACHED_PAGES:
                self._read.clear()
            self._read[index] = list(self._page(self.numbers[index]))
        return self._read[index]

    def _page(self, number: int) -> Iterator[Run]:
        page = self.file.main[number * PAGE_BYTES : (number + 1) * PAGE_BYTES]
        count = u8(page, PAGE_BYTES - 1)
        entry_bytes = (7 if self.file.is_old else 13) if self.is_paragraphs else 1
        for index in range(count):
            offset = 2 * u8(page, 4 * (count + 1) + entry_bytes * index)
            style, found = self._content(page, offset) if offset else (0, b"")
            yield Run(u32(page, 4 * index), u32(page, 4 * index + 4), style, found)

    def _content(self, page: bytes, offset: int) -> tuple[int, bytes]:
        size = u8(page, offset)
        if not self.is_paragraphs:
            return 0, page[offset + 1 : offset + 1 + size]
        if self.file.is_old:
            start, end = offset + 1, offset + 1 + 2 * size
        elif size:
            start, end = offset + 1, offset + 2 * size
        else:
            start, end = offset + 2, offset + 2 + 2 * u8(page, offset + 1)
        return u16(page, start), page[start + 2 : end]


@dataclass(slots=True)
class Properties:
    """The properties at each position of a document."""

    file: WordFile
    _paragraphs: _Pages = field(init=False)
    _characters: _Pages = field(init=False)
    _piece_starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._paragraphs = _pages(self.file, Part.PARAGRAPH_PAGES, is_paragraphs=True)
        self._characters = _pages(self.file, Part.CHARACTER_PAGES, is_paragraphs=False)
        self._piece_starts = [piece.start for piece in self.file.pieces]

    def paragraph(self, position: int) -> tuple[int, dict[int, bytes]]:
        """The style of the paragraph around a position, and its operations with their operands."""
        piece = self._piece(position)
        run = self._paragraphs.run_at(_place(piece, position)) if piece is not None else None
        if piece is None or run is None:
            return 0, {}
        if self.file.is_old:
            return run.style, _old_operations(run.operations)
        return run.style, dict(self._followed(run.operations + piece.properties))

    def characters(self, start: int, end: int) -> Iterator[tuple[int, int, dict[int, bytes]]]:
        """The runs between two positions, each with its operations; those without any are not told apart."""
        while start < end:
            piece = self._piece(start)
            if piece is None:
                yield start, end, {}
                return
            place = _place(piece, start)
            run = self._characters.run_at(place)
            last = min(end, piece.end)
            if run is not None:
                last = min(last, start + max(1, (run.end - place + piece.width - 1) // piece.width))
            yield start, last, self._operations(run) if run is not None else {}
            start = last

    def _operations(self, run: Run) -> dict[int, bytes]:
        return old_characters(run.operations) if self.file.is_old else dict(operations(run.operations))

    def _piece(self, position: int) -> Piece | None:
        index = bisect_right(self._piece_starts, position) - 1
        piece = self.file.pieces[index] if index >= 0 else None
        return piece if piece is not None and position < piece.end else None

    def _followed(self, raw: bytes) -> Iterator[tuple[int, bytes]]:
        for code, operand in operations(raw):
            if code in _ELSEWHERE:
                at = u32(operand, 0)
                yield from operations(self.file.data[at + 2 : at + 2 + u16(self.file.data, at)])
            else:
                yield code, operand


def _place(piece: Piece, position: int) -> int:
    return piece.at + piece.width * (position - piece.start)


def _pages(file: WordFile, part: Part, *, is_paragraphs: bool) -> _Pages:
    table = file.part(part)
    number_bytes = 2 if file.is_old else 4
    count = max(0, (len(table) - 4) // (4 + number_bytes))
    starts = [u32(table, 4 * index) for index in range(count)]
    first = 4 * (count + 1)
    numbers = [
        int.from_bytes(table[first + number_bytes * index : first + number_bytes * (index + 1)], "little") & 0x3F_FFFF
        for index in range(count)
    ]
    return _Pages(file, starts, numbers, is_paragraphs)


def _old_operations(raw: bytes) -> dict[int, bytes]:
    """Of Word 6 and 95 only what makes tables."""
    found = {}
    if _OLD_IN_TABLE in raw:
        found[IN_TABLE] = b"\x01"
    if _OLD_ROW_END in raw:
        found[ROW_END] = b"\x01"
    return found
