"""What gzip, bzip2 and xz hold: one file, or a tar. Every byte is paid for as it unpacks."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from extractors._archives.gate import Gate, whole
from extractors._archives.names import decoded_names
from extractors._archives.tar_file import Joined, tar_members
from extractors._magic import GZIP, TAR_BLOCK_BYTES, is_tar_header
from extractors._media_types import type_of_name
from extractors.budget import Budget
from extractors.content import Block, Detection, ExtractionWarning, Job, LeftOut, Member, Status, Truncated, Warned
from extractors.format import Unreadable
from extractors.limits import MIB

BZIP2 = "application/x-bzip2"
XZ = "application/x-xz"
#: Suffixes of a compressed file, and what the name ends in without the compression.
_SUFFIXES = {"gz": "", "bz2": "", "xz": "", "tgz": ".tar", "tbz": ".tar", "tbz2": ".tar", "txz": ".tar", "svgz": ".svg"}
_GZIP_EXTRA, _GZIP_NAME = 0x4, 0x8
_GZIP_HEADER_BYTES = 10
_PACKED_BYTES = 64 * 1024
_DAMAGE = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, RuntimeError)


def compressed_members(job: Job, detection: Detection, gate: Gate) -> Iterator[Block | Member | LeftOut]:
    """The one file in there, or those of the tar that it is."""
    source = Unpacking(job.data, detection.media_type, gate.budget)
    head = whole(source, TAR_BLOCK_BYTES - 1)
    if is_tar_header(head):
        yield from tar_members(Joined(head, source), gate)
        return
    max_bytes = gate.max_bytes(len(job.data))
    data = head + whole(source, max_bytes - len(head))
    if not data and source.is_damaged:
        raise Unreadable(Status.REJECTED, "the file is damaged: it cannot be unpacked")
    if source.is_damaged:
        problem = "the compressed file is damaged or cut off"
        yield Warned(ExtractionWarning(problem=problem, consequence="only what unpacks is read"), partial=True)
    if len(data) > max_bytes:
        yield Truncated(f"what follows the first {max_bytes / MIB:.3g} MiB unpacked")
    yield Member(_inner_name(job, detection), data[:max_bytes], is_whole=True)


class Unpacking:
    """A compressed file to read from, of one or several streams; ends early where it is damaged."""

    def __init__(self, data: bytes, media_type: str, budget: Budget) -> None:
        self._new = _DECOMPRESSORS[media_type]
        self._stream = self._new()
        self._has_begun = False
        self._data = data
        self._at = 0
        self._budget = budget
        #: True once the file turned out to be damaged, or to end too early.
        self.is_damaged = False

    def read(self, size: int, /) -> bytes:
        """Up to `size` unpacked bytes."""
        try:
            piece = self._piece(size)
        except _DAMAGE:
            # What stands behind a whole stream is rubbish of a download, and nothing is lost with it.
            self.is_damaged = self._has_begun or not self._at
            return b""
        if not self._budget.take_inflated(len(piece)):
            max_mib = self._budget.limits.office_zip_max_uncompressed_bytes // MIB
            raise Unreadable(Status.REJECTED, f"the file unpacks to more than {max_mib} MiB")
        return piece

    def _piece(self, size: int) -> bytes:
        while not self.is_damaged:
            if self._stream.eof and not self._begin_next():
                break
            packed = self._next_packed() if self._stream.needs_input else b""
            if piece := self._stream.decompress(packed, size):
                self._has_begun = True
                return piece
            if self._stream.needs_input and self._at >= len(self._data) and not self._stream.eof:
                self.is_damaged = True
        return b""

    def _next_packed(self) -> bytes:
        packed = self._data[self._at : self._at + _PACKED_BYTES]
        self._at += len(packed)
        return packed

    def _begin_next(self) -> bool:
        """Goes on to the stream behind one that has ended; False where there is none."""
        self._at -= len(self._stream.unused_data)
        while self._data[self._at : self._at + 1] == b"\0":
            self._at += 1
        if self._at >= len(self._data):
            return False
        self._stream, self._has_begun = self._new(), False
        return True


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /, max_length: int = -1) -> bytes: ...


class _Gunzip:
    """zlib with the manners of bz2 and lzma: it keeps what it was given and could not use yet."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, /, max_length: int = -1) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)


_DECOMPRESSORS: dict[str, Callable[[], _Decompressor]] = {
    GZIP: _Gunzip,
    BZIP2: bz2.BZ2Decompressor,
    XZ: lzma.LZMADecompressor,
}


def _inner_name(job: Job, detection: Detection) -> str:
    """The name of the file inside: the container's without its last suffix, or what gzip has kept."""
    stem, _, suffix = (job.name or "").rpartition(".")
    ending = _SUFFIXES.get(suffix.lower())
    name = f"{stem}{ending}" if stem and ending is not None else job.name or ""
    if type_of_name(name) is None and detection.media_type == GZIP:
        return _kept_by_gzip(job.data) or name
    return name


def _kept_by_gzip(data: bytes) -> str:
    """The name in the header, or ""."""
    flags = data[3] if len(data) > _GZIP_HEADER_BYTES else 0
    at = _GZIP_HEADER_BYTES
    if flags & _GZIP_EXTRA:
        at += 2 + int.from_bytes(data[at : at + 2], "little")
    return decoded_names([data[at : data.find(b"\0", at)][:255]])[0] if flags & _GZIP_NAME else ""
