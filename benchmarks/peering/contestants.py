"""Whoever reads files in the contest: ours behind the sandbox, each peer in fresh processes and in one warm one."""

from __future__ import annotations

import asyncio
import os
import re
import select
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from extractors import ExtractedContent, ExtractLimits, SandboxedAttachmentExtractor, Status

TIMEOUT_S: Final = 20.0
_START_TIMEOUT_S: Final = 60.0
_RUNNER: Final = Path(__file__).with_name("runner.py")
_ANSWER: Final = re.compile(rb"(read|failed) (\S+) (\d+)\n")
#: Nothing of the caller's environment reaches a peer.
#: For what lies past our limits: the peers have none.
_LIFTED: Final = ExtractLimits(
    extract_text_max_chars=5_000_000,
    pdf_extract_max_pages=10_000,
    docx_max_tables=10_000,
    docx_max_table_rows=100_000,
    xlsx_max_sheets=1_000,
    xlsx_max_rows_per_sheet=100_000,
    pptx_max_slides=10_000,
)
_ENVIRONMENT: Final = {"PATH": os.defpath, "LANG": "C.UTF-8"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one reader made of one file."""

    seconds: float
    text: str = ""
    #: Empty when the file was read.
    problem: str = ""
    #: There was no answer: the reader hung or died.
    is_lost: bool = False
    #: A limit of ours cut the text, as the text says.
    is_cut: bool = False


class Contestant(Protocol):
    """One reader in one mode."""

    name: str
    mode: str

    def read(self, path: Path) -> Reading:
        """Reads one file; never raises for a file."""


class Ours:
    """Our readers, every file in a confined process of its own, forked from a zygote that is there already."""

    name = "ours"
    mode = "fresh"

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self._extractor = SandboxedAttachmentExtractor(timeout_seconds=TIMEOUT_S, max_concurrency=1)
        self._unlimited = SandboxedAttachmentExtractor(timeout_seconds=TIMEOUT_S, limits=_LIFTED)
        runner.run(self._extractor.start())
        self.level = str(self._extractor.level)

    def read(self, path: Path) -> Reading:
        """Timed from the path to the content."""
        started = time.perf_counter()
        data = path.read_bytes()
        loaded_s = time.perf_counter() - started
        reading = self._runner.run(self._read(self._extractor, data, path.name))
        return replace(reading, seconds=loaded_s + reading.seconds)

    def read_whole(self, path: Path) -> Reading:
        """Without the limits that cut a long text; not to be timed."""
        return self._runner.run(self._read(self._unlimited, path.read_bytes(), path.name))

    def close(self) -> None:
        """Ends the zygotes."""
        self._runner.run(self._extractor.close())
        self._runner.run(self._unlimited.close())

    async def _read(self, extractor: SandboxedAttachmentExtractor, data: bytes, name: str) -> Reading:
        await asyncio.sleep(0)  # the end of the child before is heard now, as it would be in a running bot
        started = time.perf_counter()
        content: ExtractedContent = await extractor.extract(data, file_metadata={"name": name})
        seconds = time.perf_counter() - started
        is_read = content.status in {Status.OK, Status.PARTIAL}
        problem = "" if is_read else f"{content.status}: {content.note}"
        return Reading(seconds=seconds, text=content.text or "", problem=problem, is_cut=content.truncated)


@dataclass(slots=True, kw_only=True)
class FreshPeer:
    """A peer started for every file: interpreter, import, one file; timed from the start to the answer."""

    name: str
    python: Path
    mode: str = "fresh"

    def read(self, path: Path) -> Reading:
        """Its exit is not waited for within the time, nor is ours."""
        started = time.perf_counter()
        process = _start(self.python, self.name, path)
        try:
            return replace(_answer(process, TIMEOUT_S), seconds=time.perf_counter() - started)
        finally:
            _end(process)


@dataclass(slots=True, kw_only=True)
class WarmPeer:
    """A peer that stays; timed by itself around its call, so that handing over costs it nothing."""

    name: str
    python: Path
    mode: str = "warm"
    _process: subprocess.Popen[bytes] | None = None

    def read(self, path: Path) -> Reading:
        """Starts it anew when it was lost, outside of the time."""
        timeout_s = TIMEOUT_S if self._process else TIMEOUT_S + _START_TIMEOUT_S
        process = self._process = self._process or _start(self.python, self.name)
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # that no answer comes says the same
            process.stdin.write(f"{path}\n".encode())
            process.stdin.flush()
        reading = _answer(process, timeout_s)
        if reading.is_lost:
            self.close()
        return reading

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            _end(self._process)
            self._process = None


def _answer(process: subprocess.Popen[bytes], timeout_s: float) -> Reading:
    """Waits for the answer to one file; silence and death are answers too."""
    started = time.perf_counter()
    assert process.stdout is not None
    received = bytearray()
    while (left_s := started + timeout_s - time.perf_counter()) > 0:
        if not select.select([process.stdout], [], [], left_s)[0]:
            break
        part = os.read(process.stdout.fileno(), 1 << 20)
        if not part:
            return Reading(seconds=time.perf_counter() - started, problem=_death(process.wait()), is_lost=True)
        received += part
        if reading := _parsed(received):
            return reading
    return Reading(seconds=timeout_s, problem=f"no answer in {timeout_s:g} s", is_lost=True)


def _parsed(received: bytearray) -> Reading | None:
    """The answer, when all of it is there."""
    head = _ANSWER.match(received)
    if head is None or len(received) < head.end() + int(head[3]):
        return None
    text = received[head.end() :].decode("utf-8", "replace")
    if head[1] == b"read":
        return Reading(seconds=float(head[2]), text=text)
    return Reading(seconds=float(head[2]), problem=text or "failed")


def _death(code: int) -> str:
    return f"died of {signal.Signals(-code).name}" if code < 0 else f"died with exit code {code}"


def _start(python: Path, peer: str, *paths: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [python, "-I", "-X", "utf8", _RUNNER, peer, *paths],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_ENVIRONMENT,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kills it with whatever it has started, and lets go of its pipes."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(BrokenPipeError):
        process.communicate()
