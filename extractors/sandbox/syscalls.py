"""System calls that Python has no name for."""

from __future__ import annotations

import ctypes
import os
from typing import Final

PR_SET_PDEATHSIG: Final = 1
PR_GET_DUMPABLE: Final = 3
PR_SET_DUMPABLE: Final = 4
PR_SET_SECCOMP: Final = 22
PR_CAPBSET_DROP: Final = 24
PR_SET_NO_NEW_PRIVS: Final = 38
PR_GET_NO_NEW_PRIVS: Final = 39

libc: Final = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, argument: int = 0, second: int = 0) -> int:
    """prctl(2); an address goes in as an integer."""
    zero = ctypes.c_ulong(0)
    return _checked(libc.prctl(ctypes.c_int(option), ctypes.c_ulong(argument), ctypes.c_ulong(second), zero, zero))


def syscall(number: int, *arguments: int) -> int:
    """syscall(2); an address goes in as an integer."""
    return _checked(libc.syscall(ctypes.c_long(number), *(ctypes.c_ulong(argument) for argument in arguments)))


def _checked(result: int) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
