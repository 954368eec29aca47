"""The parent's hold on a zygote: starts it, hands it files, hears of every child's end, and ends it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import weakref
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from extractors.sandbox.channel import Channel
from extractors.sandbox.wire import (
    Exited,
    Kill,
    Layer,
    Ready,
    Run,
    Settings,
    Started,
    Unready,
    WireError,
    decode_from_zygote,
    encode,
)

logger = logging.getLogger(__name__)

#: A cold disk and a busy machine; warm it takes half a second.
START_TIMEOUT_S: Final = 60.0
#: An idle zygote ends at once when its control socket closes; one that is still loading is killed after this.
_END_GRACE_S: Final = 1.0
_KILL_GRACE_S: Final = 5.0
#: One thread per numeric library, since the zygote forks. Nothing else of the parent's environment goes along.
_ENVIRONMENT: Final = {
    "LANG": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # onnxruntime would leave an identifier under the home directory.
    "ORT_DISABLE_TELEMETRY": "1",
}
_BOOTSTRAP: Final = (
    "import json, sys; sys.path[:0] = json.loads(sys.argv[2])['path'];"
    " from extractors.sandbox.zygote import main; main(int(sys.argv[1]), sys.argv[2])"
)


class ZygoteLostError(Exception):
    """The zygote is gone, or does not answer: what it was doing may be done again by another."""


class StartError(Exception):
    """No zygote could be started."""


@dataclass(slots=True, kw_only=True)
class Child:
    """One file's process as the parent knows it."""

    job: int
    exited: asyncio.Future[int]  # its wait status
    pidfd: int | None = None
    is_doomed: bool = False  # to be killed as soon as its pidfd is there


def module_path() -> tuple[str, ...]:
    """Where a zygote finds this package and its parsers: where this process finds them, installed or not."""
    here = str(Path(__file__).resolve().parents[2])
    return (here, *(entry for entry in sys.path if Path(entry).is_absolute()))


class ZygoteHandle:
    """One zygote. Its descriptors and process are released with `close`, or with the object, or at exit.

    Bound to the event loop that uses it; another loop may take over once the former one runs no more.
    """

    def __init__(self, settings: Settings) -> None:
        self._has_pidfds = sys.platform == "linux" and not settings.portable
        self._process, self._channel = _launch(settings)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._children: dict[int, Child] = {}
        self._layers: tuple[Layer, ...] | None = None
        self._problem = "it ended before it was ready"
        self._changed = asyncio.Event()  # something was heard, or the zygote was lost
        self._is_retired = False
        self.jobs_started = 0
        self.is_alive = True
        self._end = weakref.finalize(self, _end, self._process, self._channel)

    @property
    def is_ready(self) -> bool:
        """True once the zygote has said that it serves."""
        return self.is_alive and self._layers is not None

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers as the zygote verified them; empty before it is ready."""
        return self._layers or ()

    def listen(self) -> None:
        """Hears on the running loop when the zygote is ready. Children of a former loop are nobody's any more."""
        loop = asyncio.get_running_loop()
        if self._loop is loop or not self.is_alive:
            return
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._channel.fileno())
        self._loop = loop
        self._changed = asyncio.Event()
        loop.add_reader(self._channel.fileno(), self._on_readable)
        for child in list(self._children.values()):
            self.release(child)

    async def ready(self) -> tuple[Layer, ...]:
        """Waits until the zygote serves; the layers as it verified them. `StartError` when it does not."""
        self.listen()
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                while self._layers is None and self.is_alive:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise StartError(f"it was not ready after {START_TIMEOUT_S:.0f} s") from None
        if self._layers is None:
            raise StartError(self._problem)
        return self._layers

    def start(self, *, input_fd: int, result_fd: int) -> Child:
        """Has a child read `input_fd` and write frames to `result_fd`; both stay the caller's to close."""
        if not self.is_alive:
            raise ZygoteLostError("the zygote ended")
        self.listen()
        self.jobs_started += 1
        child = Child(job=self.jobs_started, exited=asyncio.get_running_loop().create_future())
        try:
            self._channel.send(encode(Run(id=child.job)), [input_fd, result_fd])
        except OSError as exc:
            self.lose()
            raise ZygoteLostError(str(exc)) from exc
        self._children[child.job] = child
        return child

    def kill(self, child: Child) -> None:
        """Kills a child; what has ended already is left alone."""
        if child.exited.done():
            return
        child.is_doomed = True
        if child.pidfd is not None:
            self._kill(child.pidfd, child.job)
        elif not self._has_pidfds:
            self._ask_to_kill(child.job)

    def release(self, child: Child) -> None:
        """Forgets a child, and kills it if it runs."""
        self.kill(child)
        self._children.pop(child.job, None)
        if child.pidfd is not None:
            os.close(child.pidfd)
            child.pidfd = None
        self._end_when_idle()

    def retire(self) -> None:
        """Takes no further file, and ends with the last one it has."""
        self._is_retired = True
        self._end_when_idle()

    def lose(self) -> None:
        """Gives the zygote up, and with it every child."""
        if not self.is_alive:
            return
        self.is_alive = False
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._channel.fileno())
        for child in self._children.values():
            if not child.exited.done():
                child.exited.set_exception(ZygoteLostError("the zygote ended"))
                child.exited.exception()  # whoever has stopped waiting need not hear of it
        self._changed.set()

    async def close(self) -> None:
        """Ends the zygote and waits for it."""
        if self.is_alive:
            self.lose()
        else:  # given up before: dead, or stuck
            _kill_process(self._process)
        await asyncio.to_thread(self._end)

    def kill_now(self) -> None:
        """Ends the zygote at once, whatever it is doing."""
        self.lose()
        _kill_process(self._process)
        self._end()

    def _end_when_idle(self) -> None:
        if not self._is_retired or self._children or not self.is_alive:
            return
        self.lose()
        if self._loop is not None and self._loop.is_running():
            self._loop.run_in_executor(None, self._end)
        else:
            self._end()

    def _on_readable(self) -> None:
        try:
            messages = self._channel.receive()
            if messages is None:
                self.lose()
                return
            for raw in messages:
                self._hear(raw)
        except BlockingIOError:
            return
        except (OSError, WireError) as exc:
            logger.warning("the sandbox's zygote is given up: %s", exc)
            self.lose()

    def _hear(self, raw: bytes) -> None:
        match decode_from_zygote(raw):
            case Ready(layers=layers):
                self._layers = layers
                self._changed.set()
            case Unready(problem=problem):
                self._problem = problem
            case Started(id=job):
                self._adopt(job)
            case Exited(id=job, status=status):
                child = self._children.get(job)
                if child is not None and not child.exited.done():
                    child.exited.set_result(status)

    def _adopt(self, job: int) -> None:
        """Keeps the pidfd of a child that has started, or ends the child that nobody waits for any more."""
        if not self._has_pidfds:
            return
        pidfd = self._channel.take_fd()
        child = self._children.get(job)
        if child is None or child.is_doomed:
            self._kill(pidfd, job)
        if child is None:
            os.close(pidfd)
        else:
            child.pidfd = pidfd

    def _kill(self, pidfd: int, job: int) -> None:
        """Kills the very process the descriptor was made for, and no later one with its number."""
        try:
            if sys.platform == "linux":
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        except ProcessLookupError:
            return
        except PermissionError:  # root without CAP_KILL: the child is another user's, and the zygote's own
            self._ask_to_kill(job)

    def _ask_to_kill(self, job: int) -> None:
        with suppress(OSError):
            self._channel.send(encode(Kill(id=job)))


def _launch(settings: Settings) -> tuple[subprocess.Popen[bytes], Channel]:
    """A new zygote and our end of its control socket."""
    ours, theirs = socket.socketpair()
    arguments = [str(theirs.fileno()), msgspec.json.encode(settings).decode()]
    try:
        # Not asyncio's: a process of a loop's own would have to end with that loop.
        process = subprocess.Popen(  # noqa: S603 # this interpreter with arguments of our own
            [sys.executable, "-I", "-c", _BOOTSTRAP, *arguments],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=_ENVIRONMENT,
            cwd="/",
            start_new_session=True,  # an interrupt at the terminal is the parent's to handle
        )
    except OSError as exc:
        ours.close()
        raise StartError(str(exc)) from exc
    finally:
        theirs.close()
    os.set_blocking(ours.fileno(), False)
    return process, Channel(ours)


def _end(process: subprocess.Popen[bytes], channel: Channel) -> None:
    """Lets the zygote go: it ends when its socket closes, or is killed when it is too busy to notice."""
    channel.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_END_GRACE_S)
        return
    _kill_process(process)
    try:
        process.wait(_KILL_GRACE_S)
    except subprocess.TimeoutExpired:
        logger.warning("the sandbox's zygote %d cannot be ended", process.pid)


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    with suppress(PermissionError):  # root without CAP_KILL: the closed socket ends it a little later
        process.kill()
