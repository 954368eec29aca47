"""A compound file (OLE): a small file system inside one file, in which Office 97 and before keep their streams."""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass

import olefile  # type: ignore[import-untyped] # ships no annotations

from extractors.content import Status
from extractors.format import Unreadable

# It logs every oddity of a damaged file as a warning; what matters of it is in our result.
logging.getLogger("olefile").setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compound:
    """The streams of one compound file. A stream is never longer than the file, so that reading one is bounded."""

    file: olefile.OleFileIO
    size_bytes: int

    def read(self, *path: str) -> bytes | None:
        """The bytes of a stream, as many as can be had; None where there is none of that name."""
        try:
            if self.file.get_type(list(path)) != olefile.STGTY_STREAM:
                return None
            # A table that runs in a circle can claim gigabytes, and olefile would collect them.
            if self.file.get_size(list(path)) > self.size_bytes:
                return None
            with self.file.openstream(list(path)) as stream:
                content: bytes = stream.read()
                return content
        except (OSError, IndexError, OverflowError, TypeError, ValueError):
            return None

    def names(self, *folder: str) -> list[str]:
        """The names of the streams and folders directly inside a folder."""
        depth = len(folder)
        found = self.file.listdir(streams=True, storages=True)
        return sorted({path[depth] for path in found if len(path) > depth and tuple(path[:depth]) == folder})


def open_compound(data: bytes) -> Compound:
    """The compound file in these bytes. Raises `Unreadable` where its directory cannot be read."""
    try:
        return Compound(file=olefile.OleFileIO(io.BytesIO(data)), size_bytes=len(data))
    except (OSError, IndexError, OverflowError, TypeError, ValueError) as exc:
        raise Unreadable(Status.REJECTED, "the file is damaged: its directory cannot be read") from exc
