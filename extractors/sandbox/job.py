"""One file's way through a child: the input handed over, the result drained under a cap, the end judged."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Final

from extractors.content import Block, Ended, Status
from extractors.limits import MIB, ExtractLimits
from extractors.sandbox.input_file import Description, write_input
from extractors.sandbox.wire import ExitCode, Frames, Settings, WireError
from extractors.sandbox.zygote_handle import Child, ZygoteHandle

#: How long a killed child may take to be gone before its zygote is held to be stuck.
_KILL_GRACE_S: Final = 2.0
_OUT_OF_MEMORY: Final = Ended(Status.FAILED, "the reader ran out of memory")
_CRASHED: Final = Ended(Status.FAILED, "the reader crashed")
_NOT_UNDERSTOOD: Final = Ended(Status.FAILED, "the reader's result could not be understood")
_UNCONFINED: Final = Ended(Status.FAILED, "the sandbox could not be closed around the file, so it was not read")
#: By exit code; a signal is its negative. A SIGKILL that is not ours is the system's, when it runs out of memory.
_ENDINGS: Final = {
    ExitCode.OUT_OF_MEMORY: _OUT_OF_MEMORY,
    -signal.SIGKILL: _OUT_OF_MEMORY,
    ExitCode.UNCONFINED: _UNCONFINED,
    ExitCode.DONE: _NOT_UNDERSTOOD,
}
_OUT_OF_TIME: Final = frozenset({-signal.SIGXCPU, -signal.SIGALRM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a child sent before it ended, and why no more came; None when it said all it had to say."""

    blocks: list[Block]
    ended: Ended | None


async def read_file(zygote: ZygoteHandle, settings: Settings, data: bytes, description: Description) -> Reading:
    """Reads one file in a child of the zygote. `ZygoteLostError` when the zygote went before the child did.

    However it is left, by cancellation too, the child is dead or about to be, and no descriptor stays open.
    """
    with ExitStack() as resources:
        child, result = _start(zygote, settings, data, description, resources)
        try:
            async with asyncio.timeout(settings.timeout_s):
                await result.drained
                # Its exit is not waited for: that takes a process as long as reading a small file.
                if result.frames.has_ended:
                    return Reading(blocks=result.frames.blocks, ended=None)
                # Shielded: a cancelled wait must not look like an ended child.
                ended = _judge(await asyncio.shield(child.exited), settings)
        except WireError:
            await _kill(zygote, child)
            ended = _NOT_UNDERSTOOD
        except TimeoutError:
            await _kill(zygote, child)
            ended = _timeout(settings)
        return Reading(blocks=result.frames.blocks, ended=ended)


class _Result:
    """Drains a child's pipe into blocks; `drained` is done at the end, or fails with `WireError`."""

    def __init__(self, fd: int, limits: ExtractLimits) -> None:
        self.frames = Frames(limits)
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self.drained: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(fd, self._on_readable)

    def close(self) -> None:
        """Stops listening; the descriptor is its owner's to close."""
        self._loop.remove_reader(self._fd)

    def _on_readable(self) -> None:
        try:
            untrusted = os.read(self._fd, MIB)
            self.frames.feed(untrusted)
        except BlockingIOError:
            return
        except (OSError, WireError) as exc:
            self._settle(exc)
            return
        if self.frames.has_ended or not untrusted:
            self._settle(None)

    def _settle(self, error: Exception | None) -> None:
        self.close()
        if self.drained.done():
            return
        if error is None:
            self.drained.set_result(None)
        else:
            self.drained.set_exception(error)


def _start(
    zygote: ZygoteHandle, settings: Settings, data: bytes, description: Description, resources: ExitStack
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
    result = _Result(result_fd, settings.limits)
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


def _judge(status: int, settings: Settings) -> Ended:
    """What the wait status of a child that did not finish its result means."""
    code = os.waitstatus_to_exitcode(status)
    if code in _OUT_OF_TIME:
        return _timeout(settings)
    return _ENDINGS.get(code, _CRASHED)


def _timeout(settings: Settings) -> Ended:
    return Ended(Status.TIMEOUT, f"extraction timed out after {settings.timeout_s:g} s")
