"""One file's process: closes the sandbox around itself, reads, writes a frame per block, and is gone."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NoReturn

from extractors.budget import Budget
from extractors.content import Block, Job
from extractors.sandbox.confine import Confinement, confine_child
from extractors.sandbox.input_file import read_input
from extractors.sandbox.wire import END_FRAME, ExitCode, Settings, encode_block

Extract = Callable[[Job, Budget], Iterator[Block]]

#: Of the time allowed, after which a reader stops by itself and keeps what it has.
SOFT_DEADLINE: Final = 0.75
_FD_CEILING: Final = 1 << 16


def run(extract: Extract, confinement: Confinement, *, input_fd: int, result_fd: int) -> NoReturn:
    """The whole life of a child; never returns, and runs nothing that the zygote has registered for its own end."""
    started = time.monotonic()
    try:
        _let_go({input_fd, result_fd, confinement.ruleset_fd})
        confine_child(confinement)
    except BaseException:
        os._exit(ExitCode.UNCONFINED)
    try:
        gc.enable()  # the zygote's own objects are frozen and stay out of it
        _read(extract, confinement.settings, input_fd, result_fd, started=started)
    except MemoryError:
        os._exit(ExitCode.OUT_OF_MEMORY)
    except BaseException:
        os._exit(ExitCode.BROKE)
    os._exit(ExitCode.DONE)


def _let_go(keep: Iterable[int | None]) -> None:
    """Closes every descriptor of the zygote but these, and forgets its signals; 0, 1 and 2 lead nowhere."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(0, 2)
    low = 3
    for fd in sorted(fd for fd in keep if fd is not None):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, _FD_CEILING)


def _read(extract: Extract, settings: Settings, input_fd: int, result_fd: int, *, started: float) -> None:
    description, data = read_input(input_fd)
    progress = description.progress
    budget = Budget(
        limits=settings.limits, soft_deadline=started + SOFT_DEADLINE * settings.timeout_s - progress.seconds
    )
    budget.take_chars(progress.chars)
    budget.images_left -= progress.images
    job = Job(
        data=data,
        name=description.name,
        declared_type=description.declared_type,
        metadata=description.metadata,
        progress=progress,
        zygote=settings.zygote,
    )
    for block in extract(job, budget):
        for part in encode_block(block):
            _write_all(result_fd, part)
    _write_all(result_fd, END_FRAME)


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]
