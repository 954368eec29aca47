"""The process that has every parser loaded and forks one confined child per file.

It never looks at a file: the parent's descriptors go on to the child unread. One thread, or forking would not be safe.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

import msgspec

from extractors.sandbox import child, huge_pages
from extractors.sandbox.channel import Channel
from extractors.sandbox.confine import Confinement, confine_zygote, is_linux
from extractors.sandbox.loading import load
from extractors.sandbox.probe import probe
from extractors.sandbox.wire import Exited, Kill, Ready, Run, Settings, Started, Unready, decode_to_zygote, encode


def main(control_fd: int, settings_json: str) -> NoReturn:
    """Loads, closes, serves; ends when the parent's end of the control socket closes."""
    channel = Channel(socket.socket(fileno=control_fd))
    settings = msgspec.json.decode(settings_json, type=Settings)
    try:
        extract = load(settings.entry, settings.samples)
        _assert_single_thread()
        gc.collect()
        huge_pages.collapse()  # before /proc is closed
        confinement = confine_zygote(settings)
        confinement = replace(confinement, layers=probe(confinement))
    except Exception as exc:
        with suppress(ConnectionError):
            channel.send(encode(Unready(problem=f"{type(exc).__name__}: {exc}"[:1000])))
        raise
    # Children share these pages; a collection in any of them would copy them.
    gc.freeze()
    gc.disable()
    zygote = Zygote(channel=channel, extract=extract, confinement=confinement)
    with suppress(ConnectionError):  # the parent is gone, in the middle of a message
        channel.send(encode(Ready(layers=confinement.layers)))
        zygote.serve()
    zygote.kill_all()
    os._exit(0)  # taking all the modules down in order would take longer than everything else


@dataclass(slots=True, kw_only=True)
class Zygote:
    """The serving loop and the children it waits for."""

    channel: Channel
    extract: child.Extract
    confinement: Confinement
    _jobs: dict[int, int] = field(default_factory=dict)  # pid: job

    def serve(self) -> None:
        """Forks on request and reports every end, until the parent is gone."""
        wakeup_fd, signalled_fd = os.pipe()
        os.set_blocking(wakeup_fd, False)
        os.set_blocking(signalled_fd, False)
        signal.signal(signal.SIGCHLD, _only_wake)
        signal.set_wakeup_fd(signalled_fd)
        poll = select.poll()
        poll.register(self.channel, select.POLLIN)
        poll.register(wakeup_fd, select.POLLIN)
        while True:
            ready = {fd for fd, _ in poll.poll()}
            if wakeup_fd in ready:
                os.read(wakeup_fd, 4096)
                self._reap()
            if self.channel.fileno() in ready and not self._obey():
                return

    def _obey(self) -> bool:
        """Does what the parent asks; False when the parent is gone."""
        messages = self.channel.receive()
        if messages is None:
            return False
        for raw in messages:
            match decode_to_zygote(raw):
                case Run(id=job):
                    self._start(job)
                case Kill(id=job):
                    self._kill(job)
        return True

    def _start(self, job: int) -> None:
        input_fd, result_fd = self.channel.take_fd(), self.channel.take_fd()
        pid = os.fork()
        if pid == 0:
            child.run(self.extract, self.confinement, input_fd=input_fd, result_fd=result_fd)
        os.close(input_fd)
        os.close(result_fd)
        self._jobs[pid] = job
        self._announce(job, pid)

    def _announce(self, job: int, pid: int) -> None:
        """Tells that the child runs, with its pidfd where there are pidfds: nobody else can mean another process."""
        if not is_linux(self.confinement.settings):
            self.channel.send(encode(Started(id=job)))
            return
        pidfd = os.pidfd_open(pid)
        self.channel.send(encode(Started(id=job)), [pidfd])
        os.close(pidfd)

    def _reap(self) -> None:
        while self._jobs:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self.channel.send(encode(Exited(id=self._jobs.pop(pid), status=status)))

    def _kill(self, job: int) -> None:
        """Kills a child that has not been waited for yet, so that its pid is still its own."""
        for pid, its_job in self._jobs.items():
            if its_job == job:
                os.kill(pid, signal.SIGKILL)

    def kill_all(self) -> None:
        """Takes the children along."""
        for pid in self._jobs:
            os.kill(pid, signal.SIGKILL)


def _only_wake(_signal: int, _frame: object) -> None:
    """The number written to the wake-up pipe is all that is wanted of SIGCHLD."""


def _assert_single_thread() -> None:
    tasks = Path("/proc/self/task")
    threads = len(list(tasks.iterdir())) if tasks.is_dir() else threading.active_count()
    if threads != 1:
        raise RuntimeError(f"{threads} threads after loading the parsers; a fork would not be safe")
