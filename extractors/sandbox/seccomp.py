"""Seccomp: the system calls a parser needs once everything is loaded, and no others.

An allow-list. Calls by which a process takes over another, or leaves the sandbox, kill it (SIGSYS); everything else
that is not listed answers EPERM. https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Sequence
from typing import Final

from extractors.sandbox.syscall_numbers import CLONE3, CONDITIONAL, DEADLY, KILL, PARSERS, ZYGOTE
from extractors.sandbox.syscalls import PR_SET_SECCOMP, prctl

_NUMBERS: Final = {**PARSERS, **CONDITIONAL, **ZYGOTE, **KILL, **DEADLY, **CLONE3}
_AUDIT_ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_CALLS: Final = 0x40000000
_ALLOW: Final = 0x7FFF0000
_KILL_PROCESS: Final = 0x80000000
_ERRNO: Final = 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_MODE_FILTER: Final = 2

_PROT_EXEC: Final = 4
#: F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC: nothing that signals an owner or resizes a pipe.
_FCNTL_COMMANDS: Final = (0, 1, 2, 3, 4, 1030)
#: TCGETS, FIONCLEX, FIOCLEX: what Python asks of a file it opens.
_IOCTL_REQUESTS: Final = (0x5401, 0x5450, 0x5451)
_SIGKILL: Final = 9
#: What glibc and musl pass to clone for a thread, and for nothing else.
_THREAD_FLAGS: Final = (0x3D0F00, 0x7D0F00)

Program = Sequence[bytes]


def child_filter(*, allows_threads: bool = False) -> bytes:
    """The program for a child; `OSError` on a machine whose numbers are not known here."""
    return _assemble(
        *([_case("clone", *_if_one_of(0, _THREAD_FLAGS, errno.EPERM))] if allows_threads else []),
        *(_case(name, _return(_ALLOW)) for name in PARSERS),
        _case("mmap", *_unless_executable()),
        _case("mprotect", *_unless_executable()),
        _case("fcntl", *_if_one_of(1, _FCNTL_COMMANDS, errno.EPERM)),
        _case("ioctl", *_if_one_of(1, _IOCTL_REQUESTS, errno.ENOTTY)),
        # Reading a limit, not setting one: pid 0, and no new value in either half of the pointer.
        _case(
            "prlimit64",
            _load(0),
            _ins(_EQUAL, 0, 0, 5),
            _load(2),
            _ins(_EQUAL, 0, 0, 3),
            _load(2, high=True),
            _ins(_EQUAL, 0, 0, 1),
            _return(_ALLOW),
            _deny(errno.EPERM),
        ),
    )


def zygote_filter() -> bytes:
    """The program for the zygote: a parser's calls, and those that fork, confine and wait for a child."""
    return _assemble(
        *(_case(name, _return(_ALLOW)) for name in (*PARSERS, *CONDITIONAL, *ZYGOTE)),
        # SIGKILL to one process; 0 and negative numbers mean many.
        _case(
            "kill",
            _load(1),
            _ins(_EQUAL, _SIGKILL, 0, 4),
            _load(0),
            _ins(_EQUAL, 0, 2, 0),
            _ins(_AT_LEAST, 0x80000000, 1, 0),
            _return(_ALLOW),
            _deny(errno.EPERM),
        ),
    )


def install(program: bytes) -> None:
    """Puts this process and all it forks under the program, for good; needs no_new_privs."""
    code = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code)))
    prctl(PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(header))


def _assemble(*cases: Program) -> bytes:
    architecture = _AUDIT_ARCHITECTURES.get(platform.machine())
    if architecture is None:
        raise OSError(errno.ENOSYS, f"no table of system calls for {platform.machine()}")
    start = [_ins(_LOAD, 4), _ins(_EQUAL, architecture, 1, 0), _return(_KILL_PROCESS), _ins(_LOAD, 0)]
    if platform.machine() == "x86_64":
        start += [_ins(_AT_LEAST, _X32_CALLS, 0, 1), _return(_KILL_PROCESS)]
    deadly = [_case(name, _return(_KILL_PROCESS)) for name in DEADLY]
    # ENOSYS makes glibc fall back to clone.
    clone3 = _case("clone3", _deny(errno.ENOSYS))
    body = [instruction for case in (*cases, *deadly, clone3) for instruction in case]
    return b"".join([*start, *body, _deny(errno.EPERM)])


def _case(name: str, *body: bytes) -> Program:
    """Runs `body`, which must return, when the call is this one."""
    number = _number(name)
    return [] if number is None else [_ins(_EQUAL, number, 0, len(body)), *body]


def _unless_executable() -> Program:
    """For mmap and mprotect: no page that could run code a file brought along."""
    return [_load(2), _ins(_ANY_BIT, _PROT_EXEC, 0, 1), _deny(errno.EACCES), _return(_ALLOW)]


def _if_one_of(argument: int, values: Sequence[int], error: int) -> Program:
    """Allows when the argument is one of these values."""
    tests = [_ins(_EQUAL, value, len(values) - i, 0) for i, value in enumerate(values)]
    return [_load(argument), *tests, _deny(error), _return(_ALLOW)]


def _number(name: str) -> int | None:
    x86_64, aarch64 = _NUMBERS[name]
    return x86_64 if platform.machine() == "x86_64" else aarch64


def _load(argument: int, *, high: bool = False) -> bytes:
    """Loads one half of an argument; both architectures are little-endian."""
    return _ins(_LOAD, 16 + 8 * argument + (4 if high else 0))


def _return(action: int) -> bytes:
    return _ins(_RETURN, action)


def _deny(error: int) -> bytes:
    return _return(_ERRNO | error)


def _ins(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, operand)
