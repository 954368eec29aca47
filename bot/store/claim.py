"""The data directory belongs to one bot at a time: two would take up each other's work."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import ConfigError

NAME = "lock"


@contextmanager
def claimed(directory: Path) -> Iterator[None]:
    """Holds the directory, which is made where it is not there; ConfigError when another process holds it.

    The lock goes with the process, however that ends; its file stays.
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(directory / NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise ConfigError(f"data_dir: {directory} cannot be used: {error.strerror}") from None
    try:
        _lock(descriptor, directory)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, directory: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise ConfigError(f"data_dir: another bot is running on {directory}") from None
