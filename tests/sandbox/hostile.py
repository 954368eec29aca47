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
from extractors.content import Block, Job, PageCount, PageStarted, Text
from extractors.limits import MIB
from extractors.sandbox.syscall_numbers import DEADLY
from extractors.sandbox.wire import END_FRAME

IPPROTO_MPTCP = 262


def extract(job: Job, budget: Budget) -> Iterator[Block]:
    verb, _, argument = (job.name or "").partition(" ")
    if (reader := READERS.get(verb)) is not None:
        yield from reader(job, budget)
    elif (attack := ATTACKS.get(verb)) is not None:
        yield Text(_attempt(attack, argument))


def samples() -> Iterator[tuple[str, bytes]]:
    """What the real zygote loads is not needed here."""
    yield from ()


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


def _pages(job: Job, _budget: Budget) -> Iterator[Block]:
    """Five pages; the ones named in the data never end."""
    yield PageCount(5)
    for number in range(job.progress.next_page, 6):
        yield PageStarted(number, f"what page {number - 1} owes")
        yield Text(f"page {number} with {job.progress.images} images before")
        if str(number).encode() in job.data:
            time.sleep(60)
        yield Text(f"end of page {number}")


def _page_loop(_job: Job, _budget: Budget) -> Iterator[Block]:
    """Begins the same page again and again."""
    yield PageCount(9)
    while True:
        yield PageStarted(1)
        time.sleep(0.05)


def _page_backwards(job: Job, _budget: Budget) -> Iterator[Block]:
    yield PageCount(9)
    yield PageStarted(max(1, job.progress.next_page - 1))
    time.sleep(60)


def _deep(_job: Job, _budget: Budget) -> Iterator[Block]:
    """A frame of nothing but open arrays."""
    yield Text("before")
    nested = b"\x91" * 300_000
    _write_raw(struct.pack(">BI", 1, len(nested)) + nested)


def _trailing(_job: Job, _budget: Budget) -> Iterator[Block]:
    """More after what is said to be the end."""
    yield Text("before")
    _write_raw(END_FRAME + b"more")


def _terminated(_job: Job, _budget: Budget) -> Iterator[Block]:
    """Ignores every signal that can be ignored."""
    yield Text("before")
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(60)


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
    "deep": _deep,
    "trailing": _trailing,
    "terminated": _terminated,
    "pages": _pages,
    "page_loop": _page_loop,
    "page_backwards": _page_backwards,
}


def _descriptors(_job: Job, _budget: Budget) -> Iterator[Block]:
    yield Text(_inherited(""))


READERS["descriptors"] = _descriptors


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


def _grandchild(seconds: str) -> str:
    """A process that nobody waits for and that would outlive its reader."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        time.sleep(float(seconds))
        os._exit(0)
    return str(pid)


def _fork_bomb(count: str) -> str:
    """As many processes as asked for, or as the system gives."""
    pids = []
    try:
        while len(pids) < int(count):
            pid = os.fork()
            if pid == 0:
                time.sleep(30)
                os._exit(0)
            pids.append(pid)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
    return f"{len(pids)} processes"


def _call(number: int, *arguments: int) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result: int = libc.syscall(ctypes.c_long(number), *(ctypes.c_ulong(argument) for argument in arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _numbered(name: str) -> int:
    x86_64, aarch64 = DEADLY[name]
    number = x86_64 if os.uname().machine == "x86_64" else aarch64
    assert number is not None
    return number


def _ptrace(pid: str) -> str:
    """PTRACE_SEIZE takes hold without stopping; it is let go when this process ends."""
    return str(_call(_numbered("ptrace"), 0x4206, int(pid), 0, 0))


def _read_memory(pid: str) -> str:
    """The zygote's, which lies where ours lies."""
    secret, mine = ctypes.create_string_buffer(b"secret"), ctypes.create_string_buffer(6)
    theirs = struct.pack("QQ", ctypes.addressof(secret), 6)
    ours = struct.pack("QQ", ctypes.addressof(mine), 6)
    remote, local = ctypes.create_string_buffer(theirs), ctypes.create_string_buffer(ours)
    return str(
        _call(_numbered("process_vm_readv"), int(pid), ctypes.addressof(local), 1, ctypes.addressof(remote), 1, 0)
    )


def _io_uring(_: str) -> str:
    parameters = ctypes.create_string_buffer(256)
    fd = _call(_numbered("io_uring_setup"), 4, ctypes.addressof(parameters))
    os.close(fd)
    return "a ring"


def _take_descriptor(_: str) -> str:
    pidfd = os.pidfd_open(os.getppid())
    return str(_call(_numbered("pidfd_getfd"), pidfd, 0, 0))


def _map_8_gib(_: str) -> str:
    mmap.mmap(-1, 8 * 1024 * MIB).close()
    return "mapped"


def _inherited(_: str) -> str:
    """What is open here besides the input, the result and the three that lead nowhere."""
    regular = [fd for fd in range(3, 1024) if _is_open(fd)]
    return f"{len(regular)} descriptors"


def _is_open(fd: int) -> bool:
    try:
        os.set_inheritable(fd, False)
    except OSError:
        return False
    return True


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
    "grandchild": _grandchild,
    "fork_bomb": _fork_bomb,
    "ptrace": _ptrace,
    "read_memory": _read_memory,
    "io_uring": _io_uring,
    "take_descriptor": _take_descriptor,
    "map_8_gib": _map_8_gib,
    "unlink": lambda path: Path(path).unlink(),
    "mkdir": lambda path: Path(path).mkdir(),
    "read_parent_environment": lambda _: Path(f"/proc/{os.getppid()}/environ").read_bytes()[:100],
    "read_parent_memory": lambda _: Path(f"/proc/{os.getppid()}/mem").open("rb").close(),
    "signal_everybody": lambda _: os.kill(-1, 0),
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
