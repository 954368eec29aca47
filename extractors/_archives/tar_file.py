"""tar, read from front to back: a header that points back cannot make it loop."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import IO, cast

from extractors._archives.gate import DAMAGED, LINK, Gate, Source
from extractors._archives.names import decoded_names
from extractors.content import LeftOut, Member, Status
from extractors.format import Unreadable

_CUT_OFF = "the archive is damaged or cut off"


class Joined:
    """Bytes that were read already, and the source that they came from, if there is more of it."""

    def __init__(self, head: bytes, source: Source | None = None) -> None:
        self._head = head
        self._source = source
        #: The last bytes that were read.
        self.tail = b""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes."""
        piece, self._head = self._head[:size], self._head[size:]
        if not piece and self._source is not None:
            piece = self._source.read(size)
        self.tail = (self.tail + piece)[-tarfile.BLOCKSIZE :]
        return piece


def tar_members(source: Joined, gate: Gate) -> Iterator[Member | LeftOut]:
    """The files of a tar in their order. Raises `Unreadable` where it breaks off."""
    try:
        # tarfile asks its stream for nothing but `read`.
        stream = cast("IO[bytes]", source)
        with tarfile.open(fileobj=stream, mode="r|", encoding="utf-8", errors="surrogateescape") as archive:
            while (info := archive.next()) is not None:
                archive.members.clear()  # type: ignore[attr-defined] # not in the stubs; tarfile keeps all it has passed
                if info.size < 0:
                    raise tarfile.ReadError
                if not info.isdir():
                    yield _unpacked(archive, info, gate)
    except (tarfile.TarError, EOFError, OSError, ValueError, OverflowError) as exc:
        raise Unreadable(Status.REJECTED, _CUT_OFF) from exc
    if any(source.tail):  # blocks of nothing end a tar, and tarfile does not miss them
        raise Unreadable(Status.REJECTED, _CUT_OFF)


def _unpacked(archive: tarfile.TarFile, info: tarfile.TarInfo, gate: Gate) -> Member | LeftOut:
    name = decoded_names([info.name.encode("utf-8", "surrogateescape")])[0]
    if not info.isfile():
        return LeftOut(name, LINK, is_loss=False)
    if (left := gate.refused(name, info.size)) is not None:
        return left
    part = archive.extractfile(info)
    # The bytes are paid for as they leave the stream: a tar itself packs nothing.
    found = gate.unpacked(name, part, info.size) if part is not None else LeftOut(name, DAMAGED)
    if isinstance(found, Member) and len(found.data) < info.size:
        return LeftOut(name, DAMAGED)
    return found
