"""Landlock: no file, no TCP, no signal outside. https://docs.kernel.org/userspace-api/landlock.html"""

from __future__ import annotations

import ctypes
import struct
from typing import Final

from extractors.sandbox import doors
from extractors.sandbox.syscalls import syscall

# These three numbers are the same on every architecture.
_CREATE_RULESET: Final = 444
_RESTRICT_SELF: Final = 446
_GET_VERSION: Final = 1
#: How many rights on files each ABI knows; later ones know at least those of 5.
_FS_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NET_RIGHTS: Final = 0b11  # bind and connect TCP
_SCOPES: Final = 0b11  # abstract unix sockets, signals
_NET_SINCE: Final = 4
_SCOPES_SINCE: Final = 6


def abi() -> int:
    """The version of landlock in this kernel; `OSError` when there is none."""
    return syscall(_CREATE_RULESET, 0, 0, _GET_VERSION)


def deny_all() -> int:
    """A ruleset that handles every right and grants none, as a descriptor."""
    version = abi()
    fs_rights = (1 << _FS_RIGHTS[min(version, 5)]) - 1
    fields = [fs_rights]
    if version >= _NET_SINCE:
        fields.append(_NET_RIGHTS)
    if version >= _SCOPES_SINCE:
        fields.append(_SCOPES)
    attributes = ctypes.create_string_buffer(struct.pack(f"{len(fields)}Q", *fields))
    return syscall(_CREATE_RULESET, ctypes.addressof(attributes), 8 * len(fields), 0)


def restrict_self(ruleset_fd: int) -> None:
    """Puts this process and all it forks into a new domain under the ruleset; needs no_new_privs."""
    syscall(_RESTRICT_SELF, ruleset_fd, 0)


def verify() -> str:
    """Tries what must be denied now, and says what is; raises `DoorOpenError` when something is not."""
    version = abi()
    attempts = {"files": doors.open_directory}
    if version >= _NET_SINCE:
        attempts["TCP"] = doors.bind_tcp
    if version >= _SCOPES_SINCE:
        attempts["signals"] = doors.signal_parent
    doors.expect_denied(attempts)
    return f"ABI {version} denies {', '.join(attempts)}"
