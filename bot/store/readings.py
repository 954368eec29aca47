"""Readings: what the extractor made of a file, kept so that the same bytes are read once."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from bot.store.files import FileStore
from extractors import ExtractedContent


class ReadingStore:
    """A cache of extractions in a directory. The methods wait for the disk: call them from a thread."""

    def __init__(self, root: Path) -> None:
        self._files = FileStore(root)

    @staticmethod
    def key(sha256: str, version: str, limits: str) -> str:
        """Names a reading by all that decides it: the bytes, the extractor's version, and how it reads."""
        return hashlib.sha256("\n".join((sha256, version, limits)).encode()).hexdigest()

    def save(self, key: str, content: ExtractedContent) -> None:
        """Keeps the content under its key, instead of an older one."""
        incoming = self._files.incoming()
        incoming.write_bytes(msgspec.msgpack.encode(content))
        self._files.commit(incoming, key)

    def load(self, key: str) -> ExtractedContent | None:
        """The content, or None when there is none or its file is damaged."""
        try:
            return msgspec.msgpack.decode(self._files.read(key), type=ExtractedContent)
        except (FileNotFoundError, msgspec.DecodeError):
            return None
