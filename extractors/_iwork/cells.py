"""Cells of a table: packed fields behind a mask of bits, in the layout of 2013 (versions to 4) and of today (5)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

#: Which field of four or more bytes stands behind which bit, in their order.
_LAYOUT_OF_TODAY = (
    (0x1, "decimal", 16), (0x2, "number", 8), (0x4, "seconds", 8), (0x8, "string", 4), (0x10, "rich", 4),
    (0x20, "", 4), (0x40, "", 4), (0x80, "", 4), (0x100, "", 4), (0x200, "formula", 4), (0x400, "", 4),
    (0x800, "error", 4), (0x1000, "", 4), (0x2000, "format", 4), (0x4000, "format", 4), (0x8000, "format", 4),
    (0x10000, "format", 4), (0x20000, "", 4), (0x40000, "", 4),
)  # fmt: skip
_LAYOUT_OF_2013 = (
    (0x2, "", 4), (0x80, "", 4), (0x400, "", 4), (0x800, "", 4), (0x4, "format", 4), (0x8, "formula", 4),
    (0x100, "error", 4), (0x200, "rich", 4), (0x1000, "", 4), (0x2000, "", 4), (0x10, "string", 4),
    (0x20, "number", 8), (0x40, "seconds", 8),
)  # fmt: skip
_HEADER_BYTES = 12
_NUMBER, _TEXT, _DATE, _BOOLEAN, _DURATION, _ERROR, _RICH_TEXT, _CURRENCY = 2, 3, 5, 6, 7, 8, 9, 10
_KINDS = {
    _NUMBER: "number", _TEXT: "text", _DATE: "date", _BOOLEAN: "boolean", _DURATION: "duration", _ERROR: "error",
    _RICH_TEXT: "text", _CURRENCY: "number",
}  # fmt: skip
_DECIMAL_BIAS = 0x1820
_MAX_EXPONENT = 300


class Cell(NamedTuple):
    """One stored cell. The keys lead into the lists of the table; 0 for none."""

    column: int
    kind: str  # number, text, date, boolean, duration, error
    value: float = 0.0
    string_key: int = 0
    rich_key: int = 0
    format_key: int = 0


def row_cells(storage: bytes, offsets: bytes, *, is_wide: bool) -> Iterator[Cell]:
    """The cells of one row: its packed bytes, and where in them each column begins."""
    for column, (offset,) in enumerate(struct.iter_unpack("<h", offsets[: len(offsets) & ~1])):
        if offset >= 0:
            cell = _cell(column, storage, offset * 4 if is_wide else offset)
            if cell is not None:
                yield cell


def _cell(column: int, storage: bytes, at: int) -> Cell | None:
    if at + _HEADER_BYTES > len(storage):
        return None
    version = storage[at]
    is_of_today = version >= 5
    kind = _KINDS.get(storage[at + 2] if version <= 3 else storage[at + 1])
    if kind is None:
        return None
    mask = int.from_bytes(storage[at + 8 : at + 12] if is_of_today else storage[at + 4 : at + 6], "little")
    found: dict[str, bytes] = {}
    at += _HEADER_BYTES
    for bit, name, size in _LAYOUT_OF_TODAY if is_of_today else _LAYOUT_OF_2013:
        if mask & bit:
            found[name] = storage[at : at + size]
            at += size
    keys = {name: int.from_bytes(found.get(name, b""), "little") for name in ("string", "rich", "format")}
    return Cell(column, kind, _value(found), keys["string"], keys["rich"], keys["format"])


def _value(found: dict[str, bytes]) -> float:
    if len(packed := found.get("decimal", b"")) == 16:
        return _decimal(packed)
    packed = found.get("number") or found.get("seconds") or b""
    return float(struct.unpack("<d", packed)[0]) if len(packed) == 8 else 0.0


def _decimal(packed: bytes) -> float:
    """A decimal of 128 bits: sign, exponent, and 113 bits of digits."""
    high = int.from_bytes(packed[14:], "little")
    exponent = ((high & 0x7FFF) >> 1) - _DECIMAL_BIAS
    digits = int.from_bytes(packed[:14], "little") | (high & 1) << 112
    if not -_MAX_EXPONENT <= exponent <= _MAX_EXPONENT:
        return 0.0
    value = digits * 10**exponent if exponent >= 0 else digits / 10**-exponent
    return float(-value if high & 0x8000 else value)
