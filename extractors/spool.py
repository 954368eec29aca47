"""Bytes kept while they come: in memory first, then in a temporary file, and never more than a cap."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterable
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import IO, Final

from extractors.content import Status
from extractors.limits import MIB

#: What a source may hold altogether, and how much of it in memory.
SOURCE_MAX_BYTES: Final = 100 * MIB
MEMORY_MAX_BYTES: Final = 10 * MIB
_NAME_MAX_CHARS: Final = 200


class SourceError(Exception):
    """The document could not be had: which status that is, and a sentence for the user."""

    def __init__(self, status: Status, note: str) -> None:
        super().__init__(note)
        self.status = status
        self.note = note


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document at hand: its bytes, and what is said about it. Name and type are evidence, not truth."""

    file: IO[bytes]
    size_bytes: int
    name: str | None = None
    media_type: str | None = None

    def read(self) -> bytes:
        """All the bytes, as often as they are asked for."""
        self.file.seek(0)
        return self.file.read()


async def spool(chunks: AsyncIterable[bytes], *, max_bytes: int) -> tuple[IO[bytes], int]:
    """The chunks as a file and their size; `SourceError` as soon as they exceed `max_bytes`. The caller closes it."""
    file = tempfile.SpooledTemporaryFile(max_size=MEMORY_MAX_BYTES)  # noqa: SIM115 - it outlives this function
    size_bytes = 0
    try:
        async for chunk in chunks:
            size_bytes += len(chunk)
            check_size(size_bytes, max_bytes)
            await asyncio.to_thread(file.write, chunk)
    except BaseException:
        file.close()
        raise
    return file, size_bytes


def check_size(size_bytes: int, max_bytes: int) -> None:
    """Raises `SourceError` when the bytes are more than are allowed."""
    if size_bytes > max_bytes:
        raise SourceError(Status.REJECTED, f"the document is larger than {max_bytes:,} bytes")


def clean_name(untrusted: str | None) -> str | None:
    """The last segment of a name without what could escape a folder or a line; None where nothing is left."""
    last = PurePosixPath(PureWindowsPath(untrusted or "").name).name
    printable = "".join(char for char in last if char.isprintable() and char not in '<>:"/\\|?*').strip(" .")
    stem, dot, suffix = printable.rpartition(".")
    kept = f"{stem[: _NAME_MAX_CHARS - 1 - len(suffix)]}{dot}{suffix}" if len(suffix) < 20 else printable
    return kept[:_NAME_MAX_CHARS] or None
