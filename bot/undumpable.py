"""Keeps the bot's memory, which holds secrets and documents, from core files and from other processes of its user."""

from __future__ import annotations

import ctypes
import resource
import sys

PR_SET_DUMPABLE = 4


def forbid_dumps() -> None:
    """No core file; on Linux only root reads memory, environment and descriptors. Does not last over exec."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
