"""The objects of an IWA package by their id: snappy chunks, then a stream of typed protobuf messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import cramjam

from extractors._iwork.protobuf import Message, varint
from extractors._parts import Parts
from extractors.budget import Budget
from extractors.content import Status
from extractors.format import Unreadable
from extractors.limits import MIB

#: Programs write chunks of 64 KiB; the length that a chunk claims is allocated before it is unpacked.
_MAX_CHUNK_BYTES = MIB
_CHUNK_HEADER_BYTES = 4
_MAX_OBJECTS = 500_000
_PACKAGE_METADATA = 11006


@dataclass(frozen=True, slots=True)
class Record:
    """One object: the number of its type, and what it says."""

    kind: int
    message: Message


@dataclass(slots=True, kw_only=True)
class Archive:
    """Every object of a document, and the parts that hold its pictures."""

    records: dict[int, Record] = field(default_factory=dict)
    #: Names of components that could not be read to their end.
    lost: list[str] = field(default_factory=list)
    _media: dict[int, str] | None = None

    def get(self, reference: int) -> Record | None:
        """The object of that id; None where it is missing."""
        return self.records.get(reference)

    def message(self, reference: int) -> Message:
        """What the object of that id says; nothing where it is missing."""
        record = self.records.get(reference)
        return record.message if record is not None else Message(b"")

    def of_kinds(self, *kinds: int) -> Iterator[int]:
        """The ids of all objects of these types, in the order of the file."""
        return (reference for reference, record in self.records.items() if record.kind in kinds)

    def media_name(self, data_id: int) -> str:
        """The name of the file that holds a picture's data; "" where there is none."""
        if self._media is None:
            infos = (info for place in self.of_kinds(_PACKAGE_METADATA) for info in self.message(place).messages(4))
            self._media = {info.number(1): info.text(4) or info.text(3) for info in infos}
        return self._media.get(data_id, "")


def read_archive(parts: Parts, budget: Budget) -> Archive:
    """The objects of all components in the package, those that can be read."""
    archive = Archive()
    for name in parts.entries:
        if not name.endswith(".iwa"):
            continue
        try:
            _take(archive, _unpacked(parts.read(name), budget))
        except (cramjam.DecompressionError, ValueError, IndexError):
            archive.lost.append(name)
        except Unreadable:
            if budget.inflated_bytes_left < 0 or len(archive.records) > _MAX_OBJECTS:
                raise
            archive.lost.append(name)  # one broken component does not lose the others
    return archive


def _take(archive: Archive, data: bytes) -> None:
    at = 0
    while at < len(data):
        length, at = varint(data, at)
        info = Message(data[at : at + length])
        at += length
        for place, part in enumerate(info.messages(2)):
            size = part.number(3)
            if place == 0:  # what follows in the same object are differences for older programs
                archive.records[info.number(1)] = Record(part.number(1), Message(data[at : at + size]))
            at += size
        if len(archive.records) > _MAX_OBJECTS:
            raise Unreadable(Status.REJECTED, f"the document has more than {_MAX_OBJECTS:,} objects")


def _unpacked(data: bytes, budget: Budget) -> bytes:
    pieces: list[bytes] = []
    at = 0
    while at + _CHUNK_HEADER_BYTES <= len(data) and data[at] == 0:
        length = int.from_bytes(data[at + 1 : at + _CHUNK_HEADER_BYTES], "little")
        at += _CHUNK_HEADER_BYTES
        chunk = data[at : at + length]
        at += length
        claimed, _ = varint(chunk, 0)
        if claimed > _MAX_CHUNK_BYTES:
            raise ValueError("the chunk claims to be larger than any program writes")
        if not budget.take_inflated(claimed):
            max_mib = budget.limits.office_zip_max_uncompressed_bytes // MIB
            raise Unreadable(Status.REJECTED, f"the file inflates to more than {max_mib} MiB")
        pieces.append(bytes(cramjam.snappy.decompress_raw(chunk)))
    return b"".join(pieces)
