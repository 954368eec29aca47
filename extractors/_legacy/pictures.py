"""The pictures inside an old Office file: how drawings keep them, and what stands in the text for them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from extractors._album import Album, alternative
from extractors._gallery import MAX_PICTURE_BYTES
from extractors._legacy.numbers import u8, u32
from extractors._legacy.records import Record, record_at, records
from extractors.content import Block

_STORE_ENTRY = 0xF007
_STORE_ENTRY_BYTES = 36
#: JPEG, PNG, bitmap, TIFF, JPEG in CMYK.
_RASTERS = frozenset({0xF01D, 0xF01E, 0xF01F, 0xF029, 0xF02A})
#: EMF, WMF, PICT, packed by themselves behind a header that says how.
_DRAWINGS = frozenset({0xF01A, 0xF01B, 0xF01C})
_DRAWING_HEADER_BYTES, _PACKED_AT = 34, 32


def picture_bytes(blip: Record) -> bytes:
    """The picture in a record of a picture, as it would stand in a file; none where it is broken or something else."""
    start = blip.start + 16 * (1 + (blip.instance & 1))
    if blip.kind in _RASTERS:
        return blip.data[start + 1 : blip.end]
    if blip.kind not in _DRAWINGS:
        return b""
    data = blip.data[start + _DRAWING_HEADER_BYTES : blip.end]
    if u8(blip.data, start + _PACKED_AT):
        return data
    try:
        return zlib.decompressobj().decompress(data, MAX_PICTURE_BYTES)
    except zlib.error:
        return b""


def stored_pictures(store: Record, delayed: bytes) -> list[Record | None]:
    """The pictures of a drawing's store in order; those kept elsewhere are looked up in `delayed`."""
    found: list[Record | None] = []
    for entry in store.children():
        if entry.kind != _STORE_ENTRY:
            found.append(entry)
            continue
        inside = entry.start + _STORE_ENTRY_BYTES + u8(entry.data, entry.start + 33)
        if inside + 8 <= entry.end:
            found.append(record_at(entry.data, inside))
        else:
            found.append(record_at(delayed, u32(entry.data, entry.start + 28)))
    return found


def first_picture(data: bytes, start: int, end: int) -> Record | None:
    """The first picture among the records between two places, also inside containers and store entries."""
    for record in records(data, start, end):
        if record.kind in _RASTERS | _DRAWINGS:
            return record
        if record.kind == _STORE_ENTRY:
            inside = record.start + _STORE_ENTRY_BYTES + u8(data, record.start + 33)
            return record_at(data, inside) if inside + 8 <= record.end else None
    return None


@dataclass(slots=True, kw_only=True)
class Pictures:
    """What stands in the text for the pictures of one file."""

    album: Album

    def reference(self, blip: Record | None, words: str = "") -> str:
        """The reference to a picture with its alternative text; "" where there is none."""
        if blip is None:
            return ""
        data = picture_bytes(blip)
        return self.album.reference(data, words) if data else alternative(words)

    def ended(self) -> Iterator[Block]:
        """What was left out of the pictures."""
        yield from self.album.ended()
