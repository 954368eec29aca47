"""7z, each solid block unpacked from front to back, in this process and without threads.

py7zr reads the directory and makes the decompressors. That for PPMd breaks memory on damaged data (pyppmd 1.3.1), so it
is not used. py7zr's own extraction asks the system for free memory, which opens a file, and hands nothing out before
all is unpacked.
"""

from __future__ import annotations

import io
import lzma
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import Cryptodome.Cipher._mode_cbc  # noqa: F401 - py7zr loads it with the first password, when a child cannot any more
import py7zr
from py7zr.exceptions import ArchiveError, PasswordRequired, UnsupportedCompressionMethodError
from py7zr.properties import CompressionMethod
from py7zr.py7zr import ArchiveFile

from extractors._archives.gate import DAMAGED, LINK, LOCKED, WRONG_PASSWORD, Gate
from extractors.content import Job, LeftOut, Member, Status
from extractors.format import Unreadable

_CHUNK_BYTES = 256 * 1024


def seven_zip_members(job: Job, gate: Gate) -> Iterator[Member | LeftOut]:
    """The files of a 7z, block by block."""
    file = io.BytesIO(job.data)
    archive = _opened(file, job.password)
    if not hasattr(archive, "files"):
        return  # py7zr's way of saying that there are none
    streams = archive.header.main_streams
    in_blocks: set[int] = set()
    if streams is not None:
        positions = streams.packinfo.packpositions
        for number, folder in enumerate(streams.unpackinfo.folders):
            files = list(folder.files or ())
            in_blocks.update(part.id for part in files)
            file.seek(archive.afterheader + positions[number])
            block = _Block(file=file, files=files, gate=gate, has_password=job.password is not None)
            yield from block.members()
    for part in archive.files:
        if part.id not in in_blocks and not part.is_directory:
            yield gate.refused(part.filename) or gate.member(part.filename, b"")


def _opened(file: io.BytesIO, password: str | None) -> py7zr.SevenZipFile:
    try:
        return py7zr.SevenZipFile(file, password=password)
    except PasswordRequired as exc:
        raise Unreadable(Status.ENCRYPTED, "a password is needed to open this file") from exc
    except _DAMAGE as exc:
        if password is not None:
            raise Unreadable(Status.ENCRYPTED, "the file is damaged, or the password does not open it") from exc
        raise Unreadable(Status.REJECTED, "the archive is damaged: its directory cannot be read") from exc


@dataclass(slots=True, kw_only=True)
class _Block:
    """One solid block: what stands before a file must be unpacked to reach it."""

    file: io.BytesIO
    files: list[ArchiveFile]
    gate: Gate
    has_password: bool
    _passed_over_bytes: int = 0

    def members(self) -> Iterator[Member | LeftOut]:
        problem: str | None = None
        for part in self.files:
            left = self._refused(part)
            if left is None and problem is None:
                try:
                    data = self._unpacked(part)
                except _DAMAGE as exc:
                    problem = self._problem(exc)
            if left is not None:
                self._passed_over_bytes += part.uncompressed
                yield left
            elif problem is not None:
                is_locked = problem in {LOCKED, WRONG_PASSWORD}
                yield self.gate.left_locked(part.filename, problem) if is_locked else LeftOut(part.filename, problem)
            else:
                yield self.gate.member(part.filename, data)

    def _refused(self, part: ArchiveFile) -> LeftOut | None:
        if not part.is_file:
            return LeftOut(part.filename, LINK, is_loss=False)
        if part.uncompressed > self.gate.max_bytes(self.files[0].compressed or 0):
            return self.gate.refused(part.filename, part.uncompressed) or LeftOut(
                part.filename, "it unpacks to too much"
            )
        return self.gate.refused(part.filename, part.uncompressed)

    def _unpacked(self, part: ArchiveFile) -> bytes:
        """The bytes of one file; `_refused` has bounded how many they may be."""
        for piece in self._pieces(self._passed_over_bytes):
            if not self.gate.budget.take_inflated(len(piece)) or self.gate.budget.is_late:
                raise _TooMuch
        self._passed_over_bytes = 0
        data = b"".join(self._pieces(part.uncompressed))
        if part.crc32 is not None and zlib.crc32(data) != part.crc32:
            raise EOFError
        return data

    def _pieces(self, size_bytes: int) -> Iterator[bytes]:
        first = self.files[0]
        if any(coder["method"] == CompressionMethod.PPMD for coder in first.folder.coders):
            raise NotImplementedError
        decompressor = first.folder.get_decompressor(first.compressed or 0)
        left = size_bytes
        while left > 0:
            before = self.file.tell()
            piece = decompressor.decompress(self.file, min(left, _CHUNK_BYTES))
            if not piece and self.file.tell() == before:
                raise EOFError
            left -= len(piece)
            yield piece

    def _problem(self, exc: Exception) -> str:
        match exc:
            case PasswordRequired():
                return LOCKED
            case _TooMuch():
                return "too much is packed before it"
            case UnsupportedCompressionMethodError() | NotImplementedError():
                return "packed in a way that is not read"
        return WRONG_PASSWORD if self.has_password else DAMAGED


class _TooMuch(Exception):
    """More would have to be unpacked than the limits allow."""


#: What py7zr and its decompressors raise; MemoryError is left to whoever called.
_DAMAGE = (
    ArchiveError,
    PasswordRequired,
    _TooMuch,
    lzma.LZMAError,
    zlib.error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
