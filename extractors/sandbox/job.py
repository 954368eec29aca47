"""One file's way through a child: the input handed over, the result drained under a cap, the end judged."""

from __future__ import annotations

import asyncio
import fcntl
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Final

import msgspec

from extractors.content import (
    Block,
    ExtractionWarning,
    PageCount,
    Picture,
    Progress,
    Text,
    Truncated,
    Warned,
)
from extractors.limits import MIB
from extractors.sandbox.input_file import Description, write_input
from extractors.sandbox.outcome import Outcome, Reading, ending, judge
from extractors.sandbox.wire import Frames, Settings, WireError
from extractors.sandbox.zygote_handle import Child, ZygoteHandle

#: How long a killed child may take to be gone before its zygote is held to be stuck.
_KILL_GRACE_S: Final = 2.0


async def read_file(
    zygote: ZygoteHandle,
    settings: Settings,
    data: bytes,
    description: Description,
    *,
    note: Callable[[Outcome], None],
) -> Reading:
    """Reads one file in children of the zygote. `ZygoteLostError` when the zygote went before the child did.

    A child that is stuck inside a page is killed, and another one goes on with the next page. `note` hears how each
    ended. However this is left, by cancellation too, no child lives on, and no descriptor stays open.
    """
    loop = asyncio.get_running_loop()
    started = loop.time()
    frames = Frames(settings.limits)
    while True:
        outcome = await _run(zygote, settings, data, description, frames=frames, deadline=started + settings.timeout_s)
        note(outcome)
        page = frames.page
        if outcome is Outcome.DONE or page is None:
            break
        if page.owed:
            frames.blocks.append(Truncated(page.owed))
        if outcome is not Outcome.PAGE_TIMEOUT:
            break
        frames.blocks.append(_lost(page.number, settings.limits.pdf_page_timeout_s))
        if page.number >= _pages(frames.blocks):
            break
        progress = _progress(frames.blocks, next_page=page.number + 1, seconds=loop.time() - started)
        description = msgspec.structs.replace(description, progress=progress)
        frames.restart(first_page=page.number + 1)
    return Reading(blocks=frames.blocks, outcome=outcome, ended=ending(outcome, settings.timeout_s))


async def _run(
    zygote: ZygoteHandle,
    settings: Settings,
    data: bytes,
    description: Description,
    *,
    frames: Frames,
    deadline: float,
) -> Outcome:
    """One child from its start to its end, or to the moment when it has said it all."""
    loop = asyncio.get_running_loop()
    page_timeout_s = settings.limits.pdf_page_timeout_s
    with ExitStack() as resources:
        child, result = _start(zygote, settings, data, description, frames=frames, resources=resources)
        try:
            async with asyncio.timeout_at(deadline) as timer:

                def next_page() -> None:
                    if not timer.expired():
                        timer.reschedule(min(deadline, loop.time() + page_timeout_s))

                result.on_page = next_page
                await result.drained
                # Its exit is not waited for: that takes a process as long as reading a small file.
                if frames.has_ended:
                    return Outcome.DONE
                # Shielded: a cancelled wait must not look like an ended child.
                return judge(await asyncio.shield(child.exited))
        except WireError:
            await _kill(zygote, child)
            return Outcome.BAD_FRAME
        except TimeoutError:
            is_over = loop.time() >= deadline
            await _kill(zygote, child)
            return Outcome.TIMEOUT if is_over else Outcome.PAGE_TIMEOUT


class _Result:
    """Drains a child's pipe into frames; `drained` is done at the end, or fails with `WireError`."""

    def __init__(self, fd: int, frames: Frames) -> None:
        self._frames = frames
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self.drained: asyncio.Future[None] = self._loop.create_future()
        #: Called when a page has begun.
        self.on_page: Callable[[], None] = _ignore
        self._loop.add_reader(fd, self._on_readable)

    def close(self) -> None:
        """Stops listening; the descriptor is its owner's to close."""
        self._loop.remove_reader(self._fd)

    def _on_readable(self) -> None:
        before = self._frames.page
        try:
            untrusted = os.read(self._fd, MIB)
            self._frames.feed(untrusted)
        except BlockingIOError:
            return
        except (OSError, WireError) as exc:
            self._settle(exc)
            return
        if self._frames.has_ended or not untrusted:
            self._settle(None)
        elif self._frames.page is not before:
            self.on_page()

    def _settle(self, error: Exception | None) -> None:
        self.close()
        if self.drained.done():
            return
        if error is None:
            self.drained.set_result(None)
        else:
            self.drained.set_exception(error)


def _ignore() -> None:
    """Before anybody listens for pages."""


def _start(
    zygote: ZygoteHandle,
    settings: Settings,
    data: bytes,
    description: Description,
    *,
    frames: Frames,
    resources: ExitStack,
) -> tuple[Child, _Result]:
    """Hands the file over; everything opened for it is closed with `resources`."""
    result_fd, childs_end = _pipe()
    resources.callback(os.close, result_fd)
    try:
        input_fd = write_input(data, description, portable=settings.portable)
        try:
            child = zygote.start(input_fd=input_fd, result_fd=childs_end)
        finally:
            os.close(input_fd)
    finally:
        os.close(childs_end)
    resources.callback(zygote.release, child)
    result = _Result(result_fd, frames)
    resources.callback(result.close)
    return child, result


def _pipe() -> tuple[int, int]:
    """A pipe that is read without waiting, large where the system allows it."""
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    if sys.platform == "linux":
        with suppress(PermissionError):  # the user's share of pipe memory is spent; the usual 64 KiB do
            fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, MIB)
    return read_end, write_end


async def _kill(zygote: ZygoteHandle, child: Child) -> None:
    """Kills the child and sees it gone; a zygote that does not report it in time is given up."""
    zygote.kill(child)
    await asyncio.wait({child.exited}, timeout=_KILL_GRACE_S)
    if not child.exited.done():
        zygote.lose()


def _lost(page: int, timeout_s: float) -> Warned:
    warning = ExtractionWarning(
        problem=f"page {page} was not read to its end within {timeout_s:g} s",
        consequence="what is missing of it is left out",
    )
    return Warned(warning, partial=True)


def _pages(untrusted: Sequence[Block]) -> int:
    """How many pages the file has, as far as the reader has told."""
    return max((block.total for block in untrusted if isinstance(block, PageCount)), default=0)


def _progress(untrusted: Sequence[Block], *, next_page: int, seconds: float) -> Progress:
    return Progress(
        next_page=next_page,
        chars=sum(len(block.markdown) for block in untrusted if isinstance(block, Text)),
        images=sum(isinstance(block, Picture) for block in untrusted),
        seconds=seconds,
    )
