"""Documents from anywhere as one kind of value: bytes, a path, a stream, a guarded address, or a way of your own."""

from __future__ import annotations

import asyncio
import io
import os
import stat
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from inspect import isawaitable
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Final, Protocol

from extractors.content import AttachmentExtractor, ExtractedContent, Status
from extractors.spool import SOURCE_MAX_BYTES, Document, SourceError, check_size, spool

if TYPE_CHECKING:
    from extractors.web import Allows

_CHUNK_BYTES: Final = 1 << 20


class Stream(Protocol):
    """A binary file, or anything asynchronous with the same `read`."""

    def read(self, size: int, /) -> bytes | Awaitable[bytes]:
        """At most `size` bytes; none at the end."""
        ...


class DocumentSource:
    """Where a document comes from. `async with` has it at hand as a `Document`, and lets go of it at the end.

    Nothing is opened or fetched before that; `SourceError` says why it cannot be had. A source may be opened again
    after it was closed, except a stream, which can be read once.
    """

    def __init__(self, load: Callable[[], Awaitable[Document]]) -> None:
        """A source of your own: `load` gives an open document; its `file` is closed for you."""
        self._load = load
        self._document: Document | None = None

    @classmethod
    def from_bytes(cls, data: bytes, *, name: str | None = None, media_type: str | None = None) -> DocumentSource:
        """Bytes that are in memory already."""

        async def load() -> Document:
            return Document(file=io.BytesIO(data), size_bytes=len(data), name=name, media_type=media_type)

        return cls(load)

    @classmethod
    def from_path(
        cls,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        media_type: str | None = None,
        max_bytes: int = SOURCE_MAX_BYTES,
    ) -> DocumentSource:
        """A regular file, by its path; its name is the path's unless another is given."""

        async def load() -> Document:
            file, size_bytes = await asyncio.to_thread(_open, Path(path), max_bytes)
            return Document(file=file, size_bytes=size_bytes, name=name or Path(path).name, media_type=media_type)

        return cls(load)

    @classmethod
    def from_stream(
        cls,
        stream: Stream | AsyncIterable[bytes],
        *,
        name: str | None = None,
        media_type: str | None = None,
        max_bytes: int = SOURCE_MAX_BYTES,
    ) -> DocumentSource:
        """A stream, asynchronous or not, from where it stands to its end. The stream stays the caller's to close."""

        async def load() -> Document:
            try:
                file, size_bytes = await spool(_chunks(stream), max_bytes=max_bytes)
            except (OSError, EOFError, ValueError) as exc:
                raise SourceError(Status.FAILED, f"the stream could not be read ({type(exc).__name__})") from exc
            return Document(file=file, size_bytes=size_bytes, name=name, media_type=media_type)

        return cls(load)

    @classmethod
    def from_url(
        cls, url: str, *, name: str | None = None, max_bytes: int = SOURCE_MAX_BYTES, allows: Allows | None = None
    ) -> DocumentSource:
        """A document on the web, by http or https; `name` goes before the one the server gives.

        Every address connected to, after each redirect too, must be public; `allows` decides otherwise.
        """

        async def load() -> Document:
            from extractors.web import download, is_public  # noqa: PLC0415 - only addresses need an HTTP client

            document = await download(url, max_bytes=max_bytes, allows=allows or is_public)
            return Document(
                file=document.file,
                size_bytes=document.size_bytes,
                name=name or document.name,
                media_type=document.media_type,
            )

        return cls(load)

    async def __aenter__(self) -> Document:
        if self._document is not None:
            raise RuntimeError("the source is open already")
        self._document = await self._load()
        return self._document

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        document, self._document = self._document, None
        if document is not None:
            await asyncio.to_thread(document.file.close)


async def extract_source(
    extractor: AttachmentExtractor, source: DocumentSource, *, file_metadata: Mapping[str, Any] | None = None
) -> ExtractedContent:
    """What the extractor makes of a source. Never raises: a source that cannot be had is a status and a note.

    `file_metadata` (such as a password) is handed on, and goes before what the source says of itself.
    """
    try:
        async with source as document:
            data = await asyncio.to_thread(document.read)
    except SourceError as exc:
        return ExtractedContent(status=exc.status, note=exc.note)
    metadata = {"name": document.name, "mime_type": document.media_type, **(file_metadata or {})}
    return await extractor.extract(data, file_metadata=metadata)


def _open(path: Path, max_bytes: int) -> tuple[IO[bytes], int]:
    try:
        file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - it outlives this function
    except OSError as exc:
        raise SourceError(Status.REJECTED, f"the file could not be opened ({exc.strerror})") from exc
    try:
        return file, _checked_size(os.fstat(file.fileno()), max_bytes)
    except BaseException:
        file.close()
        raise


def _without_waiting(path: str, flags: int) -> int:
    """A pipe would wait for its writer."""
    return os.open(path, flags | os.O_NONBLOCK)


def _checked_size(facts: os.stat_result, max_bytes: int) -> int:
    if not stat.S_ISREG(facts.st_mode):
        raise SourceError(Status.REJECTED, "this is not a regular file")
    check_size(facts.st_size, max_bytes)
    return facts.st_size


async def _chunks(stream: Stream | AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    if not hasattr(stream, "read"):
        async for chunk in stream:
            yield chunk
        return
    while True:
        read = await asyncio.to_thread(stream.read, _CHUNK_BYTES)  # blocks, or gives something to wait for
        chunk = await read if isawaitable(read) else read
        if not chunk:
            return
        yield chunk
