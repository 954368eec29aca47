"""What a file that took over its reader would try. A layer counts as on only after such an attempt was denied."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping


class DoorOpenError(Exception):
    """Something that must be denied was possible."""


def expect_denied(attempts: Mapping[str, Callable[[], object]]) -> None:
    """Makes every attempt; raises `DoorOpenError` naming those that got through."""
    if possible := [name for name, attempt in attempts.items() if not _is_denied(attempt)]:
        raise DoorOpenError(f"possible in spite of it: {', '.join(possible)}")


def open_directory() -> None:
    """Reads what everybody may read."""
    os.close(os.open("/", os.O_RDONLY))


def bind_tcp() -> None:
    """Listens on the machine itself."""
    with socket.socket() as tcp:
        tcp.bind(("127.0.0.1", 0))


def open_socket() -> None:
    """Makes a socket of the kind landlock does not know."""
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).close()


def signal_parent() -> None:
    """Asks whether the parent could be signalled."""
    os.kill(os.getppid(), 0)


def fork() -> None:
    """Starts a process that would outlive the job."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def become_root() -> None:
    """Takes root back, where there is a root to take."""
    try:
        os.setresuid(0, 0, 0)
    except OSError as exc:  # EINVAL in a user namespace without one
        raise PermissionError(exc.errno, exc.strerror) from exc


def start_program() -> None:
    """Replaces this process; seccomp kills it for that."""
    os.execv("/bin/sh", ["/bin/sh", "-c", ":"])  # noqa: S606 # an attempt that must fail


def _is_denied(attempt: Callable[[], object]) -> bool:
    """True for a permission error only: any other error means that the kernel considered the request."""
    try:
        attempt()
    except PermissionError:
        return True
    except OSError:
        return False
    return False
