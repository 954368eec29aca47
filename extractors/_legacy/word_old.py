"""The properties of characters in Word 6 and 95: operations whose code is one byte."""

from __future__ import annotations

from extractors._legacy.numbers import u8

DELETED, INSERTED, VANISH, FONT = 0x0800, 0x0801, 0x083C, 0x4A4F
#: The operations that are read of characters, and those of later versions that say the same.
_LATER_CODES = {65: DELETED, 66: INSERTED, 92: VANISH, 93: FONT}
#: How many bytes the operands of the others take; None where the first byte tells.
_OPERAND_BYTES: dict[int, int | None] = {
    **dict.fromkeys((68, 74, 81, 82, 103, 105, 106, 108), None),
    **dict.fromkeys((69, 72, 80, 96, 97, 107, 109, 110, 93), 2),
    **dict.fromkeys((73, 95), 3),
    70: 4,
    83: 0,
}


def old_characters(raw: bytes) -> dict[int, bytes]:
    """The operations on characters that matter, by the codes of later versions."""
    found: dict[int, bytes] = {}
    at = 0
    while at < len(raw):
        code = raw[at]
        size = _OPERAND_BYTES.get(code, 1)
        if size is None:
            size = 1 + u8(raw, at + 1)
        if code in _LATER_CODES:
            found[_LATER_CODES[code]] = raw[at + 1 : at + 1 + size]
        at += 1 + size
    return found
