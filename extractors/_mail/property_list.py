"""MAPI properties one after the other, as TNEF writes them (MS-OXTNEF 2.1.3.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors._declared_charset import code_page, decoded
from extractors._mail.language import page_of_language
from extractors._mail.mapi import INTERNET_PAGE, LANGUAGE, STRING_PAGE

_STRING8, _UNICODE, _BINARY, _OBJECT = 0x001E, 0x001F, 0x0102, 0x000D
_VARIABLE = frozenset({_STRING8, _UNICODE, _BINARY, _OBJECT})
#: How many bytes a value of fixed size takes, filled up to four.
_FIXED_BYTES = {
    **dict.fromkeys((0x0002, 0x000B, 0x0003, 0x0004, 0x000A), 4),
    **dict.fromkeys((0x0005, 0x0006, 0x0007, 0x0014, 0x0040), 8),
    0x0048: 16,
}
_MANY = 0x1000
_FIRST_NAMED = 0x8000
_GUID_BYTES = 16
_BY_STRING = 1


@dataclass(slots=True, kw_only=True)
class PropertyList:
    """What MAPI keeps of one thing. Text of one byte a character is decoded when it is asked for."""

    codec: str | None = None
    html_codec: str | None = None
    numbers: dict[int, int] = field(default_factory=dict)
    wide: dict[int, bytes] = field(default_factory=dict)
    narrow: dict[int, bytes] = field(default_factory=dict)
    bytes_of: dict[int, bytes] = field(default_factory=dict)
    objects: dict[int, bytes] = field(default_factory=dict)
    #: Some of it could not be read.
    is_cut: bool = False

    def text(self, name: int) -> str:
        """A property of text; empty where there is none."""
        if wide := self.wide.get(name):
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        return decoded(self.narrow.get(name, b"").rstrip(b"\0"), self.codec)

    def binary(self, name: int) -> bytes:
        """A property of bytes; empty where there is none."""
        return self.bytes_of.get(name, b"")

    def number(self, name: int) -> int | None:
        """A property of a number or of a time; None where there is none."""
        return self.numbers.get(name)


class _Cursor:
    """Reads on in the bytes; what would go beyond their end raises `EOFError`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        """So many bytes."""
        if self._at + size > len(self._data):
            raise EOFError
        self._at += size
        return self._data[self._at - size : self._at]

    def number(self, size: int = 4) -> int:
        """A number of so many bytes."""
        return int.from_bytes(self.take(size), "little")

    def sized(self) -> bytes:
        """Bytes with their length before them, filled up to four."""
        size = self.number()
        content = self.take(size)
        self._at += -size % 4
        return content


def read_properties(data: bytes, properties: PropertyList) -> None:
    """Adds the properties in `data` as far as they can be read, and the code pages that they name."""
    properties.is_cut |= not _read(_Cursor(data), properties)
    pages = (properties.number(STRING_PAGE), page_of_language(properties.number(LANGUAGE)))
    properties.codec = next(filter(None, map(code_page, pages)), properties.codec)
    properties.html_codec = code_page(properties.number(INTERNET_PAGE)) or properties.html_codec


def read_rows(data: bytes) -> Iterator[PropertyList]:
    """The rows of a table, each with properties of its own."""
    cursor = _Cursor(data)
    try:
        count = cursor.number()
    except EOFError:
        return
    for _ in range(count):
        row = PropertyList()
        if not _read(cursor, row):
            return
        yield row


def _read(cursor: _Cursor, properties: PropertyList) -> bool:
    """True when all could be read."""
    try:
        for _ in range(cursor.number()):
            _read_one(cursor, properties)
    except EOFError:
        return False
    return True


def _read_one(cursor: _Cursor, properties: PropertyList) -> None:
    kind, name = cursor.number(2), cursor.number(2)
    if is_named := name >= _FIRST_NAMED:
        cursor.take(_GUID_BYTES)
        if cursor.number() == _BY_STRING:
            cursor.sized()
        else:
            cursor.take(4)
    one = kind & ~_MANY
    if one not in _VARIABLE and one not in _FIXED_BYTES:
        raise EOFError  # of unknown size, so that nothing behind it can be found
    values = [
        cursor.sized() if one in _VARIABLE else cursor.take(_FIXED_BYTES[one])
        for _ in range(cursor.number() if one in _VARIABLE or kind & _MANY else 1)
    ]
    if is_named or not values or kind & _MANY:
        return
    if one not in _VARIABLE:
        properties.numbers[name] = int.from_bytes(values[0], "little")
        return
    kept = {
        _STRING8: properties.narrow,
        _UNICODE: properties.wide,
        _BINARY: properties.bytes_of,
        _OBJECT: properties.objects,
    }
    kept[one][name] = values[0]
