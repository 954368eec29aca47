"""Records with an eight-byte header: those of PowerPoint, and of the drawings in Word, Excel and PowerPoint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from extractors._legacy.numbers import u16, u32

_HEADER_BYTES = 8
#: The version that marks a record as a container of records.
_CONTAINER = 0xF
_MAX_DEPTH = 40


class Record(NamedTuple):
    """One record: its kind, its instance, and where its content lies in `data`."""

    kind: int
    instance: int
    is_container: bool
    data: bytes
    start: int
    end: int

    @property
    def content(self) -> bytes:
        """The bytes after the header."""
        return self.data[self.start : self.end]

    def children(self) -> Iterator[Record]:
        """The records directly inside."""
        return records(self.data, self.start, self.end)

    def child(self, kind: int, instance: int | None = None) -> Record | None:
        """The first record of that kind directly inside."""
        return next((r for r in self.children() if r.kind == kind and instance in {None, r.instance}), None)

    def walk(self, depth: int = 0) -> Iterator[Record]:
        """All records inside, in the order of the file."""
        for record in self.children():
            yield record
            if record.is_container and depth < _MAX_DEPTH:
                yield from record.walk(depth + 1)


def record_at(data: bytes, at: int) -> Record | None:
    """The record whose header is at `at`, cut at the end of the data; None where there is no header."""
    if not 0 <= at <= len(data) - _HEADER_BYTES:
        return None
    head = u16(data, at)
    start = at + _HEADER_BYTES
    end = min(start + u32(data, at + 4), len(data))
    return Record(u16(data, at + 2), head >> 4, head & 0xF == _CONTAINER, data, start, end)


def records(data: bytes, start: int = 0, end: int | None = None) -> Iterator[Record]:
    """The records between two places, one after the other."""
    end = len(data) if end is None else min(end, len(data))
    while start <= end - _HEADER_BYTES:
        record = record_at(data, start)
        if record is None:
            return
        yield record._replace(end=min(record.end, end))
        start = record.end
