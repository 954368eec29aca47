"""Extractors whose reader is `hostile.extract`, with any layer left off on demand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from extractors.limits import ExtractLimits
from extractors.sandbox.extractor import SandboxedAttachmentExtractor
from extractors.sandbox.wire import MAIN, Level

MakeExtractor = Callable[..., SandboxedAttachmentExtractor]


def make_hostile(
    *, timeout_s: float = 20.0, limits: ExtractLimits | None = None, require: Level = Level.SECCOMP, **settings: Any
) -> SandboxedAttachmentExtractor:
    extractor = SandboxedAttachmentExtractor(timeout_seconds=timeout_s, limits=limits, require=require)
    here = str(Path(__file__).parent)
    path = (here, *extractor._settings.path)
    extractor._settings = msgspec.structs.replace(
        extractor._settings, entry="hostile:extract", samples="hostile:samples", path=path, **settings
    )
    return extractor


@pytest.fixture(scope="session")
def _kept() -> Iterator[dict[str, SandboxedAttachmentExtractor]]:
    """One extractor per set of options for the whole run: it moves from loop to loop by itself."""
    kept: dict[str, SandboxedAttachmentExtractor] = {}
    yield kept
    for extractor in kept.values():
        asyncio.run(extractor.close())


@pytest.fixture
def hostile(_kept: dict[str, SandboxedAttachmentExtractor]) -> MakeExtractor:
    """`hostile(timeout_s=..., off={...})`: an extractor shared by all tests that ask for the same."""

    def get(**options: Any) -> SandboxedAttachmentExtractor:
        key = repr(sorted(options.items()))
        if key not in _kept:
            _kept[key] = make_hostile(**options)
        return _kept[key]

    return get


class Watch:
    """What the system says of processes and descriptors."""

    def zygote(self, extractor: SandboxedAttachmentExtractor) -> int:
        zygote = extractor._supplies[MAIN]._current
        assert zygote is not None
        return zygote._process.pid

    def children(self, pid: int) -> list[int]:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def is_running(self, pid: int) -> bool:
        """False for a zombie too: who reaps an orphan, and when, is the system's business."""
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except (FileNotFoundError, ProcessLookupError):  # gone before, or while it was read
            return False

    def descriptors(self) -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not condition():  # noqa: ASYNC110 # what is waited for happens in other processes
                await asyncio.sleep(0.005)


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def fresh() -> Iterator[MakeExtractor]:
    """The same, but of this test alone; closed at its end."""
    made: list[SandboxedAttachmentExtractor] = []

    def make(**options: Any) -> SandboxedAttachmentExtractor:
        made.append(make_hostile(**options))
        return made[-1]

    yield make
    for extractor in made:
        asyncio.run(extractor.close())
