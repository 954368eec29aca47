"""Protocol buffers without a schema: fields by their number, as far as the bytes make sense."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MAX_VARINT_BYTES = 10


@dataclass(slots=True)
class Message:
    """One message. What is asked of a field that is not there, or of another kind, is empty or zero."""

    data: bytes
    _fields: dict[int, list[int | bytes]] | None = field(default=None, repr=False)

    def number(self, name: int, default: int = 0) -> int:
        """The first value of a field of numbers."""
        return next((value for value in self._values(name) if isinstance(value, int)), default)

    def numbers(self, name: int) -> list[int]:
        """Every value of a field of numbers that is not packed."""
        return [value for value in self._values(name) if isinstance(value, int)]

    def real(self, name: int) -> float:
        """The first value of a field of floating point numbers of either size."""
        for value in self._values(name):
            if isinstance(value, bytes) and len(value) in {4, 8}:
                found: float = struct.unpack("<f" if len(value) == 4 else "<d", value)[0]
                return found
        return 0.0

    def content(self, name: int) -> bytes:
        """The first value of a field of bytes."""
        return next((value for value in self._values(name) if isinstance(value, bytes)), b"")

    def text(self, name: int) -> str:
        """The first value of a field of text."""
        return self.content(name).decode("utf-8", "replace")

    def texts(self, name: int) -> list[str]:
        """Every value of a field of text."""
        return [value.decode("utf-8", "replace") for value in self._values(name) if isinstance(value, bytes)]

    def message(self, name: int) -> Message:
        """The message in a field."""
        return Message(self.content(name))

    def messages(self, name: int) -> list[Message]:
        """Every message in a field."""
        return [Message(value) for value in self._values(name) if isinstance(value, bytes)]

    def reference(self, name: int) -> int:
        """The object that a field refers to; 0 for none."""
        return self.message(name).number(1)

    def references(self, name: int) -> list[int]:
        """Every object that a field refers to."""
        return [message.number(1) for message in self.messages(name)]

    def has(self, name: int) -> bool:
        """True when the field is there."""
        return bool(self._values(name))

    def _values(self, name: int) -> list[int | bytes]:
        if self._fields is None:
            self._fields = {}
            for number, value in _scan(self.data):
                self._fields.setdefault(number, []).append(value)
        return self._fields.get(name, [])


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at that place, and the place after it. Raises `IndexError` at the end of the data."""
    value = shift = 0
    for _ in range(_MAX_VARINT_BYTES):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return value, at


def _scan(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields in order, up to the first that makes no sense."""
    at = 0
    while at < len(data):
        try:
            tag, at = varint(data, at)
            kind = tag & 7
            if kind == _VARINT:
                value, at = varint(data, at)
                yield tag >> 3, value
                continue
            length, at = (varint(data, at)) if kind == _BYTES else ({_FIXED64: 8, _FIXED32: 4}.get(kind, -1), at)
        except IndexError:
            return
        if length < 0 or at + length > len(data):
            return
        yield tag >> 3, data[at : at + length]
        at += length
