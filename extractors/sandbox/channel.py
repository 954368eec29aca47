"""The control socket between parent and zygote: whole messages, and the descriptors that travel with them.

A stream socket with length prefixes, since macOS has no SOCK_SEQPACKET. Descriptors arrive in the order of the messages
they were sent with, so each kind of message takes as many as it is known to carry from the front of the queue.
"""

from __future__ import annotations

import array
import os
import socket
import struct
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from extractors.sandbox.wire import WireError

_LENGTH: Final = struct.Struct(">I")
_MAX_MESSAGE_BYTES: Final = 64 * 1024
_MAX_FDS_AT_ONCE: Final = 16
#: macOS has no such flag; no descriptor comes back to the parent there.
_CLOSE_ON_EXEC: Final = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class Channel:
    """One end of the control socket."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._buffer = bytearray()
        self._fds: deque[int] = deque()

    def fileno(self) -> int:
        """The descriptor to poll."""
        return self._socket.fileno()

    def send(self, message: bytes, fds: Sequence[int] = ()) -> None:
        """Sends one message; `OSError` when the other side is gone or has stopped reading."""
        packet = _LENGTH.pack(len(message)) + message
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        if self._socket.sendmsg([packet], ancillary) != len(packet):
            # Messages are a few bytes: thousands of them lie unread before this happens.
            raise BrokenPipeError("the other side has stopped reading")

    def receive(self) -> list[bytes] | None:
        """The messages that are complete now; None at the end. Call it when the socket is readable."""
        room = socket.CMSG_SPACE(_MAX_FDS_AT_ONCE * array.array("i").itemsize)
        data, ancillary, flags, _ = self._socket.recvmsg(_MAX_MESSAGE_BYTES, room, _CLOSE_ON_EXEC)
        for level, kind, raw in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                fds = array.array("i")
                fds.frombytes(raw[: len(raw) - len(raw) % fds.itemsize])
                self._fds.extend(fds)
        if flags & socket.MSG_CTRUNC:
            raise WireError("descriptors were lost")
        if not data:
            return None
        self._buffer += data
        return self._complete_messages()

    def take_fd(self) -> int:
        """The next descriptor that has arrived; the caller closes it."""
        if not self._fds:
            raise WireError("a message came without its descriptor")
        return self._fds.popleft()

    def close(self) -> None:
        """Closes the socket and the descriptors nobody took."""
        self._socket.close()
        while self._fds:
            with suppress(OSError):
                os.close(self._fds.popleft())

    def _complete_messages(self) -> list[bytes]:
        messages = []
        while len(self._buffer) >= _LENGTH.size:
            (size_bytes,) = _LENGTH.unpack_from(self._buffer)
            if size_bytes > _MAX_MESSAGE_BYTES:
                raise WireError(f"a message of {size_bytes} bytes is too large")
            end = _LENGTH.size + size_bytes
            if len(self._buffer) < end:
                break
            messages.append(bytes(self._buffer[_LENGTH.size : end]))
            del self._buffer[:end]
        return messages
