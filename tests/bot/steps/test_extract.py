"""Stored files become readings, and the same bytes are read once in the same way."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.metrics import Metrics
from bot.models import Origin, StoredFile
from bot.steps.extract import Reader, extract
from bot.store.files import FileStore
from bot.store.readings import ReadingStore
from extractors import ExtractedContent, ExtractLimits

DATA = b"the bytes of a scan"
FILE = StoredFile(name="scan.pdf", kind="file", origin=Origin.OWN, sha256=hashlib.sha256(DATA).hexdigest())


class CountingExtractor:
    """Gives the same content for every file, and counts them."""

    def __init__(self) -> None:
        self.files = 0

    async def extract(
        self, data: bytes, *, file_metadata: Mapping[str, Any], media_type: str | None = None
    ) -> ExtractedContent:
        self.files += 1
        return ExtractedContent(text=f"{len(data)} bytes")


def reader(folder: Path, extractor: CountingExtractor, *, pages: int = 40, ocr: str = "off") -> Reader:
    files = FileStore(folder / "files")
    incoming = files.incoming()
    incoming.write_bytes(DATA)
    files.commit(incoming, str(FILE.sha256))
    return Reader(
        extractor=extractor,
        limits=ExtractLimits(pdf_extract_max_pages=pages),
        ocr=ocr,
        files=files,
        readings=ReadingStore(folder / "readings"),
        metrics=Metrics(),
    )


@pytest.mark.parametrize(("second", "times"), [({}, 1), ({"ocr": "scans"}, 2), ({"pages": 80}, 2)])
async def test_the_same_bytes_are_read_again_only_in_another_way(tmp_path: Path, second: dict, times: int) -> None:
    extractor = CountingExtractor()
    await extract((FILE,), reader(tmp_path, extractor))
    (read,) = await extract((FILE,), reader(tmp_path, extractor, **second))
    assert (read.status, read.chars) == ("ok", len("19 bytes"))
    assert extractor.files == times
