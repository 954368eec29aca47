"""Little-endian numbers out of hostile bytes: what lies behind the end counts as zero, so that no read raises."""

from __future__ import annotations

import struct


def u8(data: bytes, at: int) -> int:
    """The unsigned byte at `at`."""
    return data[at] if 0 <= at < len(data) else 0


def u16(data: bytes, at: int) -> int:
    """The unsigned 16-bit number at `at`."""
    return int.from_bytes(data[at : at + 2], "little") if at >= 0 else 0


def i16(data: bytes, at: int) -> int:
    """The signed 16-bit number at `at`."""
    number = u16(data, at)
    return number - 0x10000 if number & 0x8000 else number


def u32(data: bytes, at: int) -> int:
    """The unsigned 32-bit number at `at`."""
    return int.from_bytes(data[at : at + 4], "little") if at >= 0 else 0


def i32(data: bytes, at: int) -> int:
    """The signed 32-bit number at `at`."""
    number = u32(data, at)
    return number - 0x1_0000_0000 if number & 0x8000_0000 else number


def f64(data: bytes, at: int) -> float:
    """The 64-bit floating-point number at `at`."""
    found = data[at : at + 8] if at >= 0 else b""
    number: float = struct.unpack("<d", found.ljust(8, b"\0"))[0]
    return number


def utf16(data: bytes, at: int, chars: int) -> str:
    """So many UTF-16 units at `at`; halves of characters become the replacement character."""
    return data[at : at + 2 * chars].decode("utf-16-le", "replace") if at >= 0 else ""
