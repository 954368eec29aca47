"""Attachments by their SHA-256. The methods wait for the disk: call them from a thread."""

from __future__ import annotations

import os
import re
import time
import uuid
from pathlib import Path

SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
LEFTOVER_AGE_S = 24 * 3600.0


class FileStore:
    """A directory of files that never change, each under a SHA-256; nobody else may look into it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._incoming = root / "incoming"
        for directory in (root, self._incoming):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A killed process leaves half a file here; a young one may belong to a process that lives.
        for leftover in self._incoming.iterdir():
            if leftover.stat().st_mtime < time.time() - LEFTOVER_AGE_S:
                leftover.unlink(missing_ok=True)

    def incoming(self) -> Path:
        """A free path on the same file system, to write to and then `commit`."""
        return self._incoming / uuid.uuid4().hex

    def commit(self, incoming: Path, sha256: str) -> Path:
        """Moves a written file to its place, safe against a power cut; the same content twice is fine."""
        place = self.path(sha256)
        place.parent.mkdir(mode=0o700, exist_ok=True)
        with incoming.open("rb") as file:
            os.fchmod(file.fileno(), 0o600)
            # The checkpoint that names this file outlives a power cut, so the bytes must too.
            os.fsync(file.fileno())
        return incoming.replace(place)

    def path(self, sha256: str) -> Path:
        """Where that content is, or would be. ValueError when it is no SHA-256 in lower-case hex."""
        if not SHA256.fullmatch(sha256):
            raise ValueError("not a SHA-256 in lower-case hex")
        return self._root / sha256[:2] / sha256

    def read(self, sha256: str) -> bytes:
        """The content. FileNotFoundError when it was never committed."""
        return self.path(sha256).read_bytes()
