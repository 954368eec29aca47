"""Attachments to bytes in the file store. What can't be fetched is told, and does not stop the rest."""

from __future__ import annotations

import asyncio
import time

import structlog

from bot.config import FilesSettings
from bot.errors import FeishuError
from bot.feishu.resources import Resources
from bot.models import AttachmentRef, StoredFile
from bot.store.files import FileStore

log = structlog.get_logger()


async def download(
    attachments: tuple[AttachmentRef, ...], resources: Resources, files: FileStore, settings: FilesSettings
) -> tuple[StoredFile, ...]:
    """One StoredFile for each attachment, in order. Raises only when nothing came and trying again may help."""
    wanted, beyond = attachments[: settings.max_per_question], attachments[settings.max_per_question :]
    gate = asyncio.Semaphore(4)

    async def fetch(index: int, ref: AttachmentRef) -> StoredFile | FeishuError:
        async with gate:
            try:
                stored = await _fetch(ref, resources, files, settings.max_bytes)
            except FeishuError as error:
                log.warning("file not downloaded", file=index, code=error.code, feishu_code=error.feishu_code)
                return error
        log.info("file downloaded", file=index, bytes=stored.size_bytes, seconds=stored.seconds)
        return stored

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(fetch(index, ref)) for index, ref in enumerate(wanted, start=1)]
    results = [task.result() for task in tasks]
    errors = [result for result in results if isinstance(result, FeishuError)]
    if errors and len(errors) == len(results) and any(error.retryable for error in errors):
        raise next(error for error in errors if error.retryable)
    fetched = [
        _not_stored(ref, result.code) if isinstance(result, FeishuError) else result
        for ref, result in zip(wanted, results, strict=True)
    ]
    return (*fetched, *(_not_stored(ref, "too_many_files") for ref in beyond))


async def _fetch(ref: AttachmentRef, resources: Resources, files: FileStore, max_bytes: int) -> StoredFile:
    start = time.monotonic()
    incoming = files.incoming()
    fetched = await resources.fetch(ref, incoming, max_bytes=max_bytes)
    await asyncio.to_thread(files.commit, incoming, fetched.sha256)
    return StoredFile(
        name=fetched.name or _name(ref),
        kind=ref.kind,
        origin=ref.origin,
        sha256=fetched.sha256,
        size_bytes=fetched.size_bytes,
        declared_type=fetched.declared_type,
        seconds=round(time.monotonic() - start, 3),
    )


def _not_stored(ref: AttachmentRef, problem: str) -> StoredFile:
    return StoredFile(name=_name(ref), kind=ref.kind, origin=ref.origin, problem=problem)


def _name(ref: AttachmentRef) -> str:
    return ref.name or ref.kind
