"""The public face of the sandbox: bytes in, content out, every file in a confined process of its own."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self

from extractors.assembly import Assembly
from extractors.content import Ended, ExtractedContent, Status
from extractors.limits import MIB, ExtractLimits
from extractors.sandbox.input_file import Description, describe
from extractors.sandbox.job import Reading, read_file
from extractors.sandbox.wire import LEVELS, Layer, Level, Settings, level_of
from extractors.sandbox.zygote_handle import StartError, ZygoteHandle, ZygoteLostError, module_path

logger = logging.getLogger(__name__)

#: What a reader may take on top of what the preloaded zygote has.
_MEMORY_BYTES: Final = 512 * MIB
#: A zygote that was lost may have been killed from outside, so the file is read once more.
_ATTEMPTS: Final = 2
_ENTRY: Final = "extractors.extract:extract"


class SandboxedAttachmentExtractor:
    """Reads attachments in confined processes; never raises for a file.

    Usable at once: the zygote starts with the first file. `async with` starts it before and ends it after.
    One event loop at a time; a later loop takes over from one that has ended.
    """

    def __init__(
        self,
        *,
        timeout_seconds: float = 20.0,
        max_bytes: int = 16 * MIB,
        max_concurrency: int = 2,
        limits: ExtractLimits | None = None,
        require: Level | None = None,
    ) -> None:
        """`require` is the least level at which files are read; by itself `seccomp` on Linux, `limits` elsewhere."""
        self._settings = Settings(
            path=module_path(),
            entry=_ENTRY,
            limits=limits or ExtractLimits(),
            timeout_s=timeout_seconds,
            memory_bytes=_MEMORY_BYTES,
        )
        self._max_bytes = max_bytes
        self._max_concurrency = max_concurrency
        self._require = require or (Level.SECCOMP if sys.platform == "linux" else Level.LIMITS)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._slots = asyncio.Semaphore(max_concurrency)
        self._starting = asyncio.Lock()
        self._zygote: ZygoteHandle | None = None
        self._layers: tuple[Layer, ...] = ()
        self._is_closed = False
        self._restarts = 0

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers as the latest zygote verified them; empty before the first has started."""
        return self._layers

    @property
    def level(self) -> Level | None:
        """What the layers add up to; None before the first zygote has started."""
        return level_of(self._layers) if self._layers else None

    @property
    def restarts(self) -> int:
        """How often a zygote was lost and started again."""
        return self._restarts

    async def extract(
        self, data: bytes, *, file_metadata: Mapping[str, Any], media_type: str | None = None
    ) -> ExtractedContent:
        """Reads one attachment; `file_metadata["name"]` and `["mime_type"]` are evidence, not truth."""
        if len(data) > self._max_bytes:
            note = f"attachment too large ({len(data)} bytes > {self._max_bytes} limit)"
            return ExtractedContent(status=Status.REJECTED, note=note, size_bytes=len(data))
        try:
            reading, sha256 = await asyncio.gather(
                self._read(data, file_metadata, media_type), asyncio.to_thread(_sha256, data)
            )
            return self._checked(reading, size_bytes=len(data), sha256=sha256)
        except Exception:
            logger.exception("reading an attachment of %d bytes failed outside the sandbox", len(data))
            note = "the attachment could not be read because of an internal error"
            return ExtractedContent(status=Status.FAILED, note=note, size_bytes=len(data))

    async def start(self) -> None:
        """Starts the zygote ahead of the first file. When it does not start, every file will say so."""
        self._bind()
        self._is_closed = False
        try:
            await self._running_zygote()
        except StartError as exc:
            logger.warning("the sandbox did not start: %s", exc)

    async def close(self) -> None:
        """Ends the zygote; files being read fail, and later ones too until `start`."""
        self._bind()
        self._is_closed = True
        async with self._starting:
            zygote, self._zygote = self._zygote, None
            if zygote is not None:
                await zygote.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def _checked(self, untrusted: Reading, *, size_bytes: int, sha256: str) -> ExtractedContent:
        """The blocks as content, after every limit has been checked once more on this side of the wall."""
        assembly = Assembly(size_bytes=size_bytes, sha256=sha256, limits=self._settings.limits)
        for block in untrusted.blocks:
            assembly.add(block)
        return assembly.finish(untrusted.ended)

    async def _read(self, data: bytes, file_metadata: Mapping[str, Any], media_type: str | None) -> Reading:
        self._bind()
        description = describe(file_metadata, media_type)
        async with self._slots:
            for _ in range(_ATTEMPTS):
                try:
                    return await self._read_once(data, description)
                except StartError as exc:
                    return _failed(f"the sandbox could not be started: {exc}")
                except ZygoteLostError as exc:
                    logger.warning("the sandbox's zygote was lost while a file was read: %s", exc)
            return _failed("the sandbox broke down while the file was read, and again when it was read once more")

    async def _read_once(self, data: bytes, description: Description) -> Reading:
        zygote = await self._running_zygote()
        level = level_of(self._layers)
        if LEVELS.index(level) > LEVELS.index(self._require):
            return _failed(
                f"the sandbox reaches only level {level} here and {self._require} is required; see its layers"
            )
        return await read_file(zygote, self._settings, data, description)

    async def _running_zygote(self) -> ZygoteHandle:
        """The zygote, started if need be; whoever comes meanwhile waits for the same one."""
        async with self._starting:
            if self._is_closed:
                raise StartError("the extractor is closed")
            if self._zygote is not None and self._zygote.is_alive:
                return self._zygote
            if self._zygote is not None:
                self._restarts += 1
                await self._zygote.close()
            zygote = ZygoteHandle(self._settings)
            try:
                self._layers = await zygote.ready()
            except BaseException:
                zygote.kill_now()
                raise
            self._zygote = zygote
            logger.info("the sandbox is ready: level %s, %s", level_of(self._layers), _summary(self._layers))
            return zygote

    def _bind(self) -> None:
        """Locks belong to an event loop; a new loop gets new ones."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            self._slots = asyncio.Semaphore(self._max_concurrency)
            self._starting = asyncio.Lock()


def _failed(note: str) -> Reading:
    return Reading(blocks=[], ended=Ended(Status.FAILED, note))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _summary(layers: tuple[Layer, ...]) -> str:
    return ", ".join(f"{layer.name} {'on' if layer.is_on else 'off'} ({layer.detail})" for layer in layers)
