"""A ZIP that lost its directory, which stands at its end: a new one is made from the headers before the parts.

The parts are read through it as through any other, with the same checks.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Iterator
from typing import NamedTuple

_HEADER = struct.Struct("<4s2xHHHHLLLHH")
_DIRECTORY_ENTRY = struct.Struct("<4s4B4HL2L5H2L")
_DIRECTORY_END = struct.Struct("<4s4H2LH")
_HEADER_MARK = b"PK\3\4"
#: What may come after a part whose header does not tell its size.
_NEXT = re.compile(rb"PK(?:\x03\x04|\x01\x02|\x05\x06)")
_VERSION = 20
_ENCRYPTED, _SIZE_FOLLOWS, _IN_UTF8 = 0x1, 0x8, 0x800
#: From here on sizes stand elsewhere.
_MAX_BYTES = 0xFFFF_FFFE


class Salvaged(zipfile.ZipFile):
    """A ZIP whose directory is not its own."""


class _Entry(NamedTuple):
    name: bytes
    at: int
    flags: int
    method: int
    crc: int
    packed_bytes: int
    unpacked_bytes: int
    #: All of it is there, and its header told its size.
    is_whole: bool


def salvage(data: bytes, *, max_entries: int) -> Salvaged | None:
    """The parts that can be found in what is left of a ZIP; None where there are none, or more than `max_entries`."""
    entries: list[_Entry] = []
    for number, entry in enumerate(_entries(data)):
        if number == min(max_entries, 0xFFFF):
            return None
        # What is damaged may look encrypted; where the first part is, they all are.
        if _is_sound(entry) and not (entries and (entry.flags ^ entries[0].flags) & _ENCRYPTED):
            entries.append(entry)
    if not entries or len(data) > _MAX_BYTES:
        return None
    directory = b"".join(map(_directory_entry, entries))
    count = len(entries)
    end = _DIRECTORY_END.pack(b"PK\5\6", 0, 0, count, count, len(directory), len(data), 0)
    archive = Salvaged(io.BytesIO(data + directory + end))
    for info, entry in zip(archive.infolist(), entries, strict=True):
        if not entry.is_whole:
            del info.CRC  # then it is not compared: of a part that breaks off we want what is there
    return archive


def _entries(data: bytes) -> Iterator[_Entry]:
    at = data.find(_HEADER_MARK)
    while 0 <= at <= len(data) - _HEADER.size:
        _, flags, method, _, _, crc, packed, size, name_bytes, extra_bytes = _HEADER.unpack_from(data, at)
        name_at = at + _HEADER.size
        start = name_at + name_bytes + extra_bytes
        if start > len(data):
            return
        is_whole = not flags & _SIZE_FOLLOWS and max(packed, size) <= _MAX_BYTES and start + packed <= len(data)
        if not is_whole:
            found = _NEXT.search(data, start) if flags & _SIZE_FOLLOWS else None
            packed, size = (found.start() if found else len(data)) - start, _MAX_BYTES
        name = data[name_at : name_at + name_bytes]
        yield _Entry(name, at, flags, method, crc, packed, size, is_whole)
        at = data.find(_HEADER_MARK, start + packed)


def _is_sound(entry: _Entry) -> bool:
    if entry.method not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} or not entry.name:
        return False
    try:
        entry.name.decode("utf-8" if entry.flags & _IN_UTF8 else "cp437")
    except UnicodeDecodeError:
        return False
    return True


def _directory_entry(entry: _Entry) -> bytes:
    head = _DIRECTORY_ENTRY.pack(
        b"PK\1\2", _VERSION, 0, _VERSION, 0, entry.flags, entry.method, 0, 0,
        entry.crc, entry.packed_bytes, entry.unpacked_bytes, len(entry.name), 0, 0, 0, 0, 0, entry.at,
    )  # fmt: skip
    return head + entry.name
