"""One extractor for all hostile files, and a look at what each of them costs."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from extractors.content import ExtractedContent, Status
from extractors.sandbox.extractor import SandboxedAttachmentExtractor
from extractors.sandbox.wire import MAIN

TIMEOUT_S = 8.0
#: A zygote with all parsers, and what a child may take on top.
MAX_RESIDENT_MIB = 800
#: Where a parser broke, its class of error stands in brackets behind the words.
_IN_BRACKETS = re.compile(r"\(\w+\)")
_CLASS_NAME = re.compile(r"[A-Za-z]+(?:Error|Exception|Interrupt)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one reading took."""

    content: ExtractedContent
    seconds: float
    resident_mib: float


class Reader:
    """Reads hostile files, and a normal one after each."""

    def __init__(self) -> None:
        self.extractor = SandboxedAttachmentExtractor(timeout_seconds=TIMEOUT_S)

    async def read(self, data: bytes, name: str) -> Cost:
        await self.extractor.start()
        peak = _Peak(self.extractor)
        started = time.monotonic()
        with peak:
            content = await self.extractor.extract(data, file_metadata={"name": name})
        cost = Cost(content=content, seconds=time.monotonic() - started, resident_mib=peak.mib)
        normal = await self.extractor.extract("一切正常".encode(), file_metadata={"name": "normal.txt"})
        assert (normal.status, normal.text) == (Status.OK, "一切正常")
        assert cost.resident_mib < MAX_RESIDENT_MIB
        return cost


def assert_told_plainly(content: ExtractedContent) -> None:
    """Whatever is not read is said so in words, not in the names of classes."""
    assert content.status is Status.OK or content.note
    assert not _CLASS_NAME.search(_IN_BRACKETS.sub("", content.note or "")), content.note


class _Peak:
    """The largest resident memory of any child while the block runs."""

    def __init__(self, extractor: SandboxedAttachmentExtractor) -> None:
        zygote = extractor._supplies[MAIN]._current
        assert zygote is not None
        self._children = Path(f"/proc/{zygote._process.pid}/task/{zygote._process.pid}/children")
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.mib = 0.0

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over.wait(0.01):
            try:
                pids = self._children.read_text().split()
                statuses = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
            except OSError:  # it has just ended
                continue
            for found in re.findall(r"VmHWM:\s+(\d+) kB", "".join(statuses)):
                self.mib = max(self.mib, int(found) / 1024)


@pytest.fixture(scope="session")
def _reader() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    asyncio.run(reader.extractor.close())


@pytest.fixture
def reader(_reader) -> Reader:
    return _reader


@pytest.fixture
def told_plainly():
    return assert_told_plainly
