"""Attachments to files on disk: capped while they come in, hashed on the way."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.errors import FeishuUnavailable, ResourceRefused
from bot.feishu.api import Download, FeishuApi, segment
from bot.feishu.disposition import file_name
from bot.models import AttachmentRef

_CHUNK_BYTES = 256 * 1024
# A download can't be resumed, so one that breaks off is begun anew, once; after that the job's own retries go on.
_ATTEMPTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What came: the type as Feishu declares it and the name are evidence, not truth."""

    sha256: str
    size_bytes: int
    declared_type: str | None
    name: str | None


class Resources:
    """Downloads of one app."""

    def __init__(self, api: FeishuApi) -> None:
        self._api = api

    async def fetch(self, ref: AttachmentRef, into: Path, *, max_bytes: int) -> Fetched:
        """Writes the attachment to `into`, a new file only we can read; none is left behind by a failure.

        Raises ResourceRefused (code file_too_large above `max_bytes`) and the rest of the FeishuError family.
        """
        if ref.kind in {"folder", "sticker"}:
            raise ResourceRefused(f"Feishu gives no {ref.kind} to bots", code="file_kind")
        for _ in range(_ATTEMPTS - 1):
            try:
                return await self._fetch(ref, into, max_bytes)
            except FeishuUnavailable:
                continue
        return await self._fetch(ref, into, max_bytes)

    async def _fetch(self, ref: AttachmentRef, into: Path, max_bytes: int) -> Fetched:
        path = f"/open-apis/im/v1/messages/{segment(ref.message_id)}/resources/{segment(ref.key)}"
        params = {"type": "image" if ref.kind == "image" else "file"}
        async with self._api.stream(path, params) as download:
            _check_declared_size(download.headers, max_bytes)
            sha256, size_bytes = await _write(download, into, max_bytes)
            return Fetched(
                sha256=sha256,
                size_bytes=size_bytes,
                declared_type=_media_type(download.headers.get("Content-Type", "")),
                name=ref.name or file_name(download.headers.get("Content-Disposition")),
            )


class _Sink:
    """A new file, only ours to read, that hashes what it takes in. Every method blocks.

    The file is buffered: the lock of its buffer keeps `discard` apart from a write that a cancelled thread still does.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb", _CHUNK_BYTES)
        self._hash = hashlib.sha256()

    def write(self, data: bytes) -> None:
        self._hash.update(data)
        self._file.write(data)

    def close(self) -> str:
        self._file.close()
        return self._hash.hexdigest()

    def discard(self) -> None:
        self._path.unlink(missing_ok=True)
        self._file.close()


async def _write(download: Download, into: Path, max_bytes: int) -> tuple[str, int]:
    """SHA-256 and size of what was written."""
    sink = _Sink(into)
    try:
        size_bytes = await _pour(download, sink, max_bytes)
        return await asyncio.to_thread(sink.close), size_bytes
    except BaseException:
        sink.discard()
        raise


async def _pour(download: Download, sink: _Sink, max_bytes: int) -> int:
    size_bytes, pending = 0, bytearray()
    async for chunk in download.chunks(_CHUNK_BYTES):
        size_bytes += len(chunk)
        if size_bytes > max_bytes:
            raise _too_large(max_bytes)
        pending += chunk
        if len(pending) >= _CHUNK_BYTES:
            await asyncio.to_thread(sink.write, bytes(pending))
            pending.clear()
    await asyncio.to_thread(sink.write, bytes(pending))
    return size_bytes


def _check_declared_size(headers: Mapping[str, str], max_bytes: int) -> None:
    declared = headers.get("Content-Length", "")
    if declared.isdecimal() and int(declared) > max_bytes:
        raise _too_large(max_bytes)


def _too_large(max_bytes: int) -> ResourceRefused:
    return ResourceRefused(f"more than {max_bytes} bytes", code="file_too_large")


def _media_type(header: str) -> str | None:
    return header.partition(";")[0].strip().lower() or None
