"""A reader that was taken over: what it does is the file's name. Runs in children of the tests' zygotes only."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from extractors.budget import Budget
from extractors.content import Block, Job, Text
from extractors.limits import MIB

IPPROTO_MPTCP = 262


def extract(job: Job, budget: Budget) -> Iterator[Block]:
    verb, _, argument = (job.name or "").partition(" ")
    if (reader := READERS.get(verb)) is not None:
        yield from reader(job, budget)
    elif (attack := ATTACKS.get(verb)) is not None:
        yield Text(_attempt(attack, argument))


def _attempt(attack: Callable[[str], object], argument: str) -> str:
    try:
        return f"possible: {attack(argument)}"
    except OSError as exc:
        return f"denied: {exc}"


# --- readers: how a reading can go ------------------------------------------------------------------------------------


def _echo(job: Job, _budget: Budget) -> Iterator[Block]:
    yield Text(f"{job.name} {job.declared_type} {len(job.data)} {job.data[:20]!r} {sorted(job.metadata)}")


def _environment(_job: Job, _budget: Budget) -> Iterator[Block]:
    yield Text(" ".join(sorted(os.environ)))  # noqa: TID251 # what a child finds there is what is tested


def _hang(_job: Job, _budget: Budget) -> Iterator[Block]:
    yield Text("before")
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)


def _spin(_job: Job, _budget: Budget) -> Iterator[Block]:
    while True:
        yield from ()


def _pause(job: Job, _budget: Budget) -> Iterator[Block]:
    time.sleep(float(job.data))
    yield Text("rested")


def _until_late(_job: Job, budget: Budget) -> Iterator[Block]:
    while not budget.is_late:
        time.sleep(0.01)
    yield Text("stopped by itself")


def _drip(_job: Job, _budget: Budget) -> Iterator[Block]:
    while True:
        yield Text("drop")
        time.sleep(0.02)


def _segfault(_job: Job, _budget: Budget) -> Iterator[Block]:
    yield Text("before")
    ctypes.string_at(8)


def _raise(_job: Job, _budget: Budget) -> Iterator[Block]:
    yield Text("before")
    raise LookupError("a bug")


def _exit(_job: Job, _budget: Budget) -> Iterator[Block]:
    yield Text("before")
    os._exit(3)


def _hoard(_job: Job, _budget: Budget) -> Iterator[Block]:
    yield Text("before")
    hoard = []
    while True:
        hoard.append(bytearray(16 * MIB))


def _flood(_job: Job, _budget: Budget) -> Iterator[Block]:
    while True:
        yield Text("x" * 100_000)


def _one_huge_frame(_job: Job, _budget: Budget) -> Iterator[Block]:
    _write_raw(struct.pack(">BI", 1, 2**32 - 1) + b"x" * 100_000)
    yield Text("after")


def _garbage(job: Job, _budget: Budget) -> Iterator[Block]:
    yield Text("before")
    _write_raw(job.data)


def _truncated(_job: Job, _budget: Budget) -> Iterator[Block]:
    yield Text("before")
    _write_raw(struct.pack(">BI", 1, 50) + b"half")


def _deaf(_job: Job, _budget: Budget) -> Iterator[Block]:
    """Closes its result, so that the parent has nothing to wait for but its end."""
    yield Text("before")
    os.close(_result_fd())
    time.sleep(60)


def _stderr_flood(_job: Job, _budget: Budget) -> Iterator[Block]:
    for _ in range(1000):
        os.write(2, b"x" * 10_000)
    yield Text("silent")


def _result_fd() -> int:
    return next(fd for fd in range(3, 1024) if _is_pipe(fd))


def _is_pipe(fd: int) -> bool:
    try:
        os.lseek(fd, 0, os.SEEK_CUR)
    except OSError as exc:
        return exc.errno == errno.ESPIPE
    return False


def _write_raw(data: bytes) -> None:
    fd = _result_fd()
    while data:
        data = data[os.write(fd, data) :]


READERS: dict[str, Callable[[Job, Budget], Iterator[Block]]] = {
    "echo": _echo,
    "environment": _environment,
    "hang": _hang,
    "spin": _spin,
    "pause": _pause,
    "until_late": _until_late,
    "drip": _drip,
    "segfault": _segfault,
    "raise": _raise,
    "exit": _exit,
    "hoard": _hoard,
    "flood": _flood,
    "one_huge_frame": _one_huge_frame,
    "garbage": _garbage,
    "truncated": _truncated,
    "deaf": _deaf,
    "stderr_flood": _stderr_flood,
}


# --- attacks: what a child must not be able to do; each takes what stands after its name ------------------------------


def _socket(family: int, kind: int, protocol: int = 0) -> str:
    socket.socket(family, kind, protocol).close()
    return "a socket"


def _connect(port: str) -> str:
    with socket.create_connection(("127.0.0.1", int(port)), timeout=5):
        return "connected"


def _write(path: str) -> str:
    Path(path).write_text("was here")
    return "written"


def _fork(_: str) -> str:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return "forked"


def _thread(_: str) -> str:
    import _thread as threads

    try:
        threads.start_new_thread(time.sleep, (0,))
    except RuntimeError as exc:
        raise OSError(str(exc)) from exc
    return "a thread"


def _exec(_: str) -> str:
    os.execv(sys.executable, [sys.executable, "-c", ""])


def _spawn(_: str) -> str:
    return subprocess.run([sys.executable, "-c", "print('ran')"], capture_output=True, check=True, text=True).stdout


def _raise_limit(_: str) -> str:
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    return "set"


def _executable_memory(_: str) -> str:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()
    return "mapped"


def _pipe_size(_: str) -> str:
    import fcntl

    return str(fcntl.fcntl(_result_fd(), fcntl.F_SETPIPE_SZ, 4096))


def _stat_with_flag(path: str) -> str:
    """The way of fstat, with a path all the same; landlock does not know it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.fstatat(-100, path.encode(), ctypes.create_string_buffer(256), 0x1000) != 0:
        raise OSError(ctypes.get_errno(), "fstatat")
    return "it exists"


def _write_input(_: str) -> str:
    fd = next(fd for fd in range(3, 1024) if _is_regular(fd))
    return str(os.pwrite(fd, b"x", 0))


def _is_regular(fd: int) -> bool:
    try:
        os.lseek(fd, 0, os.SEEK_CUR)
    except OSError:
        return False
    return True


ATTACKS: dict[str, Callable[[str], object]] = {
    "read": lambda path: Path(path).read_bytes()[:100],
    "list": lambda path: sorted(Path(path).iterdir())[:3],
    "stat": lambda path: Path(path).stat().st_size,
    "stat_with_flag": _stat_with_flag,
    "write": _write,
    "tcp": lambda _: _socket(socket.AF_INET, socket.SOCK_STREAM),
    "mptcp": lambda _: _socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP),
    "udp": lambda _: _socket(socket.AF_INET, socket.SOCK_DGRAM),
    "unix": lambda _: _socket(socket.AF_UNIX, socket.SOCK_STREAM),
    "socketpair": lambda _: [end.close() for end in socket.socketpair()],
    "connect": _connect,
    "fork": _fork,
    "thread": _thread,
    "exec": _exec,
    "spawn": _spawn,
    "memfd": lambda _: os.close(os.memfd_create("escape")),
    "signal": lambda pid: os.kill(int(pid), 0),
    "signal_zygote": lambda _: os.kill(os.getppid(), 0),
    "become_root": lambda _: os.setresuid(0, 0, 0),
    "raise_limit": _raise_limit,
    "executable_memory": _executable_memory,
    "pipe_size": _pipe_size,
    "write_input": _write_input,
    "chdir": lambda _: os.chdir("/tmp"),
}
