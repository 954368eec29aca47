"""A compound file (OLE): a small file system inside one file, in which Office 97 and before keep their streams."""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass, replace
from typing import Any

import olefile  # type: ignore[import-untyped] # ships no annotations

from extractors.content import Status
from extractors.format import Unreadable

# It logs every oddity of a damaged file as a warning; what matters of it is in our result.
logging.getLogger("olefile").setLevel(logging.CRITICAL)


class _Directory(olefile.OleFileIO):  # type: ignore[misc] # ships no annotations
    """A compound file that finds a name at once: a letter to hundreds has thousands of them."""

    def __init__(self, data: bytes) -> None:
        self._inside: dict[int, dict[str, Any]] = {}
        super().__init__(io.BytesIO(data))

    def _check_duplicate_stream(self, first_sect: int, minifat: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's signature
        """Nothing: it would look through all streams for each of them, and only log what it finds."""

    def _find(self, filename: list[str]) -> int:
        entry = self.root
        for name in filename:
            if (inside := self._inside.get(entry.sid)) is None:
                # The first of two that have one name is found.
                inside = self._inside[entry.sid] = {kid.name.lower(): kid for kid in reversed(entry.kids)}
            if (entry := inside.get(name.lower())) is None:
                raise OSError("file not found")
        sid: int = entry.sid
        return sid


@dataclass(frozen=True, slots=True, kw_only=True)
class Compound:
    """The streams of one compound file. A stream is never longer than the file, so that reading one is bounded."""

    file: olefile.OleFileIO
    size_bytes: int
    #: The folder that all paths begin in.
    folder: tuple[str, ...] = ()

    def read(self, *names: str) -> bytes | None:
        """The bytes of a stream, as many as can be had; None where there is none of that name."""
        path = [*self.folder, *names]
        try:
            if self.file.get_type(path) != olefile.STGTY_STREAM:
                return None
            # A table that runs in a circle can claim gigabytes, and olefile would collect them.
            if self.file.get_size(path) > self.size_bytes:
                return None
            with self.file.openstream(path) as stream:
                content: bytes = stream.read()
                return content
        except (OSError, IndexError, OverflowError, TypeError, ValueError):
            return None

    def inside(self, *names: str) -> Compound:
        """The same file from one of its folders on."""
        return replace(self, folder=(*self.folder, *names))

    def names(self, *names: str) -> list[str]:
        """The names of the streams and folders directly inside a folder."""
        folder = (*self.folder, *names)
        depth = len(folder)
        found = self.file.listdir(streams=True, storages=True)
        return sorted({path[depth] for path in found if len(path) > depth and tuple(path[:depth]) == folder})


def open_compound(data: bytes) -> Compound:
    """The compound file in these bytes. Raises `Unreadable` where it is none, or its directory cannot be read."""
    if not data.startswith(olefile.MAGIC):
        raise Unreadable(Status.UNSUPPORTED, "no reader for this kind of file, which is not of Office 97 to 2003")
    try:
        return Compound(file=_Directory(data), size_bytes=len(data))
    except (OSError, IndexError, OverflowError, RecursionError, TypeError, ValueError) as exc:
        raise Unreadable(Status.REJECTED, "the file is damaged: its directory cannot be read") from exc
