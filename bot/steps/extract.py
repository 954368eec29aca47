"""Stored files to readings, in the sandbox. One bad file does not fail the rest."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import PurePath

import structlog

from bot.metrics import Metrics
from bot.models import ReadFile, StoredFile
from bot.store.files import FileStore
from bot.store.readings import ReadingStore
from extractors import AttachmentExtractor, ExtractedContent, ExtractLimits, Status, __version__

log = structlog.get_logger()

# A reading that ended so may end better the next time.
TRANSIENT = frozenset({Status.TIMEOUT, Status.FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The extractor with its limits and its way with words in images, and where bytes come from and readings go to."""

    extractor: AttachmentExtractor
    limits: ExtractLimits
    ocr: str
    files: FileStore
    readings: ReadingStore
    metrics: Metrics

    def content(self, read: ReadFile) -> ExtractedContent | None:
        """What was read of a file; None where nothing was. Waits for the disk."""
        return self.readings.load(read.reading) if read.reading is not None else None


async def extract(stored: tuple[StoredFile, ...], reader: Reader) -> tuple[ReadFile, ...]:
    """One ReadFile for each stored file, in order. The same bytes are read once in the same way."""

    async def read(index: int, file: StoredFile) -> ReadFile:
        result = await _read(file, reader)
        reader.metrics.files.labels(status=result.status).inc()
        reader.metrics.extract_seconds.labels(kind=result.kind).observe(result.seconds)
        log.info(
            "file read",
            file=index,
            kind=result.kind,
            status=result.status,
            seconds=result.seconds,
            pages=result.total_pages,
            chars=result.chars,
            images=result.images,
        )
        return result

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(read(index, file)) for index, file in enumerate(stored, start=1)]
    return tuple(task.result() for task in tasks)


async def _read(file: StoredFile, reader: Reader) -> ReadFile:
    if file.sha256 is None:
        return ReadFile(name=file.name, origin=file.origin, status="not_downloaded", problem=file.problem)
    start = time.monotonic()
    # The name's suffix is evidence for the type (.csv or .txt), so it belongs to the key.
    key = reader.readings.key(
        file.sha256, __version__, f"{reader.limits}{reader.ocr}{PurePath(file.name).suffix.lower()}"
    )
    content = await asyncio.to_thread(reader.readings.load, key)
    if content is None or content.status in TRANSIENT:
        data = await asyncio.to_thread(reader.files.read, file.sha256)
        content = await reader.extractor.extract(
            data, file_metadata={"name": file.name, "mime_type": file.declared_type}
        )
        await asyncio.to_thread(reader.readings.save, key, content)
    return _read_file(file, key, content, round(time.monotonic() - start, 3))


def _read_file(file: StoredFile, key: str, content: ExtractedContent, seconds: float) -> ReadFile:
    return ReadFile(
        name=file.name,
        origin=file.origin,
        reading=key,
        status=content.status,
        kind=content.kind,
        media_type=content.media_type,
        size_bytes=content.size_bytes,
        total_pages=content.total_pages,
        chars=len(content.text or ""),
        images=len(content.images),
        truncated=content.truncated,
        note=content.note,
        seconds=seconds,
    )
