"""A page that does not end costs itself only: the parent stops its reader, and another goes on with the next page."""

from __future__ import annotations

import asyncio
import time

import pytest

from extractors.content import ExtractedContent, Status
from extractors.limits import ExtractLimits

LIMITS = ExtractLimits(pdf_page_timeout_s=0.3)


async def pages(extractor, stuck: bytes) -> ExtractedContent:
    await extractor.start()
    return await extractor.extract(stuck, file_metadata={"name": "pages"})


async def test_pages_that_end_are_read_by_one_child(hostile):
    extractor = hostile(limits=LIMITS)
    content = await pages(extractor, b"none")
    assert content.status is Status.OK
    assert str(content.text).count("end of page") == 5
    assert content.total_pages == 5


@pytest.mark.parametrize("variant", [{}, {"portable": True, "require": "limits"}], ids=["native", "portable"])
async def test_stuck_page_is_named_and_every_other_page_is_kept(hostile, variant):
    extractor = hostile(limits=LIMITS, **variant)
    before = extractor.counters
    content = await pages(extractor, b"24")
    assert content.status is Status.PARTIAL
    assert [f"end of page {number}" in str(content.text) for number in range(1, 6)] == [True, False, True, False, True]
    assert "page 4 with" in str(content.text)
    assert [warning.problem for warning in content.warnings] == [
        "page 2 was not read to its end within 0.3 s",
        "page 4 was not read to its end within 0.3 s",
    ]
    assert extractor.counters.page_timeouts == before.page_timeouts + 2
    assert extractor.counters.files == before.files + 1
    assert extractor.counters.restarts == before.restarts


async def test_what_the_stopped_reader_still_had_to_tell_is_told(hostile):
    content = await pages(hostile(limits=LIMITS), b"3")
    assert "not included: what page 2 owes" in str(content.note)
    assert "what page 4 owes" not in str(content.note)


async def test_stuck_last_page_ends_the_reading(hostile):
    started = time.monotonic()
    content = await pages(hostile(limits=LIMITS), b"5")
    assert time.monotonic() - started < 2
    assert (content.status, len(content.warnings)) == (Status.PARTIAL, 1)
    assert "end of page 4" in str(content.text)


async def test_the_time_of_the_file_bounds_that_of_its_pages(hostile):
    extractor = hostile(limits=LIMITS, timeout_s=0.7)
    await extractor.start()
    started = time.monotonic()
    content = await pages(extractor, b"12345")
    assert time.monotonic() - started < 2
    assert content.status is Status.PARTIAL
    assert "extraction timed out after 0.7 s" in str(content.note)
    assert "page 1 with" in str(content.text)


async def test_marks_without_end_do_not_outlast_the_time_of_the_file(hostile):
    content = await hostile(limits=LIMITS, timeout_s=0.7).extract(b"", file_metadata={"name": "page_loop"})
    assert content.status is Status.TIMEOUT


async def test_reader_that_goes_back_is_not_followed(hostile):
    content = await hostile(limits=LIMITS).extract(b"", file_metadata={"name": "page_backwards"})
    assert content.status is Status.FAILED
    assert str(content.note).startswith("the reader's result could not be understood")


async def test_cancelled_reading_of_pages_leaves_no_child(hostile, watch):
    extractor = hostile(limits=LIMITS)
    await extractor.start()
    reading = asyncio.ensure_future(pages(extractor, b"123"))
    await asyncio.sleep(0.45)
    reading.cancel()
    await asyncio.wait({reading})
    await watch.until(lambda: watch.children(watch.zygote(extractor)) == [])
