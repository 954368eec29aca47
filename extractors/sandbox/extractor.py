"""The public face of the sandbox: bytes in, content out, every file in a confined process of its own."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from extractors.assembly import Assembly
from extractors.content import Elsewhere, Ended, ExtractedContent, Status
from extractors.limits import MIB, ExtractLimits
from extractors.sandbox import recognition
from extractors.sandbox.input_file import Description, describe
from extractors.sandbox.job import read_file
from extractors.sandbox.outcome import SUSPECT, Counters, Outcome, Reading
from extractors.sandbox.supply import ZygoteSupply
from extractors.sandbox.wire import LEVELS, MAIN, Layer, Level, Settings, level_of
from extractors.sandbox.zygote_handle import StartError, ZygoteHandle, ZygoteLostError, module_path

logger = logging.getLogger(__name__)

#: What a reader may take on top of what the preloaded zygote has.
_MEMORY_BYTES: Final = 512 * MIB
#: A zygote that was lost may have been killed from outside, so the file is read once more.
_ATTEMPTS: Final = 2
_ENTRY: Final = "extractors.extract:extract"
#: Zygotes for readers that are heavy and rare, by the files that load them: started with the first file that needs one.
_OTHER_ZYGOTES: Final[dict[str, dict[str, Any]]] = {
    "media": {"samples": "extractors.sandbox.warmup_media:samples"},
    # libde265 decodes in a thread of its own, always.
    "heic": {"samples": "extractors.sandbox.warmup_heic:samples", "allows_threads": True},
}


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
        require: str = Level.SECCOMP,
        ocr: str = recognition.Ocr.OFF,
    ) -> None:
        """`require` is the least level at which files are read: full, seccomp, landlock or limits.

        Only Linux reaches more than `limits`, so elsewhere that has to be asked for by name. `ocr` finds words in scans
        ("scans": pages without a text layer, and files that are pictures) or in every picture ("always").
        """
        self._ocr = recognition.Ocr(ocr)
        limits = limits or ExtractLimits()
        if self._ocr is not recognition.Ocr.OFF:
            limits = recognition.with_scans_drawn(limits)
        self._settings = Settings(
            path=module_path(),
            entry=_ENTRY,
            limits=limits,
            timeout_s=timeout_seconds,
            memory_bytes=_MEMORY_BYTES,
        )
        self._max_bytes = max_bytes
        self._max_concurrency = max_concurrency
        self._require = Level(require)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._slots = asyncio.Semaphore(max_concurrency)
        self._supplies: dict[str, ZygoteSupply] = {}
        self._is_closed = False
        self._outcomes: Counter[Outcome] = Counter()
        self._start_problem: str | None = None

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers as the latest zygote verified them; empty before the first has started."""
        return self._supplies[MAIN].layers if MAIN in self._supplies else ()

    @property
    def level(self) -> Level | None:
        """What the layers add up to; None before the first zygote has started."""
        return level_of(self.layers) if self.layers else None

    @property
    def problem(self) -> str | None:
        """Why no file is read at present; None when files are, or before the first zygote was asked for."""
        return self._start_problem or (_below(self.level, self._require) if self.level is not None else None)

    @property
    def counters(self) -> Counters:
        """What has happened so far."""
        supplies = self._supplies.values()
        return Counters.of(
            self._outcomes,
            restarts=sum(supply.restarts for supply in supplies),
            recycled=sum(supply.recycled for supply in supplies),
        )

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
            if self._ocr is not recognition.Ocr.OFF:
                reading = await recognition.with_words(reading, self._ocr, self._settings.limits, self._read_words)
            return self._checked(reading, size_bytes=len(data), sha256=sha256)
        except Exception:
            logger.exception("reading an attachment of %d bytes failed outside the sandbox", len(data))
            note = "the attachment could not be read because of an internal error"
            return ExtractedContent(status=Status.FAILED, note=note, size_bytes=len(data))

    async def start(self) -> None:
        """Starts the zygote ahead of the first file. When it does not start, every file will say so."""
        self._bind()
        self._is_closed = False
        for supply in self._supplies.values():
            supply.reopen()
        try:
            await self._zygote(MAIN)
        except StartError as exc:
            logger.warning("the sandbox did not start: %s", exc)

    async def close(self) -> None:
        """Ends the zygotes; files being read fail, and later ones too until `start`."""
        self._bind()
        self._is_closed = True
        await asyncio.gather(*(supply.close() for supply in self._supplies.values()))

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
            reading = await self._read_by(MAIN, data, description)
            other = next((block.zygote for block in reading.blocks if isinstance(block, Elsewhere)), None)
            return await self._read_by(other, data, description) if other in _OTHER_ZYGOTES else reading

    async def _read_words(self, picture: bytes, name: str) -> Reading:
        async with self._slots:
            return await self._read_by(recognition.ZYGOTE, picture, describe({"name": name}, None))

    async def _read_by(self, kind: str, data: bytes, description: Description) -> Reading:
        """One file by a zygote of this kind."""
        for _ in range(_ATTEMPTS):
            try:
                return await self._read_once(kind, data, description)
            except StartError as exc:
                return _failed(f"the sandbox could not be started: {exc}")
            except ZygoteLostError as exc:
                logger.warning("the sandbox's zygote was lost while a file was read: %s", exc)
        return _failed("the sandbox broke down while the file was read, and again when it was read once more")

    async def _read_once(self, kind: str, data: bytes, description: Description) -> Reading:
        zygote = await self._zygote(kind)
        if (problem := _below(level_of(zygote.layers), self._require)) is not None:
            return _failed(problem)

        def note(outcome: Outcome) -> None:
            self._outcomes[outcome] += 1
            if outcome in SUSPECT:
                self._supplies[kind].suspect(zygote)

        return await read_file(zygote, self._supplies[kind].settings, data, description, note=note)

    async def _zygote(self, kind: str) -> ZygoteHandle:
        if self._is_closed:
            raise StartError("the extractor is closed")
        if kind not in self._supplies:
            self._supplies[kind] = ZygoteSupply(self._settings_of(kind))
        try:
            zygote = await self._supplies[kind].get()
        except StartError as exc:
            if kind == MAIN:
                self._start_problem = f"the sandbox could not be started: {exc}"
            raise
        if kind == MAIN:
            self._start_problem = None
        return zygote

    def _settings_of(self, kind: str) -> Settings:
        if kind == MAIN:
            return self._settings
        is_ocr = kind == recognition.ZYGOTE
        changes = recognition.zygote_settings(self._settings.limits) if is_ocr else _OTHER_ZYGOTES[kind]
        return msgspec.structs.replace(self._settings, zygote=kind, **changes)

    def _bind(self) -> None:
        """A semaphore belongs to an event loop; a new loop gets a new one."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            self._slots = asyncio.Semaphore(self._max_concurrency)


def _failed(note: str) -> Reading:
    return Reading(blocks=[], outcome=Outcome.DONE, ended=Ended(Status.FAILED, note))


def _below(level: Level, required: Level) -> str | None:
    """Why nothing is read at this level; None when it is."""
    if LEVELS.index(level) <= LEVELS.index(required):
        return None
    return f"the sandbox reaches only level {level} here and {required} is required; see its layers"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
