"""The real readers under every layer: what they need late must have been loaded by the warm-up."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from extractors.content import Status
from extractors.extract import extract_content
from extractors.sandbox.extractor import SandboxedAttachmentExtractor
from extractors.sandbox.warmup import samples
from extractors.sandbox.wire import Level

SAMPLES = dict(samples())


@pytest.fixture(scope="module")
def extractor() -> Iterator[SandboxedAttachmentExtractor]:
    extractor = SandboxedAttachmentExtractor()
    yield extractor
    asyncio.run(extractor.close())


@pytest.mark.parametrize("name", SAMPLES)
async def test_confined_reading_equals_an_unconfined_one(extractor, name):
    data = SAMPLES[name]
    confined = await extractor.extract(data, file_metadata={"name": name})
    assert extractor.level is Level.FULL
    assert confined.status is not Status.FAILED
    assert confined == extract_content(data, media_type="", name=name)


async def test_empty_file_is_rejected(extractor):
    result = await extractor.extract(b"", file_metadata={"name": "empty.pdf"})
    assert (result.status, result.note) == (Status.REJECTED, "the file is empty")
