"""Puts the zygote's memory into large pages: a fork copies an entry for each page, and that is most of what it costs.

Measured with all parsers loaded: a fork, a small file and an exit take 3.9 ms instead of 6.0, for 0.15 s at the start.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from extractors.sandbox.syscalls import libc

#: Linux 6.1: collapses at once, whatever the system's setting for huge pages. The same on every architecture.
_MADV_COLLAPSE: Final = 25
_HUGE_PAGE_BYTES: Final = 2 << 20


def collapse() -> None:
    """Does what it can; a kernel that does not know how leaves things as they are."""
    if sys.platform != "linux":
        return
    if hasattr(libc, "malloc_trim"):  # glibc: what loading has used for a while goes back first
        libc.malloc_trim(0)
    for address in _huge_pages():
        libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(_HUGE_PAGE_BYTES), _MADV_COLLAPSE)


def _huge_pages() -> Iterator[int]:
    """Where a whole huge page of anonymous memory lies. https://docs.kernel.org/filesystems/proc.html (maps)"""
    for line in Path("/proc/self/maps").read_text("ascii", "replace").splitlines():
        extent, permissions, _offset, _device, _inode, *name = line.split(maxsplit=5)
        if permissions != "rw-p" or name not in ([], ["[heap]"]):
            continue
        begin, end = (int(address, 16) for address in extent.split("-"))
        first = -(-begin // _HUGE_PAGE_BYTES) * _HUGE_PAGE_BYTES
        yield from range(first, end - _HUGE_PAGE_BYTES + 1, _HUGE_PAGE_BYTES)
