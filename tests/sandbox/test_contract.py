"""What the public class promises whatever a file does to its reader."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from extractors.content import AttachmentExtractor, ExtractedContent, Status
from extractors.limits import ExtractLimits
from extractors.sandbox.extractor import SandboxedAttachmentExtractor
from extractors.sandbox.wire import MAIN, Level

NATIVE = {"off": frozenset()}
#: What macOS gets, on this system.
PORTABLE = {"portable": True, "require": Level.LIMITS}
VARIANTS = [pytest.param(NATIVE, id="native"), pytest.param(PORTABLE, id="portable")]


async def read(extractor: SandboxedAttachmentExtractor, name: str, data: bytes = b"data") -> ExtractedContent:
    return await extractor.extract(data, file_metadata={"name": name})


def is_alive(extractor: SandboxedAttachmentExtractor) -> bool:
    zygote = extractor._supplies[MAIN]._current
    return zygote is not None and zygote.is_alive


def is_starting(extractor: SandboxedAttachmentExtractor) -> bool:
    return MAIN in extractor._supplies and extractor._supplies[MAIN]._lock.locked()


# --- what a file may do -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
async def test_reader_gets_the_bytes_the_name_the_type_and_the_metadata(hostile, variant):
    result = await hostile(**variant).extract(
        b"%PDF", file_metadata={"name": "echo 报告.pdf", "size": 4, "origin": "chat"}, media_type="application/pdf"
    )
    assert result.text == "echo 报告.pdf application/pdf 4 b'%PDF' ['name', 'origin']"
    assert (result.status, result.size_bytes) == (Status.OK, 4)
    assert result.sha256 == hashlib.sha256(b"%PDF").hexdigest()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("name", "status", "note"),
    [
        ("segfault", Status.PARTIAL, "the reader crashed"),
        ("raise", Status.PARTIAL, "the reader crashed"),
        ("exit", Status.PARTIAL, "the reader crashed"),
        ("truncated", Status.PARTIAL, "the reader's result could not be understood"),
        ("one_huge_frame", Status.FAILED, "the reader's result could not be understood"),
        ("deep", Status.PARTIAL, "the reader's result could not be understood"),
        ("trailing", Status.PARTIAL, "the reader's result could not be understood"),
        ("flood", Status.PARTIAL, "the reader's result could not be understood"),
        ("stderr_flood", Status.OK, None),
    ],
)
async def test_broken_reader_becomes_a_status_and_the_next_file_reads(hostile, variant, name, status, note):
    extractor = hostile(**variant)
    result = await read(extractor, name)
    assert (result.status, result.note and result.note.split(";")[0]) == (status, note)
    assert (await read(extractor, "echo")).status is Status.OK


async def test_reader_that_hoards_memory_is_stopped(hostile):
    result = await read(hostile(**NATIVE), "hoard")
    assert result.status is Status.PARTIAL
    assert result.text == "before"
    assert str(result.note).startswith("the reader ran out of memory")


@pytest.mark.parametrize(
    "data", [b"\xff" * 50, b"\x01\x00\x00\x00\x02\xc1\xc1", bytes(1000), b"\x01\x00\x00\x00\x01\x91"]
)
async def test_garbage_from_a_reader_is_not_understood(hostile, data):
    result = await read(hostile(**NATIVE), "garbage", data)
    assert result.status is Status.PARTIAL
    assert str(result.note).startswith("the reader's result could not be understood")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("name", "text"),
    [("hang", "before"), ("terminated", "before"), ("drip", "drop"), ("deaf", "before"), ("spin", None)],
)
async def test_time_ends_every_reading_and_keeps_what_came(hostile, variant, name, text, watch):
    extractor = hostile(timeout_s=0.4, **variant)
    await extractor.start()
    result = await read(extractor, name)
    assert result.status is (Status.PARTIAL if text else Status.TIMEOUT)
    assert str(result.note).startswith("extraction timed out after 0.4 s")
    assert text is None or str(result.text).startswith(text)
    await watch.until(lambda: watch.children(watch.zygote(extractor)) == [])
    assert extractor.counters.restarts == 0


async def test_reader_stops_by_itself_before_the_time_is_over(fresh):
    result = await read(fresh(timeout_s=0.8, **NATIVE), "until_late")
    assert (result.status, result.text) == (Status.OK, "stopped by itself")


async def test_file_over_the_limit_is_rejected_unread():
    extractor = SandboxedAttachmentExtractor(max_bytes=3)
    result = await read(extractor, "a.txt", b"four")
    assert (result.status, result.kind) == (Status.REJECTED, "unknown")
    assert result.note == "attachment too large (4 bytes > 3 limit)"
    assert extractor.level is None


async def test_file_of_the_largest_size_reads(hostile):
    result = await read(hostile(**NATIVE), "echo", bytes(16 * 2**20))
    assert f" {16 * 2**20} " in str(result.text)


async def test_empty_file_reaches_the_reader(hostile):
    assert " 0 " in str((await read(hostile(**NATIVE), "echo", b"")).text)


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "echo\ud800", "mime_type": "\udfff"},
        {"name": "echo " + "x" * 1_000_000, "mime_type": "y" * 1_000_000},
        {"name": "echo", **{f"key {i}" * 1000: "v" * 10_000 for i in range(500)}},
        {"name": None, "mime_type": 7, "other": object()},
        {3: "three"},
    ],
)
async def test_any_metadata_is_taken(hostile, metadata):
    result = await hostile(**NATIVE).extract(b"", file_metadata=metadata)
    assert result.status is Status.OK


# --- the zygote -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
async def test_file_is_read_again_when_the_zygote_dies_under_it(fresh, variant, watch):
    extractor = fresh(**variant)
    await extractor.start()
    pid = watch.zygote(extractor)
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(read(extractor, "pause", b"0.3"))
        await watch.until(lambda: bool(watch.children(pid)))
        os.kill(pid, signal.SIGKILL)
    assert (reading.result().status, reading.result().text) == (Status.OK, "rested")
    assert (await read(extractor, "echo")).status is Status.OK
    assert extractor.counters.restarts == 1


async def test_file_fails_when_the_zygote_dies_under_it_twice(fresh, watch):
    extractor = fresh(**NATIVE)
    await extractor.start()
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(read(extractor, "hang"))
        for _ in range(2):
            await watch.until(lambda: is_alive(extractor))
            pid = watch.zygote(extractor)
            await watch.until(lambda pid=pid: bool(watch.children(pid)))
            (child,) = watch.children(pid)
            os.kill(pid, signal.SIGKILL)
            await watch.until(lambda child=child: not watch.is_running(child))
    assert (reading.result().status, reading.result().note) == (
        Status.FAILED,
        "the sandbox broke down while the file was read, and again when it was read once more",
    )
    assert (await read(extractor, "echo")).status is Status.OK


async def test_zygote_that_stopped_answering_is_replaced(fresh, watch):
    extractor = fresh(timeout_s=0.3, **NATIVE)
    await extractor.start()
    os.kill(watch.zygote(extractor), signal.SIGSTOP)
    result = await read(extractor, "echo")
    assert result.status is Status.TIMEOUT
    assert (await read(extractor, "echo")).status is Status.OK
    assert extractor.counters.restarts == 1


async def test_zygote_that_cannot_start_says_why_and_never_raises(fresh):
    extractor = fresh(**NATIVE)
    extractor._settings = type(extractor._settings)(
        **{
            name: getattr(extractor._settings, name)
            for name in extractor._settings.__struct_fields__
            if name != "entry"
        },
        entry="no_such_module:extract",
    )
    await extractor.start()
    result = await read(extractor, "echo")
    assert result.status is Status.FAILED
    assert result.note == "the sandbox could not be started: ModuleNotFoundError: No module named 'no_such_module'"


async def test_interpreter_that_cannot_be_started_is_a_failed_file(fresh, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    result = await read(fresh(**NATIVE), "echo")
    assert result.status is Status.FAILED
    assert str(result.note).startswith("the sandbox could not be started: [Errno 2]")


async def test_extractor_closed_while_it_starts_stays_closed(fresh, watch):
    extractor = fresh(**NATIVE)
    reading = asyncio.ensure_future(read(extractor, "echo"))
    await watch.until(lambda: is_starting(extractor))
    await extractor.close()
    assert (await reading).status in {Status.OK, Status.FAILED}
    assert extractor._supplies[MAIN]._current is None


async def test_many_first_files_start_one_zygote(fresh):
    extractor = fresh(**NATIVE)
    results = await asyncio.gather(*(read(extractor, "echo") for _ in range(5)))
    assert {result.status for result in results} == {Status.OK}
    assert extractor.counters.restarts == 0


async def test_first_file_may_be_cancelled_while_the_zygote_starts(fresh, watch):
    extractor = fresh(**NATIVE)
    first = asyncio.ensure_future(read(extractor, "echo"))
    second = asyncio.ensure_future(read(extractor, "echo"))
    await watch.until(lambda: is_starting(extractor))
    first.cancel()
    assert (await second).status is Status.OK
    assert first.cancelled()


@pytest.mark.parametrize("variant", VARIANTS)
async def test_zygote_and_its_child_end_with_the_extractor(fresh, variant, watch):
    extractor = fresh(**variant)
    async with extractor:
        zygote = watch.zygote(extractor)
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(read(extractor, "hang"))
            await watch.until(lambda: bool(watch.children(zygote)))
            (child,) = watch.children(zygote)
            await extractor.close()
    assert reading.result().note == "the sandbox could not be started: the extractor is closed"
    await watch.until(lambda: not watch.is_running(zygote) and not watch.is_running(child))
    assert (await read(extractor, "echo")).note == "the sandbox could not be started: the extractor is closed"


async def test_closed_extractor_can_be_started_again(fresh):
    extractor = fresh(**NATIVE)
    for _ in range(2):
        async with extractor:
            assert (await read(extractor, "echo")).status is Status.OK
    assert extractor.counters.restarts == 0


# --- nothing is left behind -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
async def test_cancelled_readings_leave_no_descriptor_and_no_process(hostile, variant, watch):
    extractor = hostile(**variant)
    await extractor.start()
    await read(extractor, "echo")
    before, restarts = watch.descriptors(), extractor.counters.restarts
    for i in range(30):
        reading = asyncio.ensure_future(read(extractor, "hang" if i % 2 else "deaf"))
        # From before the child exists to well into its work.
        for _ in range(i):
            await asyncio.sleep(0.0005)
        reading.cancel()
        await asyncio.wait({reading})
        assert reading.cancelled()
    assert (await read(extractor, "echo")).status is Status.OK
    await watch.until(lambda: watch.children(watch.zygote(extractor)) == [])
    assert watch.descriptors() == before
    assert extractor.counters.restarts == restarts


async def test_two_hundred_files_at_once_are_all_answered_and_leave_nothing(hostile, watch):
    extractor = hostile(**NATIVE)
    await extractor.start()
    before = watch.descriptors()
    names = ["echo", "segfault", "garbage", "raise"] * 5 + ["echo", "echo", "garbage", "raise"] * 45
    results = await asyncio.gather(*(read(extractor, name, b"\xff" * 10) for name in names))
    statuses = [result.status for result in results]
    assert statuses == [Status.OK if name == "echo" else Status.PARTIAL for name in names]
    assert (await read(extractor, "echo")).status is Status.OK  # by a zygote that has come after the last crash
    await watch.until(lambda: watch.children(watch.zygote(extractor)) == [])
    assert watch.descriptors() == before


async def test_no_more_files_are_read_at_once_than_allowed(hostile, watch):
    extractor = hostile(**NATIVE)
    await extractor.start()
    readings = [asyncio.ensure_future(read(extractor, "hang")) for _ in range(6)]
    await watch.until(lambda: len(watch.children(watch.zygote(extractor))) == 2)
    for _ in range(20):
        await asyncio.sleep(0.005)
        assert len(watch.children(watch.zygote(extractor))) == 2
    for reading in readings:
        reading.cancel()
    await asyncio.wait(readings)


def test_one_extractor_serves_one_loop_after_another_with_the_same_zygote(hostile, watch):
    extractor = hostile(**NATIVE)
    restarts = extractor.counters.restarts
    pids = set()
    for _ in range(3):
        # Two wait for each slot, so that the locks of a former loop would be noticed.
        results = asyncio.run(read_several(extractor))
        assert {result.status for result in results} == {Status.OK}
        pids.add(watch.zygote(extractor))
    assert len(pids) == 1
    assert extractor.counters.restarts == restarts


async def read_several(extractor: SandboxedAttachmentExtractor) -> list[ExtractedContent]:
    return await asyncio.gather(*(read(extractor, "echo") for _ in range(6)))


def test_loop_that_ends_in_mid_job_leaves_no_process(hostile, watch):
    extractor = hostile(**NATIVE)

    async def leave() -> None:
        await extractor.start()
        hanging = asyncio.ensure_future(read(extractor, "hang"))
        await watch.until(lambda: bool(watch.children(watch.zygote(extractor))))
        assert not hanging.done()

    asyncio.run(leave())
    assert asyncio.run(read(extractor, "echo")).status is Status.OK
    deadline = time.monotonic() + 10
    while watch.children(watch.zygote(extractor)):
        assert time.monotonic() < deadline


def test_forgotten_extractor_ends_its_zygote_without_a_warning(fresh, watch):
    extractor = SandboxedAttachmentExtractor()
    extractor._settings = fresh(**NATIVE)._settings
    asyncio.run(read(extractor, "echo"))
    pid = watch.zygote(extractor)
    assert Path(f"/proc/{pid}").exists()
    del extractor
    gc.collect()
    assert not Path(f"/proc/{pid}").exists()


KILLED = """
import asyncio, os, sys
import msgspec
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

async def main():
    extractor = SandboxedAttachmentExtractor()
    extractor._settings = msgspec.json.decode(sys.argv[1], type=type(extractor._settings))
    await extractor.start()
    zygote = extractor._supplies["main"]._current._process.pid
    reading = asyncio.ensure_future(extractor.extract(b"", file_metadata={"name": "hang"}))
    while not (children := open(f"/proc/{zygote}/task/{zygote}/children").read().split()):
        await asyncio.sleep(0.01)
    print(zygote, *children, flush=True)
    os.kill(os.getpid(), 9)

asyncio.run(main())
"""


def test_zygote_and_the_child_in_mid_job_end_when_their_parent_is_killed(fresh, watch):
    settings = msgspec.json.encode(fresh(**NATIVE)._settings).decode()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, settings], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 2
    deadline = time.monotonic() + 10
    while any(watch.is_running(pid) for pid in pids):
        assert time.monotonic() < deadline


def test_parent_loads_no_parser():
    code = "import sys, extractors.sandbox.extractor; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stdout.split())
    assert "extractors.sandbox.job" in loaded
    assert not loaded & {"pymupdf", "docx", "openpyxl", "pptx", "PIL", "lxml", "chardet", "extractors.extract"}
    assert not loaded & {"extractors.sandbox.zygote", "extractors.sandbox.child", "extractors.formats"}


def test_extractor_is_an_attachment_extractor():
    assert isinstance(SandboxedAttachmentExtractor(limits=ExtractLimits()), AttachmentExtractor)
