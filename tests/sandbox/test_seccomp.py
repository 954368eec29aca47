"""The seccomp programs, run instruction by instruction for both machines."""

from __future__ import annotations

import errno
import platform
import struct

import pytest

from extractors.sandbox import seccomp
from extractors.sandbox.syscall_numbers import CLONE3, CONDITIONAL, DEADLY, PARSERS, ZYGOTE

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OPENAT = {"x86_64": 257, "aarch64": 56}
SOCKET = {"x86_64": 41, "aarch64": 198}
KILL_CALL = {"x86_64": 62, "aarch64": 129}


@pytest.fixture(params=ARCHITECTURES)
def machine(request, monkeypatch) -> str:
    monkeypatch.setattr(platform, "machine", lambda: request.param)
    return request.param


def run(program: bytes, machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """What the kernel would answer: the five kinds of instruction that our programs are made of."""
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<iIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *padded)
    accumulator = position = 0
    while True:
        code, if_true, if_false, operand = struct.unpack_from("<HBBI", program, 8 * position)
        position += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, operand)
            case 0x15:
                position += if_true if accumulator == operand else if_false
            case 0x35:
                position += if_true if accumulator >= operand else if_false
            case 0x45:
                position += if_true if accumulator & operand else if_false
            case 0x06:
                return operand
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")


def number(machine: str, name: str) -> int:
    numbers = {**PARSERS, **CONDITIONAL, **ZYGOTE, **DEADLY, **CLONE3}[name]
    value = numbers[0] if machine == "x86_64" else numbers[1]
    assert value is not None
    return value


def test_parsers_calls_are_allowed(machine):
    program = seccomp.child_filter()
    answers = {name: run(program, machine, number(machine, name)) for name in PARSERS}
    assert set(answers.values()) == {ALLOW}


@pytest.mark.parametrize("name", DEADLY)
def test_call_that_leaves_the_sandbox_is_deadly(machine, name):
    for program in (seccomp.child_filter(), seccomp.zygote_filter()):
        assert run(program, machine, number(machine, name)) == KILL


def test_everything_else_is_denied(machine):
    program = seccomp.child_filter()
    for call in (OPENAT[machine], SOCKET[machine], KILL_CALL[machine], 9999):
        assert run(program, machine, call) == ERRNO | errno.EPERM
    for name in ("clone", "fstat", "newfstatat", "prctl", "sendmsg", "setsid", "pidfd_open"):
        assert run(program, machine, number(machine, name)) == ERRNO | errno.EPERM
        assert run(seccomp.zygote_filter(), machine, number(machine, name)) == ALLOW


def test_calls_of_another_architecture_are_deadly(machine):
    program = seccomp.child_filter()
    assert run(program, machine, number(machine, "read"), architecture=0x40000003) == KILL


def test_x32_calls_are_deadly(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    assert run(seccomp.child_filter(), "x86_64", 0x40000000) == KILL


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("mmap", (0, 4096, 3), ALLOW),
        ("mmap", (0, 4096, 7), ERRNO | errno.EACCES),
        ("mprotect", (0, 4096, 1), ALLOW),
        ("mprotect", (0, 4096, 5), ERRNO | errno.EACCES),
        ("fcntl", (3, 1), ALLOW),
        ("fcntl", (3, 1030), ALLOW),
        ("fcntl", (3, 8), ERRNO | errno.EPERM),  # F_SETOWN
        ("fcntl", (3, 1031), ERRNO | errno.EPERM),  # F_SETPIPE_SZ
        ("ioctl", (1, 0x5401), ALLOW),
        ("ioctl", (1, 0x5451), ALLOW),
        ("ioctl", (1, 0x5412), ERRNO | errno.ENOTTY),  # TIOCSTI
        ("prlimit64", (0, 7, 0), ALLOW),
        ("prlimit64", (1, 7, 0), ERRNO | errno.EPERM),
        ("prlimit64", (0, 7, 8), ERRNO | errno.EPERM),
        ("prlimit64", (0, 7, 1 << 32), ERRNO | errno.EPERM),
        ("clone3", (), ERRNO | errno.ENOSYS),
    ],
)
def test_arguments_decide(machine, name, arguments, answer):
    assert run(seccomp.child_filter(), machine, number(machine, name), *arguments) == answer


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ((4711, 9), ALLOW),
        ((4711, 15), ERRNO | errno.EPERM),
        ((4711, 0), ERRNO | errno.EPERM),
        ((0, 9), ERRNO | errno.EPERM),  # the whole group
        ((2**32 - 1, 9), ERRNO | errno.EPERM),  # everybody
        ((2**64 - 4711, 9), ERRNO | errno.EPERM),  # a group
    ],
)
def test_zygote_may_kill_one_process_and_signal_nobody(machine, arguments, answer):
    assert run(seccomp.zygote_filter(), machine, KILL_CALL[machine], *arguments) == answer
    assert run(seccomp.child_filter(), machine, KILL_CALL[machine], *arguments) == ERRNO | errno.EPERM


@pytest.mark.parametrize(
    ("flags", "answer"),
    [
        (0x3D0F00, ALLOW),  # a thread
        (0x1200011, ERRNO | errno.EPERM),  # a fork
        (0x3D0F00 | 0x10000000, ERRNO | errno.EPERM),  # a thread in a new user namespace
        (0, ERRNO | errno.EPERM),
    ],
)
def test_threads_are_allowed_where_that_is_asked_for_and_processes_never(machine, flags, answer):
    clone = number(machine, "clone")
    assert run(seccomp.child_filter(allows_threads=True), machine, clone, flags) == answer
    assert run(seccomp.child_filter(), machine, clone, flags) == ERRNO | errno.EPERM


def test_machine_without_a_table_has_no_program(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(OSError, match="riscv64"):
        seccomp.child_filter()
