"""Zygotes are replaced before anybody can make use of what a file may have learned of one, and the figures tell."""

from __future__ import annotations

import asyncio
import logging

import pytest

from extractors.content import ExtractedContent, Status
from extractors.format import Format
from extractors.registry import FORMATS
from extractors.sandbox.extractor import _OTHER_ZYGOTES, SandboxedAttachmentExtractor
from extractors.sandbox.outcome import Counters
from extractors.sandbox.wire import MAIN

ZERO = Counters(
    files=0,
    timeouts=0,
    page_timeouts=0,
    out_of_memory=0,
    forbidden_calls=0,
    crashes=0,
    bad_frames=0,
    unconfined=0,
    restarts=0,
    recycled=0,
)


async def read(extractor: SandboxedAttachmentExtractor, name: str, data: bytes = b"data") -> ExtractedContent:
    return await extractor.extract(data, file_metadata={"name": name})


@pytest.mark.parametrize(("name", "counted"), [("segfault", "crashes"), ("exec", "forbidden_calls")])
async def test_file_after_a_suspect_end_gets_another_zygote(fresh, watch, name, counted):
    extractor = fresh()
    await extractor.start()
    first = watch.zygote(extractor)
    assert (await read(extractor, name)).status in {Status.PARTIAL, Status.FAILED}
    assert (await read(extractor, "echo")).status is Status.OK
    assert watch.zygote(extractor) != first
    await watch.until(lambda: not watch.is_running(first))
    counters = extractor.counters
    assert (counters.files, getattr(counters, counted), counters.recycled, counters.restarts) == (2, 1, 1, 0)


@pytest.mark.parametrize("name", ["raise", "exit", "garbage", "truncated"])
async def test_reader_that_merely_broke_keeps_its_zygote(hostile, watch, name):
    extractor = hostile()
    await extractor.start()
    first = watch.zygote(extractor)
    await read(extractor, name, b"\xff")
    assert watch.zygote(extractor) == first


async def test_files_beside_a_crash_are_read_to_their_end_by_the_old_zygote(fresh, watch):
    extractor = fresh()
    await extractor.start()
    first = watch.zygote(extractor)
    beside = asyncio.ensure_future(read(extractor, "pause", b"0.5"))
    await watch.until(lambda: bool(watch.children(first)))
    await read(extractor, "segfault")
    assert (await read(extractor, "echo")).status is Status.OK
    assert watch.is_running(first)
    assert (await beside).text == "rested"
    await watch.until(lambda: not watch.is_running(first))
    assert extractor.counters.restarts == 0


async def test_worn_zygote_serves_until_its_successor_is_ready(fresh, watch):
    extractor = fresh()
    await extractor.start()
    extractor._supplies[MAIN].jobs_max = 3
    pids = []
    async with asyncio.timeout(20):
        while extractor.counters.recycled == 0:
            assert (await read(extractor, "echo")).status is Status.OK
            pids.append(watch.zygote(extractor))
    assert len(pids) > 4
    assert len(set(pids)) == 2
    await watch.until(lambda: not watch.is_running(pids[0]))
    assert extractor.counters.restarts == 0


async def test_recycling_leaves_no_descriptor(fresh, watch):
    extractor = fresh()
    await read(extractor, "segfault")
    await read(extractor, "echo")
    before = watch.descriptors()
    for _ in range(5):
        await read(extractor, "segfault")
    await read(extractor, "echo")
    await watch.until(lambda: watch.descriptors() == before)
    assert extractor.counters.recycled == 6


async def test_extractor_closed_beside_a_retired_zygote_leaves_no_process(fresh, watch):
    extractor = fresh()
    await extractor.start()
    first = watch.zygote(extractor)
    beside = asyncio.ensure_future(read(extractor, "hang"))
    await watch.until(lambda: bool(watch.children(first)))
    await read(extractor, "segfault")
    await read(extractor, "echo")
    second = watch.zygote(extractor)
    await extractor.close()
    assert (await beside).status is Status.FAILED
    await watch.until(lambda: not watch.is_running(first) and not watch.is_running(second))


async def test_every_end_is_counted(fresh):
    extractor = fresh(timeout_s=2.0)
    assert extractor.counters == ZERO
    for name in ("echo", "hang", "hoard", "segfault", "exec", "raise", "garbage"):
        await read(extractor, name, b"\xff")
    assert extractor.counters == Counters(
        files=7,
        timeouts=1,
        page_timeouts=0,
        out_of_memory=1,
        forbidden_calls=1,
        crashes=2,
        bad_frames=1,
        unconfined=0,
        restarts=0,
        recycled=2,
    )


async def test_level_and_layers_are_told_in_one_line_at_the_start(fresh, caplog):
    with caplog.at_level(logging.INFO, "extractors.sandbox"):
        await fresh().start()
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith("the sandbox is ready: level full, no_new_privs on (")
    assert "landlock on (ABI" in line
    assert "seccomp on (an allow-list of" in line


async def test_problem_says_why_nothing_is_read(fresh):
    extractor = fresh(off=frozenset({"seccomp"}))
    assert extractor.problem is None
    await extractor.start()
    assert extractor.problem == "the sandbox reaches only level landlock here and seccomp is required; see its layers"
    broken = fresh(memory_bytes=-(2**62))
    await broken.start()
    assert str(broken.problem).startswith("the sandbox could not be started: ")


def test_unknown_level_is_refused_at_once():
    with pytest.raises(ValueError, match="bubblewrap"):
        SandboxedAttachmentExtractor(require="bubblewrap")


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_every_format_is_read_by_a_zygote_that_there_is(fmt: Format) -> None:
    assert fmt.zygote in {MAIN, *_OTHER_ZYGOTES}
